// The authorization server over HTTP, and how it holds against those who attack it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { decide, newVerifier, open, send } from './browser.mjs';
import { Notebook, newSecrets, serve } from './worker.mjs';

const REDIRECT = 'https://host.example/callback';
const DOCUMENT = 'https://client.example/metadata.json';
const secrets = newSecrets();
const fetched = [];

/** The internet as the server sees it: metadata documents, good and bad. */
function outbound(request) {
  const { hostname, pathname } = new URL(request.url);
  fetched.push(request.url);
  const document = { client_id: request.url, client_name: 'Host', redirect_uris: [REDIRECT] };
  const json = value => new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } });
  if (hostname !== 'client.example') return new Response('an internal page', { status: 200 });
  switch (pathname) {
    case '/metadata.json': return json(document);
    case '/of-another.json': return json({ ...document, client_id: DOCUMENT });
    case '/large.json': return json({ ...document, filler: 'x'.repeat(20_000) });
    case '/redirect.json': return new Response(null, { status: 302, headers: { location: DOCUMENT } });
    case '/secret.json': return json({ ...document, token_endpoint_auth_method: 'client_secret_post' });
    default: return new Response('no', { status: 404 });
  }
}

let worker, client;
before(async () => {
  worker = await serve({ secrets, outbound });
  client = await register();
});
after(() => worker?.close());

const post = (path, form, at = worker) => fetch(at.origin + path, { method: 'POST', body: new URLSearchParams(form) });

