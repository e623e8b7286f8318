// Runs the Worker on this machine: what `make dev` does after set-up and build. Makes local secrets where there are
// none, starts `wrangler dev` with its state in .dev/state, and prints the endpoint, a token and lines to copy.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createGrant, DEV_VARS, Problem, run } from "./owner.mjs";

const ROOT = new URL("../", import.meta.url);
const TOKEN_FILE = new URL(".dev/token", ROOT);
const CODEX = "local";
const PROTOCOL_VERSION = "2026-07-28";
const SECONDS_TO_START = 60;
const SECONDS_TO_STOP = 5;

const port = Number(process.env.PORT ?? 8787);
const url = `http://127.0.0.1:${port}`;

function writePrivate(file, text) {
  writeFileSync(file, text, { mode: 0o600 });
}

function makeSecrets() {
  if (existsSync(DEV_VARS)) return;
  const secret = () => randomBytes(32).toString("base64url");
  writePrivate(DEV_VARS, `SEAL_KEYS="${secret()}"\nOWNER_KEY="${secret()}"\n`);
}

async function requireFreePort() {
  if (!(Number.isInteger(port) && port > 0 && port < 65536)) throw new Problem(`PORT must be a port number, not "${process.env.PORT}".`);
  const server = createServer();
  const error = await new Promise((resolve) => server.once("error", resolve).listen(port, "127.0.0.1", () => resolve()));
  if (error) throw new Problem(`Port ${port} can't be used (${error.code}). Stop what uses it, or choose another: make dev PORT=8788`);
  await new Promise((resolve) => server.close(resolve));
}

/** Starts wrangler in a process group of its own, so that it can be ended with all that it starts. */
function startWrangler() {
  const wrangler = fileURLToPath(new URL("tests/node_modules/wrangler/bin/wrangler.js", ROOT));
  const state = [".dev/state", ".dev/logs", ".dev/registry"].map((path) => fileURLToPath(new URL(path, ROOT)));
  return spawn(
    process.execPath,
    [wrangler, "dev", "--ip", "127.0.0.1", "--port", String(port), "--inspector-port", "0", "--persist-to", state[0], "--var", `DEFAULT_CODEX:${CODEX}`, "--show-interactive-dev-session=false"],
    {
      cwd: fileURLToPath(ROOT),
      detached: true,
      stdio: ["ignore", "inherit", "inherit"],
      env: {
        ...process.env,
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_HIDE_BANNER: "true",
        WRANGLER_LOG_PATH: state[1],
        WRANGLER_REGISTRY_PATH: state[2],
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
      },
    },
  );
}

function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
    return true;
  } catch {
    return false; // Nobody is left in the group.
  }
}

async function stop(child) {
  signalGroup(child, "SIGTERM");
  const deadline = Date.now() + SECONDS_TO_STOP * 1000;
  while (signalGroup(child, 0) && Date.now() < deadline) await sleep(50);
  signalGroup(child, "SIGKILL");
}

async function waitUntilItAnswers(child) {
  const deadline = Date.now() + SECONDS_TO_START * 1000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Problem("wrangler ended before the Worker answered; its output above says why.");
    const answered = await fetch(url, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    if (answered) return;
    await sleep(100);
  }
  throw new Problem(`The Worker did not answer within ${SECONDS_TO_START} s.`);
}

function rpcBody(method, params) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": PROTOCOL_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
}

const rpcHeaders = (token, method) => ({
  Authorization: `Bearer ${token}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  "MCP-Protocol-Version": PROTOCOL_VERSION,
  "Mcp-Method": method,
});

/** Whether the codex accepts the token: only a call that reaches it can tell. */
async function isAccepted(token) {
  const name = "field_notes_search";
  const headers = { ...rpcHeaders(token, "tools/call"), "Mcp-Name": name };
  const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: rpcBody("tools/call", { name, arguments: { limit: 1 } }) });
  return response.ok;
}

async function tokenForLocalCodex() {
  const kept = existsSync(TOKEN_FILE) && readFileSync(TOKEN_FILE, "utf8").trim();
  if (kept && (await isAccepted(kept))) return kept;
  const { token } = await createGrant(url, CODEX, { label: "make dev", scopes: ["notes:read", "notes:write"] });
  writePrivate(TOKEN_FILE, `${token}\n`);
  return token;
}

function printHowToConnect(token) {
  const endpoint = `${url}/mcp`;
  const bearer = `--header "Authorization: Bearer ${token}"`;
  const headers = Object.entries(rpcHeaders(token, "tools/list")).map(([name, value]) => `-H '${name}: ${value}'`);
  console.log(`
Endpoint  ${endpoint}
Token     ${token}
          (for the codex "${CODEX}"; kept in .dev/token)
Sign-in   a host that is given the endpoint alone opens a page in the browser; the owner key that it asks for is in .dev.vars

Claude Code:
  claude mcp add --transport http agent-codex ${endpoint} ${bearer}

MCP Inspector:
  npx @modelcontextprotocol/inspector --cli ${endpoint} --transport http ${bearer} --method tools/list

curl:
  curl -sS ${endpoint} ${headers.join(" ")} \\
    -d '${rpcBody("tools/list", {})}'

Ctrl-C ends it; the notes stay in .dev/state.
`);
}

await run(async () => {
  mkdirSync(new URL(".dev/", ROOT), { recursive: true });
  makeSecrets();
  await requireFreePort();

  const child = startWrangler();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      asked = true;
      signalGroup(child, "SIGTERM");
    });
  }
  try {
    await waitUntilItAnswers(child);
    printHowToConnect(await tokenForLocalCodex());
    await ended;
    if (!asked) throw new Problem("wrangler ended by itself.");
  } catch (error) {
    if (!asked) throw error;
  } finally {
    await stop(child);
  }
});
