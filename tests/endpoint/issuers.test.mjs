// Access tokens of other issuers: which open a codex, which do not, and what it costs the issuer.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Response } from 'miniflare';
import { ISSUER, Issuer, claims, newKey, signed } from './issuer.mjs';
import { Notebook, serve } from './worker.mjs';

const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const METADATA = `${ISSUER}/.well-known/oauth-authorization-server`;
const KEYS = `${ISSUER}/keys`;

/** A worker that accepts the issuer's tokens, in whose time minutes pass when they are told to. */
async function start(t, issuer, { issuers = [{ issuer: ISSUER }], ...options } = {}) {
  const vars = { ISSUERS: JSON.stringify(issuers) };
  const worker = await serve({ build: 'build-faults', vars, outbound: issuer.outbound, ...options });
  t.after(() => worker.close());
  const status = async token => (await new Notebook(worker.url, token).post(listing)).status;
  const pass = async time => assert.equal((await fetch(`${worker.origin}/faults/${time}`)).status, 204);
  return { worker, status, pass, good: more => claims(worker.url, more) };
}

for (const alg of ['ES256', 'RS256', 'EdDSA']) {
  test(`an ${alg} token of a configured issuer opens the codex of its subject, and no other's`, async t => {
    const key = newKey(alg);
    const { worker, good } = await start(t, new Issuer(newKey('RS256'), key));
    const ada = new Notebook(worker.url, signed(key, good()));
    const entry = await ada.save('r', { content: 'mine' });
    assert.deepEqual((await new Notebook(worker.url, signed(key, good())).call('get', { id: entry.id })).entry, entry);
    const eve = new Notebook(worker.url, signed(key, good({ sub: 'eve' })));
    assert.equal((await eve.call('get', { id: entry.id })).error.code, 'not_found');
    const [header, payload, signature] = ada.token.split('.');
    const forged = `${header}.${payload}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`;
    const response = await new Notebook(worker.url, forged).post(listing);
    assert.equal(response.status, 401);
    assert.match(response.headers.get('www-authenticate'), /error="invalid_token", error_description="The access token is unknown, expired or revoked"$/);
  });
}

test('the metadata names the issuers after this server itself', async t => {
  const { worker } = await start(t, new Issuer(), { issuers: [{ issuer: ISSUER }, { issuer: 'https://other.example/tenant' }] });
  const metadata = await (await fetch(`${worker.origin}/.well-known/oauth-protected-resource/mcp`)).json();
  assert.deepEqual(metadata.authorization_servers, [worker.origin, ISSUER, 'https://other.example/tenant']);
});

test('the scopes are those of the token that are known here', async t => {
  const key = newKey();
  const { worker, good } = await start(t, new Issuer(key));
  const notebook = more => new Notebook(worker.url, signed(key, good(more)));
  const save = ['save', { requestId: 'r', entry: { content: 'x' } }];
  assert.equal((await notebook({ scope: 'openid notes:read' }).request('search', {})).status, 200);
  assert.equal((await notebook({ scope: 'openid notes:read' }).request(...save)).status, 403);
  assert.equal((await notebook({ scope: 'openid' }).request('search', {})).status, 403);
  assert.equal((await notebook({ scope: undefined, scp: ['notes:write', 'notes:read'] }).request(...save)).status, 200);
});

