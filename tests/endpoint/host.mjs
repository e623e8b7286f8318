// Plays an MCP host: sends what it is told to, header by header, and judges the answers as hosts do. What a host would not
// accept is an assertion that fails.
import assert from 'node:assert/strict';
import { exchange, mediaType, parsed } from '../../scripts/doctor/exchange.mjs';

const MODERN = '2026-07-28';

export class Host {
  #id;

  /** `headers` are on every request; ids count from `firstId`. */
  constructor(url, { headers, token, firstId = 0 }) {
    this.url = url;
    this.headers = { ...headers, ...(token && { authorization: `Bearer ${token}` }) };
    this.#id = firstId - 1;
  }

  /** Any request; a header of `undefined` takes one away that is on every request. */
  send(method, url, headers = {}, body = undefined) {
    const all = Object.entries({ ...this.headers, ...headers }).filter(([, value]) => value !== undefined);
    return exchange(url, { method, headers: Object.fromEntries(all), body: body && JSON.stringify(body), seconds: 30 });
  }

  post(message, headers) {
    return this.send('POST', this.url, { 'content-type': 'application/json', ...headers }, message);
  }

  /** A request that must succeed; gives its result. */
  async request(method, params, headers) {
    this.#id += 1;
    const answer = await this.post({ method, ...(params && { params }), jsonrpc: '2.0', id: this.#id }, headers);
    assert.equal(answer.status, 200, `${method}: ${answer.text}`);
    assert.equal(mediaType(answer), 'application/json', method);
    assert.equal(answer.headers['mcp-session-id'], undefined, 'there are no sessions');
    const message = parsed(answer);
    assert.deepEqual([message.jsonrpc, message.id, message.error], ['2.0', this.#id, undefined], answer.text);
    return message.result;
  }

  /** A request of 2026-07-28: what it is, is in its headers and its `_meta`. */
  async modern(clientInfo, method, params = {}) {
    const _meta = {
      ...params._meta,
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(params.name && { 'mcp-name': params.name }) };
    const result = await this.request(method, { ...params, _meta }, headers);
    assert.equal(result.resultType, 'complete');
    return result;
  }

  /** Opens a connection of the handshake era; the answer must be one that the host can go on with. */
  async initialize(params) {
    const result = await this.request('initialize', params);
    assert.equal(result.protocolVersion, params.protocolVersion);
    assert.equal(result.serverInfo.name, 'agent-codex');
    assert.ok(result.capabilities.tools, 'hosts ask for tools only where the capability is declared');
    assert.deepEqual(Object.keys(result.capabilities), ['tools'], 'nothing that hosts would list in vain');
    return result;
  }

  /** The notification is accepted, without a body: hosts give up on anything else. */
  async initialized(headers) {
    const answer = await this.post({ method: 'notifications/initialized', jsonrpc: '2.0' }, headers);
    assert.deepEqual([answer.status, answer.text], [202, '']);
  }

  /** The attempt to open an event stream: hosts take 405, and 405 alone, for a server that has none. */
  async listen(headers) {
    const answer = await this.send('GET', this.url, { ...headers, accept: 'text/event-stream' });
    assert.deepEqual([answer.status, answer.headers.allow], [405, 'POST']);
  }

  /** Some hosts list what the server never declared; "method not found" is what they ignore. */
  async askInVain(method, headers) {
    this.#id += 1;
    const answer = await this.post({ method, jsonrpc: '2.0', id: this.#id }, headers);
    assert.deepEqual([answer.status, parsed(answer).error.code], [200, -32601], method);
  }

  /**
   * What a host does that has no token: it is challenged, reads the metadata that the challenge leads to, and looks for an
   * authorization server at `probes`. It must come to know that it needs a token, and not be misled.
   */
  async learnsThatItNeedsAToken(first, probes) {
    const refused = await this.post(first);
    assert.equal(refused.status, 401);
    assert.equal(mediaType(refused), 'application/json');
    const challenge = refused.headers['www-authenticate'];
    assert.match(challenge, /^Bearer /);
    assert.doesNotMatch(challenge, /error=/, 'no token was sent that could be wrong');
    assert.match(challenge, /scope="notes:read notes:write"/);
    const [, location] = /resource_metadata="([^"]+)"/.exec(challenge);
    const { origin } = new URL(this.url);
    assert.equal(location, `${origin}/.well-known/oauth-protected-resource/mcp`);

    for (const path of probes) {
      const answer = await this.send('GET', origin + path, { accept: 'application/json' });
      if (path.includes('oauth-protected-resource')) {
        assert.equal(answer.status, 200, path);
        assert.equal(parsed(answer).resource, this.url, 'the strictest host compares for equality');
      } else {
        // A host goes on to the next for "not found"; a page, an error of the server's or a challenge would mislead it.
        assert.ok([200, 404].includes(answer.status), `${path}: ${answer.status}`);
      }
      assert.equal(mediaType(answer), 'application/json', path);
    }
  }
}
