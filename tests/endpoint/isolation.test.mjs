// Nothing crosses codexes, and nothing secret is told. Many codexes are called at random and at the same time; whatever one
// of them holds carries its mark, and what its notes say a secret. Every answer and every line of the log is searched for
// what must not be there. The Worker is the one with faults, so that what breaks is searched too.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Random } from './random.mjs';
import { newSecrets, Notebook, serve } from './worker.mjs';

const CODEXES = 12;
const STEPS = 400;
const TOGETHER = 8;

const SQL = /\bSELECT\b|\bINSERT\b|\bUPDATE \w+ SET\b|\bDELETE FROM\b|sqlite|constraint failed|no such table/i;
const SOURCE = /panicked|\.rs:\d|wasm-function|\bat async\b|RuntimeError/;
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

const secrets = newSecrets();
const seed = Date.now() % 1_000_000_000;
const random = new Random(seed);
let worker;
const codexes = [];

before(async () => {
  worker = await serve({ build: 'build-faults', secrets });
  for (let number = 0; number < CODEXES; number++) {
    const [mark, secret] = [`mark${randomBytes(8).toString('hex')}`, `secret${randomBytes(8).toString('hex')}`];
    const { token } = await worker.grant(`isolated-${number}`, undefined, { label: mark });
    const notebook = new Notebook(worker.url, token);
    codexes.push({ number, mark, secret, token, notebook, entries: new Map(), cursors: [], saves: 0 });
  }
});
after(() => worker?.close());

/** An entry of which every member tells whose it is. */
const entryOf = ({ mark, secret }) => ({
  content: `${secret} ${mark} ${'long '.repeat(random.below(200))}`,
  title: mark,
  tags: [mark, 'shared'],
  relatedAgentIds: [mark],
  provenance: { source: mark, [mark]: [mark] },
});

const ownId = codex => (codex.entries.size > 0 ? random.pick([...codex.entries.keys()]) : UNKNOWN);
const another = codex => random.pick(codexes.filter(other => other !== codex));
const tool = (name, args) => (
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: `field_notes_${name}`, arguments: args } });
const update = (codex, id, expectedRevision) => tool('update', { id, expectedRevision, entry: entryOf(codex) });

/** What a codex's client may send. Request ids and the tag `shared` are the same in every codex. */
const ACTIONS = {
  save: codex => tool('save', { requestId: `request ${codex.saves++}`, entry: entryOf(codex) }),
  repeat: codex => tool('save', { requestId: `request ${random.below(codex.saves + 1)}`, entry: entryOf(codex) }),
  get: codex => tool('get', { id: ownId(codex) }),
  getForeign: codex => tool('get', { id: ownId(another(codex)) }),
  update: codex => {
    const id = ownId(codex);
    return update(codex, id, codex.entries.get(id) ?? 1);
  },
  updateForeign: codex => update(codex, ownId(another(codex)), 1),
  updateOld: codex => update(codex, ownId(codex), 999),
  search: codex => tool('search', { query: codex.mark.toUpperCase() }),
  searchSecret: codex => tool('search', { query: codex.secret, limit: 3 }),
  searchForeign: codex => tool('search', { query: another(codex).mark }),
  searchShared: codex => tool('search', { tag: 'shared', limit: 2 }),
  browse: () => tool('search', { limit: 2 }),
  goOn: codex => tool('search', { limit: 2, cursor: codex.cursors.at(-1) ?? 'AAAA' }),
  goOnForeign: codex => tool('search', { limit: 2, cursor: another(codex).cursors.at(-1) ?? 'AAAA' }),
  wrongMember: codex => tool('save', { requestId: 'r', entry: { content: codex.secret, [codex.mark]: codex.secret } }),
  wrongLength: codex => tool('save', { requestId: 'r', entry: { content: codex.secret, title: codex.secret.repeat(99) } }),
  wrongTool: codex => tool(codex.mark, { content: codex.secret }),
  notJson: codex => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"${codex.secret}`,
  breaks: codex => tool('save', { requestId: 'fault: sql', entry: entryOf(codex) }),
  panics: codex => tool('save', { requestId: 'fault: panic', entry: entryOf(codex) }),
};

