// A killed server keeps what it acknowledged. `make soak` kills more often; that a breach would be noticed is shown here.
import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { test } from 'node:test';
import { doubleInsert, lostFromIndex, lostSave, lostTags, lostUpdate } from '../endpoint/faulty-fetch.mjs';
import { soak } from './soak.mjs';

test('what was acknowledged before a kill is there after it, once and as it was', async t => {
  const counts = await soak({ kills: 4 });
  t.diagnostic(`${counts.calls} calls, ${counts.open} of them cut off`);
  assert.equal(counts.kills, 4);
  assert.ok(counts.codexes > 1, 'their databases were looked into');
  assert.deepEqual([counts.lost, counts.doubled, counts.reverted, counts.strange], [0, 0, 0, 0]);
});

const faults = {
  'acknowledges saves and keeps them elsewhere': { kind: 'lost', fault: lostSave },
  'saves twice': { kind: 'doubled', fault: doubleInsert },
  'forgets updates': { kind: 'reverted', fault: lostUpdate },
  'loses tags': { kind: 'strange', fault: lostTags },
  'does not find what it holds': { kind: 'lost', fault: lostFromIndex },
};
for (const [what, { kind, fault }] of Object.entries(faults)) {
  test(`a server that ${what} is noticed`, async () => {
    const enough = counts => counts[kind] > 0;
    assert.ok(enough(await soak({ kills: 40, fault, enough, quiet: true })));
  });
}

test('a disk that goes back to what it held at the kill before is noticed', async () => {
  let older;
  const whileDown = async ({ state, folder }) => {
    if (!older) {
      older = `${folder}/older`;
      await cp(state, older, { recursive: true });
      return;
    }
    await rm(state, { recursive: true });
    await cp(older, state, { recursive: true });
  };
  const enough = ({ lost, reverted }) => lost + reverted > 0;
  assert.ok(enough(await soak({ kills: 40, whileDown, enough, quiet: true })));
});
