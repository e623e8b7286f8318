// Serves a built Worker under workerd, with secrets of its own, and mints tokens as its owner.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Miniflare } from 'miniflare';

const SEAL_KEY = randomBytes(32).toString('base64url');
const OWNER_KEY = randomBytes(32).toString('base64url');

export async function serve({ build = 'build', persist, secrets = { SEAL_KEYS: SEAL_KEY, OWNER_KEY } } = {}) {
  const root = fileURLToPath(new URL(`../../${build}`, import.meta.url));
  const miniflare = new Miniflare({
    ...(persist && { durableObjectsPersist: persist }),
    workers: [
      {
        name: 'agent-codex',
        modules: true,
        rootPath: root,
        modulesRoot: root,
        scriptPath: `${root}/index.js`,
        modulesRules: [
          { type: 'ESModule', include: ['**/*.js', '**/*.mjs'] },
          { type: 'CompiledWasm', include: ['**/*.wasm'] },
        ],
        compatibilityDate: '2026-07-01',
        durableObjects: { CODEX: { className: 'Codex', useSQLite: true } },
        bindings: { ...secrets, ALLOWED_ORIGINS: 'http://localhost:*' },
      },
    ],
  });
  const origin = (await miniflare.ready).origin;
  const owner = (method, path, body) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${OWNER_KEY}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    url: `${origin}/mcp`,
    origin,
    owner,
    async grant(codex, scopes = ['notes:read', 'notes:write']) {
      const response = await owner('POST', `/grants?codex=${codex}`, { label: 'test', scopes });
      if (response.status !== 201) throw new Error(`a grant was refused: ${response.status} ${await response.text()}`);
      return response.json();
    },
    close: () => miniflare.dispose(),
  };
}
