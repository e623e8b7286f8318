// The index of searches on the runtime's own SQLite, which is another version than the native tests'; and the alarm that puts
// an older database into it.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { newSecrets, Notebook, serve } from './worker.mjs';

const STRANGE = [
  'plain words of a note',
  'before\0after the NUL',
  'ab\0cd\0ef',
  'Straße und ﬁn ｶﾀｶﾅ ＣＡＦＥ',
  '東京都の天気 한글 ΟΔΌΣ',
  'nonchars \ufffe\uffff\u{1fffe}\u{10ffff}\ufdd0 and private \ue000',
  'fts " AND ( OR ) NEAR * ^ \' \\ "" syntax',
  'A\u0001A \u0001 controls \u007f',
  '😀😃😄 astral',
];

test('every part of every text is found, whatever characters it is of', async t => {
  const worker = await serve();
  t.after(() => worker.close());
  const notebook = await worker.notebook('strange');
  const ids = new Map();
  for (const [number, content] of STRANGE.entries()) {
    const label = [...content].slice(0, 12).join('');
    const entry = { content, title: `x${label}`, tags: [label, `tag ${number}`], relatedAgentIds: [label] };
    ids.set(content, (await notebook.save(`save ${number}`, entry)).id);
  }
  const found = async args => (await notebook.searchToTheEnd(args)).map(entry => entry.id);
  for (const [content, id] of ids) {
    const characters = [...content.slice(0, 60)];
    for (let start = 0; start < characters.length; start += 4) {
      for (const length of [2, 3, 8]) {
        const query = characters.slice(start, start + length).join('');
        assert.ok((await found({ query })).includes(id), JSON.stringify(query));
      }
    }
    const label = [...content].slice(0, 12).join('');
    assert.deepEqual(await found({ tag: label }), [id]);
    assert.deepEqual(await found({ relatedAgentId: label, query: label }), [id]);
  }
  const { id } = await notebook.save('outgrown', { content: `${'\ufdfa'.repeat(31_000)} folds to more than is stored` });
  assert.deepEqual(await found({ query: 'THAN IS STORED' }), [id]);
});

test('an older database is found in whole, before and after the alarm has put it into the index', async t => {
  const persist = await mkdtemp(path.join(tmpdir(), 'agent-codex-'));
  t.after(() => rm(persist, { recursive: true }));
  const secrets = newSecrets();
  let worker = await serve({ persist, secrets });
  const { token } = await worker.grant('older');
  let notebook = new Notebook(worker.url, token);
  for (let number = 0; number < 300; number++) {
    await notebook.save(`save ${number}`, { content: number === 150 ? 'a needle' : `hay ${number}`, tags: ['kept'] });
  }
  await worker.close();
  await makeOlder(persist);

  worker = await serve({ persist, secrets });
  t.after(() => worker.close());
  notebook = new Notebook(worker.url, token);
  const nowhere = () => notebook.call('search', { query: 'nowhere' });
  assert.equal((await nowhere()).coverage.hasMore, true, 'the first search looks at entries');
  while ((await nowhere()).coverage.scanned > 0) {
    assert.equal((await notebook.searchToTheEnd({ query: 'needle' })).length, 1);
    await wait(20);
  }
  assert.equal((await notebook.searchToTheEnd({ query: 'needle' })).length, 1);
  assert.equal((await notebook.searchToTheEnd({ query: 'hay', tag: 'kept', limit: 50 })).length, 299);
  assert.doesNotMatch(worker.logged(), /failed/);
});

/** Takes the index out of every database of the folder, as in the version before it. */
async function makeOlder(folder) {
  for (const file of (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.sqlite'))) {
    const database = new DatabaseSync(path.join(folder, file));
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries'").get()) {
      database.exec('DROP TRIGGER entry_inserted; DROP TRIGGER entry_updated; DROP VIEW indexed; DROP TABLE trigrams; DROP TABLE backfill; DELETE FROM migrations WHERE version >= 4');
    }
    database.close();
  }
}
