// Looks into the databases themselves, past the server that wrote them: SQLite finds each whole, and every entry has the one
// request that saved it.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const CHECKS = {
  'an entry without its request': 'SELECT count(*) AS n FROM entries WHERE key NOT IN (SELECT key FROM requests)',
  'a request without its entry': 'SELECT count(*) AS n FROM requests WHERE key NOT IN (SELECT key FROM entries)',
  'two requests of one entry': 'SELECT count(*) - count(DISTINCT key) AS n FROM requests',
  'two entries of one id': 'SELECT count(*) - count(DISTINCT id) AS n FROM entries',
  'an entry that is not in the index': 'SELECT count(*) AS n FROM entries WHERE key NOT IN (SELECT id FROM trigrams_docsize)',
  'something in the index that is no entry': 'SELECT count(*) AS n FROM trigrams_docsize WHERE id NOT IN (SELECT key FROM entries)',
  'a migration that was left out': 'SELECT max(version) - count(*) AS n FROM migrations',
};

/** Gives how many codexes there are in the folder, which no server uses now, and what is wrong with them. */
export function inspect(folder) {
  const files = readdirSync(folder, { recursive: true }).filter(file => file.endsWith('.sqlite'));
  const wrong = [];
  let codexes = 0;
  for (const file of files) {
    const database = new DatabaseSync(path.join(folder, file));
    const [{ integrity_check: found }] = database.prepare('PRAGMA integrity_check').all();
    if (found !== 'ok') wrong.push(`${file}: ${found}`);
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries'").get()) {
      codexes += 1;
      for (const [what, sql] of Object.entries(CHECKS)) {
        if (database.prepare(sql).get().n > 0) wrong.push(`${file}: ${what}`);
      }
    }
    database.close();
  }
  return { codexes, wrong };
}
