// What the hosts of the README send first, replayed: claude.ai, Claude Code, ChatGPT, Cursor, VS Code and Gemini CLI, each
// with a bearer token and without. Every host says what its replay is based on, and what of it is assumed. What hosts send
// changes; a replay holds what was seen, so that the server never stops answering it.
//
// claude.ai and ChatGPT get their token by OAuth, which this server does not do; their replays have it already, as a gateway
// in front that holds the token would send it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Host } from './host.mjs';
import { serve } from './worker.mjs';

const TOOLS = ['field_notes_save', 'field_notes_get', 'field_notes_search', 'field_notes_update'];
const SERVER = 'agent-codex';
const BOTH = 'application/json, text/event-stream';
const SEARCH = { name: 'field_notes_search', arguments: { query: 'rollback' } };

const RESOURCE = '/.well-known/oauth-protected-resource';
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

/** What claude.ai was seen to open with; the same is its first request without a token. */
const CLAUDE_AI = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'Anthropic/ClaudeAI', version: '1.0.0' },
};

const CLAUDE_CODE = { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'claude-code', version: '2.0.73' } };

const CHATGPT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'openai-mcp (ChatGPT)', version: '1.0.0' } };

const CURSOR = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: true, prompts: true, resources: true, logging: false, elicitation: {}, roots: { listChanged: false } },
  clientInfo: { name: 'cursor-vscode', version: '1.0.0' },
};

const VS_CODE = {
  protocolVersion: '2025-11-25',
  capabilities: {
    roots: { listChanged: true },
    sampling: {},
    elicitation: { form: {}, url: {} },
    tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
    extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
  },
  clientInfo: { name: 'Visual Studio Code', version: '1.124.0' },
};

const GEMINI = {
  protocolVersion: '2025-06-18',
  capabilities: { roots: {} },
  clientInfo: { name: `gemini-cli-mcp-client-${SERVER}`, version: '0.0.1' },
};

const version = ({ protocolVersion }) => ({ 'mcp-protocol-version': protocolVersion });

/** The order in which the TypeScript SDK looks for an authorization server, where the metadata names none. */
const SDK_PROBES = [`${RESOURCE}/mcp`, AUTHORIZATION_SERVER, OPENID];

/**
 * The replays. `headers` are on every request; `connect` plays the host up to its tools and a first call, and gives the tools;
 * `probes` is what it asks for without a token; `named` is the name by which its model calls a tool, at most `limit` long.
 */
