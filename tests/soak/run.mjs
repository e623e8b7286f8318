// KILLS=200 MINUTES=30 [SEED=n] node tests/soak/run.mjs
import { soak } from './soak.mjs';

const [wanted, minutes] = [Number(process.env.KILLS || 200), Number(process.env.MINUTES || 30)];
if (!(wanted >= 1 && minutes > 0)) throw new Error('KILLS and MINUTES must be numbers above 0');
const seed = Number(process.env.SEED || Date.now());
const counts = await soak({ kills: wanted, minutes, seed });
const { kills, codexes, calls, acknowledged, open, lost, doubled, reverted, strange } = counts;
console.log(
  `soak: seed ${seed}: ${kills} kills, ${calls} calls, ${acknowledged} acknowledged, ${open} cut off, ${codexes} codexes; `
    + `${lost} lost, ${doubled} doubled, ${reverted} reverted, ${strange} strange`,
);
if (kills < wanted) console.log(`soak: ${minutes} minutes were not enough for ${wanted} kills`);
process.exitCode = counts.wrong === 0 && kills >= wanted ? 0 : 1;
