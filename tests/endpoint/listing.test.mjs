// The listing as the running Worker serves it: the committed file, in both eras; small, and within what hosts accept.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import Ajv from 'ajv';
import { getEncoding } from 'js-tiktoken';
import { serve } from './worker.mjs';

const committed = JSON.parse(readFileSync(new URL('../../mcp-tools.json', import.meta.url), 'utf8'));

let worker, notebook;
before(async () => {
  worker = await serve();
  notebook = await worker.notebook('listing');
});
after(() => worker?.close());

for (const mode of ['legacy', 'auto']) {
  test(`the served listing is mcp-tools.json (${mode})`, async t => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const headers = { Authorization: `Bearer ${notebook.token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(worker.url), { requestInit: { headers } }));
    t.after(() => client.close());
    assert.deepEqual((await client.listTools()).tools, committed.tools);
  });
}

test('the listing is the same for a grant of any scope', async () => {
  const reader = await worker.notebook('listing', ['notes:read']);
  const list = async client => (await client.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).text();
  assert.equal(await list(reader), await list(notebook));
});

test('the whole listing is at most 2,000 tokens', () => {
  const tokens = getEncoding('o200k_base').encode(JSON.stringify(committed)).length;
  assert.ok(tokens <= 2000, `${tokens} tokens`);
});

test('every successful result is valid by its output schema, in a validator that clients use', async () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const validators = new Map(committed.tools.map(tool => [tool.name, ajv.compile(tool.outputSchema)]));
  const full = { content: 'x'.repeat(500), title: 't', tags: [], relatedAgentIds: ['a'], provenance: { source: 's', any: [null] } };
  const entry = await notebook.save('full', full);
  await notebook.save('bare', { content: 'x' });
  for (const [name, args] of [
    ['save', { requestId: 'full', entry: full }],
    ['get', { id: entry.id }],
    ['search', {}],
    ['search', { query: 'X', limit: 1 }],
    ['search', { query: 'absent' }],
    ['update', { id: entry.id, expectedRevision: 1, entry: full }],
  ]) {
    const validate = validators.get(`field_notes_${name}`);
    assert.ok(validate(await notebook.call(name, args)), `${name}: ${ajv.errorsText(validate.errors)}`);
  }
});

// What hosts were found to accept of an input schema, each the narrowest: names by Anthropic and OpenAI (letters, digits, _ and -,
// 64 characters; VS Code and others put a server's name before them), schemas by Gemini's function declarations (no
// $ref, no combinators, one type each, arrays with items) and OpenAI's (an object at the root, closed or open by a boolean).
const PREFIX = 'agent-codex'.length + 2;
const KEYWORDS = new Set([
  '$schema', 'type', 'properties', 'required', 'additionalProperties', 'description', 'minLength', 'maxLength', 'pattern',
  'minimum', 'maximum', 'default', 'items', 'maxItems', 'uniqueItems',
]);
const TYPES = new Set(['string', 'integer', 'array', 'object']);

function lint(schema, at) {
  const faults = [];
  for (const keyword of Object.keys(schema)) if (!KEYWORDS.has(keyword)) faults.push(`${at}: ${keyword}`);
  if (!TYPES.has(schema.type)) faults.push(`${at}: type ${JSON.stringify(schema.type)}`);
  if (schema.type === 'array') faults.push(...(schema.items ? lint(schema.items, `${at}[]`) : [`${at}: no items`]));
  if (schema.type === 'object') {
    if (typeof schema.additionalProperties !== 'boolean') faults.push(`${at}: additionalProperties`);
    for (const name of schema.required ?? []) if (!schema.properties[name]) faults.push(`${at}: requires ${name}`);
    for (const [name, member] of Object.entries(schema.properties)) {
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) faults.push(`${at}: ${name}`);
      faults.push(...lint(member, `${at}/${name}`));
    }
  }
  return faults;
}

test('every tool is within what OpenAI, Gemini, Anthropic and VS Code accept', () => {
  for (const { name, title, description, inputSchema, annotations } of committed.tools) {
    assert.match(name, /^[a-z_]+$/);
    assert.ok(PREFIX + name.length <= 60, name);
    assert.ok(title && description.length <= 1024, name);
    assert.equal(inputSchema.type, 'object');
    assert.deepEqual(lint(inputSchema, name), []);
    assert.deepEqual(Object.keys(annotations).toSorted(), ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint']);
  }
});

test('the linter finds what hosts reject', () => {
  for (const broken of [
    { type: 'object', properties: { a: { $ref: '#/definitions/A' } }, additionalProperties: false },
    { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false },
    { type: 'object', properties: { a: { type: 'array' } }, additionalProperties: false },
    { type: 'object', properties: { 'a.b': { type: 'string' } }, additionalProperties: false },
    { anyOf: [] },
    { type: 'object', properties: {} },
  ]) {
    assert.notDeepEqual(lint(broken, 'tool'), []);
  }
});
