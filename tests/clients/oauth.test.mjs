// The official clients sign in by themselves: nobody gives them a token. Each finds the authorization server, becomes its
// client, sends the owner to it, and comes back with a code.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError as UnauthorizedErrorV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decide } from '../endpoint/browser.mjs';
import { newSecrets, serve } from '../endpoint/worker.mjs';

const REDIRECT = 'http://127.0.0.1:41999/callback';
const DOCUMENT = 'https://client.example/metadata.json';
const metadata = { client_name: 'Test client', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
const secrets = newSecrets();

/** The internet, as far as the server sees it: the client's metadata document. */
const outbound = request =>
  request.url === DOCUMENT
    ? new Response(JSON.stringify({ ...metadata, client_id: DOCUMENT }), { headers: { 'content-type': 'application/json' } })
    : new Response('no', { status: 404 });

let worker;
before(async () => {
  worker = await serve({ secrets, outbound });
});
after(() => worker?.close());

/** What a client keeps of its sign-in; it sends the owner to the browser, who allows everything but `without`. */
class Provider {
  codex;
  authorized = [];
  constructor(codex, { document, without } = {}) {
    this.codex = codex;
    this.clientMetadataUrl = document;
    this.without = without;
  }
  get redirectUrl() {
    return REDIRECT;
  }
  get clientMetadata() {
    return { ...metadata, grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
  }
  state = () => 'a state & more';
  clientInformation = () => this.information;
  saveClientInformation = information => void (this.information = information);
  tokens = () => this.kept;
  saveTokens = tokens => void (this.kept = tokens);
  saveCodeVerifier = verifier => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
  async redirectToAuthorization(url) {
    this.authorized.push(url);
    this.answer = await decide(url, secrets.OWNER_KEY, { codex: this.codex, without: this.without });
    assert.equal(this.answer.searchParams.get('state'), 'a state & more');
    assert.equal(this.answer.searchParams.get('iss'), worker.origin);
  }
}


/** Connects with a provider, finishing the sign-in that the first attempt begins. */
async function connect(Transport, SignIn, makeClient, provider) {
  const transport = () => new Transport(new URL(worker.url), { authProvider: provider });
  const first = transport();
  await assert.rejects(makeClient().connect(first), SignIn);
  await first.finishAuth(Transport === TransportV1 ? provider.answer.searchParams.get('code') : provider.answer.searchParams);
  const client = makeClient();
  await client.connect(transport());
  return client;
}

async function uses(client) {
  const { tools } = await client.listTools();
  assert.equal(tools.length, 4);
  const saved = await client.callTool({ name: 'field_notes_save', arguments: { requestId: 'r', entry: { content: 'signed in' } } });
  assert.equal(saved.structuredContent.entry.content, 'signed in');
  const found = await client.callTool({ name: 'field_notes_search', arguments: { query: 'SIGNED' } });
  assert.equal(found.structuredContent.entries.length, 1);
}

const makers = {
  'version 2': [StreamableHTTPClientTransport, UnauthorizedError, () => new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })],
  'version 1': [TransportV1, UnauthorizedErrorV1, () => new ClientV1({ name: 'test', version: '1' })],
};

for (const [version, maker] of Object.entries(makers)) {
  for (const [way, options] of [['registration', {}], ['its metadata document', { document: DOCUMENT }]]) {
    test(`the TypeScript client of ${version} signs in by ${way}, and stays signed in`, async t => {
      const provider = new Provider(`signed-in-${version.at(-1)}-${way.length}`, options);
      const client = await connect(...maker, provider);
      t.after(() => client.close());
      const { searchParams } = provider.authorized[0];
      assert.equal(searchParams.get('client_id'), options.document ?? provider.information.client_id);
      assert.equal(searchParams.get('resource'), worker.url);
      await uses(client);

      const before = provider.kept;
      assert.ok(before.refresh_token);
      provider.kept = { ...before, access_token: 'acx_expired' };
      const found = await client.callTool({ name: 'field_notes_search', arguments: {} });
      assert.equal(found.structuredContent.entries.length, 1, 'a refused access token is refreshed on the way');
      assert.notEqual(provider.kept.refresh_token, before.refresh_token);
      assert.equal(provider.authorized.length, 1, 'and nobody was asked again');
    });
  }
}

test('the TypeScript client steps up from reading to both scopes when a call needs it', async t => {
  const provider = new Provider('stepping-up', { without: 'notes:write' });
  const [Transport, SignIn, makeClient] = makers['version 2'];
  const reader = await connect(Transport, SignIn, makeClient, provider);
  t.after(() => reader.close());
  assert.equal(provider.kept.scope, 'notes:read');
  assert.deepEqual((await reader.callTool({ name: 'field_notes_search', arguments: {} })).structuredContent.entries, []);

  provider.without = undefined;
  const save = { name: 'field_notes_save', arguments: { requestId: 'r', entry: { content: 'x' } } };
  await assert.rejects(reader.callTool(save), SignIn);
  assert.match(provider.authorized[1].searchParams.get('scope'), /notes:read notes:write/);
  await reader.transport.finishAuth(provider.answer.searchParams);
  assert.equal(provider.kept.scope, 'notes:read notes:write');
  assert.equal((await reader.callTool(save)).structuredContent.entry.content, 'x');
});

test('the Python client signs in by registration', async () => {
  const python = fileURLToPath(new URL('../../.tools/python/bin/python', import.meta.url));
  const script = fileURLToPath(new URL('python_oauth.py', import.meta.url));
  const { stdout } = await promisify(execFile)(python, [script, worker.url, secrets.OWNER_KEY]);
  assert.match(stdout, /^signed in/);
});
