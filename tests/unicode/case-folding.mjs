// Prints Unicode's full case folding (CaseFolding.txt, statuses C and F) as a JSON object of code points.
import common from '@unicode/unicode-18.0.0/Case_Folding/C/code-points.mjs';
import full from '@unicode/unicode-18.0.0/Case_Folding/F/code-points.mjs';

const folding = {};
for (const map of [common, full]) for (const [from, to] of map) folding[from] = [to].flat();
console.log(JSON.stringify(folding));
