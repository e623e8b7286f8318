// Whatever is sent, the answer is one of this server's: arbitrary bytes to arbitrary paths by arbitrary methods with
// arbitrary headers, over a socket, since clients would refuse to send most of it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { Random } from './random.mjs';
import { newSecrets, serve } from './worker.mjs';

const REQUESTS = 800;

const seed = Date.now() % 1_000_000_000;
const random = new Random(seed);
const secrets = newSecrets();
let worker;
let token;
before(async () => {
  worker = await serve({ secrets, direct: true });
  ({ token } = await worker.grant('arbitrary'));
});
after(() => worker?.close());

const METHODS = ['GET', 'POST', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];
const bytes = most => randomBytes(random.below(most + 1));
const ascii = most => bytes(most).toString('base64url');
const anything = [
  () => '', () => ascii(20), () => ascii(3_000), () => '\x80\xff\xe9', () => '%00%ff', () => ', ;=,"', () => '-1', () => '1e9',
  () => '*/*',
];

const PATHS = [
  ...Array(20).fill(() => '/mcp'), () => '/mcp/', () => `/mcp?${ascii(40)}`, () => `/mcp/${ascii(8)}`, () => '/mcp/../mcp',
  () => '//mcp', () => '/mcp;a=b', () => '/mcp%2f',
  () => '/', () => `/${ascii(400)}`, () => `/%${ascii(4)}`, () => '/grants', () => '/grants?codex=arbitrary',
  () => `/grants?codex=${encodeURIComponent(bytes(20).toString('latin1'))}`, () => `/grants/${ascii(40)}?codex=a`,
  () => '/grants/%00?codex=a',
  () => '/authorize', () => `/authorize?client_id=${ascii(30)}`, () => '/token', () => '/register', () => '/revoke',
  () => '/callback?state=a&code=b', () => '/revocations', () => '/revocations?issuer=https://a.example&subject=b',
  () => '/.well-known/oauth-authorization-server', () => '/.well-known/oauth-protected-resource', () => '/.well-known/oauth-protected-resource/mcp', () => '/faults/panic',
];

const HEADERS = {
  authorization: [
    () => `Bearer ${token}`, () => `Bearer ${token}`, () => `Bearer ${secrets.OWNER_KEY}`, () => `bearer  ${token} `,
    () => `Bearer acx_${ascii(90)}`,
  ],
  'content-type': [
    () => 'application/json', () => 'application/json', () => 'application/json; charset=\xe9', () => 'text/plain',
  ],
  accept: [() => 'application/json, text/event-stream', () => 'text/html', () => 'application/*;q=0'],
  origin: [() => 'http://localhost:1', () => 'null', () => 'https://notes.example', () => 'http://[::1'],
  'content-encoding': [() => 'identity', () => 'gzip'],
  'mcp-protocol-version': [() => '2025-11-25', () => '2026-07-28', () => '2025-03-26', () => '2099-01-01'],
  'mcp-method': [() => 'tools/call', () => 'initialize'],
  'mcp-name': [() => 'field_notes_get', () => '=?base64?Zm9v?='],
  'mcp-session-id': [() => ascii(10)],
  'x-forwarded-proto': [() => 'https', () => 'gopher'],
  cookie: [() => ascii(100)],
};

const message = () => JSON.stringify({
  jsonrpc: random.pick(['2.0', '1.0', 2]),
  id: random.pick([1, 'a', null, 1.5, [], undefined]),
  method: random.pick(['tools/call', 'tools/list', 'initialize', 'ping', 'server/discover', 'x', 7, undefined]),
  params: random.pick([
    {}, [], null, { name: 'field_notes_search', arguments: {} }, { name: 'field_notes_get', arguments: { id: ascii(9) } },
    { name: 'field_notes_save', arguments: { requestId: ascii(9), entry: { content: bytes(40).toString('latin1') } } },
    { name: 'field_notes_search', arguments: { cursor: ascii(60) } }, { _meta: { 'io.modelcontextprotocol/protocolVersion': 1 } },
  ]),
});

const BODIES = [
  () => '', () => bytes(2_000), message, message, message, () => `[${message()},${message()}]`, () => '[]',
  () => message().slice(0, random.below(80)), () => '['.repeat(100_000), () => '{"label":"a","scopes":["notes:read"]}',
  () => '{"label":1}',
  () => randomBytes(20_000), () => `\ufeff${message()}`,
];

