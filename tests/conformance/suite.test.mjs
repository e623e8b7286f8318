// The official conformance suite: the requirements of the newest revision of each era, and the header checks. The files of
// expected failures list what a server without those features can't pass; one that is listed and passes fails the run.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decide } from '../endpoint/browser.mjs';
import { startProxy } from '../endpoint/proxy.mjs';
import { newSecrets, serve } from '../endpoint/worker.mjs';

const suite = fileURLToPath(new URL('../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const file = name => fileURLToPath(new URL(name, import.meta.url));

const secrets = newSecrets();
let worker, proxy;
before(async () => {
  worker = await serve({ secrets, origins: 'http://127.0.0.1:* http://localhost:*' });
  // The suite has no way to send a token.
  const { token } = await worker.grant('conformance');
  proxy = await startProxy(worker.url, { added: ['Authorization', `Bearer ${token}`] });
});
after(async () => {
  proxy?.close();
  await worker?.close();
});

/** Runs the suite; gives its exit code and what it printed. */
const run = (...args) =>
  new Promise(resolve => {
    execFile(process.execPath, [suite, 'server', '--url', proxy.url, ...args], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`the requirements of ${revision} are met, but for the listed ones`, async () => {
    const { code, output } = await run('--requirements', revision, '--expected-failures', file(`expected-failures-${revision}.yml`));
    assert.equal(code, 0, output);
  });
}

test('all 14 checks of the standard headers pass', async () => {
  const { code, output } = await run('--scenario', 'http-header-validation', '--spec-version', '2026-07-28');
  assert.equal(code, 0, output);
  assert.match(output, /14\/14|14 passed/, output);
});

test('the scenarios of authorization servers pass', async () => {
  const callback = 'http://127.0.0.1:41997/callback';
  const registration = await fetch(`${worker.origin}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback] }),
  });
  const { client_id } = await registration.json();
  const settings = ['--url', worker.origin, '--client-id', client_id, '--resource', worker.url, '--port', new URL(callback).port];
  const suiteRun = spawn(process.execPath, [suite, 'authorization', ...settings]);
  let output = '';
  let decided;
  for (const stream of [suiteRun.stdout, suiteRun.stderr]) {
    stream.on('data', chunk => {
      output += chunk;
      // It prints the URL that the owner is to open, and listens for where that leads.
      const url = new RegExp(`${worker.origin}/authorize\\?[^\\s"]+`).exec(output)?.[0];
      if (url && !decided) decided = decide(url, secrets.OWNER_KEY).then(fetch);
    });
  }
  const code = await new Promise(resolve => suiteRun.on('exit', resolve));
  await decided;
  assert.equal(code, 0, output);
  assert.match(output, /Total: 3 passed, 0 failed/, output);
});
