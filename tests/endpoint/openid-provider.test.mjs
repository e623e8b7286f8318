// A real OpenID provider (oidc-provider): the access tokens that it issues for this server open a codex.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { Response } from 'miniflare';
import Provider, { errors } from 'oidc-provider';
import { Notebook, serve } from './worker.mjs';
import { newKey } from './issuer.mjs';

const ISSUER = 'https://issuer.example';
const SECRET = 'a secret of the tests';

/** A provider on loopback whose issuer is `ISSUER`, as it stands behind a proxy that ends TLS. */
async function startProvider(t, resource) {
  const clients = ['agent', 'other'].map(client_id => ({
    client_id, client_secret: SECRET, grant_types: ['client_credentials'], redirect_uris: [], response_types: [],
    token_endpoint_auth_method: 'client_secret_post',
  }));
  const provider = new Provider(ISSUER, {
    clients,
    jwks: { keys: ['RS256', 'ES256'].map(alg => ({ ...newKeyWithSecret(alg) })) },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo(_, indicator) {
          if (indicator !== resource && indicator !== 'https://other.example/mcp') throw new errors.InvalidTarget();
          return { scope: 'notes:read notes:write', audience: indicator, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } };
        },
      },
    },
  });
  provider.proxy = true;
  const server = http.createServer(provider.callback());
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const origin = `http://127.0.0.1:${server.address().port}`;
  const reach = (path, init = {}) =>
    fetch(origin + path, { ...init, headers: { ...init.headers, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'issuer.example' } });
  return {
    /** Answers the Worker's fetches of the issuer. */
    async outbound(request) {
      const url = new URL(request.url);
      assert.equal(url.origin, ISSUER);
      const answer = await reach(url.pathname + url.search, { redirect: 'manual' });
      return new Response(await answer.arrayBuffer(), { status: answer.status, headers: { 'content-type': answer.headers.get('content-type') } });
    },
    async token(client_id, scope, target) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret: SECRET, scope, resource: target });
      const answer = await reach('/token', { method: 'POST', body });
      const granted = await answer.json();
      assert.equal(answer.status, 200, JSON.stringify(granted));
      return granted.access_token;
    },
  };
}

const newKeyWithSecret = alg => {
  const key = newKey(alg);
  return { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, alg, use: 'sig' };
};

test("an OpenID provider's access tokens for this server open the codex of their subject", async t => {
  let provider;
  const worker = await serve({
    vars: { ISSUERS: JSON.stringify([{ issuer: ISSUER }]) },
    outbound: request => provider.outbound(request),
  });
  t.after(() => worker.close());
  const resource = (await (await fetch(`${worker.origin}/.well-known/oauth-protected-resource/mcp`)).json()).resource;
  provider = await startProvider(t, resource);

  const writer = new Notebook(worker.url, await provider.token('agent', 'notes:read notes:write', resource));
  const entry = await writer.save('r', { content: 'from a provider' });
  const reader = new Notebook(worker.url, await provider.token('agent', 'notes:read', resource));
  assert.deepEqual((await reader.call('get', { id: entry.id })).entry, entry);
  assert.equal((await reader.request('save', { requestId: 's', entry: { content: 'x' } })).status, 403);
  const other = new Notebook(worker.url, await provider.token('other', 'notes:read', resource));
  assert.equal((await other.call('get', { id: entry.id })).error.code, 'not_found');
  const elsewhere = new Notebook(worker.url, await provider.token('agent', 'notes:read', 'https://other.example/mcp'));
  assert.equal((await elsewhere.request('search', {})).status, 401);
});
