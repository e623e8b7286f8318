// Has histories judged by the checker, the crate beside this file.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const manifest = fileURLToPath(new URL('tests/histories/Cargo.toml', root));

/** Gives the histories that no codex could have answered so. */
export function refused(histories) {
  const { status, stdout, stderr } = spawnSync('cargo', ['run', '--quiet', '--locked', '--manifest-path', manifest], {
    cwd: fileURLToPath(root),
    env: { ...process.env, CARGO_TARGET_DIR: fileURLToPath(new URL('target/histories', root)) },
    input: histories.map(history => `${JSON.stringify(history)}\n`).join(''),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the checker failed: ${stderr}`);
  const verdict = JSON.parse(stdout);
  if (verdict.checked !== histories.length) throw new Error('the checker did not read every history');
  return verdict.refused.map(line => histories[line]);
}
