// What the protocol demands beyond its messages: no sessions, cancellation, the trace in the log, and hostile bodies.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from './worker.mjs';

let worker, notebook;
before(async () => {
  worker = await serve();
  notebook = await worker.notebook('protocol');
});
after(() => worker?.close());

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Begins a POST with `headers` by hand; gives the request, and its answer when there is one. */
function begin(headers) {
  const request = http.request(worker.url, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${notebook.token}`, 'content-type': 'application/json', ...headers },
  });
  const status = new Promise((resolve, reject) => {
    request.on('response', response => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
  });
  return { request, status };
}

test('there are no sessions: their headers are ignored, and none is given out', async () => {
  const response = await notebook.post(ping, { 'mcp-session-id': 'made up', 'last-event-id': '7' });
  assert.deepEqual([response.status, await response.json()], [200, { jsonrpc: '2.0', id: 1, result: {} }]);
  assert.equal(response.headers.get('mcp-session-id'), null);
});

test('the names of headers may be of any case, and their values may not', async () => {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
  for (const [method, expected] of [['tools/list', 200], ['Tools/List', 400]]) {
    const { request, status } = begin({ 'MCP-PROTOCOL-VERSION': '2026-07-28', 'mcp-METHOD': method });
    request.end(message);
    assert.equal(await status, expected, method);
  }
});

test('a parameter header that no tool asks for is ignored', async () => {
  assert.equal((await notebook.post(ping, { 'mcp-param-region': 'nowhere' })).status, 200);
});

test('a cancelled call ends as if it was not, and an unknown or malformed cancellation is ignored', async () => {
  const cancel = params => notebook.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  const saving = notebook.save('cancelled', { content: 'kept' });
  for (const params of [{ requestId: 1, reason: 'x' }, { requestId: 'unknown' }, {}, { requestId: { a: [] } }]) {
    const response = await cancel(params);
    assert.deepEqual([response.status, await response.text()], [202, '']);
  }
  assert.deepEqual(await notebook.save('cancelled', { content: 'kept' }), await saving);
});

test('a client that goes away in the middle of a save learns its outcome by saving again', async () => {
  const entry = { content: 'whoever asks' };
  for (const wait of [0, 1, 2, 4, 8]) {
    const requestId = `gone after ${wait}`;
    const message = JSON.stringify({
      jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'field_notes_save', arguments: { requestId, entry } },
    });
    const { request, status } = begin({});
    request.end(message);
    await delay(wait);
    request.destroy();
    await status.catch(() => {});
    const saved = await notebook.save(requestId, entry);
    assert.deepEqual(await notebook.save(requestId, entry), saved);
  }
  const found = await notebook.searchToTheEnd({ query: entry.content });
  assert.equal(found.length, 5);
});

test('the trace of a request is in the log line of its failure, if it has the exact form', async t => {
  const faulty = await serve({ build: 'build-faults' });
  t.after(() => faulty.close());
  const client = await faulty.notebook('trace');
  const id = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
  const save = (fault, _meta) => {
    const args = { requestId: `fault: ${fault}`, entry: { content: 'x' } };
    return client.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'field_notes_save', arguments: args, _meta } });
  };
  await save('sql', { traceparent: `${id}\nforged line` });
  await save('panic', { traceparent: [id], tracestate: 'forged', baggage: 'forged' });
  assert.doesNotMatch(faulty.logged(), /traceparent|forged/);
  for (const fault of ['sql', 'panic']) {
    const before = faulty.logged().length;
    const response = await save(fault, { traceparent: id, tracestate: 'vendor=1', 'com.example/unknown': { a: [null] } });
    assert.equal((await response.json()).result.isError, true);
    assert.ok(faulty.logged().slice(before).includes(`[traceparent ${id}]`), fault);
  }
});

test('a stream of more than 1 MiB is refused before it ends', async () => {
  const { request, status } = begin({ 'transfer-encoding': 'chunked' });
  const chunk = Buffer.alloc(65_536, ' ');
  for (let sent = 0; sent <= 1_048_576; sent += chunk.length) request.write(chunk);
  assert.equal(await status, 413, 'it was answered, and the body has not ended');
  request.destroy();
});

test('a JSON bomb is refused, and the next call is served', async () => {
  const nested = (open, close) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${open.repeat(150_000)}${close.repeat(150_000)}}}`;
  const flat = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{${'"a":1,'.repeat(150_000)}"b":1}}`;
  const number = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e${'9'.repeat(900_000)}}}`;
  const bodies = [nested('[', ']'), nested('{"a":', '}'), '['.repeat(1_000_000), flat, number, `"${'\\u0000'.repeat(170_000)}"`];
  for (const body of bodies) {
    const response = await notebook.post(body);
    assert.ok(body.length < 2 ** 20 && [200, 400].includes(response.status), `${body.slice(0, 60)}: ${response.status}`);
    assert.equal(response.headers.get('content-type'), 'application/json');
    await response.arrayBuffer();
    assert.equal((await notebook.post(ping)).status, 200);
  }
});
