// What is measured. A workload makes an operation of a codex that is filled: a function of the number of the connection
// that runs it, which checks its answer and gives the number of its round trips, 1 where it gives none.
import { HIT, hitsAmong, MISS, note } from './corpus.mjs';
import { result, structured } from './client.mjs';

const CHECKED_CLOSELY = 64;
const SOME = 100;
const FILLERS = 16;

/** Sends request after request; one answer in so many is taken apart. */
function send(client, next, check) {
  let count = 0;
  return async connection => {
    const text = await client.send(next(connection), connection);
    if (text.includes('"isError":true') || !text.includes('"result":')) throw new Error(text.slice(0, 300));
    if (count++ % CHECKED_CLOSELY === 0 && !check(text)) throw new Error(`a wrong answer: ${text.slice(0, 300)}`);
  };
}

const inTurn = requests => {
  let count = 0;
  return () => requests[count++ % requests.length];
};

/** Follows a search to its end. */
async function follow(client, args, connection) {
  const found = { pages: 0, entries: 0, scanned: 0 };
  for (let cursor; ; ) {
    const page = await client.result('search', { ...args, ...(cursor && { cursor }) }, connection);
    found.pages += 1;
    found.entries += page.entries.length;
    found.scanned += page.coverage.scanned;
    if (!page.nextCursor !== !page.coverage.hasMore) throw new Error('nextCursor and hasMore disagree');
    cursor = page.nextCursor;
    if (!cursor) return found;
  }
}

const whole = (client, args, entries) => async connection => {
  const found = await follow(client, args, connection);
  if (found.entries !== entries) throw new Error(`found ${found.entries} entries instead of ${entries}`);
  return found.pages;
};

/** Saves `count` notes, and checks what a search finds of them. */
export async function fill(client, count, bytes) {
  const notes = Array.from({ length: count }, (_, number) => ({ requestId: `fill-${number}`, entry: note(number, bytes) }));
  const left = notes.values();
  await client.onEach(FILLERS, async connection => {
    for (const saved of left) {
      const { requestId, entry } = saved;
      saved.id = (await client.result('save', { requestId, entry }, connection)).entry.id;
    }
  });
  await client.onEach(1, whole(client, { query: HIT }, hitsAmong(count)));
  return notes;
}

export const workloads = [
  { name: 'open', sizes: false, make: ({ client }) => send(client, inTurn([client.opening()]), text => result(text).capabilities.tools) },
  {
    name: 'tools/list',
    sizes: false,
    make: ({ client }) => send(client, inTurn([client.request('tools/list')]), text => result(text).tools.length === 4),
  },
  {
    name: 'get',
    make({ client, notes }) {
      const requests = notes.slice(0, SOME).map(({ id }) => client.call('get', { id }));
      return send(client, inTurn(requests), text => structured(text).entry.content.length > 0);
    },
  },
  {
    name: 'browse',
    make({ client, notes }) {
      const expected = Math.min(20, notes.length);
      return send(client, inTurn([client.call('search', { limit: 20 })]), text => structured(text).entries.length === expected);
    },
  },
  { name: 'hit page', make: ({ client }) => send(client, inTurn([client.call('search', { query: HIT })]), structured) },
  { name: 'hit whole', make: ({ client, notes }) => whole(client, { query: HIT }, hitsAmong(notes.length)) },
  { name: 'miss whole', make: ({ client }) => whole(client, { query: MISS }, 0) },
  {
    name: 'save again',
    make({ client, notes }) {
      const some = notes.slice(0, SOME);
      const ids = new Set(some.map(({ id }) => id));
      const requests = some.map(({ requestId, entry }) => client.call('save', { requestId, entry }));
      return send(client, inTurn(requests), text => ids.has(structured(text).entry.id));
    },
  },
  {
    name: 'update',
    make({ client, notes, state, bytes }) {
      state.revisions ??= new Map();
      let count = 0;
      const next = connection => {
        const { id } = notes[connection];
        const expectedRevision = state.revisions.get(id) ?? 1;
        state.revisions.set(id, expectedRevision + 1);
        return client.call('update', { id, expectedRevision, entry: notes[count++ % notes.length].entry ?? note(count, bytes) });
      };
      return send(client, next, text => structured(text).entry.revision > 1);
    },
  },
  {
    name: 'save',
    make({ client, notes, state }) {
      state.saved ??= 0;
      const next = () => {
        const { entry } = notes[state.saved % notes.length];
        return client.call('save', { requestId: `new-${state.saved++}`, entry });
      };
      return send(client, next, text => structured(text).entry.revision === 1);
    },
  },
];
