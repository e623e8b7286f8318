// Serves the built Worker as the benchmark wants it: a socket on the Worker itself, and codexes that are empty. Prints one
// line of JSON, {"url","pid","tokens"}, `pid` being workerd's, and ends on SIGTERM.
//   node tests/bench/serve.mjs PORT [CODEXES]
import { readdirSync, readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';
import { newSecrets, workerOptions } from '../endpoint/worker.mjs';

const [port, codexes = '2'] = process.argv.slice(2);
const secrets = process.env.SECRETS ? JSON.parse(process.env.SECRETS) : newSecrets();

const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: 0,
  workers: [
    {
      ...workerOptions(process.env.BUILD ?? 'build', { ...secrets, ALLOWED_ORIGINS: '' }),
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
    headers: { authorization: `Bearer ${secrets.OWNER_KEY}`, 'content-type': 'application/json' },
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