function send() {
  const headers = {};
  for (const [name, values] of Object.entries(HEADERS)) {
    const usual = name === 'authorization' || name === 'content-type';
    if (random.oneIn(usual ? 10 : 20)) headers[name] = random.pick(anything)();
    else if (usual || random.oneIn(5)) headers[name] = random.pick(values)();
  }
  const [method, path, body] = [random.pick(METHODS), random.pick(PATHS)(), random.pick(BODIES)()];
  const sendsBody = !['GET', 'HEAD'].includes(method);
  if (sendsBody && random.oneIn(4)) headers['transfer-encoding'] = 'chunked';
  else if (sendsBody) headers['content-length'] = Buffer.byteLength(body);
  const { hostname, port } = new URL(worker.origin);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers, agent: false }, async response => {
      const text = Buffer.concat(await response.toArray()).toString();
      const what = `${method} ${path.slice(0, 60)} ${JSON.stringify(headers).slice(0, 400)}`;
      resolve({ what, method, text, status: response.statusCode, headers: response.headers });
    });
    request.on('error', error => reject(new Error(`${method} ${path.slice(0, 60)}, seed ${seed}: ${error.message}`)));
    request.end(sendsBody ? body : undefined);
  });
}

const STATUSES = [200, 201, 202, 204, 400, 401, 403, 404, 405, 406, 413, 415];

/** Sends bytes, and no more; gives what comes back before the server closes the connection. */
const sendRaw = sent => new Promise((resolve, reject) => {
  const { hostname, port } = new URL(worker.origin);
  const socket = net.connect({ host: hostname, port, allowHalfOpen: true }, () => socket.end(sent));
  let answer = '';
  socket.setEncoding('latin1').on('data', data => (answer += data)).on('end', () => resolve(answer)).on('error', reject);
});

test('a body that ends before its end, or is no chunked one, is answered by no 500', async () => {
  const broken = {
    'content-length: 46': '{"jsonrpc":"2.0"',
    'transfer-encoding: chunked': 'zz\r\n{}\r\n0\r\n\r\n',
    'Transfer-Encoding: chunked': '5\r\n{"a":',
    'transfer-Encoding: chunked': 'fffffffffffffffff\r\n{}\r\n',
    'Transfer-encoding: chunked': '2\r\n{}zz0\r\n\r\n',
  };
  const routes = ['/mcp', '/token', '/register', '/revoke', '/authorize', '/grants?codex=a', '/nothing', '/.well-known/oauth-protected-resource'];
  let answered = 0;
  for (const path of routes) {
    for (const [header, body] of Object.entries(broken)) {
      for (const bearer of [token, secrets.OWNER_KEY]) {
        const head = [`POST ${path} HTTP/1.1`, 'host: a.example', `authorization: Bearer ${bearer}`, 'content-type: application/json', header];
        const answer = await sendRaw(`${head.join('\r\n')}\r\n\r\n${body}`);
        assert.match(answer, /^(HTTP\/1\.1 4\d\d |$)/, `${path} ${header} ${body}: ${answer.slice(0, 200)}`);
        answered += answer === '' ? 0 : 1;
      }
    }
  }
  assert.ok(answered > routes.length, `${answered} were answered`);
  assert.doesNotMatch(worker.logged(), /panicked|Uncaught/);
});

test('whatever is sent is answered in good form, and never by 500', async t => {
  const seen = new Map();
  for (let number = 0; number < REQUESTS; number++) {
    const { what, method, text, status, headers } = await send();
    const where = `seed ${seed}, request ${number}: ${what}: ${status} ${text.slice(0, 300)}`;
    seen.set(status, (seen.get(status) ?? 0) + 1);
    assert.ok(STATUSES.includes(status), where);
    assert.equal(headers['cache-control'], 'no-store', where);
    if (status === 401) assert.match(headers['www-authenticate'], /^Bearer resource_metadata="http/, where);
    if (method === 'HEAD') continue;
    if (status === 202 || status === 204) {
      assert.equal(text, '', where);
    } else if (headers['content-type'] === 'text/html; charset=utf-8') {
      assert.match(what, /^\S+ \/(authorize|callback)/, where);
      assert.match(text, /^<!doctype html>/, where);
    } else {
      assert.equal(headers['content-type'], 'application/json', where);
      assert.equal(typeof JSON.parse(text), 'object', where);
    }
  }
  t.diagnostic([...seen].map(([status, count]) => `${status}: ${count}`).join(', '));
  assert.ok(seen.get(200) > 0 && seen.get(401) > 0 && seen.get(400) > 0);
  assert.doesNotMatch(worker.logged(), /panicked|Uncaught/);
});
