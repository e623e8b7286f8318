// The codex is linearizable: whatever its clients do at the same time, its answers are those of one that does one thing at a
// time. `make histories` records more; that each promise's breach would be noticed is shown here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubleInsert, lostConflictCheck, lostSave, lostUpdate, staleRead } from '../endpoint/faulty-fetch.mjs';
import { serve } from '../endpoint/worker.mjs';
import { Workerd } from '../soak/workerd.mjs';
import { refused } from './check.mjs';
import { record } from './record.mjs';

async function served(t) {
  const worker = await serve();
  t.after(() => worker.close());
  return worker;
}

test('calls made at the same time, repeated and given up are answered as by one codex', async t => {
  const histories = await record(await served(t), 40);
  assert.deepEqual(refused(histories), []);
  const all = histories.flatMap(({ events }) => events);
  const calls = all.filter(({ call }) => call).length;
  const answers = all.filter(({ answer }) => answer).length;
  assert.ok(answers < calls, 'some calls were given up');
  assert.ok(all.some(({ answer }) => answer === 'conflict'), 'some lost a race');
});

test('so are calls across a kill of the server', async t => {
  const worker = await Workerd.start();
  t.after(() => worker.close());
  assert.deepEqual(refused(await record(worker, 10, { kills: true })), []);
});

for (const [name, fault] of Object.entries({ lostConflictCheck, staleRead, doubleInsert, lostUpdate })) {
  test(`a server with the fault ${name} is noticed within 200 histories`, async t => {
    const worker = await served(t);
    const noticed = await firstRefused(worker, fault);
    t.diagnostic(`noticed after ${noticed} histories`);
    assert.ok(noticed <= 200);
  });
}

test('a server that loses saves is noticed within 200 histories', async t => {
  const worker = await served(t);
  const { token } = await worker.grant('elsewhere');
  assert.ok((await firstRefused(worker, random => lostSave(random, token))) <= 200);
});

/** How many histories it takes until one is refused, in steps of twenty. */
async function firstRefused(worker, fault) {
  for (let recorded = 0; recorded < 200; recorded += 20) {
    const histories = await record(worker, 20, { seed: 1 + recorded, fault });
    const [first] = refused(histories);
    if (first) return recorded + histories.indexOf(first) + 1;
  }
  return Infinity;
}
