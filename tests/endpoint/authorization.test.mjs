// Who may do what: credentials, scopes, grants, and that nothing crosses codexes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Notebook, newSecrets, serve } from './worker.mjs';

let worker;
before(async () => {
  worker = await serve();
});
after(() => worker?.close());

const id = '11111111-1111-4111-8111-111111111111';
const challengeOf = response => response.headers.get('www-authenticate');

test("an entry of another codex is not found, as a missing one is not", async () => {
  const [a, b] = [await worker.notebook('apart-a'), await worker.notebook('apart-b')];
  const entry = await a.save('r', { content: 'mine' });
  const foreign = await b.call('get', { id: entry.id });
  assert.equal(foreign.error.code, 'not_found');
  assert.deepEqual(foreign, await b.call('get', { id }));
  const update = { expectedRevision: 1, entry: { content: 'yours' } };
  assert.deepEqual(await b.call('update', { id: entry.id, ...update }), await b.call('update', { id, ...update }));
  assert.equal((await b.searchToTheEnd({ query: 'mine' })).length, 0);
  assert.deepEqual((await a.call('get', { id: entry.id })).entry, entry);
});

test('without a token the answer is 401, and its challenge names no error', async () => {
  const response = await fetch(worker.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  assert.equal(response.status, 401);
  const metadata = `${worker.origin}/.well-known/oauth-protected-resource/mcp`;
  assert.equal(challengeOf(response), `Bearer resource_metadata="${metadata}", scope="notes:read notes:write"`);
  const document = await (await fetch(metadata)).json();
  assert.equal(document.resource, worker.url);
});

test('a forged, truncated or foreign token is 401 invalid_token', async () => {
  const { token } = await worker.grant('forged');
  const other = await serve();
  const foreign = (await other.grant('forged')).token;
  await other.close();
  const flipped = token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.at(-1);
  for (const forged of [flipped, token.slice(0, -4), `${token}AAAA`, foreign, 'x', 'acx_', 'a'.repeat(5000)]) {
    const response = await new Notebook(worker.url, forged).request('get', { id });
    assert.equal(response.status, 401, forged);
    assert.match(challengeOf(response), /error="invalid_token"/);
    assert.ok(!(await response.text()).includes(forged) || forged === 'x');
  }
  for (const header of ['', 'Basic dTpw', token, 'Bearer', `Bearer  `]) {
    const response = await fetch(worker.url, { method: 'POST', headers: { authorization: header } });
    assert.equal(response.status, 401, header);
  }
});

test('a read-only token gets 403 with all needed scopes for save and update, and reads', async () => {
  const writer = await worker.notebook('scopes');
  const entry = await writer.save('r', { content: 'x' });
  const reader = await worker.notebook('scopes', ['notes:read']);
  for (const [tool, args] of [
    ['save', { requestId: 'r2', entry: { content: 'x' } }],
    ['update', { id: entry.id, expectedRevision: 1, entry: { content: 'y' } }],
    ['save', {}],
  ]) {
    const response = await reader.request(tool, args);
    assert.equal(response.status, 403);
    assert.match(challengeOf(response), /scope="notes:read notes:write", error="insufficient_scope"/);
  }
  assert.deepEqual((await reader.call('get', { id: entry.id })).entry, entry);
  assert.equal((await reader.searchToTheEnd({})).length, 1);
});

test('write alone permits no call', async () => {
  const notebook = await worker.notebook('write-only', ['notes:write']);
  for (const tool of ['save', 'get', 'search', 'update']) assert.equal((await notebook.request(tool, {})).status, 403);
});

test('a revoked grant fails on the very next call, and no other grant does', async () => {
  const { grant, token } = await worker.grant('revoked');
  const other = await worker.notebook('revoked');
  const notebook = new Notebook(worker.url, token);
  await notebook.save('r', { content: 'x' });
  assert.equal((await worker.owner('DELETE', `/grants/${grant.id}?codex=revoked`)).status, 204);
  for (const tool of ['save', 'get', 'search', 'update']) {
    const args = {
      save: { requestId: 'r', entry: { content: 'x' } }, get: { id }, search: {},
      update: { id, expectedRevision: 1, entry: { content: 'x' } },
    }[tool];
    const response = await notebook.request(tool, args);
    assert.equal(response.status, 401, tool);
    assert.match(challengeOf(response), /error="invalid_token"/);
  }
  assert.equal((await other.searchToTheEnd({})).length, 1);
});

test('an expired grant permits nothing', async () => {
  const { token } = await worker.grant('expired', ['notes:read'], { expiresInSeconds: 0 });
  assert.equal((await new Notebook(worker.url, token).request('search', {})).status, 401);
});

test('the owner makes, lists and revokes grants, and nobody else does', async () => {
  const { grant, token } = await worker.grant('owned', ['notes:read'], { label: 'laptop' });
  const { grants } = await (await worker.owner('GET', '/grants?codex=owned')).json();
  assert.deepEqual(grants, [grant]);
  assert.deepEqual({ ...grant, id: 0, createdAt: 0 }, { id: 0, createdAt: 0, label: 'laptop', scopes: ['notes:read'] });
  for (const authorization of [undefined, `Bearer ${token}`, 'Bearer x', `Bearer ${newSecrets().OWNER_KEY}`]) {
    for (const [method, path] of [['POST', '/grants'], ['GET', '/grants'], ['DELETE', `/grants/${grant.id}`]]) {
      const response = await fetch(`${worker.origin}${path}?codex=owned`, { method, headers: { ...(authorization && { authorization }) } });
      assert.equal(response.status, 401, `${method} ${authorization}`);
    }
  }
  assert.equal((await worker.owner('DELETE', `/grants/${id}?codex=owned`)).status, 404);
  assert.equal((await worker.owner('GET', '/grants')).status, 400);
  assert.equal((await worker.owner('GET', '/grants?codex=a%20b')).status, 400);
  for (const body of [{}, { label: 'x', scopes: [] }, { label: 'x', scopes: ['all'] }, { label: 'x'.repeat(129), scopes: ['notes:read'] }]) {
    assert.equal((await worker.owner('POST', '/grants?codex=owned', body)).status, 400);
  }
  assert.equal((await worker.owner('PUT', '/grants?codex=owned')).status, 405);
  assert.equal((await worker.owner('GET', '/grantsx?codex=owned')).status, 404);
});

test('the owner revokes every grant of a codex at once, and of no other', async () => {
  const [one, two] = [await worker.notebook('emptied'), await worker.notebook('emptied')];
  const other = await worker.notebook('not-emptied');
  assert.equal((await worker.owner('DELETE', '/grants?codex=emptied')).status, 204);
  for (const notebook of [one, two]) assert.equal((await notebook.request('search', {})).status, 401);
  assert.equal((await other.request('search', {})).status, 200);
});

test('without its secret the server refuses every call and logs what to set', async t => {
  for (const secrets of [{}, { SEAL_KEYS: 'short' }]) {
    const bare = await serve({ secrets });
    t.after(() => bare.close());
    const response = await new Notebook(bare.url, 'x').request('search', {});
    assert.equal(response.status, 503);
    assert.match(bare.logged(), /SEAL_KEYS/);
    assert.equal((await bare.owner('GET', '/grants?codex=x')).status, 503);
  }
});

test('rotated keys: the old one opens beside the new, and no longer without it', async t => {
  const [old, fresh] = [newSecrets(), newSecrets()];
  const sealed = await serve({ secrets: old });
  const { token } = await sealed.grant('rotated');
  await sealed.close();
  // The grant is gone with that worker's database, so a token that opens is refused by its codex alone.
  const both = await serve({ secrets: { ...old, SEAL_KEYS: `${fresh.SEAL_KEYS},${old.SEAL_KEYS}` } });
  t.after(() => both.close());
  const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  assert.equal((await new Notebook(both.url, token).post(listing)).status, 200);
  const only = await serve({ secrets: fresh });
  t.after(() => only.close());
  assert.equal((await new Notebook(only.url, token).post(listing)).status, 401);
});
