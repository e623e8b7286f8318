// A sign-in outlives kills of the server, whichever moment of a refresh they hit: what was committed and not answered is
// answered to the next who asks.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newVerifier } from '../endpoint/browser.mjs';
import { Random } from '../endpoint/random.mjs';
import { newSecrets } from '../endpoint/worker.mjs';
import { Workerd } from './workerd.mjs';

const KILLS = 12;
const LONGEST = 12; // milliseconds from a refresh to the kill
/** The server's name, which stays while its port changes; tokens are for it. */
const HOST = 'notes.example';
const REDIRECT = 'https://host.example/callback';

/** Sends a request to `HOST`, wherever it is now; gives the answer, or rejects when there is none. */
const send = (server, method, path, headers = {}, body = '') =>
  new Promise((resolve, reject) => {
    const all = { host: HOST, 'content-length': Buffer.byteLength(body), ...headers };
    const request = http.request(server.origin + path, { method, headers: all, agent: false }, async response => {
      const chunks = await response.toArray().catch(reject);
      resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks ?? []).toString() });
    });
    request.on('error', reject);
    request.end(body);
  });

const sendForm = (server, path, form) =>
  send(server, 'POST', path, { 'content-type': 'application/x-www-form-urlencoded' }, new URLSearchParams(form).toString());

async function signIn(server, ownerKey) {
  const json = { 'content-type': 'application/json' };
  const registered = await send(server, 'POST', '/register', json, JSON.stringify({ redirect_uris: [REDIRECT] }));
  const { client_id } = JSON.parse(registered.text);
  const { verifier, parameters } = newVerifier();
  const asked = { response_type: 'code', client_id, redirect_uri: REDIRECT, resource: `http://${HOST}/mcp`, ...parameters };
  const page = await send(server, 'GET', `/authorize?${new URLSearchParams(asked)}`);
  const request = /name="request" value="([^"]+)"/.exec(page.text)[1];
  const allowed = { 'notes:read': 'yes', 'notes:write': 'yes', codex: 'kept', owner_key: ownerKey, decision: 'allow' };
  const decided = await sendForm(server, '/authorize', { request, ...allowed });
  const code = new URL(decided.headers.location).searchParams.get('code');
  const given = await sendForm(server, '/token', { grant_type: 'authorization_code', code, client_id, code_verifier: verifier });
  assert.equal(given.status, 200, given.text);
  return { client_id, ...JSON.parse(given.text) };
}

async function opens(server, token) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'field_notes_search', arguments: {} } };
  return (await send(server, 'POST', '/mcp', headers, JSON.stringify(call))).status === 200;
}

test(`${KILLS} kills in the middle of refreshes lose no sign-in`, async t => {
  const secrets = newSecrets();
  const server = await Workerd.start(secrets);
  t.after(() => server.close());
  const random = new Random(Date.now());
  let tokens = await signIn(server, secrets.OWNER_KEY);
  const refresh = () => sendForm(server, '/token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: tokens.client_id });
  let lost = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const answer = refresh().catch(() => undefined);
    await sleep(random.below(LONGEST));
    await server.kill();
    const given = await answer;
    await server.start();
    if (given?.status === 200) tokens = { ...tokens, ...JSON.parse(given.text) };
    else lost += 1;
    const again = await refresh();
    assert.equal(again.status, 200, `kill ${kill}: ${again.text}`);
    tokens = { ...tokens, ...JSON.parse(again.text) };
    assert.ok(await opens(server, tokens.access_token), `kill ${kill}`);
  }
  t.diagnostic(`${lost} of ${KILLS} answers were lost`);
});
