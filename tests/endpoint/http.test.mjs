// What HTTP alone decides: paths, methods, origins, sizes and media types.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { serve } from './worker.mjs';

let worker, notebook;
before(async () => {
  worker = await serve({ direct: true });
  notebook = await worker.notebook('http');
});
after(() => worker?.close());

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

test('GET, DELETE, PUT and HEAD answer 405 and name POST', async () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD']) {
    const response = await fetch(worker.url, { method, headers: { authorization: `Bearer ${notebook.token}` } });
    assert.equal(response.status, 405, method);
    assert.equal(response.headers.get('allow'), 'POST');
  }
});

test('/mcp/ answers as /mcp, and other paths are not found', async () => {
  const headers = { authorization: `Bearer ${notebook.token}`, 'content-type': 'application/json' };
  const post = path => fetch(worker.origin + path, { method: 'POST', headers, body: JSON.stringify(ping) });
  assert.equal((await post('/mcp/')).status, 200);
  for (const path of ['/', '/mcp/x', '/MCP', '/mcp%2f']) assert.equal((await post(path)).status, 404, path);
});

test('pages of origins that are not allowed get 403, whatever the host', async () => {
  for (const origin of ['http://evil.example', worker.origin, 'null', 'http://localhost.evil.example', 'https://localhost:1', 'http://localhost:1x']) {
    assert.equal((await notebook.post(ping, { origin })).status, 403, origin);
  }
  for (const origin of ['http://localhost', 'http://localhost:6274', 'https://notes.example']) {
    const response = await notebook.post(ping, { origin });
    assert.equal(response.status, 200, origin);
    assert.equal(response.headers.get('access-control-allow-origin'), origin);
    const preflight = await fetch(worker.url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    assert.equal(preflight.status, 204);
    for (const name of ['Authorization', 'Mcp-Method', 'Mcp-Name', 'MCP-Protocol-Version']) {
      assert.ok(preflight.headers.get('access-control-allow-headers').includes(name), name);
    }
  }
});

test('a body over 1 MiB is 413, whether or not its length is told', async () => {
  const large = JSON.stringify(ping).padEnd(1_048_577);
  assert.equal((await notebook.post(large)).status, 413);
  assert.equal((await notebook.post(large.slice(1))).status !== 413, true);
  const stream = new Blob([large]).stream();
  const headers = { authorization: `Bearer ${notebook.token}`, 'content-type': 'application/json' };
  const streamed = await fetch(worker.url, { method: 'POST', headers, body: stream, duplex: 'half' });
  assert.equal(streamed.status, 413);
});

test('another media type and a compressed body are 415, and an answer that Accept rules out is 406', async () => {
  for (const type of ['text/plain', 'application/jsonx', '', 'application/x-www-form-urlencoded']) {
    assert.equal((await notebook.post(ping, { 'content-type': type })).status, 415, type);
  }
  for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
    assert.equal((await notebook.post(ping, { 'content-type': type })).status, 200, type);
  }
  const compressed = await fetch(worker.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${notebook.token}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify(ping)),
  });
  assert.equal(compressed.status, 415);
  for (const accept of ['application/json', '*/*', 'application/json;q=0.9, text/event-stream', 'application/*']) {
    assert.equal((await notebook.post(ping, { accept })).status, 200, accept);
  }
  for (const accept of ['text/html', 'text/event-stream']) assert.equal((await notebook.post(ping, { accept })).status, 406, accept);
});

test('answers are JSON and are not stored', async () => {
  const response = await notebook.post(ping);
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('mcp-session-id'), null);
  const accepted = await notebook.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.equal(accepted.status, 202);
  assert.equal(await accepted.text(), '');
});

test('a client that keeps its connection is served on after a refusal', async t => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const statusOf = ({ method = 'POST', path = '/mcp', token = notebook.token, ...more }) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...more };
      const request = http.request(worker.origin + path, { method, agent, headers }, response => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      request.on('error', reject);
      request.end(JSON.stringify(ping));
    });
  for (const [status, request] of [
    [401, { token: 'x' }],
    [401, { token: 'x', path: '/grants' }],
    [403, { origin: 'http://evil.example' }],
    [404, { path: '/elsewhere' }],
    [405, { method: 'PUT' }],
    [406, { accept: 'text/html' }],
    [415, { 'content-type': 'text/plain' }],
  ]) {
    for (let number = 0; number < 5; number++) {
      assert.equal(await statusOf(request), status);
      assert.equal(await statusOf({}), 200);
    }
  }
});
