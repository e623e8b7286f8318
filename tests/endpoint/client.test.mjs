// The four tools through the official TypeScript client, in both eras.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serve } from './worker.mjs';

let worker;
before(async () => {
  worker = await serve();
});
after(() => worker.close());

for (const [mode, era] of [['auto', 'modern'], ['legacy', 'legacy']]) {
  test(`a client of the ${era} era saves, gets, updates and searches`, async () => {
    const { token } = await worker.grant(`client-${era}`);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const headers = { Authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(worker.url), { requestInit: { headers } }));
    assert.equal(client.getProtocolEra(), era);
    assert.equal((await client.listTools()).tools.length, 4);
    const call = (name, args) => client.callTool({ name: `field_notes_${name}`, arguments: args });
    const { entry } = (await call('save', { requestId: 'r', entry: { content: 'Straße' } })).structuredContent;
    assert.deepEqual((await call('get', { id: entry.id })).structuredContent.entry, entry);
    const found = (await call('search', { query: 'STRASSE' })).structuredContent;
    assert.deepEqual(found.entries.map(summary => summary.id), [entry.id]);
    const updated = await call('update', { id: entry.id, expectedRevision: 1, entry: { content: 'two' } });
    assert.equal(updated.structuredContent.entry.revision, 2);
    const stale = await call('update', { id: entry.id, expectedRevision: 1, entry: { content: 'three' } });
    assert.equal(JSON.parse(stale.content[0].text).error.code, 'conflict');
    await client.close();
  });
}

test('a revoked grant fails on the very next call', async () => {
  const { grant, token } = await worker.grant('revoked');
  const call = () =>
    fetch(worker.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'field_notes_search' } }),
    });
  assert.equal((await call()).status, 200);
  assert.equal((await worker.owner('DELETE', `/grants/${grant.id}?codex=revoked`)).status, 204);
  assert.equal((await call()).status, 401);
});