test('a token that is wrong in any way is refused, and costs no more than one load of the keys', async t => {
  const [key, rsa, other] = [newKey(), newKey('RS256', 'rsa'), newKey()];
  const issuer = new Issuer(key, rsa);
  const { status, good } = await start(t, issuer);
  const now = Math.floor(Date.now() / 1000);
  const noFetch = {
    'another issuer': signed(key, good({ iss: 'https://other.example' })),
    'the issuer with a slash': signed(key, good({ iss: `${ISSUER}/` })),
    'another audience': signed(key, good({ aud: 'https://notes.example/mcp' })),
    'no audience': signed(key, good({ aud: [] })),
    'expired': signed(key, good({ exp: now - 61 })),
    'no expiry': signed(key, good({ exp: undefined })),
    'not yet valid': signed(key, good({ nbf: now + 120 })),
    'no subject': signed(key, good({ sub: '' })),
    'an id token': signed(key, good(), { typ: 'JWT' }),
    'crit': signed(key, good(), { crit: ['exp'] }),
    'a claim twice': signed(key, JSON.stringify(good()).replace('{', `{"sub":"eve",`)),
    'too long': signed(key, good({ more: 'x'.repeat(8192) })),
    'alg none': signed(key, good(), { alg: 'none' }).replace(/[^.]*$/, ''),
    'alg HS256': signed(key, good(), { alg: 'HS256' }),
    'two parts': signed(key, good()).replace(/\.[^.]*$/, ''),
    'four parts': `${signed(key, good())}.x`,
  };
  for (const [what, token] of Object.entries(noFetch)) assert.equal(await status(token), 401, what);
  assert.deepEqual(issuer.asked, []);
  const oneLoad = {
    'a key of nobody': signed(other, good()),
    'a key of nobody under a known id': signed({ ...other, kid: key.kid }, good()),
    'a key of nobody in the header': signed({ ...other, kid: key.kid }, good(), { jwk: other.jwk, jku: 'https://evil.example/keys', x5u: 'https://evil.example/keys' }),
    'the id of a key of another algorithm': signed(key, good(), { kid: 'rsa' }),
    'the algorithm of another key': signed(rsa, good(), { alg: 'ES256' }),
    'an id that is a path': signed(other, good(), { kid: '../../../../dev/null' }),
    'an id that is SQL': signed(other, good(), { kid: "' UNION SELECT 'key' --" }),
    'an id that is an address': signed(other, good(), { kid: 'https://evil.example/keys' }),
    'a very long id': signed(other, good(), { kid: 'k'.repeat(4000) }),
  };
  for (const [what, token] of Object.entries(oneLoad)) assert.equal(await status(token), 401, what);
  assert.deepEqual(issuer.asked, [METADATA, KEYS]);
  assert.equal(await status(signed(key, good())), 200);
});

test('10,000 forged tokens wake no object and load the keys once a minute at most', async t => {
  const key = newKey();
  const issuer = new Issuer(key);
  const { worker, status, good } = await start(t, issuer);
  const token = signed(newKey(), good());
  const began = Date.now();
  const [, ...rest] = token.split('.');
  const forge = number => [Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: String(number) })).toString('base64url'), ...rest].join('.');
  for (let done = 0; done < 10_000; done += 100) {
    const statuses = await Promise.all(Array.from({ length: 100 }, (_, i) => status(forge(done + i))));
    assert.ok(statuses.every(status => status === 401));
  }
  assert.ok(issuer.loads <= Math.ceil((Date.now() - began) / 60_000), String(issuer.loads));
  assert.deepEqual(await worker.objects(), []);
  assert.equal(await status(signed(key, good())), 200);
});

test('calls that come together while the keys are loaded are all served', async t => {
  const key = newKey();
  const issuer = new Issuer(key);
  const { status, good } = await start(t, issuer);
  const statuses = await Promise.all(Array.from({ length: 20 }, () => status(signed(key, good()))));
  assert.ok(statuses.every(status => status === 200), String(statuses));
  assert.equal(issuer.loads, 1);
});

test('a request that waits for keys when another panics is answered, and the next is served', async t => {
  const key = newKey();
  const issuer = new Issuer(key);
  const { worker, status, good } = await start(t, issuer);
  const asked = new Promise(resolve => {
    issuer.answers[KEYS] = () => new Promise(() => resolve());
  });
  const waiting = status(signed(key, good()));
  await asked;
  assert.equal((await fetch(`${worker.origin}/faults/panic`)).status, 500);
  assert.equal(await waiting, 500);
  delete issuer.answers[KEYS];
  assert.equal(await status(signed(key, good())), 200);
});

test('a client that goes away while the keys are loaded leaves them to the next', async t => {
  const key = newKey();
  const issuer = new Issuer(key);
  const { worker, status, good } = await start(t, issuer);
  let answer;
  const asked = new Promise(resolve => {
    issuer.answers[KEYS] = () => new Promise(release => resolve((answer = () => release(Response.json({ keys: [key.jwk] })))));
  });
  const client = new AbortController();
  const headers = { authorization: `Bearer ${signed(key, good())}` };
  const gone = fetch(worker.url, { method: 'POST', headers, body: '{}', signal: client.signal });
  await asked;
  client.abort();
  await assert.rejects(gone);
  const next = status(signed(key, good()));
  answer();
  assert.equal(await next, 200);
  assert.equal(issuer.loads, 1);
});

test('a new key is found when a token names it, once a minute at most', async t => {
  const [old, fresh, later] = [newKey(), newKey(), newKey()];
  const issuer = new Issuer(old);
  const { status, pass, good } = await start(t, issuer);
  assert.equal(await status(signed(old, good())), 200);
  issuer.keys = [fresh];
  assert.equal(await status(signed(fresh, good())), 401);
  await pass('minute');
  assert.equal(await status(signed(fresh, good())), 200);
  assert.equal(await status(signed(old, good())), 401, 'a key that was withdrawn');
  issuer.keys = [fresh, later];
  assert.equal(await status(signed(later, good())), 401);
  assert.equal(issuer.loads, 2);
});

