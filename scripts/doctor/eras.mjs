// What a host does with a token: it opens the connection in the modern era (2026-07-28) or by a handshake, lists the tools
// and calls one. The call is a search, which changes nothing; it alone reaches the codex and shows that the grant is good.

import { bearerParameters, probeMediaType } from "./discovery.mjs";
import { ownError, parsed } from "./exchange.mjs";
import { Stop } from "./report.mjs";

const MODERN = "2026-07-28";
const HANDSHAKE = "2025-11-25";
const TOOLS = ["field_notes_save", "field_notes_get", "field_notes_search", "field_notes_update"];
const CLIENT = { name: "agent-codex-doctor", version: "1" };
const SEARCH = { name: "field_notes_search", arguments: { limit: 1 } };

export const initializeParams = { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: CLIENT };

const isOutOfScope = (answer) => answer.status === 403 && ownError(answer) === "insufficient_scope";

/** Requests of one era, with the token. */
class Era {
  #id = 0;
  constructor(subject, name, version) {
    this.subject = subject;
    this.report = subject.report;
    this.name = name;
    this.version = version;
  }

  /** Posts a message; ends the examination for a fault that every later request would meet too. */
  async #post(message) {
    const answer = await this.subject.post(message, this.headers(message));
    this.#explain(answer, message);
    return answer;
  }

  #explain(answer, { method }) {
    const { report } = this;
    const fault = (probe, text, means, mend) => {
      report.fault(probe, text, { means, mend });
      throw new Stop();
    };
    const told = `${method} (${this.name}) is answered ${report.describe(answer)}`;
    if (answer.error) {
      fault("answer", told, "hosts show the server as failed", "look into the log of what stands in front of the server");
    }
    if (answer.status === 401 && !bearerParameters(answer.headers["www-authenticate"])?.error) {
      fault("authorization", "a request with a token is answered as one without",
        "something in front of the server takes the Authorization header away: no token ever arrives",
        "let the proxy pass Authorization on (a redirect, basic authentication or a cache in front drops it)");
    }
    if (answer.status === 401) {
      fault("token", "it is refused", "it is mistyped, expired, revoked, or sealed with a key that the server no longer has",
        "make another with `make token URL=…`; `make grants URL=…` lists those that there are");
    }
    const error = parsed(answer)?.error;
    if (error?.code === -32020) {
      fault("mcp-headers", `${method} (${this.name}) is refused: ${report.quote(error.message)}`,
        "something in front of the server takes MCP's request headers away or changes them; hosts of this era can't call it",
        "let MCP-Protocol-Version, Mcp-Method and Mcp-Name through unchanged");
    }
    if (answer.status >= 300 && !isOutOfScope(answer) && error?.code === undefined) {
      fault("answer", told, "it was not the server that answered; hosts show it as failed",
        "look for what in front of it lets some requests through only");
    }
  }

  /** Makes a request; gives its result, or undefined once what is wrong has been told. */
  async request(method, params = {}) {
    this.#id += 1;
    const { report } = this;
    const answer = await this.#post({ jsonrpc: "2.0", id: this.#id, method, params: this.params(params) });
    if (isOutOfScope(answer)) return { forbidden: true };
    probeMediaType(answer, this.subject, `the answer to ${method}`);
    const message = parsed(answer);
    if (message?.id === this.#id && message.result) return message.result;
    report.fault(`${method} (${this.name})`, `is answered ${report.describe(answer)}`, {
      means: "hosts of this era can't connect",
      mend: "see whether this is the server's own answer (its log tells), and that it is a current version",
    });
    throw new Stop();
  }

  notify(method) {
    return this.#post({ jsonrpc: "2.0", method });
  }
}

class Modern extends Era {
  headers({ method, params }) {
    const name = params?.name;
    return { "mcp-protocol-version": this.version, "mcp-method": method, ...(name && { "mcp-name": name }) };
  }
  params(params) {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": this.version,
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": CLIENT,
    };
    return { ...params, _meta };
  }
}

class Handshake extends Era {
  headers({ method }) {
    return method === "initialize" ? {} : { "mcp-protocol-version": this.version };
  }
  params(params) {
    return params;
  }
}

async function probeTools(era) {
  const { report } = era;
  const { tools } = await era.request("tools/list");
  const names = Array.isArray(tools) ? tools.map((tool) => tool?.name) : [];
  if (names.join() === TOOLS.join()) report.ok(`tools (${era.name})`, `the four of them: ${names.join(", ")}`);
  else {
    report.fault("tools", `tools/list (${era.name}) names ${report.quote(names.join(", "))}`, {
      means: "these are not this server's four tools: another server or version answers, or something in front filters them",
      mend: "check what stands at this URL, and deploy the current version",
    });
  }
}

async function probeCall(era) {
  const { report } = era;
  const result = await era.request("tools/call", SEARCH);
  if (result.forbidden) {
    report.note("call", "the token does not permit notes:read, so no tool can be called with it");
  } else if (result.isError) {
    report.fault("call", `field_notes_search fails: ${report.quote(result.content?.[0]?.text)}`, {
      means: "hosts connect, and tools fail",
      mend: "look into the server's log",
    });
  } else {
    report.ok("call", "field_notes_search answers, so the grant is good");
  }
}

async function probeModern(subject) {
  const era = new Modern(subject, "modern", MODERN);
  const { report } = subject;
  const { supportedVersions } = await era.request("server/discover");
  if (Array.isArray(supportedVersions) && supportedVersions.includes(MODERN)) {
    report.ok("era (modern)", `server/discover offers ${MODERN}`);
  } else {
    report.fault("era", `server/discover offers ${report.quote(JSON.stringify(supportedVersions))}`, {
      means: `hosts of ${MODERN} fall back to a handshake, or give up`,
      mend: "deploy the current version of the server",
    });
  }
  await probeTools(era);
  await probeCall(era);
}

async function probeHandshake(subject) {
  const era = new Handshake(subject, "handshake", HANDSHAKE);
  const { report } = subject;
  const { protocolVersion } = await era.request("initialize", initializeParams);
  if (protocolVersion === HANDSHAKE) report.ok("era (handshake)", `initialize agrees on ${HANDSHAKE}`);
  else {
    report.fault("era", `initialize with ${HANDSHAKE} is answered ${report.quote(protocolVersion)}`, {
      means: "hosts that speak no such revision disconnect",
      mend: "deploy the current version of the server",
    });
  }
  const accepted = await era.notify("notifications/initialized");
  if (accepted.status !== 202) {
    report.fault("notification", `notifications/initialized is answered ${report.describe(accepted)}, not 202`, {
      means: "hosts end the connection there",
      mend: "let answers without a body through unchanged",
    });
  }
  await probeTools(era);
}

/** Both eras; what ends one leaves the other to be probed. */
export async function probeEras(subject) {
  for (const probe of [probeModern, probeHandshake]) {
    try {
      await probe(subject);
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      // What takes the token away or refuses it would only be met again.
      if (subject.report.has("authorization") || subject.report.has("token")) return;
    }
  }
}
