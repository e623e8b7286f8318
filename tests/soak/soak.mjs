// Kills the server at random moments under load, starts it again on the same folder, and holds it to all it acknowledged.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../endpoint/random.mjs';
import { inspect } from './inspect.mjs';
import { Client } from './load.mjs';
import { Counts, Ledger } from './ledger.mjs';
import { Workerd } from './workerd.mjs';

const CLIENTS = 8;
/** Codexes under load at a time. Each round adds one, made while the kill may come, and the oldest rest. */
const CODEXES = 4;
const [SHORTEST, LONGEST] = [40, 2_000]; // milliseconds of load

/**
 * Kills so often, for so long at most and until `enough` of the counts, which it gives. `fault` makes, of a random and the
 * token of a codex that nobody looks at, a changer of `fetch`; `whileDown` is called with the server after each kill.
 */
export async function soak({
  kills, minutes = 30, seed = Date.now(), fault = () => fetch => fetch, whileDown = () => {}, enough = () => false, quiet = false,
}) {
  const server = await Workerd.start();
  const random = new Random(seed);
  const counts = new Counts(quiet);
  const end = Date.now() + minutes * 60_000;
  try {
    const { token } = await server.grant('elsewhere');
    const faulty = fault(random, token)(globalThis.fetch);
    let ledgers = [await newCodex(server, `${seed}-first`, counts)];
    while (counts.kills < kills && Date.now() < end && !enough(counts)) {
      ledgers = ledgers.filter(ledger => !ledger.gone);
      if (ledgers.length === 0) ledgers.push(await newCodex(server, `${seed}-${counts.kills}-again`, counts));
      const [active, name] = [ledgers.slice(-CODEXES), `${seed}-${counts.kills}`];
      ledgers.push(...await round({ server, ledgers: active, random, counts, fetch: faulty, name }));
      await whileDown(server);
      await server.start();
      // Now and then the next load, and the next kill, meet a server that nobody has looked at since.
      if (random.oneIn(4)) continue;
      for (const ledger of ledgers.slice(-CODEXES)) await ledger.verify(server, faulty);
    }
    for (const ledger of ledgers) await ledger.verify(server, globalThis.fetch);
    await server.kill();
    const { codexes, wrong } = inspect(server.state);
    counts.codexes = codexes;
    for (const what of wrong) counts.found('strange', what);
    await server.start();
  } finally {
    await server.close();
  }
  return counts;
}

const newCodex = async (server, name, counts) => new Ledger(name, (await server.grant(name, undefined, { label: 'writer' })).token, counts);

/** Loads the server and kills it; gives the codex that was made meanwhile, if that was acknowledged. */
async function round({ server, ledgers, random, counts, fetch, name }) {
  let killed = false;
  const gone = () => killed;
  const making = newCodex(server, name, counts).then(ledger => [ledger], error => {
    if (!killed) throw error;
    return [];
  });
  const clients = Array.from({ length: CLIENTS }, () => (
    new Client({ worker: server, ledgers, random, counts, fetch, gone }).run()));
  const load = Promise.allSettled([making, ...clients]);
  await sleep(random.below(random.oneIn(4) ? SHORTEST : LONGEST));
  killed = true;
  await server.kill();
  counts.kills += 1;
  const ended = await load;
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  return ended[0].value;
}
