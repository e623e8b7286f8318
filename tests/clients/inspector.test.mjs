// The Inspector's command line, in both eras, with a home of its own.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../endpoint/worker.mjs';

const inspector = fileURLToPath(new URL('../node_modules/.bin/mcp-inspector', import.meta.url));

let worker, home;
before(async () => {
  worker = await serve();
  home = await mkdtemp(path.join(tmpdir(), 'inspector-'));
});
after(async () => {
  await worker?.close();
  await rm(home, { recursive: true });
});

/** Runs the Inspector; gives its exit code and what it printed. */
const run = (era, token, ...args) =>
  new Promise(resolve => {
    const common = ['--cli', worker.url, '--transport', 'http', '--protocol-era', era, '--stored-auth-only'];
    const all = [...common, '--header', `Authorization: Bearer ${token}`, ...args, '--format', 'json'];
    const env = { ...process.env, HOME: home };
    execFile(inspector, all, { env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });

for (const era of ['modern', 'legacy']) {
  test(`the Inspector lists and calls the tools in the ${era} era`, async () => {
    const { token } = await worker.grant(`inspector-${era}`);
    const tool = (name, args) =>
      run(era, token, '--method', 'tools/call', '--tool-name', `field_notes_${name}`, '--tool-args-json', JSON.stringify(args));
    const listed = await run(era, token, '--method', 'tools/list');
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /field_notes_update/);
    const saved = await tool('save', { requestId: 'r', entry: { content: 'from the Inspector' } });
    assert.equal(saved.code, 0, saved.stderr);
    const [id] = saved.stdout.match(/[0-9a-f]{8}-[0-9a-f-]{27}/);
    assert.match((await tool('get', { id })).stdout, /from the Inspector/);
    assert.match((await tool('search', { query: 'INSPECTOR' })).stdout, new RegExp(id));
    assert.equal((await tool('update', { id, expectedRevision: 1, entry: { content: 'two' } })).code, 0);
    for (const [code, name, args] of [
      ['conflict', 'update', { id, expectedRevision: 1, entry: { content: 'x' } }],
      ['conflict', 'save', { requestId: 'r', entry: { content: 'x' } }],
      ['not_found', 'get', { id: '11111111-1111-4111-8111-111111111111' }],
      ['invalid_input', 'get', { id: 'x' }],
    ]) {
      const failed = await tool(name, args);
      assert.equal(failed.code, 5, failed.stdout + failed.stderr);
      assert.ok((failed.stdout + failed.stderr).includes(code), code);
    }
  });
}
