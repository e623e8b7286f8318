// Measures what a call costs: the server's CPU time (all threads of workerd, by Linux's accounting), and for orientation
// the latency. docs/performance.md explains the table.
//   node tests/bench/run.mjs [--seconds 4] [--rounds 5] [--entries 1000] [--sizes 200,4096] [--era modern|handshake] [--only get,save] [--conc 1,16]
// With PEER_DIR, a folder whose `serve.mjs NAME --port N` serves `peer` and `floor`, these two are measured in turn with
// this Worker, so that a machine that is busy for a while is so for all; without it, this Worker alone.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from './client.mjs';
import { median, table } from './report.mjs';
import { cpuMicroseconds, start } from './server.mjs';
import { fill, workloads } from './workloads.mjs';

const FIRST_PORT = 18710;
const WARM_UP_SECONDS = 1;

const text = (name, value) => ({ [name]: { type: 'string', default: value } });
const { values } = parseArgs({
  options: {
    ...text('seconds', '4'),
    ...text('rounds', '5'),
    ...text('entries', '1000'),
    ...text('sizes', '200,4096'),
    ...text('era', 'modern'),
    ...text('only', ''),
    ...text('conc', '1,16'),
    ...text('json', ''),
  },
});
const rounds = Number(values.rounds);
const entries = Number(values.entries);
const sizes = values.sizes.split(',').map(Number);
const concurrencies = values.conc.split(',').map(Number);
const peerDir = process.env.PEER_DIR;

const here = fileURLToPath(new URL('.', import.meta.url));
const targets = [await start('codex', here, ['serve.mjs', String(FIRST_PORT)])];
if (peerDir) {
  const serve = (name, port, ...tokens) => start(name, peerDir, ['serve.mjs', name, '--port', String(port)], tokens);
  targets.unshift(await serve('floor', FIRST_PORT + 1, 'a', 'b'));
  targets.push(await serve('peer', FIRST_PORT + 2, 'dev-token', 'other-token'));
}
await measure();
process.exit();

async function measure() {
  for (const target of targets) {
    target.codexes = [];
    for (const [at, bytes] of sizes.entries()) {
      const client = new Client({ url: target.url, token: target.tokens[at], era: values.era });
      const notes = await fill(client, entries, bytes);
      target.codexes.push({ client, bytes, notes, state: {} });
    }
  }
  const only = values.only.split(',').filter(Boolean);
  const rows = [];
  for (const workload of workloads.filter(({ name }) => only.length === 0 || only.includes(name))) {
    for (const at of workload.sizes === false ? [0] : sizes.keys()) {
      for (const concurrency of concurrencies) {
        const results = await row(workload, at, concurrency);
        rows.push({ workload: workload.name, bytes: workload.sizes === false ? '-' : sizes[at], concurrency, results });
        process.stderr.write('.');
      }
    }
  }
  process.stderr.write('\n');
  console.log(table(rows));
  if (values.json) writeFileSync(values.json, JSON.stringify(rows));
}

/** The slices of each target, taken in turn. */
async function row(workload, at, concurrency) {
  const runs = targets.map(target => {
    const codex = target.codexes[at];
    return { target, client: codex.client, operation: workload.make(codex), slices: [] };
  });
  for (const run of runs) await slice(run, concurrency, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const run of runs) run.slices.push(await slice(run, concurrency, Number(values.seconds) / rounds));
  }
  return runs.map(({ target, slices }) => ({ target: target.name, slices }));
}

/** Repeats an operation for some seconds on each of so many connections. */
async function slice({ target, client, operation }, concurrency, seconds) {
  const latencies = [];
  let trips = 0;
  const [cpu, begin] = [cpuMicroseconds(target.pid), performance.now()];
  await client.onEach(concurrency, async connection => {
    for (let now = performance.now(); now < begin + seconds * 1000; ) {
      const made = (await operation(connection)) ?? 1;
      trips += made;
      const done = performance.now();
      latencies.push(done - now);
      now = done;
    }
  });
  const elapsed = performance.now() - begin;
  const count = latencies.length;
  return {
    cpu: (cpuMicroseconds(target.pid) - cpu) / count,
    latency: median(latencies),
    perSecond: (1000 * count) / elapsed,
    trips: trips / count,
  };
}
