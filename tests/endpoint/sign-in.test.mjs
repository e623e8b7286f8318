// People sign in with a provider of their own, or behind Cloudflare Access, and allow a host access to their own codex.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Response } from 'miniflare';
import { newVerifier } from './browser.mjs';
import { ISSUER, Issuer, newKey, signed } from './issuer.mjs';
import { Notebook, newSecrets, serve } from './worker.mjs';

const REDIRECT = 'https://host.example/callback';
const CLIENT = { id: 'codex client', secret: 'a secret: of ours' };
const secrets = newSecrets();
const key = newKey('RS256');

/** A provider: whoever it lets sign in is `claims`; a code is the name of what it was asked. */
class Provider extends Issuer {
  claims = { sub: 'ada', email: 'ada@people.example', email_verified: true };
  asked = [];
  begun = new Map();

  constructor() {
    super(key);
    this.answers[`${ISSUER}/.well-known/oauth-authorization-server`] = () => new Response('no', { status: 404 });
    this.answers[`${ISSUER}/.well-known/openid-configuration`] = () =>
      Response.json({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys`, authorization_endpoint: `${ISSUER}/authorize`, token_endpoint: `${ISSUER}/token` });
    this.answers[`${ISSUER}/token`] = request => this.token(request);
  }

  /** What a browser is sent back with that was sent here. */
  authorize(location) {
    const asked = Object.fromEntries(new URL(location).searchParams);
    const code = randomBytes(8).toString('hex');
    this.begun.set(code, asked);
    return new URLSearchParams({ code, state: asked.state });
  }

  async token(request) {
    const form = new URLSearchParams(await request.text());
    const asked = this.begun.get(form.get('code'));
    const basic = Buffer.from(request.headers.get('authorization').split(' ')[1], 'base64').toString();
    assert.equal(basic, `${encodeURIComponent(CLIENT.id).replaceAll('%20', '+')}:${encodeURIComponent(CLIENT.secret).replaceAll('%20', '+')}`);
    assert.equal(form.get('redirect_uri'), asked.redirect_uri);
    const challenge = createHash('sha256').update(form.get('code_verifier')).digest('base64url');
    if (challenge !== asked.code_challenge) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    return Response.json({ access_token: 'x', token_type: 'Bearer', id_token: this.idToken(asked) });
  }

  idToken({ nonce }, header = { typ: 'JWT' }) {
    const now = Math.floor(Date.now() / 1000);
    return signed(key, { iss: ISSUER, aud: CLIENT.id, iat: now, exp: now + 300, nonce, ...this.claims }, header);
  }
}

let worker, provider;
before(async () => {
  provider = new Provider();
  worker = await serve({
    secrets: { ...secrets, OIDC_CLIENT_SECRET: CLIENT.secret },
    vars: { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: CLIENT.id, OIDC_ALLOWED: 'ada grace@people.example @team.example' },
    outbound: request => provider.outbound(request),
  });
});
after(() => worker?.close());

async function authorizationUrl(at = worker) {
  const registration = await fetch(`${at.origin}/register`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ client_name: 'Host', redirect_uris: [REDIRECT] }),
  });
  const { client_id } = await registration.json();
  const { verifier, parameters } = newVerifier();
  const asked = { response_type: 'code', client_id, redirect_uri: REDIRECT, state: 's', resource: at.url, ...parameters };
  return { url: `${at.origin}/authorize?${new URLSearchParams(asked)}`, client_id, verifier };
}

/** Opens the authorization URL; gives the cookie that the browser then has, and what the provider sends it back with. */
async function begin() {
  const asked = await authorizationUrl();
  const sent = await fetch(asked.url, { redirect: 'manual' });
  assert.equal(sent.status, 302);
  const set = sent.headers.get('set-cookie');
  assert.match(set, /^__Host-acx_sign_in=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=3600$/);
  const location = sent.headers.get('location');
  assert.ok(location.startsWith(`${ISSUER}/authorize?`));
  return { ...asked, cookie: set.split(';')[0], back: provider.authorize(location) };
}

const comeBack = (back, cookie) => fetch(`${worker.origin}/callback?${back}`, { redirect: 'manual', headers: cookie ? { cookie } : {} });

/** The form of the page, ready to be sent. */
async function formOf(response) {
  const html = await response.text();
  assert.equal(response.status, 200, html);
  const fields = [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  return { html, form: { ...Object.fromEntries(fields), decision: 'allow' } };
}

const send = (form, cookie, at = worker) =>
  fetch(`${at.origin}/authorize`, {
    method: 'POST', redirect: 'manual', headers: { ...(cookie && { cookie }), origin: at.origin }, body: new URLSearchParams(form),
  });

/** The access token for the code in a redirection. */
async function tokenOf(answer, { client_id, verifier }, at = worker) {
  assert.equal(answer.status, 303, await answer.text());
  const code = new URL(answer.headers.get('location')).searchParams.get('code');
  const form = { grant_type: 'authorization_code', code, client_id, code_verifier: verifier, redirect_uri: REDIRECT };
  const response = await fetch(`${at.origin}/token`, { method: 'POST', body: new URLSearchParams(form) });
  return (await response.json()).access_token;
}

async function signIn(claims) {
  provider.claims = claims;
  const begun = await begin();
  const { html, form } = await formOf(await comeBack(begun.back, begun.cookie));
  assert.ok(!html.includes('owner_key'), 'nobody is asked for the owner key');
  return { html, token: await tokenOf(await send(form, begun.cookie), begun) };
}

test('a person signs in with the provider, sees who they are, and allows access to a codex of their own', async () => {
  const { html, token } = await signIn({ sub: 'ada', email: 'ada@people.example', email_verified: true });
  assert.match(html, /You are <b>ada@people\.example<\/b>/);
  const ada = new Notebook(worker.url, token);
  const entry = await ada.save('r', { content: "Ada's" });
  const again = new Notebook(worker.url, (await signIn({ sub: 'ada' })).token);
  assert.deepEqual((await again.call('get', { id: entry.id })).entry, entry, 'the same person, the same codex');
  const grace = new Notebook(worker.url, (await signIn({ sub: 'g', email: 'Grace@People.example', email_verified: true })).token);
  assert.equal((await grace.call('get', { id: entry.id })).error.code, 'not_found');
});

test('only those may sign in whom the list names, by subject, verified address or domain of one', async () => {
  for (const claims of [{ sub: 'x', email: 'x@team.example', email_verified: true }, { sub: 'ada' }]) assert.ok((await signIn(claims)).token);
  for (const claims of [
    { sub: 'mallory' },
    { sub: 'm', email: 'grace@people.example', email_verified: false },
    { sub: 'm', email: 'grace@people.example' },
    { sub: 'm', email: 'x@notteam.example', email_verified: true },
    { sub: 'm', email: 'x@team.example.evil.example', email_verified: true },
    { sub: 'm', email: 'ada', email_verified: true },
    { sub: 'ADA' },
  ]) {
    provider.claims = claims;
    const { back, cookie } = await begin();
    assert.equal((await comeBack(back, cookie)).status, 403, JSON.stringify(claims));
  }
});

test('attack: a sign-in is ended by the browser that began it alone', async () => {
  provider.claims = { sub: 'ada' };
  const [mine, other] = [await begin(), await begin()];
  for (const cookie of [undefined, other.cookie, '__Host-acx_sign_in=', `x${mine.cookie}`]) {
    assert.equal((await comeBack(mine.back, cookie)).status, 400, cookie);
  }
  const swapped = new URLSearchParams({ code: other.back.get('code'), state: mine.back.get('state') });
  assert.equal((await comeBack(swapped, mine.cookie)).status, 502, "another browser's code has another verifier");
  const issuer = new URLSearchParams({ ...Object.fromEntries(mine.back), iss: 'https://evil.example' });
  assert.equal((await comeBack(issuer, mine.cookie)).status, 400);
  const { form } = await formOf(await comeBack(mine.back, mine.cookie));
  for (const cookie of [undefined, other.cookie]) assert.equal((await send(form, cookie)).status, 403);
  for (const state of ['', 'x', form.request.slice(1)]) {
    assert.equal((await comeBack(new URLSearchParams({ code: 'x', state }), mine.cookie)).status, 400);
  }
  assert.ok(await tokenOf(await send(form, mine.cookie), mine));
});

test('attack: an id_token that is not of this sign-in is refused', async () => {
  const idToken = provider.idToken.bind(provider);
  for (const claims of [{ nonce: 'other' }, { aud: 'other' }, { aud: [CLIENT.id, 'other'] }, { azp: 'other' }, { iss: 'https://evil.example' }, { exp: 1 }]) {
    provider.claims = { sub: 'ada', ...claims };
    const { back, cookie } = await begin();
    assert.equal((await comeBack(back, cookie)).status, 502, JSON.stringify(claims));
  }
  provider.claims = { sub: 'ada' };
  provider.idToken = asked => idToken(asked, { typ: 'at+jwt' });
  const { back, cookie } = await begin();
  assert.equal((await comeBack(back, cookie)).status, 502, 'an access token is no id_token');
  provider.idToken = idToken;
  assert.ok((await signIn({ sub: 'ada' })).token);
});

test('whoever Cloudflare Access vouches for decides without signing in again', async t => {
  const team = 'https://team.cloudflareaccess.example';
  const access = newKey('RS256');
  const behind = await serve({
    secrets,
    vars: { ACCESS_ISSUER: team, ACCESS_AUDIENCE: 'the application' },
    outbound: request =>
      request.url === `${team}/cdn-cgi/access/certs` ? Response.json({ keys: [access.jwk] }) : new Response('no', { status: 404 }),
  });
  t.after(() => behind.close());
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: team, aud: ['the application'], sub: 'ada', email: 'ada@people.example', iat: now, exp: now + 60 };
  const asked = await authorizationUrl(behind);
  const open = assertion => fetch(asked.url, { headers: assertion ? { 'cf-access-jwt-assertion': assertion } : {} });
  for (const assertion of [undefined, 'x', signed(newKey('RS256'), claims, { typ: 'JWT' }), signed(access, { ...claims, aud: ['another'] }, { typ: 'JWT' })]) {
    assert.equal((await open(assertion)).status, 403, assertion);
  }
  const page = await open(signed(access, claims, { typ: 'JWT' }));
  const cookie = page.headers.get('set-cookie').split(';')[0];
  const { form } = await formOf(page);
  assert.equal((await send(form, undefined, behind)).status, 403);
  assert.ok(await tokenOf(await send(form, cookie, behind), asked, behind));
});
