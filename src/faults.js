// What the runtime loads of a build for the endpoint tests, in place of `entry.js`: a call whose text asks for a fault loses
// its answer on the way from the codex, or does not reach it. `fault: overloaded.` does not; `fault: lost N.` is carried out
// and loses its answer the first N times.
import worker, { Codex } from './entry.js';

export { Codex };

const happened = new Map();
const decoder = new TextDecoder('latin1');

const failed = property => Object.assign(new Error('a fault for the tests'), { [property]: true });

async function lose(message, turn) {
  const [fault, times] = /fault: (?:overloaded|lost (\d+))\./.exec(decoder.decode(message)) ?? [];
  if (fault && !times) throw failed('overloaded');
  const answer = await turn();
  if (!fault) return answer;
  happened.set(fault, (happened.get(fault) ?? 0) + 1);
  if (happened.get(fault) <= Number(times)) throw failed('retryable');
  return answer;
}

const losing = codexes => ({
  getByName: name => ({ turn: message => lose(message, () => codexes.getByName(name).turn(message)) }),
});

export default {
  fetch: (request, env, ctx) => worker.fetch(request, Object.create(env, { CODEX: { value: losing(env.CODEX) } }), ctx),
};
