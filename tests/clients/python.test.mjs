// A full round through the official Python clients: version 2 in both eras, version 1 in the one that it speaks.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../endpoint/worker.mjs';

const here = name => fileURLToPath(new URL(name, import.meta.url));

let worker;
before(async () => {
  worker = await serve();
});
after(() => worker?.close());

for (const [environment, script, codex, ...args] of [
  ['python', 'python_v2.py', 'v2-auto', 'auto', '2026-07-28'],
  ['python', 'python_v2.py', 'v2-legacy', 'legacy', '2025-11-25'],
  ['python-v1', 'python_v1.py', 'v1', '2025-11-25'],
]) {
  test(`${script} makes a full round (${args.join(', ')})`, async () => {
    const { token } = await worker.grant(codex);
    const python = here(`../../.tools/${environment}/bin/python`);
    const error = await new Promise(resolve =>
      execFile(python, [here(script), worker.url, token, ...args], (failure, stdout, stderr) => resolve(failure && stdout + stderr)),
    );
    assert.equal(error, null, error);
  });
}
