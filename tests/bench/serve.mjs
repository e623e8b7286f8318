// Serves the built Worker as the benchmark wants it: a socket on the Worker itself, and codexes that are empty. Prints one
// line of JSON, {"url","pid","tokens"}, `pid` being workerd's, and ends on SIGTERM.
//   node tests/bench/serve.mjs PORT [CODEXES]
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Miniflare } from 'miniflare';

const [port, codexes = '2'] = process.argv.slice(2);
const root = fileURLToPath(new URL(`../../${process.env.BUILD ?? 'build'}`, import.meta.url));
const newKey = () => randomBytes(32).toString('base64url');
const OWNER_KEY = newKey();

const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: 0,
  workers: [
    {
      name: 'agent-codex',
      modules: true,
      rootPath: root,
      modulesRoot: root,
      scriptPath: `${root}/index.js`,
      modulesRules: [
        { type: 'ESModule', include: ['**/*.js', '**/*.mjs'] },
        { type: 'CompiledWasm', include: ['**/*.wasm'] },
      ],
      compatibilityDate: '2026-07-01',
      durableObjects: { CODEX: { className: 'Codex', useSQLite: true } },
      bindings: { SEAL_KEYS: newKey(), OWNER_KEY, ALLOWED_ORIGINS: '' },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: Number(port) }],
    },
  ],
});
await miniflare.ready;

const origin = `http://127.0.0.1:${port}`;
const tokens = [];
for (let codex = 1; codex <= Number(codexes); codex++) {
  const response = await fetch(`${origin}/grants?codex=bench-${codex}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'bench', scopes: ['notes:read', 'notes:write'] }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  tokens.push((await response.json()).token);
}
console.log(JSON.stringify({ url: `${origin}/mcp`, pid: workerd(), tokens }));

/** The process among this one's children that is workerd. */
function workerd() {
  const children = readdirSync('/proc/self/task').flatMap(thread =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return Number(children.find(child => readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('workerd')));
}

process.once('SIGTERM', async () => {
  await miniflare.dispose();
  process.exit(0);
});
