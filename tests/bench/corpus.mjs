// Notes to measure with: the same for the same number and size, of about so many bytes, in words of which a few are not ASCII.

/** One note in fifty holds this. */
export const HIT = 'amber pelican';
/** No note holds this, though all its words but one are common. */
export const MISS = 'rollback of the pelican chart';
const HIT_EVERY = 50;

const WORDS = `the a to of and is was in on for with by it that this not from after before when while because release rollback
schema migration queue worker cache budget latency token grant cursor region replica snapshot lease quorum shard index
writer reader deploy canary alert incident review owner customer invoice contract meeting summary decision finding pitfall
preference question answer draft outline chapter chart figure measure compare observe repeat confirm suspect replace
Zürich déjà façade naïve coöperate Ærø 東京 заметка`.split(/\s+/);

/** A linear congruential generator (Numerical Recipes), of which the high bits are used. */
const numbers = seed => () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;

export const isHit = number => number % HIT_EVERY === 0;
export const hitsAmong = count => Math.ceil(count / HIT_EVERY);

/** The entry input of this number, with a content of about so many bytes. */
export function note(number, bytes) {
  const next = numbers(number * 2654435761 + bytes);
  const word = () => WORDS[Math.floor(next() * WORDS.length)];
  const words = [];
  for (let length = 0; length < bytes; ) {
    const chosen = word() + (next() < 0.1 ? '.' : '');
    words.push(chosen);
    length += Buffer.byteLength(chosen) + 1;
  }
  if (isHit(number)) words.splice(words.length >> 1, 2, HIT);
  return {
    content: words.join(' '),
    title: `${word()} ${number}`,
    tags: [`batch-${number % 10}`, word()],
    provenance: { source: 'bench', number },
  };
}