const HOSTS = [
  {
    // Based on: anthropics/claude-ai-mcp issue 76 (a server's log: the body of initialize, `Accept: */*`, then the order of
    // the well-known paths), issue 70 (no MCP-Protocol-Version on later requests), issue 1005 (no GET is ever made), issue
    // 49 (the user agent Claude-User); that it opens anew for each call is from a public server's
    // change proposal.
    // Assumed: that the name in clientInfo is what others logged (issue 76 has `Anthropic`), and the prefix of tool names.
    host: 'claude.ai',
    headers: { 'user-agent': 'Claude-User', accept: '*/*' },
    first: { ...CLAUDE_AI, clientInfo: { name: 'Anthropic', version: '1.0.0' } },
    probes: [`${RESOURCE}/mcp`, RESOURCE, AUTHORIZATION_SERVER],
    async connect(host) {
      let tools;
      for (const use of [() => host.request('tools/list'), () => host.request('tools/call', SEARCH)]) {
        await host.initialize(CLAUDE_AI);
        await host.initialized();
        const result = await use();
        tools ??= result.tools;
      }
      return tools;
    },
    named: tool => `mcp__${SERVER}__${tool}`,
    limit: 64,
  },
  {
    // Based on: anthropics/claude-ai-mcp issue 680 (the same backend as python-httpx/0.28.1), and Anthropic's announcement
    // that Claude speaks 2026-07-28, which pc-style/x-md pull request 22 cites.
    // Assumed: the order of requests, and that they carry what the revision demands.
    host: 'claude.ai in 2026-07-28',
    headers: { 'user-agent': 'python-httpx/0.28.1', accept: BOTH, 'accept-encoding': 'gzip, deflate, br, zstd' },
    first: CLAUDE_AI,
    probes: [`${RESOURCE}/mcp`, AUTHORIZATION_SERVER],
    async connect(host) {
      const { supportedVersions } = await host.modern(CLAUDE_AI.clientInfo, 'server/discover');
      assert.ok(supportedVersions.includes('2026-07-28'));
      const { tools } = await host.modern(CLAUDE_AI.clientInfo, 'tools/list');
      await host.modern(CLAUDE_AI.clientInfo, 'tools/call', SEARCH);
      return tools;
    },
    named: tool => `mcp__${SERVER}__${tool}`,
    limit: 64,
  },
  {
    // Based on: cl-ai-project/cl-mcp issue 26 (initialize, ids from 0), TypingMind/typingmind-mcp pull request 25 (the user
    // agent), anthropics/claude-code issue 39790 (a GET before anything else, which must be 405), issue 46879 (it looks for
    // metadata even when it is not challenged), dnakov/anon-kode issue 105 (lists that the server did not declare).
    // Assumed: Accept, as the TypeScript SDK sends it; where the second GET comes; the member of `_meta`.
    host: 'Claude Code',
    headers: { 'user-agent': 'claude-code/2.1.204 (cli)', accept: BOTH },
    first: CLAUDE_CODE,
    probes: [...SDK_PROBES, RESOURCE],
    async connect(host) {
      await host.listen();
      await host.initialize(CLAUDE_CODE);
      await host.initialized(version(CLAUDE_CODE));
      await host.listen(version(CLAUDE_CODE));
      const { tools } = await host.request('tools/list', undefined, version(CLAUDE_CODE));
      await host.askInVain('prompts/list', version(CLAUDE_CODE));
      await host.askInVain('resources/list', version(CLAUDE_CODE));
      await host.request('tools/call', { ...SEARCH, _meta: { 'claudecode/toolUseId': 'toolu_01' } }, version(CLAUDE_CODE));
      return tools;
    },
    named: tool => `mcp__${SERVER}__${tool}`,
    limit: 64,
  },
  {
    // Based on: two public servers' notes of what they logged (clientInfo `openai-mcp (ChatGPT)`, user agent
    // openai-mcp/1.0.0, server/discover in 2026-07-28, the headers X-Openai-…, `openai/…` members in `_meta`).
    // Assumed: what these members hold, and the order of the well-known paths.
    host: 'ChatGPT',
    headers: { 'user-agent': 'openai-mcp/1.0.0', accept: BOTH, 'x-openai-session': 'v1/session', 'x-openai-subject': 'v1/subject' },
    first: CHATGPT,
    probes: [`${RESOURCE}/mcp`, AUTHORIZATION_SERVER, OPENID],
    async connect(host) {
      const { capabilities } = await host.modern(CHATGPT.clientInfo, 'server/discover');
      assert.deepEqual(capabilities, { tools: {} });
      const { tools } = await host.modern(CHATGPT.clientInfo, 'tools/list');
      await host.modern(CHATGPT.clientInfo, 'tools/call', { ...SEARCH, _meta: { 'openai/session': 'v1/session', 'openai/locale': 'en-GB' } });
      return tools;
    },
    named: tool => tool,
    limit: 64,
  },
  {
    // Based on: openai/openai-apps-sdk-examples issue 201 (it opens anew for each batch of calls, without a session), and
    // public notes of a server that it lists resources and does not mind that there are none.
    // Assumed: MCP-Protocol-Version on later requests.
    host: 'ChatGPT by handshake',
    headers: { 'user-agent': 'openai-mcp/1.0.0 (ChatGPT)', accept: BOTH },
    first: CHATGPT,
    probes: [`${RESOURCE}/mcp`, RESOURCE, AUTHORIZATION_SERVER, OPENID],
    async connect(host) {
      let tools;
      for (let batch = 0; batch < 2; batch += 1) {
        await host.initialize(CHATGPT);
        await host.initialized(version(CHATGPT));
        ({ tools } = await host.request('tools/list', {}, version(CHATGPT)));
        await host.askInVain('resources/list', version(CHATGPT));
        await host.request('tools/call', SEARCH, version(CHATGPT));
      }
      return tools;
    },
    named: tool => tool,
    limit: 64,
  },
  {
    // Based on: punkpeye/mcp-proxy pull request 62 and cap-js/mcp pull request 36 (the GET after opening, for which only 405
    // is good), smart-mcp-proxy/mcpproxy-go issue 38 (the fall back to an event stream), Michael-Obele/shadcn-svelte-mcp
    // issue 2 (it lists tools and prompts, again and again), IvanMurzak/MCP-Plugin-dotnet issue 105 (`cursor-vscode` 1.0.0).
    // Assumed: the user agent, the revision, and the capabilities, booleans among them.
    host: 'Cursor',
    headers: { 'user-agent': 'Cursor/2.2.9 (linux x64)', accept: BOTH },
    first: CURSOR,
    probes: SDK_PROBES,
    async connect(host) {
      await host.initialize(CURSOR);
      await host.initialized(version(CURSOR));
      await host.listen(version(CURSOR));
      let tools;
      for (let time = 0; time < 2; time += 1) {
        ({ tools } = await host.request('tools/list', {}, version(CURSOR)));
        await host.askInVain('prompts/list', version(CURSOR));
        await host.askInVain('resources/list', version(CURSOR));
      }
      await host.request('tools/call', { ...SEARCH, _meta: { progressToken: 7 } }, version(CURSOR));
      return tools;
    },
    named: tool => `${SERVER}:${tool}`,
    limit: 60,
  },
  {
    // Based on: microsoft/vscode issue 319528 (a trace: ids from 1, initialize, the order in Accept, the user agent with the
    // configured headers), issue 308766 (no MCP-Protocol-Version on later requests), and its published source for the rest:
    // the GET comes with the first answer, any 4xx ends it, and DELETE is sent for sessions only.
    // Assumed: that some release does send the version, as the call here does; the order of the well-known paths.
    host: 'VS Code',
    headers: { 'user-agent': 'Visual Studio Code/1.124.0', accept: 'text/event-stream, application/json' },
    firstId: 1,
    first: VS_CODE,
    probes: [`${RESOURCE}/mcp`, RESOURCE, AUTHORIZATION_SERVER, OPENID],
    async connect(host) {
      await host.initialize(VS_CODE);
      await host.listen();
      await host.initialized();
      const { tools } = await host.request('tools/list', {});
      await host.request('tools/call', { ...SEARCH, _meta: { progressToken: '5b2c' } }, version(VS_CODE));
      return tools;
    },
    named: tool => `mcp_${SERVER}_${tool}`,
    limit: 64,
  },
  {
    // Based on: its published source, mcp-client.ts (clientInfo, capabilities, prompts listed where declared, then tools),
    // google-gemini/gemini-cli issues 5268 and 24838 (the GET, for which 404 is an error), amekala/ads-mcp issue 11 (the
    // resource compared for equality), issue 20018 (a version that sends no Accept, played by the second call).
    // Assumed: the headers, which are those of the TypeScript SDK on Node.
    host: 'Gemini CLI',
    headers: { 'user-agent': 'node', accept: BOTH, 'accept-language': '*', 'sec-fetch-mode': 'cors' },
    first: GEMINI,
    probes: [`${RESOURCE}/mcp`, RESOURCE, AUTHORIZATION_SERVER, `${AUTHORIZATION_SERVER}/mcp`],
    async connect(host) {
      await host.initialize(GEMINI);
      await host.initialized(version(GEMINI));
      await host.listen(version(GEMINI));
      const { tools } = await host.request('tools/list', undefined, version(GEMINI));
      await host.request('tools/call', SEARCH, version(GEMINI));
      await host.request('tools/call', SEARCH, { ...version(GEMINI), accept: undefined });
      return tools;
    },
    named: tool => `mcp_${SERVER}_${tool}`,
    limit: 63,
  },
];

