// A full round of the four tools through the official TypeScript clients: version 2 in each way to negotiate, version 1 in
// the one that it knows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { serve } from '../endpoint/worker.mjs';

let worker;
before(async () => {
  worker = await serve();
});
after(() => worker?.close());

async function transportOf(Transport, codex) {
  const headers = { Authorization: `Bearer ${(await worker.grant(codex)).token}` };
  return new Transport(new URL(worker.url), { requestInit: { headers } });
}

const modes = {
  default: [{}, 'legacy', '2025-11-25'],
  auto: [{ versionNegotiation: { mode: 'auto' } }, 'modern', '2026-07-28'],
  pinned: [{ versionNegotiation: { mode: { pin: '2026-07-28' } } }, 'modern', '2026-07-28'],
};

for (const [mode, [options, era, version]] of Object.entries(modes)) {
  test(`version 2 that negotiates by ${mode} makes a full round in the ${era} era`, async t => {
    const client = new Client({ name: 'test', version: '1' }, options);
    const errors = [];
    client.onerror = error => errors.push(error);
    await client.connect(await transportOf(StreamableHTTPClientTransport, `v2-${mode}`));
    t.after(() => client.close());
    assert.equal(client.getProtocolEra(), era);
    assert.equal(client.getNegotiatedProtocolVersion(), version);
    assert.equal(client.getServerVersion().name, 'agent-codex');
    await round(client);
    assert.deepEqual(errors, []);
  });
}

test('version 1 makes a full round', async t => {
  const client = new ClientV1({ name: 'test', version: '1' });
  const errors = [];
  client.onerror = error => errors.push(error);
  const transport = await transportOf(TransportV1, 'v1');
  await client.connect(transport);
  t.after(() => client.close());
  assert.equal(transport.protocolVersion, '2025-11-25');
  await round(client);
  assert.deepEqual(errors, []);
});

/** A full round of the tools, and each failure. */
async function round(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(tool => tool.name), ['save', 'get', 'search', 'update'].map(name => `field_notes_${name}`));
  const call = async (name, args) => {
    const result = await client.callTool({ name: `field_notes_${name}`, arguments: args });
    return result.isError ? JSON.parse(result.content[0].text).error : result.structuredContent;
  };
  const save = async (requestId, entry) => (await call('save', { requestId, entry })).entry;

  const input = { content: 'Die Straße', title: 'T', tags: ['launch'], relatedAgentIds: ['agent-1'], provenance: { source: 's' } };
  const entry = await save('first', input);
  assert.deepEqual(entry, { ...entry, ...input, revision: 1 });
  assert.deepEqual(await save('first', input), entry);
  assert.deepEqual((await call('get', { id: entry.id })).entry, entry);
  for (let number = 0; number < 30; number++) await save(`more ${number}`, { content: `more ${number}`, tags: ['more'] });

  const search = async args => {
    const ids = [];
    for (let cursor; ; ) {
      const page = await call('search', { ...args, ...(cursor && { cursor }) });
      ids.push(...page.entries.map(summary => summary.id));
      if (!(cursor = page.nextCursor)) return ids;
    }
  };
  assert.deepEqual(await search({ query: 'STRASSE' }), [entry.id]);
  assert.deepEqual(await search({ tag: 'launch' }), [entry.id]);
  assert.deepEqual(await search({ relatedAgentId: 'agent-1' }), [entry.id]);
  assert.equal((await search({ query: 'more', tag: 'more', limit: 7 })).length, 30);
  const all = await search({ limit: 7 });
  assert.equal(all.length, 31);
  assert.deepEqual(all, all.toSorted());

  const updated = (await call('update', { id: entry.id, expectedRevision: 1, entry: { content: 'two' } })).entry;
  assert.deepEqual(updated, { id: entry.id, revision: 2, createdAt: entry.createdAt, updatedAt: updated.updatedAt, content: 'two' });

  const missing = '11111111-1111-4111-8111-111111111111';
  const { nextCursor } = await call('search', { limit: 1 });
  for (const [code, name, args] of [
    ['not_found', 'get', { id: missing }],
    ['not_found', 'update', { id: missing, expectedRevision: 1, entry: { content: 'x' } }],
    ['conflict', 'save', { requestId: 'first', entry: { content: 'other' } }],
    ['conflict', 'update', { id: entry.id, expectedRevision: 1, entry: { content: 'x' } }],
    ['invalid_input', 'get', {}],
    ['invalid_input', 'save', { requestId: 'x', entry: { content: ' ' } }],
    ['invalid_input', 'search', { limit: 51 }],
    ['invalid_cursor', 'search', { cursor: nextCursor, tag: 'launch' }],
  ]) {
    assert.equal((await call(name, args)).code, code, `${name} ${JSON.stringify(args)}`);
  }
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), { code: -32602 });
}
