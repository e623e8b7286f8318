// Records many histories and has them judged: HISTORIES=1000 [SEED=n] node tests/histories/run.mjs. In a tenth of them the
// server is killed in the middle.
import { serve } from '../endpoint/worker.mjs';
import { Workerd } from '../soak/workerd.mjs';
import { refused } from './check.mjs';
import { record } from './record.mjs';

const BATCH = 100;

const count = Number(process.env.HISTORIES || 1_000);
if (!Number.isSafeInteger(count) || count < 10) throw new Error('HISTORIES must be a number, 10 or more');
const seed = Number(process.env.SEED || Date.now() % 1_000_000_000);

/** Records and judges so many; says what came of it. */
async function judge(what, worker, count, options) {
  const wrong = [];
  let [calls, answers] = [0, 0];
  try {
    for (let from = 0; from < count; from += BATCH) {
      const histories = await record(worker, Math.min(BATCH, count - from), { seed: seed + from, ...options });
      for (const { events } of histories) {
        calls += events.filter(({ call }) => call).length;
        answers += events.filter(({ answer }) => answer).length;
      }
      wrong.push(...refused(histories));
    }
  } finally {
    await worker.close();
  }
  for (const history of wrong) console.log(JSON.stringify(history));
  console.log(`histories: ${count} ${what} from seed ${seed}: ${calls} calls, ${answers} answers, ${wrong.length} not linearizable`);
  // Some calls are given up, but most are not.
  if (wrong.length > 0 || answers < calls / 2) process.exitCode = 1;
}

const killed = Math.floor(count / 10);
await judge('undisturbed', await serve(), count - killed, {});
await judge('with a kill', await Workerd.start(), killed, { kills: true });
