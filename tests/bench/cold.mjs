// Measures beginnings, as medians: the first answer of a new process, and the first answers of a new codex.
//   node tests/bench/cold.mjs [--processes 7] [--codexes 40]
// With PEER_DIR, as for run.mjs, the peer and the floor are measured beside it.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newSecrets } from '../endpoint/worker.mjs';
import { Client, structured } from './client.mjs';
import { median } from './report.mjs';
import { cpuMicroseconds, start } from './server.mjs';

const PORT = 18730;
const { values } = parseArgs({
  options: { processes: { type: 'string', default: '7' }, codexes: { type: 'string', default: '40' } },
});
const here = fileURLToPath(new URL('.', import.meta.url));
const secrets = newSecrets();
process.env.SECRETS = JSON.stringify(secrets);
const peerDir = process.env.PEER_DIR;

const codex = () => start('codex', here, ['serve.mjs', String(PORT), '0']);
const other = name => () => start(name, peerDir, ['serve.mjs', name, '--port', String(PORT)]);
const stop = async ({ child }) => {
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
};

/** What `act` takes of a server: milliseconds, and of its CPU. */
async function taken(server, act) {
  const [cpu, begin] = [cpuMicroseconds(server.pid), performance.now()];
  await act();
  return { wall: performance.now() - begin, cpu: (cpuMicroseconds(server.pid) - cpu) / 1000 };
}

function shown(what, name, times) {
  const of = metric => (metric in times[0] ? median(times.map(time => time[metric])).toFixed(2) : '-');
  console.log(`| ${what} | ${name} | ${of('wall')} | ${of('cpu')} |`);
}

async function grantOf(server, name) {
  const response = await fetch(`${new URL(server.url).origin}/grants?codex=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets.OWNER_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'bench', scopes: ['notes:read', 'notes:write'] }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()).token;
}

// The discovery asks no codex, so a token of another process with the same keys will do.
const first = await codex();
const token = await grantOf(first, 'elsewhere');
await stop(first);

console.log('| beginning | server | ms | CPU ms |\n| --- | --- | --- | --- |');
const servers = { codex: [codex, token], ...(peerDir && { floor: [other('floor'), 'a'], peer: [other('peer'), 'dev-token'] }) };
const beginnings = Object.fromEntries(Object.keys(servers).flatMap(name => [[`${name} 1`, []], [`${name} 2`, []], [`${name} 0`, []]]));
for (let count = 0; count < Number(values.processes); count++) {
  for (const [name, [begin, bearer]] of Object.entries(servers)) {
    const server = await begin();
    const client = new Client({ url: server.url, token: bearer, era: 'modern' });
    beginnings[`${name} 0`].push({ cpu: cpuMicroseconds(server.pid) / 1000 });
    for (const which of [1, 2]) {
      beginnings[`${name} ${which}`].push(await taken(server, () => client.onEach(1, () => client.send(client.opening()))));
    }
    await stop(server);
  }
}
for (const name of Object.keys(servers)) {
  shown('a process, until it listens', name, beginnings[`${name} 0`]);
  shown('its first answer', name, beginnings[`${name} 1`]);
  shown('its second', name, beginnings[`${name} 2`]);
}

const server = await codex();
const times = [[], [], []];
for (let count = 0; count < Number(values.codexes); count++) {
  let client;
  times[0].push(await taken(server, async () => {
    client = new Client({ url: server.url, token: await grantOf(server, `new-${count}`), era: 'modern' });
  }));
  const save = number => client.onEach(1, async () => structured(await client.send(client.call('save', { requestId: `r${number}`, entry: { content: 'first' } }))));
  for (const which of [1, 2]) times[which].push(await taken(server, () => save(which)));
}
for (const [at, what] of ['a codex, with its first grant', 'its first save', 'its second'].entries()) shown(what, 'codex', times[at]);
await stop(server);
process.exit();