async function register(metadata = {}, at = worker) {
  const body = JSON.stringify({ client_name: 'Host', redirect_uris: [REDIRECT, 'http://127.0.0.1/callback'], ...metadata });
  const response = await fetch(`${at.origin}/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()).client_id;
}

/** A client's authorization URL, and what it needs to come back; a parameter of `undefined` is left out. */
function begin(changes = {}, at = worker) {
  const { verifier, parameters } = newVerifier();
  const asked = {
    response_type: 'code', client_id: client, redirect_uri: REDIRECT, state: 's', scope: 'notes:read notes:write',
    resource: at.url, ...parameters, ...changes,
  };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return { url: `${at.origin}/authorize?${new URLSearchParams(given)}`, verifier };
}

/** What a client sends for a code. */
const exchanging = (code, verifier, changes = {}) => ({
  grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT, client_id: client, resource: worker.url,
  ...changes,
});

async function signIn(codex, at = worker) {
  const { url, verifier } = begin({ client_id: at === worker ? client : await register({}, at) }, at);
  const code = (await decide(url, secrets.OWNER_KEY, { codex })).searchParams.get('code');
  const client_id = new URL(url).searchParams.get('client_id');
  const response = await post('/token', exchanging(code, verifier, { client_id, resource: at.url }), at);
  assert.equal(response.status, 200, await response.clone().text());
  return { code, verifier, client_id, ...(await response.json()) };
}

const refreshing = ({ refresh_token, client_id }, changes = {}) => ({ grant_type: 'refresh_token', refresh_token, client_id, ...changes });

/** Whether a token opens its codex. */
const opens = async (token, at = worker) => (await new Notebook(at.url, token).request('search', {})).status === 200;

async function errorOf(response) {
  return [response.status, (await response.json()).error];
}

test('the metadata names this server, its endpoints and what hosts look for, at both places', async () => {
  for (const place of ['oauth-authorization-server', 'openid-configuration']) {
    const metadata = await (await fetch(`${worker.origin}/.well-known/${place}`)).json();
    assert.equal(metadata.issuer, worker.origin);
    for (const name of ['authorization', 'token', 'registration', 'revocation']) {
      assert.ok(metadata[`${name}_endpoint`].startsWith(`${worker.origin}/`), name);
    }
    assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
    assert.deepEqual(metadata.token_endpoint_auth_methods_supported, ['none']);
    assert.equal(metadata.client_id_metadata_document_supported, true);
    assert.equal(metadata.authorization_response_iss_parameter_supported, true);
    assert.ok(metadata.scopes_supported.includes('offline_access'));
  }
  const resource = await (await fetch(`${worker.origin}/.well-known/oauth-protected-resource/mcp`)).json();
  assert.deepEqual(resource.authorization_servers, [worker.origin]);
});

test('a sign-in gives tokens that open the chosen codex, and the grant is listed by the name of the client', async () => {
  const tokens = await signIn('chosen');
  assert.deepEqual([tokens.token_type, tokens.scope], ['Bearer', 'notes:read notes:write']);
  assert.ok(tokens.expires_in > 3_500 && tokens.expires_in <= 3_600);
  assert.equal((await new Notebook(worker.url, tokens.access_token).save('r', { content: 'x' })).revision, 1);
  const { grants } = await (await worker.owner('GET', '/grants?codex=chosen')).json();
  assert.deepEqual(grants.map(grant => grant.label), ['Host (host.example)']);
});

test('the owner may deny, and may allow less than is asked', async () => {
  const denied = await decide(begin().url, secrets.OWNER_KEY, { decision: 'deny' });
  assert.deepEqual([denied.searchParams.get('error'), denied.searchParams.get('code')], ['access_denied', null]);
  assert.deepEqual([denied.searchParams.get('state'), denied.searchParams.get('iss')], ['s', worker.origin]);
  const { url, verifier } = begin();
  const code = (await decide(url, secrets.OWNER_KEY, { without: 'notes:write' })).searchParams.get('code');
  assert.equal((await (await post('/token', exchanging(code, verifier))).json()).scope, 'notes:read');
});

test('a client of a metadata document needs no registration', async () => {
  const { url, verifier } = begin({ client_id: DOCUMENT });
  const { html } = await open(url);
  assert.match(html, /published by <b>client\.example<\/b>/);
  const code = (await decide(url, secrets.OWNER_KEY)).searchParams.get('code');
  assert.equal((await post('/token', exchanging(code, verifier, { client_id: DOCUMENT }))).status, 200);
});

test('attack: a code that is used again gives nothing, and takes back what it gave', async () => {
  const { code, verifier, access_token, ...tokens } = await signIn('replay');
  assert.ok(await opens(access_token));
  assert.deepEqual(await errorOf(await post('/token', exchanging(code, verifier))), [400, 'invalid_grant']);
  assert.ok(!(await opens(access_token)));
  assert.deepEqual(await errorOf(await post('/token', refreshing(tokens))), [400, 'invalid_grant']);
});

test('attack: PKCE can be neither left out nor weakened', async () => {
  for (const changes of [{ code_challenge: undefined }, { code_challenge_method: 'plain' }, { code_challenge_method: undefined }]) {
    const { response, html } = await open(begin(changes).url);
    assert.deepEqual([response.status, response.headers.get('location')], [400, null], 'nobody is redirected for an error of anybody');
    assert.match(html, /href="https:\/\/host\.example\/callback\?error=invalid_request&amp;.*iss=/);
  }
  const { url, verifier } = begin();
  const code = (await decide(url, secrets.OWNER_KEY)).searchParams.get('code');
  for (const wrong of ['', 'x', verifier.toLowerCase(), randomBytes(32).toString('base64url'), new URL(url).searchParams.get('code_challenge')]) {
    assert.equal((await post('/token', exchanging(code, wrong))).status, 400, wrong);
  }
  assert.equal((await post('/token', exchanging(code, verifier))).status, 200);
});

test('attack: nobody is redirected to a URI that the client did not register', async () => {
  for (const uri of [
    undefined, 'https://evil.example/', `${REDIRECT}.evil.example`, `${REDIRECT}/../x`, `${REDIRECT}?x=y`, `${REDIRECT}#x`, `${REDIRECT}%23x`,
    'https://host.example@evil.example/callback', 'https://HOST.example/callback', 'https://host.example:444/callback', 'http://host.example/callback',
    'http://127.0.0.1:1@evil.example/callback', 'http://127.0.0.1:1/callback/x', 'http://127.0.0.1.evil.example/callback', 'javascript:alert(1)',
    `${REDIRECT}\r\nX-Evil: 1`, '//evil.example', `${REDIRECT} `, `\t${REDIRECT}`,
  ]) {
    for (const changes of [{}, { response_type: 'token' }, { scope: 'x' }]) {
      const { response } = await open(begin({ redirect_uri: uri, ...changes }).url);
      assert.deepEqual([response.status, response.headers.get('location')], [400, null], uri);
      assert.match(response.headers.get('content-security-policy'), /form-action 'none'/);
    }
  }
});

