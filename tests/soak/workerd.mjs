// Runs the built Worker under workerd alone: no process stands between, so a signal goes to the one that serves and stores.
// Its folder outlives it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { newSecrets, Server } from '../endpoint/worker.mjs';

// The runtime that Miniflare, and so every other test, runs.
const require = createRequire(createRequire(import.meta.url).resolve('miniflare'));
const { default: binary } = require('workerd');

const root = fileURLToPath(new URL('../../', import.meta.url));
const CONTROL = 3;

const text = value => JSON.stringify(value);

const configuration = secrets => `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "state", disk = (path = "state", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [
    (name = "index.js", esModule = embed "index.js"),
    (name = "index_bg.wasm", wasm = embed "index_bg.wasm"),
  ],
  compatibilityDate = "2026-07-01",
  durableObjectNamespaces = [(className = "Codex", uniqueKey = "agent-codex", enableSql = true)],
  durableObjectStorage = (localDisk = "state"),
  bindings = [
    (name = "CODEX", durableObjectNamespace = "Codex"),
    (name = "SEAL_KEYS", text = ${text(secrets.SEAL_KEYS)}),
    (name = "OWNER_KEY", text = ${text(secrets.OWNER_KEY)}),
  ],
);
`;

export class Workerd extends Server {
  /** What the process said, of this run and those before. */
  log = '';
  #process;
  #secrets;

  constructor(folder, secrets = newSecrets()) {
    super(secrets);
    this.folder = folder;
    this.#secrets = secrets;
  }

  /** Starts one on a folder of its own. */
  static async start(secrets) {
    const workerd = new Workerd(await mkdtemp(path.join(tmpdir(), 'agent-codex-')), secrets);
    await workerd.start();
    return workerd;
  }

  /** Where its databases are. */
  get state() {
    return path.join(this.folder, 'state');
  }

  async start() {
    await mkdir(this.state, { recursive: true });
    for (const file of ['index.js', 'index_bg.wasm']) {
      await copyFile(path.join(root, 'build', file), path.join(this.folder, file));
    }
    await writeFile(path.join(this.folder, 'worker.capnp'), configuration(this.#secrets));
    this.#process = spawn(binary, ['serve', '--experimental', `--control-fd=${CONTROL}`, 'worker.capnp'], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream.on('data', chunk => { this.log += chunk; });
    }
    this.origin = `http://127.0.0.1:${await this.#port()}`;
  }

  async #port() {
    for await (const line of createInterface({ input: this.#process.stdio[CONTROL] })) {
      const { event, port } = JSON.parse(line);
      if (event === 'listen') return port;
    }
    throw new Error(`workerd does not start: ${this.log}`);
  }

  /** Kills the process as it stands. */
  async kill() {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await ended;
    }
    if (this.#process.signalCode !== 'SIGKILL') throw new Error(`workerd had ended by itself: ${this.log}`);
  }
  /** Kills the process, and removes the folder. */
  async close() {
    await this.kill();
    await rm(this.folder, { recursive: true });
  }
}
