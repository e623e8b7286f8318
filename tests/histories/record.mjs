// Records histories: clients that call one codex at the same time, and what each call and each answer was, in the order in
// which this process sent and received them. Requests are repeated, and some calls are given up before their answer comes.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../endpoint/random.mjs';
import { Notebook } from '../endpoint/worker.mjs';

const CLIENTS = 3;
const CALLS = 5; // of each client
const REQUESTS = ['r0', 'r1', 'r2'];
const GIVEN_UP = 3; // of a history: each leaves the checker more orders to try
const LATEST_KILL = 60; // milliseconds after a history begins

const shown = ({ id, revision, content, excerpt }) => ({ id, revision, content: content ?? excerpt });

/** An answer as the checker reads it. Nothing in a history gives a server cause for any other failure. */
function answerOf(result) {
  if (result.entry) return { entry: shown(result.entry) };
  if (result.entries) {
    assert.equal(result.nextCursor, undefined, 'a history fits a page');
    return { page: result.entries.map(shown) };
  }
  const answer = { conflict: 'conflict', not_found: 'notFound' }[result.error.code];
  assert.ok(answer, `a call is answered with ${result.error.code}`);
  return answer;
}

class Recorder {
  events = [];
  #clients = CLIENTS;
  #givenUp = 0;
  #writes = 0;
  /** By id, the newest revision that was seen. */
  #seen = new Map();

  /** While the server is killed and started again, and ever after: the promise of its being there. */
  #restart;
  #restarted = false;

  constructor(worker, token, random, fetch) {
    Object.assign(this, { worker, token, random, fetch });
  }

  async killAndStart() {
    this.#restart = this.worker.kill().then(() => this.worker.start());
    await this.#restart;
    this.#restarted = true;
  }

  async client(client) {
    for (let count = 0; count < CALLS; count++) {
      if (!(await this.#call(client))) client = ++this.#clients;
    }
  }

  /** Makes a call; says whether its answer came. */
  async #call(client) {
    const giveUp = this.#givenUp < GIVEN_UP && this.random.oneIn(8);
    const patience = giveUp ? AbortSignal.timeout(this.random.below(4)) : undefined;
    if (giveUp) this.#givenUp += 1;
    const send = (url, init) => this.fetch(url, { ...init, signal: patience });
    const notebook = new Notebook(this.worker.url, this.token, { fetch: send });
    const [call, tool, args] = this.#chosen();
    this.events.push({ client, call });
    const mayBeKilled = !this.#restarted;
    let result;
    try {
      result = await notebook.call(tool, args);
    } catch (error) {
      // Whoever gives up, and who was cut off by the kill, has no answer; an answer that is no good is never one of these.
      const lost = patience?.aborted || (mayBeKilled && this.#restart && error instanceof TypeError);
      if (!lost) throw error;
      await this.#restart;
      return false;
    }
    const answer = answerOf(result);
    for (const { id, revision } of answer.page ?? [answer.entry ?? {}]) {
      if (id) this.#seen.set(id, Math.max(revision, this.#seen.get(id) ?? 0));
    }
    this.events.push({ client, answer });
    return true;
  }

  /** A call as the checker reads it, and as the server does. */
  #chosen() {
    const { random } = this;
    const kind = random.below(this.#seen.size === 0 ? 4 : 12);
    if (kind < 3) {
      const requestId = random.pick(REQUESTS);
      const content = `of ${requestId}${random.oneIn(8) ? ', another' : ''}`;
      return [{ save: { requestId, content } }, 'save', { requestId, entry: { content } }];
    }
    if (kind < 4) return ['browse', 'search', { limit: 50 }];
    const [id, revision] = random.pick([...this.#seen]);
    if (kind < 7) return [{ get: { id } }, 'get', { id }];
    const expectedRevision = random.oneIn(5) && revision > 1 ? revision - 1 : revision;
    const content = `write ${++this.#writes}`;
    return [{ update: { id, expectedRevision, content } }, 'update', { id, expectedRevision, entry: { content } }];
  }
}

/**
 * Records so many histories of a worker, each in a codex of its own. `fault` makes of a random a changer of `fetch`. With
 * `kills` the worker, which can be started again, is killed in the middle of each.
 */
export async function record(worker, count, { seed = Date.now(), fault = () => fetch => fetch, kills = false } = {}) {
  const histories = [];
  // Connections that the server closed while a judge had this thread are seen to be closed before one is used again.
  await sleep(10);
  for (let number = 0; number < count; number++) {
    const random = new Random(seed + number);
    const { token } = await worker.grant(`history-${seed}-${number}`);
    const recorder = new Recorder(worker, token, random, fault(random)(globalThis.fetch));
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => recorder.client(client + 1)));
    if (kills) {
      await Promise.race([clients, sleep(random.below(LATEST_KILL))]);
      await recorder.killAndStart();
    }
    await clients;
    histories.push({ seed: seed + number, events: recorder.events });
  }
  return histories;
}