test('attack: a code is for its own client, redirect URI and server (mix-up)', async () => {
  const other = await register({ client_name: 'Other' });
  const { url, verifier } = begin();
  const answer = await decide(url, secrets.OWNER_KEY);
  assert.equal(answer.searchParams.get('iss'), worker.origin, 'by which a client knows whom the code is of');
  const code = answer.searchParams.get('code');
  for (const [changes, error] of [
    [{ client_id: other }, 'invalid_grant'],
    [{ client_id: DOCUMENT }, 'invalid_grant'],
    [{ redirect_uri: 'https://evil.example/' }, 'invalid_grant'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
  ]) {
    assert.deepEqual(await errorOf(await post('/token', exchanging(code, verifier, changes))), [400, error], error);
  }
  assert.equal((await post('/token', exchanging(code, verifier))).status, 200);
});

test('attack: another page can neither make the decision nor frame the page that asks for it (CSRF)', async () => {
  const { response, form } = await open(begin().url);
  const policy = response.headers.get('content-security-policy');
  assert.match(policy, /frame-ancestors 'none'/);
  assert.match(policy, /^default-src 'none'; style-src 'sha256-/);
  assert.equal(response.headers.get('x-frame-options'), 'DENY');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('set-cookie'), null, 'there is no session that another page could ride on');
  const decision = { ...form, owner_key: secrets.OWNER_KEY, decision: 'allow' };
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
    assert.equal((await send(worker.origin, decision, headers)).status, 403, JSON.stringify(headers));
  }
  for (const changes of [{ owner_key: '' }, { owner_key: 'AAAA' }, { owner_key: secrets.SEAL_KEYS }, { request: `${form.request}x` }, { request: '' }, { decision: 'x' }]) {
    const { status, headers } = await send(worker.origin, { ...decision, ...changes });
    assert.ok([400, 403].includes(status) && !headers.has('location'), JSON.stringify(changes));
  }
});

test('attack: a token for another server, expired or of the future, or of another kind opens nothing', async t => {
  const twin = await serve({ secrets, outbound });
  t.after(() => twin.close());
  const here = await signIn('audience');
  assert.ok(await opens(here.access_token));
  assert.ok(!(await opens(here.access_token, twin)), 'the same keys at another URL');
  for (const kind of [here.refresh_token, here.code, here.client_id]) {
    assert.ok(!(await opens(kind)));
    assert.ok(!(await opens(kind.replace(/^ac._/, 'acx_'))));
  }
  assert.equal((await post('/token', refreshing({ ...here, refresh_token: here.access_token }))).status, 400);
});

test('attack: a forged or retired client id is an unknown client', async () => {
  const retired = await serve({ secrets: newSecrets() });
  const foreign = await register({}, retired);
  await retired.close();
  for (const id of [foreign, 'acl_x', `${client.slice(0, -2)}AA`, 'x', "' OR 1=1", 'acl_'.padEnd(9_000, 'A')]) {
    assert.deepEqual(await errorOf(await post('/token', exchanging('acc_x', 'v'.repeat(43), { client_id: id }))), [401, 'invalid_client'], id);
    const { response } = await open(begin({ client_id: id }).url);
    assert.deepEqual([response.status, response.headers.get('location')], [400, null], id);
  }
});

