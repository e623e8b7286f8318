// An MCP client that costs little: requests are made once and sent many times, and an answer is read as text.
import { Client as Connection } from 'undici';

const VERSIONS = { modern: '2026-07-28', handshake: '2025-11-25' };

export class Client {
  constructor({ url, token, era }) {
    const { origin, pathname } = new URL(url);
    this.origin = origin;
    this.path = pathname;
    this.token = token;
    this.era = era;
  }

  /** Does `work` on each of so many connections, which are open for just as long: a server closes those that are idle. */
  async onEach(connections, work) {
    this.open = Array.from({ length: connections }, () => new Connection(this.origin));
    await Promise.all(this.open.map((_, connection) => work(connection)));
    await Promise.all(this.open.map(connection => connection.close()));
  }

  /** A request that can be sent again and again. */
  request(method, params = {}) {
    const version = VERSIONS[this.era];
    const headers = {
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
    };
    if (this.era === 'modern') {
      headers['mcp-method'] = method;
      if (params.name) headers['mcp-name'] = params.name;
      const client = { name: 'bench', version: '1' };
      params = {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': client,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      };
    }
    return { path: this.path, method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) };
  }

  /** What a client of the era says first. */
  opening() {
    if (this.era === 'modern') return this.request('server/discover');
    const clientInfo = { name: 'bench', version: '1' };
    return this.request('initialize', { protocolVersion: VERSIONS.handshake, capabilities: {}, clientInfo });
  }

  call(tool, args) {
    return this.request('tools/call', { name: `field_notes_${tool}`, arguments: args });
  }

  async send(request, connection = 0) {
    const sent = () => this.open[connection].request(request);
    // A machine that was paused finds its idle connections timed out: all are closed at once, and what was sent is lost.
    const { statusCode, body } = await sent().catch(error => (/SOCKET|RESET/.test(error.code) ? sent() : Promise.reject(error)));
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}: ${text.slice(0, 300)}`);
    return text;
  }

  /** Sends a call; gives its structured content. */
  async result(tool, args, connection) {
    return structured(await this.send(this.call(tool, args), connection));
  }
}

/** The result in an answer: JSON, or the one event of a stream. */
export function result(text) {
  const message = JSON.parse(text.startsWith('{') ? text : /^data: ?(.*)$/m.exec(text)[1]);
  if (message.error || message.result.isError) throw new Error(text.slice(0, 300));
  return message.result;
}

export const structured = text => result(text).structuredContent;
