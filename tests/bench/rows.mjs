// Counts the rows that calls write and read, as the runtime of Durable Objects counts them, which is what is billed: patches
// the runtime's SQL under the built Worker. Prints the means over 200 calls each; docs/performance.md explains them.
//   node tests/bench/rows.mjs [BUILD]
import { readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';
import { newSecrets, Notebook, workerOptions } from '../endpoint/worker.mjs';
import { note } from './corpus.mjs';

const COUNT = 200;
const COUNTING = `
import Worker, { Codex as Counted } from './index.js';
let cursors = [];
export class Codex extends Counted {
  constructor(ctx, env) {
    super(ctx, env);
    const sql = Object.getPrototypeOf(ctx.storage.sql);
    const { exec } = (sql.counted ??= { exec: sql.exec });
    sql.exec = function (...args) {
      const cursor = exec.apply(this, args);
      cursors.push(cursor);
      return cursor;
    };
  }
  rows() {
    const sum = name => cursors.reduce((sum, cursor) => sum + cursor[name], 0);
    const rows = { written: sum('rowsWritten'), read: sum('rowsRead') };
    cursors = [];
    return rows;
  }
}
export default {
  ...Worker,
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/rows') return Worker.fetch(request, env, ctx);
    return Response.json(await env.CODEX.get(env.CODEX.idFromName('rows')).rows());
  },
};`;

const secrets = newSecrets();
const { scriptPath, modulesRoot, modulesRules, ...options } = workerOptions(process.argv[2] ?? 'build', { ...secrets, ALLOWED_ORIGINS: '' });
const file = (type, path) => ({ type, path: `${options.rootPath}/${path}`, contents: readFileSync(`${options.rootPath}/${path}`) });
const miniflare = new Miniflare({
  ...options,
  modulesRoot,
  modules: [
    { type: 'ESModule', path: `${options.rootPath}/counting.js`, contents: COUNTING },
    file('ESModule', 'index.js'),
    file('CompiledWasm', 'index_bg.wasm'),
  ],
});
const { origin } = await miniflare.ready;
const granted = await fetch(`${origin}/grants?codex=rows`, {
  method: 'POST',
  headers: { authorization: `Bearer ${secrets.OWNER_KEY}`, 'content-type': 'application/json' },
  body: JSON.stringify({ label: 'rows', scopes: ['notes:read', 'notes:write'] }),
});
const notebook = new Notebook(`${origin}/mcp`, (await granted.json()).token);
const rows = async () => (await fetch(`${origin}/rows`)).json();

async function count(name, act) {
  await act(0);
  await rows();
  for (let number = 1; number <= COUNT; number++) await act(number);
  const { written, read } = await rows();
  console.log(`| ${name} | ${(written / COUNT).toFixed(2)} | ${(read / COUNT).toFixed(2)} |`);
}

const saved = [];
console.log('| call | rows written | rows read |\n| --- | --- | --- |');
for (const bytes of [200, 4096]) {
  await count(`save of ${bytes} bytes`, async number => saved.push(await notebook.save(`${bytes} ${number}`, note(number, bytes))));
}
await count('get', number => notebook.call('get', { id: saved[number].id }));
await count('update', number =>
  notebook.call('update', { id: saved[number].id, expectedRevision: 1, entry: note(number, 200) }),
);
await count('browse: a page', () => notebook.call('search', { limit: 20 }));
await count('a word that is nowhere', () => notebook.call('search', { query: 'nowhere' }));
await count('a common word: a page', () => notebook.call('search', { query: 'the' }));
await count('two characters, nowhere: a page', () => notebook.call('search', { query: 'zz' }));
await miniflare.dispose();