let worker, token;
before(async () => {
  worker = await serve();
  ({ token } = await worker.grant('hosts'));
});
after(() => worker?.close());

for (const { host, headers, firstId, first, probes, connect, named, limit } of HOSTS) {
  test(`${host} connects with a token, and has the four tools by names that it accepts`, async () => {
    const tools = await connect(new Host(worker.url, { headers, firstId, token }));
    assert.deepEqual(tools.map(({ name }) => name), TOOLS);
    for (const { name } of tools) {
      assert.match(name, /^[a-zA-Z][a-zA-Z0-9_-]*$/);
      assert.ok(named(name).length <= limit, named(name));
    }
  });

  test(`${host} learns without a token that it needs one`, async () => {
    const opening = { method: 'initialize', params: first, jsonrpc: '2.0', id: firstId ?? 0 };
    await new Host(worker.url, { headers, firstId }).learnsThatItNeedsAToken(opening, probes);
  });

  test(`${host} is told when its token is refused`, async () => {
    const refused = new Host(worker.url, { headers, firstId, token: `${token}x` });
    const answer = await refused.post({ method: 'initialize', params: first, jsonrpc: '2.0', id: firstId ?? 0 });
    assert.equal(answer.status, 401);
    assert.match(answer.headers['www-authenticate'], /error="invalid_token"/);
  });
}

