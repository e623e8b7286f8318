// KILLS=200 MINUTES=30 [SEED=n] node tests/soak/run.mjs
import { soak } from './soak.mjs';

const seed = Number(process.env.SEED || Date.now());
const counts = await soak({ kills: Number(process.env.KILLS || 200), minutes: Number(process.env.MINUTES || 30), seed });
const { kills, codexes, calls, acknowledged, open, lost, doubled, reverted, strange } = counts;
console.log(
  `soak: seed ${seed}: ${kills} kills, ${calls} calls, ${acknowledged} acknowledged, ${open} cut off, ${codexes} codexes; `
    + `${lost} lost, ${doubled} doubled, ${reverted} reverted, ${strange} strange`,
);
process.exitCode = counts.wrong === 0 ? 0 : 1;
