// What is promised of writes: once per request id, one winner per revision, all or nothing, kept over a restart.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Notebook, newSecrets, serve } from './worker.mjs';

async function served(t, options) {
  const worker = await serve(options);
  t.after(() => worker.close());
  return worker;
}

test('64 concurrent saves of one request id give one entry and 64 equal answers', async t => {
  const notebook = await (await served(t)).notebook('saves');
  const saves = await Promise.all(Array.from({ length: 64 }, () => notebook.save('one', { content: 'once', tags: ['a'] })));
  for (const entry of saves) assert.deepEqual(entry, saves[0]);
  assert.equal((await notebook.searchToTheEnd({})).length, 1);
});

test('64 concurrent updates of one revision give one winner', async t => {
  const notebook = await (await served(t)).notebook('updates');
  const { id } = await notebook.save('one', { content: 'before' });
  const update = number => notebook.call('update', { id, expectedRevision: 1, entry: { content: `by ${number}` } });
  const answers = await Promise.all(Array.from({ length: 64 }, (_, number) => update(number)));
  const winners = answers.filter(answer => answer.entry);
  assert.equal(winners.length, 1);
  for (const answer of answers) assert.ok(answer.entry || answer.error.code === 'conflict', JSON.stringify(answer));
  assert.deepEqual((await notebook.call('get', { id })).entry, winners[0].entry);
  assert.equal(winners[0].entry.revision, 2);
});

for (const fault of ['panic', 'sql']) {
  test(`a ${fault} at the end of a save answers internal, changes nothing, and the next call works`, async t => {
    const worker = await served(t, { build: 'build-faults' });
    const notebook = await worker.notebook('faults');
    await notebook.save('before', { content: 'before' });
    const secret = 'what a note says is never logged';
    const broken = await notebook.call('save', { requestId: `fault: ${fault}`, entry: { content: secret } });
    assert.equal(broken.error.code, 'internal');
    assert.equal((await notebook.searchToTheEnd({})).length, 1, 'the insert was rolled back');
    assert.equal((await notebook.searchToTheEnd({ query: secret })).length, 0);
    const again = await notebook.call('save', { requestId: `fault: ${fault}`, entry: { content: secret } });
    assert.equal(again.error.code, 'internal', 'so was the record of its request: the save is made again');
    await notebook.save('after', { content: 'after' });
    assert.equal((await notebook.searchToTheEnd({})).length, 2);
    assert.equal(worker.logged().match(fault === 'panic' ? /panicked at src\/object\/faults.rs/g : /a fault for the tests/g)?.length, 2);
    assert.doesNotMatch(worker.logged(), new RegExp(`${secret}|${notebook.token}`));
  });
}

test('a full codex refuses what would make it larger, whole, and does the rest as ever', async t => {
  const worker = await served(t, { vars: { CODEX_MEBIBYTES: '1' } });
  const notebook = await worker.notebook('full');
  const input = { content: 'large '.repeat(10_000) };
  const save = number => notebook.call('save', { requestId: `r${number}`, entry: input });
  const saved = [];
  let refused;
  while (!refused && saved.length < 20) {
    const { entry, error } = await save(saved.length);
    if (entry) saved.push(entry);
    else refused = error;
  }
  assert.equal(refused?.code, 'limit_exceeded');
  assert.ok(saved.length > 0);
  assert.deepEqual((await save(0)).entry, saved[0], 'a save is repeated');
  const found = await notebook.searchToTheEnd({ query: 'large' });
  assert.equal(found.length, saved.length, 'nothing of what was refused is there');
  const update = { id: saved[0].id, expectedRevision: 1, entry: { content: 'short' } };
  assert.equal((await notebook.call('update', update)).entry.revision, 2);
});

test('a call whose answer is lost for a moment is made again where that is safe, and is 503 where it is not', async t => {
  const worker = await served(t, { build: 'build-faults' });
  const notebook = await worker.notebook('lost');
  const saved = await notebook.save('fault: lost 2.', { content: 'once' });
  assert.equal(saved.revision, 1);
  assert.equal((await notebook.searchToTheEnd({})).length, 1, 'saved by the first of three tries, and once');
  assert.equal((await notebook.call('search', { query: 'fault: lost 1.' })).entries.length, 0);

  const refused = await notebook.request('save', { requestId: 'fault: lost 9.', entry: { content: 'twice' } });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
  assert.match((await refused.json()).error.message, /not known\. Repeat a save with the same requestId/);

  const arguments_ = { id: saved.id, expectedRevision: 1, entry: { content: 'fault: lost 01.' } };
  const unsafe = await notebook.request('update', arguments_);
  assert.equal(unsafe.status, 503);
  const { entry } = await notebook.call('get', { id: saved.id });
  assert.deepEqual([entry.revision, entry.content], [2, 'fault: lost 01.'], 'carried out once');

  const overloaded = await notebook.request('save', { requestId: 'fault: overloaded.', entry: { content: 'never' } });
  assert.deepEqual([overloaded.status, overloaded.headers.get('retry-after')], [503, '5']);
  assert.match((await overloaded.json()).error.message, /was not carried out/);
  const grant = { label: 'fault: overloaded.', scopes: ['notes:read'] };
  const busy = await worker.owner('POST', '/grants?codex=lost', grant);
  assert.deepEqual([busy.status, busy.headers.get('retry-after'), (await busy.json()).error], [503, '5', 'temporarily_unavailable']);
});

test('a panic in the edge is an answer too, and other requests are not touched', async t => {
  const worker = await served(t, { build: 'build-faults' });
  const notebook = await worker.notebook('edge');
  const [broken, entry] = await Promise.all([fetch(`${worker.origin}/faults/panic`), notebook.save('a', { content: 'a' })]);
  assert.equal(broken.status, 500);
  assert.equal((await broken.json()).error, 'internal');
  assert.equal(entry.revision, 1);
});

test('a restart keeps entries, request ids, cursors and grants', async t => {
  const persist = await mkdtemp(path.join(tmpdir(), 'agent-codex-'));
  t.after(() => rm(persist, { recursive: true }));
  const secrets = newSecrets();
  const first = await serve({ persist, secrets });
  const { token } = await first.grant('kept');
  const before = new Notebook(first.url, token);
  const entries = [];
  for (let number = 0; number < 5; number++) entries.push(await before.save(`r${number}`, { content: `note ${number}` }));
  const { nextCursor } = await before.call('search', { limit: 2 });
  await first.close();

  const second = await served(t, { persist, secrets });
  const after = new Notebook(second.url, token);
  for (const entry of entries) assert.deepEqual((await after.call('get', { id: entry.id })).entry, entry);
  assert.deepEqual(await after.save('r0', { content: 'note 0' }), entries[0]);
  const rest = await after.call('search', { cursor: nextCursor });
  const ids = entries.map(entry => entry.id).toSorted();
  assert.deepEqual(rest.entries.map(entry => entry.id), ids.slice(2));
});