test('attack: a metadata document makes the server ask no other machine than a public one (SSRF)', async () => {
  fetched.length = 0;
  for (const id of [
    'https://127.0.0.1/x', 'https://[::1]/x', 'https://localhost/x', 'https://169.254.169.254/latest/meta-data', 'https://0x7f.1/x', 'https://2130706433/x',
    'https://router.local/x', 'https://intranet/x', 'https://client.example:8080/x', 'https://user@client.example/x', 'http://client.example/metadata.json',
    'file:///etc/passwd', `${worker.origin}/x`, 'https://client.example/', 'https://client.example/a/../metadata.json',
  ]) {
    assert.equal((await open(begin({ client_id: id }).url)).response.status, 400, id);
  }
  assert.deepEqual(fetched, []);
  for (const name of ['of-another', 'large', 'redirect', 'secret', 'missing']) {
    assert.equal((await open(begin({ client_id: `https://client.example/${name}.json` }).url)).response.status, 400, name);
  }
  assert.equal(fetched.length, 5, 'no redirect was followed');
});

test('attack: a refresh token that comes back after its answer was used revokes the family', async () => {
  const tokens = await signIn('reuse');
  const second = { ...tokens, ...(await (await post('/token', refreshing(tokens))).json()) };
  const third = { ...tokens, ...(await (await post('/token', refreshing(second))).json()) };
  assert.ok(await opens(third.access_token));
  assert.deepEqual(await errorOf(await post('/token', refreshing(tokens))), [400, 'invalid_grant']);
  for (const { access_token } of [tokens, second, third]) assert.ok(!(await opens(access_token)));
  assert.deepEqual(await errorOf(await post('/token', refreshing(third))), [400, 'invalid_grant']);
});

test('a refresh may ask for some of the scopes, and the grant keeps them all', async () => {
  const tokens = await signIn('narrowed');
  const narrow = await (await post('/token', refreshing(tokens, { scope: 'notes:read offline_access' }))).json();
  assert.equal(narrow.scope, 'notes:read');
  const notebook = new Notebook(worker.url, narrow.access_token);
  assert.equal((await notebook.request('search', {})).status, 200);
  assert.equal((await notebook.request('save', { requestId: 'r', entry: { content: 'x' } })).status, 403);
  const next = { ...tokens, refresh_token: narrow.refresh_token };
  const wrong = await post('/token', refreshing(next, { scope: 'notes:read admin' }));
  assert.deepEqual([wrong.status, (await wrong.json()).error], [400, 'invalid_scope']);
  assert.equal((await (await post('/token', refreshing(next))).json()).scope, 'notes:read notes:write');
});

test('what goes wrong in the owner’s browser is told by a page', async () => {
  const long = begin({ state: 'x'.repeat(600), response_type: 'token' });
  const { html, response } = await open(long.url);
  assert.equal(response.status, 400);
  assert.match(html, /Tell host\.example/);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const [status, init] of [[415, { headers: {} , body: 'x' }], [413, { headers, body: 'x'.repeat(40_000) }]]) {
    const refused = await fetch(`${worker.origin}/authorize`, { method: 'POST', ...init });
    assert.deepEqual([refused.status, refused.headers.get('x-frame-options')], [status, 'DENY']);
    assert.match(refused.headers.get('content-type'), /^text\/html/);
  }
  const { form } = await open(begin().url);
  const subject = await send(worker.origin, { ...form, owner_key: secrets.OWNER_KEY, codex: 'ext.ada', decision: 'allow' });
  assert.equal(subject.status, 400, 'the name is one of another issuer’s subject');
});

test('a method that an endpoint does not have is 405, and HEAD is answered where GET is', async () => {
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server']) {
    assert.equal((await fetch(worker.origin + path, { method: 'HEAD' })).status, 200);
    for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND']) {
      const answer = await fetch(worker.origin + path, { method });
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'], method);
    }
  }
  for (const path of ['/authorize', '/token', '/register', '/revoke', '/grants?codex=x']) {
    assert.equal((await fetch(worker.origin + path, { method: 'PROPFIND', headers: { authorization: `Bearer ${secrets.OWNER_KEY}` } })).status, 405, path);
  }
});

