// Asks a deployment what hosts ask when they connect, and says in plain words what a host would trip over and how to mend it:
// `make doctor URL=https://host/mcp [TOKEN=…] [TIMEOUT=10]`. It needs Node alone, and changes no entry.
// It ends with 0 when it finds no fault, 1 when it does, 2 when it was not asked properly.

import { probeChallenge, probeCors, probeMediaType, probeMetadata, probeOrigins } from "./doctor/discovery.mjs";
import { initializeParams, probeEras } from "./doctor/eras.mjs";
import { exchange } from "./doctor/exchange.mjs";
import { isExposed, probeClock, probeEncryption, probeFirstAnswer, probeOtherMethods } from "./doctor/reach.mjs";
import { Report, Stop } from "./doctor/report.mjs";

const SECONDS = 10;
const RPC_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const USAGE = "usage: make doctor URL=https://host/mcp [TOKEN=acx_…] [TIMEOUT=10]";

class Misuse extends Error {}

function settings({ URL: address = "", TOKEN: token = "", TIMEOUT = SECONDS }) {
  if (!address) throw new Misuse("URL is missing.");
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!/^https?:$/.test(url?.protocol)) throw new Misuse("URL must begin with https:// (or http:// for this machine).");
  if (url.username || url.password || url.search || url.hash) throw new Misuse("URL must have no user, no query and no fragment.");
  if (token && !/^[\w.~+/=-]+$/.test(token)) throw new Misuse("TOKEN must be the token alone, without Bearer, spaces or quotes.");
  const seconds = Number(TIMEOUT);
  if (!(seconds > 0 && seconds <= 600)) throw new Misuse("TIMEOUT must be a number of seconds, at most 600.");
  return { url, token, seconds };
}

/** What is examined, and how to send requests to it. */
function subjectOf({ url, token, seconds }, report) {
  return {
    url,
    token,
    report,
    userAgent: "agent-codex-doctor/1",

    /** Sends a request to the URL or a target beside it; `userAgent: null` sends none. */
    async send({ target = url, userAgent = this.userAgent, headers, ...rest }) {
      const all = { ...(userAgent && { "user-agent": userAgent }), ...headers };
      const answer = await exchange(target, { ...rest, seconds, headers: all });
      // A connection may get lost by chance; what cuts it on purpose does so again.
      return answer.error === "ECONNRESET" ? exchange(target, { ...rest, seconds, headers: all }) : answer;
    },

    /** The first request of a host without a token. */
    initialize({ userAgent, headers }) {
      const message = { jsonrpc: "2.0", id: 1, method: "initialize", params: initializeParams };
      return this.send({ method: "POST", userAgent, headers: { ...RPC_HEADERS, ...headers }, body: JSON.stringify(message) });
    },

    /** A message with the token. */
    post(message, headers) {
      const authorization = `Bearer ${token}`;
      return this.send({ method: "POST", headers: { ...RPC_HEADERS, authorization, ...headers }, body: JSON.stringify(message) });
    },
  };
}

async function examine(subject) {
  const { report, token, url } = subject;
  probeEncryption(subject);
  const first = await probeFirstAnswer(subject);
  subject.userAgent = first.userAgent;
  if (probeMediaType(first.answer, subject, "the 401")) report.ok("content-type", "the 401 is application/json");
  probeChallenge(first.answer, subject);
  probeClock(first.answer, subject);
  await probeMetadata(subject);
  await probeOtherMethods(subject);
  await probeCors(subject);
  await probeOrigins(subject);
  if (!token) report.note("token", "none was given, so what a host does after signing in was not tried; give TOKEN=…");
  else if (isExposed(url)) report.note("token", "not sent over an unencrypted connection");
  else await probeEras(subject);
}

try {
  const given = settings(process.env);
  const report = new Report((line) => console.log(line), given.token);
  try {
    await examine(subjectOf(given, report));
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    report.note("stopped", "what would follow depends on what was found; mend that and run it again");
  }
  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const found = report.faults === 0 ? "no fault that a host would trip over" : count(report.faults, "fault");
  console.log(`doctor: ${found}, ${count(report.notes, "note")}, at ${report.quote(given.url.href)}`);
  process.exitCode = report.faults === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Misuse ? `doctor: ${error.message}\n${USAGE}` : error);
  process.exitCode = 2;
}