/** Sends what one codex's client might; gives all of the answer as text. */
async function act(codex) {
  const action = codex.entries.size < 3 ? 'save' : random.pick(Object.keys(ACTIONS));
  const forged = random.oneIn(20);
  const notebook = forged ? new Notebook(worker.url, `${codex.token.slice(0, -3)}AAA`) : codex.notebook;
  const response = await notebook.post(ACTIONS[action](codex));
  const text = await response.text();
  if (!forged) note(codex, response.status, text);
  const failed = response.status !== 200 || text.includes('"isError":true');
  search(codex, action, `${JSON.stringify([...response.headers])} ${text}`, failed);
}

function note(codex, status, text) {
  const content = status === 200 && JSON.parse(text).result?.structuredContent;
  if (!content) return;
  for (const { id, revision } of content.entries ?? [content.entry]) {
    codex.entries.set(id, Math.max(revision, codex.entries.get(id) ?? 0));
  }
  if (content.nextCursor) codex.cursors.push(content.nextCursor);
}

function search(codex, what, text, failed) {
  const where = `${what} of codex ${codex.number}, seed ${seed}`;
  for (const other of codexes) {
    assert.ok(!text.includes(other.token), `${where}: a token`);
    if (other === codex) continue;
    assert.ok(!text.includes(other.mark) && !text.includes(other.secret), `${where}: what codex ${other.number} holds`);
  }
  assert.doesNotMatch(text, SQL, where);
  assert.doesNotMatch(text, SOURCE, where);
  if (failed) assert.ok(!text.includes(codex.secret), `${where}: what a note says, in a failure`);
}

test('no answer holds what another codex holds, a token, SQL, or, where it is a failure, what a note says', async () => {
  for (let step = 0; step < STEPS; step += TOGETHER) {
    await Promise.all(Array.from({ length: TOGETHER }, () => act(random.pick(codexes))));
  }
  assert.ok(codexes.every(({ entries }) => entries.size > 0), 'every codex was written to');
});

test('each codex holds what was saved in it, and nothing else', async () => {
  const ids = new Map();
  for (const codex of codexes) {
    const found = await codex.notebook.searchToTheEnd({ limit: 7 });
    for (const { id, tags } of found) {
      assert.deepEqual(tags, [codex.mark, 'shared']);
      ids.set(id, codex.number);
    }
    assert.deepEqual([...codex.entries.keys()].filter(id => ids.get(id) !== codex.number), []);
    assert.equal((await codex.notebook.searchToTheEnd({ tag: 'shared' })).length, found.length);
  }
});

test('the grants of a codex are listed without tokens, and without those of others', async () => {
  for (const codex of codexes) {
    const response = await worker.owner('GET', `/grants?codex=isolated-${codex.number}`);
    const text = await response.text();
    search(codex, 'the listing of grants', text, true);
    assert.deepEqual(JSON.parse(text).grants.map(({ label }) => label), [codex.mark]);
  }
});

test('an answer that went to another codex would be noticed', async () => {
  const [one, other] = codexes;
  const text = await (await other.notebook.post(ACTIONS.browse())).text();
  search(other, 'its own', text, false);
  assert.throws(() => search(one, "another's", text, false), /what codex 1 holds/);
  assert.throws(() => search(other, 'its own, as a failure', text, true), /what a note says/);
});

test('the log holds nothing of what was stored or sent, and no key', () => {
  const log = worker.logged();
  assert.match(log, /a fault for the tests/, 'what broke is in the log');
  for (const { mark, secret, token } of codexes) {
    for (const hidden of [mark, secret, token]) assert.ok(!log.includes(hidden), `seed ${seed}: ${hidden}`);
  }
  for (const key of Object.values(secrets)) assert.ok(!log.includes(key));
  assert.doesNotMatch(log, SQL);
});