test('50 racing refreshes of one token get the same tokens, which work', async () => {
  const tokens = await signIn('racing');
  const answers = await Promise.all(Array.from({ length: 50 }, async () => (await post('/token', refreshing(tokens))).json()));
  assert.equal(new Set(answers.map(answer => answer.refresh_token)).size, 1);
  assert.equal(new Set(answers.map(answer => answer.access_token)).size, 1);
  assert.ok(await opens(answers[0].access_token));
  assert.equal((await post('/token', refreshing({ ...tokens, ...answers[0] }))).status, 200);
});

test('a revoked grant fails on the very next call, also while 16 calls of it are in flight', async () => {
  const { access_token } = await signIn('in-flight');
  const notebook = new Notebook(worker.url, access_token);
  const { grants: [{ id }] } = await (await worker.owner('GET', '/grants?codex=in-flight')).json();
  const flying = Array.from({ length: 16 }, (_, number) => notebook.request('save', { requestId: `r${number}`, entry: { content: 'x' } }));
  assert.equal((await worker.owner('DELETE', `/grants/${id}?codex=in-flight`)).status, 204);
  assert.equal((await notebook.request('search', {})).status, 401);
  for (const response of await Promise.all(flying)) assert.ok([200, 401].includes(response.status));
});

test('a client ends its own access by revoking either token, and unknown tokens are no error', async () => {
  for (const kind of ['access_token', 'refresh_token']) {
    const tokens = await signIn(`ends-${kind}`);
    assert.equal((await post('/revoke', { token: tokens[kind], client_id: client })).status, 200);
    assert.ok(!(await opens(tokens.access_token)), kind);
    assert.equal((await post('/token', refreshing(tokens))).status, 400);
  }
  assert.equal((await post('/revoke', { token: 'acx_unknown' })).status, 200);
  assert.equal((await post('/revoke', {})).status, 400);
});

test('attack: forged tokens, 10,000 of them, wake no object', async t => {
  const persist = await mkdtemp(path.join(tmpdir(), 'agent-codex-'));
  t.after(() => rm(persist, { recursive: true, force: true }));
  const quiet = await serve({ secrets, persist, direct: true });
  t.after(() => quiet.close());
  const genuine = (await signIn('genuine')).access_token;
  const forge = () => {
    const bytes = Buffer.from(genuine.slice(4), 'base64url');
    bytes[Math.floor(Math.random() * bytes.length)] ^= 1 << Math.floor(Math.random() * 8);
    return bytes.toString('base64url');
  };
  for (let sent = 0; sent < 10_000; sent += 50) {
    const round = Array.from({ length: 50 }, async (_, number) => {
      const [kind, status] = [
        ['acx_', async token => (await new Notebook(quiet.url, token).request('search', {})).status],
        ['acr_', async token => (await post('/token', refreshing({ refresh_token: token, client_id: client }), quiet)).status],
        ['acc_', async token => (await post('/token', exchanging(token, 'v'.repeat(43), { resource: quiet.url }), quiet)).status],
      ][number % 3];
      assert.ok([400, 401].includes(await status(kind + forge())));
    });
    await Promise.all(round);
  }
  // An object that wakes makes its database, which is named by its id.
  const woken = async () => (await readdir(persist, { recursive: true })).filter(name => /[0-9a-f]{64}\.sqlite$/.test(name)).length;
  assert.equal(await woken(), 0);
  await quiet.notebook('one');
  assert.equal(await woken(), 1);
});

