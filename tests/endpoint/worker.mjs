// Serves a built Worker under workerd, with secrets of its own, and acts as its owner and as its clients.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { startRecorder } from './proxy.mjs';

const ORIGINS = 'http://localhost:* https://notes.example';

const newKey = () => randomBytes(32).toString('base64url');

/** The secrets of a deployment that is set up. */
export const newSecrets = () => ({ SEAL_KEYS: newKey(), OWNER_KEY: newKey() });

/** What a worker logs, line by line. */
class Lines extends Log {
  lines = [];
  constructor() {
    super(LogLevel.DEBUG);
  }
  log(message) {
    this.lines.push(message);
  }
}

/** What Miniflare is told of the worker of `build/`, or of another folder beside it, with these variables and secrets. */
export function workerOptions(build, bindings) {
  const root = fileURLToPath(new URL(`../../${build}`, import.meta.url));
  return {
    name: 'agent-codex',
    modules: true,
    rootPath: root,
    modulesRoot: root,
    scriptPath: `${root}/index.js`,
    modulesRules: [
      { type: 'ESModule', include: ['**/*.js', '**/*.mjs'] },
      { type: 'CompiledWasm', include: ['**/*.wasm'] },
    ],
    compatibilityDate: '2026-07-01',
    durableObjects: { CODEX: { className: 'Codex', useSQLite: true } },
    bindings,
  };
}

/**
 * Starts a worker of `build/` (or of another folder beside it). `persist` is a folder for its databases; without one they
 * last as long as the worker. Where the environment names a folder as `EXCHANGES`, what clients and server say to each other
 * is recorded there, except for workers that must be reached directly. `vars` are more variables; `outbound` answers what the
 * worker fetches.
 */
export async function serve({ build = 'build', persist, secrets = newSecrets(), origins = ORIGINS, vars, outbound, direct = false, limits, port } = {}) {
  const log = new Lines();
  const miniflare = new Miniflare({
    ...workerOptions(build, { ...secrets, ALLOWED_ORIGINS: origins, ...vars }),
    ...(persist && { durableObjectsPersist: persist }),
    ...(outbound && { outboundService: outbound }),
    ...(limits && { ratelimits: limits }),
    ...(port && { port }),
    log,
    handleRuntimeStdio: (stdout, stderr) => {
      for (const stream of [stdout, stderr]) stream.on('data', chunk => log.lines.push(String(chunk)));
    },
  });
  const { origin } = await miniflare.ready;
  const recorder = process.env.EXCHANGES && !direct ? await startRecorder(origin, process.env.EXCHANGES) : undefined;
  return new Served(miniflare, recorder, recorder?.origin ?? origin, secrets, log);
}

/** A running server with these secrets, at `origin`. */
export class Server {
  #secrets;

  constructor(secrets) {
    this.#secrets = secrets;
  }

  get url() {
    return `${this.origin}/mcp`;
  }

  /** A request of the owner's. */
  owner(method, path, body) {
    return fetch(this.origin + path, {
      method,
      headers: { authorization: `Bearer ${this.#secrets.OWNER_KEY}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** Makes a grant of `codex`; gives it with its token. */
  async grant(codex, scopes = ['notes:read', 'notes:write'], more = {}) {
    const response = await this.owner('POST', `/grants?codex=${codex}`, { label: 'test', scopes, ...more });
    assert.equal(response.status, 201, await response.clone().text());
    return response.json();
  }

  /** A client of `codex` with a grant of its own. */
  async notebook(codex, scopes) {
    return new Notebook(this.url, (await this.grant(codex, scopes)).token);
  }
}

class Served extends Server {
  #miniflare;
  #recorder;
  #log;

  constructor(miniflare, recorder, origin, secrets, log) {
    super(secrets);
    this.#miniflare = miniflare;
    this.#recorder = recorder;
    this.#log = log;
    this.origin = origin;
  }

  close() {
    this.#recorder?.close();
    return this.#miniflare.dispose();
  }

  /** The ids of the codexes that were ever asked. */
  objects() {
    return this.#miniflare.listDurableObjectIds('CODEX');
  }

  /** All that was logged so far. */
  logged() {
    return this.#log.lines.join('\n');
  }
}

/** The plainest client of the handshake era: one POST a call, sent by `fetch`, in place of which faults can stand. */
export class Notebook {
  #fetch;

  constructor(url, token, { fetch = globalThis.fetch } = {}) {
    this.url = url;
    this.token = token;
    this.#fetch = fetch;
  }

  /** Posts a message; gives the response. */
  post(message, headers = {}) {
    return this.#fetch(this.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
  }

  /** Calls a tool by the last word of its name; gives the response. */
  request(tool, args) {
    const params = { name: `field_notes_${tool}`, arguments: args };
    return this.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  }

  /** Calls a tool; gives its structured content, or `{error}` of a notebook failure. */
  async call(tool, args) {
    const response = await this.request(tool, args);
    assert.equal(response.status, 200, await response.clone().text());
    const { result } = await response.json();
    const text = JSON.parse(result.content[0].text);
    if (result.isError) {
      assert.equal(result.structuredContent, undefined);
      return text;
    }
    assert.deepEqual(text, result.structuredContent, 'text and structured content are the same');
    return result.structuredContent;
  }

  /** Saves an entry. */
  async save(requestId, entry) {
    return (await this.call('save', { requestId, entry })).entry;
  }

  /** Every summary that a search finds, its cursors followed to the end. */
  async searchToTheEnd(args) {
    const found = [];
    for (let cursor; ; ) {
      const page = await this.call('search', { ...args, ...(cursor && { cursor }) });
      found.push(...page.entries);
      cursor = page.nextCursor;
      if (cursor === undefined) return found;
    }
  }
}
