// The owner at a browser: opens what a client sends there, decides, and comes back with where that leads.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';

/** What HTML has made of an attribute's text. */
const unescaped = text => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** A verifier of a client's (PKCE), and the parameters that go with it. */
export function newVerifier() {
  const verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, parameters: { code_challenge, code_challenge_method: 'S256' } };
}

/** Opens an authorization URL; gives the response, and the fields of the form if it is the page of the decision. */
export async function open(url) {
  const response = await fetch(url, { redirect: 'manual' });
  const html = await response.text();
  const request = /name="request" value="([^"]*)"/.exec(html)?.[1];
  const codex = /name="codex" value="([^"]*)"/.exec(html)?.[1];
  const scopes = [...html.matchAll(/type="checkbox" name="([^"]*)" value="yes" checked/g)].map(([, name]) => name);
  const ticked = Object.fromEntries(scopes.map(name => [name, 'yes']));
  return { response, html, form: request && { request: unescaped(request), codex: unescaped(codex), ...ticked } };
}

/** Sends the form; gives the response. */
export const send = (origin, form, headers = {}) =>
  fetch(`${origin}/authorize`, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) });

/** Opens an authorization URL and allows (or denies) what it asks, but for `without`; gives the URL that the client is sent. */
export async function decide(url, ownerKey, { codex, decision = 'allow', without } = {}) {
  const { response, html, form } = await open(url);
  assert.equal(response.status, 200, html);
  const { origin } = new URL(url);
  delete form[without];
  const own = { origin, 'sec-fetch-site': 'same-origin' };
  const answer = await send(origin, { ...form, ...(codex && { codex }), owner_key: ownerKey, decision }, own);
  assert.equal(answer.status, 303, await answer.text());
  return new URL(answer.headers.get('location'));
}