test('attack: failed credentials of an address are answered with 429 after a few, and who has the key is not shut out', async t => {
  const simple = { limit: 5, period: 60 };
  const limits = { FAILURES: { namespace_id: '1', simple }, CALLS: { namespace_id: '2', simple } };
  const limited = await serve({ secrets, direct: true, limits });
  t.after(() => limited.close());
  const notebook = await limited.notebook('limited');
  for (let call = 0; call < 5; call++) assert.ok(!(await notebook.call('search', {})).error);
  assert.equal((await notebook.call('search', {})).error.code, 'rate_limited');
  const other = await limited.notebook('limited');
  assert.ok(!(await other.call('search', {})).error, 'another grant has a limit of its own');

  const statuses = [];
  for (let guess = 0; guess < 10; guess++) statuses.push((await new Notebook(limited.url, 'acx_guess').request('search', {})).status);
  assert.deepEqual([...new Set(statuses)], [401, 429]);
  const client_id = await register({}, limited);
  const { form } = await open(begin({ client_id }, limited).url);
  const answer = await send(limited.origin, { ...form, owner_key: 'guess', decision: 'allow' });
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '60']);
  const guess = await fetch(`${limited.origin}/grants?codex=x`, { headers: { authorization: 'Bearer guess' } });
  assert.equal(guess.status, 429);
  assert.equal((await limited.owner('GET', '/grants?codex=limited')).status, 200);

  const from = address => fetch(limited.url, { method: 'POST', headers: { authorization: 'Bearer acx_guess', 'cf-connecting-ip': address } });
  const network = [];
  for (let host = 1; host <= 10; host++) network.push((await from(`2001:db8:1:2::${host}`)).status);
  assert.deepEqual([...new Set(network)], [401, 429], 'the addresses of one IPv6 network are one');
  assert.equal((await from('2001:db8:1:3::1')).status, 401);
});

test('attack: what comes from outside is escaped in pages and headers, and too much of it is refused', async () => {
  const named = await register({ client_name: '"><script>alert(1)</script>\u202e' });
  const { html, response } = await open(begin({ client_id: named, state: '\r\nX-Evil: 1' }).url);
  assert.equal(response.headers.get('x-evil'), null);
  assert.ok(!html.includes('<script') && html.includes('&lt;script&gt;') && !html.includes('\u202e'));
  const location = (await decide(begin({ state: '\r\nX-Evil: 1&code=evil' }).url, secrets.OWNER_KEY)).searchParams;
  assert.deepEqual([location.get('state'), location.getAll('code').length], ['\r\nX-Evil: 1&code=evil', 1]);
  assert.equal((await open(begin({ state: 'x'.repeat(5_000) }).url)).response.status, 400);
  assert.equal((await open(`${begin().url}&state=twice`)).response.status, 400);
  assert.equal((await post('/token', { filler: 'x'.repeat(40_000) })).status, 413);
  assert.equal((await post('/token', { grant_type: 'password', client_id: client })).status, 400);
  const registration = body => fetch(`${worker.origin}/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  for (const body of ['', '[', '[]', '{"redirect_uris":["javascript:x"]}', JSON.stringify({ redirect_uris: Array(11).fill(REDIRECT) })]) {
    assert.equal((await registration(body)).status, 400, body);
  }
  assert.equal((await registration(JSON.stringify({ redirect_uris: [REDIRECT], filler: 'x'.repeat(20_000) }))).status, 413);
});

test('a page of an allowed origin may use the endpoints of clients, and no other may', async () => {
  const from = origin => fetch(`${worker.origin}/register`, {
    method: 'POST', headers: { origin, 'content-type': 'application/json' }, body: JSON.stringify({ redirect_uris: [REDIRECT] }),
  });
  const allowed = await from('http://localhost:6274');
  assert.deepEqual([allowed.status, allowed.headers.get('access-control-allow-origin')], [201, 'http://localhost:6274']);
  assert.equal((await from('https://evil.example')).status, 403);
});

test('a refresh whose answer was lost with the server is given its answer by the next', async t => {
  const persist = await mkdtemp(path.join(tmpdir(), 'agent-codex-'));
  t.after(() => rm(persist, { recursive: true, force: true }));
  const first = await serve({ secrets, persist, direct: true });
  const { port } = new URL(first.origin);
  const tokens = await signIn('kept', first);
  const lost = await (await post('/token', refreshing(tokens), first)).json();
  await first.close();
  const second = await serve({ secrets, persist, direct: true, port: Number(port) });
  t.after(() => second.close());
  const again = await (await post('/token', refreshing(tokens), second)).json();
  assert.equal(again.refresh_token, lost.refresh_token);
  assert.ok(await opens(again.access_token, second));
});