// Cursor, VS Code and others turn to the event stream of 2024-11-05 when the first POST fails; without a token that must not
// look like one.
test('a host that falls back to an event stream finds none', async () => {
  await new Host(worker.url, { headers: { 'user-agent': 'node' } }).listen();
});

// The SDKs send DELETE for a session only. Assumed: some host sends it all the same; the SDKs take 405 for an answer.
test('a host that ends a session which there never was gets 405', async () => {
  const host = new Host(worker.url, { headers: { 'user-agent': 'node' }, token });
  assert.equal((await host.send('DELETE', worker.url, { 'mcp-session-id': 'none' })).status, 405);
});

// Based on: NateBJones-Projects/OB1 issue 33 and anthropics/claude-code issue 45368 (JSON alone in Accept, or no Accept).
test('a host is served whether its Accept names JSON, JSON and event streams, anything, or is absent', async () => {
  for (const accept of ['application/json', BOTH, '*/*', undefined]) {
    await new Host(worker.url, { headers: { 'user-agent': 'Claude-User', accept }, token }).initialize(CLAUDE_AI);
  }
});

// Based on: SocketDev/socket-mcp pull request 214 and actionhero/keryx pull request 499 (Claude Desktop and claude.ai send
// their origin, and a 403 keeps them from ever seeing the challenge); anthropics/claude-ai-mcp issue 62 has none.
test('a host that sends an origin is served where ALLOWED_ORIGINS names it, and gets 403 elsewhere', async t => {
  const headers = { 'user-agent': 'Claude-User', accept: BOTH, origin: 'https://claude.ai' };
  assert.equal((await new Host(worker.url, { headers, token }).send('POST', worker.url)).status, 403);
  const open = await serve({ origins: 'https://claude.ai' });
  t.after(() => open.close());
  await new Host(open.url, { headers, token: (await open.grant('hosts')).token }).initialize(CLAUDE_AI);
});

// Based on: github/copilot-cli issue 4681 and anthropics/claude-ai-mcp issue 923.
test('a host without a user agent is served', async () => {
  const host = new Host(worker.url, { headers: { accept: BOTH }, token });
  await host.initialize(CLAUDE_AI);
});