test('keys are used for an hour, and no longer while the issuer is down', async t => {
  const key = newKey();
  const issuer = new Issuer(key);
  const { worker, status, pass, good } = await start(t, issuer);
  assert.equal(await status(signed(key, good())), 200);
  issuer.answers[METADATA] = () => new Response('down', { status: 503 });
  for (let minute = 0; minute < 59; minute += 1) await pass('minute');
  assert.equal(await status(signed(key, good())), 200);
  await pass('minute');
  assert.equal(await status(signed(key, good())), 401);
  assert.match(worker.logged(), /The keys of https:\/\/issuer\.example can't be had: .*status 503/);
  delete issuer.answers[METADATA];
  await pass('minute');
  assert.equal(await status(signed(key, good())), 200);
});

const never = () => new Promise(() => {});
const inChunks = () => new Response(new ReadableStream({
  start(controller) {
    for (let kilobyte = 0; kilobyte < 1024; kilobyte += 1) controller.enqueue(new Uint8Array(1024).fill(32));
    controller.close();
  },
}));
for (const [what, url, answer, reason] of [
  ['is down', METADATA, () => { throw new Error('down'); }, /failed|status 500/],
  ['does not answer', KEYS, never, /5 s/],
  ['answers too much', KEYS, () => new Response(`{"keys":[${' '.repeat(65_536)}]}`), /more than 65536 bytes/],
  ['answers too much, and does not say how much', KEYS, inChunks, /more than 65536 bytes/],
  ['redirects', METADATA, () => new Response(null, { status: 302, headers: { location: 'https://evil.example/metadata' } }), /status 302/],
  ['redirects to its keys', KEYS, () => new Response(null, { status: 307, headers: { location: 'https://evil.example/keys' } }), /status 307/],
  ['names another issuer', METADATA, () => Response.json({ issuer: `${ISSUER}/`, jwks_uri: KEYS }), /not this issuer's metadata/],
  ['names keys that are not at https', METADATA, () => Response.json({ issuer: ISSUER, jwks_uri: 'http://issuer.example/keys' }), /not this issuer's metadata/],
  ['answers no key set', KEYS, () => Response.json({ keys: 'x' }), /is no key set/],
]) {
  test(`an issuer that ${what} opens nothing, and the log says why`, async t => {
    const key = newKey();
    const issuer = new Issuer(key);
    const { worker, status, pass, good } = await start(t, issuer);
    const token = signed(key, good());
    issuer.answers[url] = answer;
    assert.equal(await status(token), 401);
    assert.ok(issuer.asked.every(url => url.startsWith(ISSUER)), String(issuer.asked));
    assert.match(worker.logged(), reason);
    assert.ok(!worker.logged().includes(token));
    const own = await worker.notebook('own');
    assert.equal((await own.call('search', {})).entries.length, 0);
    delete issuer.answers[url];
    await pass('minute');
    assert.equal(await status(token), 200);
  });
}

for (const [what, path, url] of [
  ["RFC 8414's", '', `${ISSUER}/.well-known/oauth-authorization-server`],
  ["OpenID's", '', `${ISSUER}/.well-known/openid-configuration`],
  ["RFC 8414's, with a path,", '/tenant', `${ISSUER}/.well-known/oauth-authorization-server/tenant`],
  ["OpenID's, before a path,", '/tenant', `${ISSUER}/.well-known/openid-configuration/tenant`],
  ["OpenID's, after a path,", '/tenant/', `${ISSUER}/tenant/.well-known/openid-configuration`],
]) {
  test(`metadata in ${what} place is found`, async t => {
    const key = newKey();
    const issuer = new Issuer(key);
    const name = ISSUER + path;
    issuer.answers[METADATA] = () => new Response(null, { status: 404 });
    issuer.answers[url] = () => Response.json({ issuer: name, jwks_uri: KEYS });
    const { status, good } = await start(t, issuer, { issuers: [{ issuer: name }] });
    assert.equal(await status(signed(key, good({ iss: name }))), 200);
    assert.equal(issuer.asked.at(-2), url);
  });
}

test('the settings can name the audience, the place of the keys and the types', async t => {
  const key = newKey();
  const issuer = new Issuer(key);
  const issuers = [{ issuer: ISSUER, audience: 'notes', jwks: KEYS, types: ['JWT', 'application/at+jwt'] }];
  const { status, good } = await start(t, issuer, { issuers });
  assert.equal(await status(signed(key, good())), 401);
  for (const typ of ['JWT', undefined, 'at+jwt', 'application/at+jwt', 'AT+JWT']) {
    assert.equal(await status(signed(key, good({ aud: ['x', 'notes'] }), { typ })), 200, typ);
  }
  assert.equal(await status(signed(key, good({ aud: 'notes' }), { typ: 'dpop+jwt' })), 401);
  assert.deepEqual(issuer.asked, [KEYS]);
});

test('wrong settings are 503 for every call, and the log says what is wrong', async t => {
  for (const [ISSUERS, reason] of [
    ['https://issuer.example', /ISSUERS is not usable/],
    ['[{"issuer":"http://issuer.example"}]', /number 1: issuer must be an https URL/],
  ]) {
    const worker = await serve({ vars: { ISSUERS } });
    t.after(() => worker.close());
    assert.equal((await new Notebook(worker.url, 'x').post(listing)).status, 503);
    assert.match(worker.logged(), reason);
  }
});

test('the owner lists a subject that was here, and revokes it from the very next call on', async t => {
  const key = newKey();
  const { worker, good } = await start(t, new Issuer(key));
  const sub = 'ada lovelace+1@café';
  const query = `issuer=${encodeURIComponent(ISSUER)}&subject=${encodeURIComponent(sub)}`;
  const notebook = more => new Notebook(worker.url, signed(key, good({ sub, ...more })));
  const listed = async () => (await (await worker.owner('GET', `/grants?${query}`)).json()).grants;
  assert.deepEqual(await listed(), []);
  const ada = notebook({ scope: 'notes:read' });
  await ada.call('search', {});
  const [grant] = await listed();
  assert.equal(grant.label, `${ISSUER} ${sub}`);
  assert.deepEqual(grant.scopes, ['notes:read']);
  await notebook({}).save('r', { content: 'x' });
  assert.deepEqual((await listed()).map(grant => grant.scopes), [['notes:read', 'notes:write']]);
  assert.equal((await worker.owner('DELETE', `/grants/${grant.id}?${query}`)).status, 204);
  for (const revoked of [ada, notebook({})]) assert.equal((await revoked.request('search', {})).status, 401);
});

test('the owner revokes a subject before its first call', async t => {
  const key = newKey();
  const { worker, good } = await start(t, new Issuer(key));
  assert.equal((await worker.owner('POST', `/revocations?issuer=${ISSUER}&subject=ada`, {})).status, 204);
  assert.equal((await new Notebook(worker.url, signed(key, good())).request('search', {})).status, 401);
  assert.equal((await new Notebook(worker.url, signed(key, good({ sub: 'eve' }))).request('search', {})).status, 200);
});

test('the owner revokes one token by its jti, from the very next call on, and no other', async t => {
  const key = newKey();
  const { worker, good } = await start(t, new Issuer(key));
  const [one, other] = [{ jti: 'one' }, { jti: 'other' }].map(more => new Notebook(worker.url, signed(key, good(more))));
  await one.save('r', { content: 'x' });
  const path = `/revocations?issuer=${ISSUER}&subject=ada`;
  assert.equal((await worker.owner('POST', path, { jti: 'one', keepSeconds: 600 })).status, 204);
  for (const tool of ['save', 'get', 'search', 'update']) {
    const args = { save: { requestId: 'r', entry: { content: 'x' } }, get: { id: randomUUID() }, search: {},
      update: { id: randomUUID(), expectedRevision: 1, entry: { content: 'x' } } }[tool];
    assert.equal((await one.request(tool, args)).status, 401, tool);
  }
  assert.equal((await other.searchToTheEnd({})).length, 1);
});

test("revocations are the owner's alone", async t => {
  const { worker } = await start(t, new Issuer());
  const path = `${worker.origin}/revocations?issuer=${ISSUER}&subject=ada`;
  assert.equal((await fetch(path, { method: 'POST' })).status, 401);
  assert.equal((await worker.owner('GET', '/revocations')).status, 405);
  assert.equal((await worker.owner('POST', '/revocations', {})).status, 400);
  for (const body of [{ keepSeconds: 5 }, { jti: 1 }, { sub: 'x' }, []]) {
    assert.equal((await worker.owner('POST', `/revocations?issuer=${ISSUER}&subject=ada`, body)).status, 400);
  }
});
