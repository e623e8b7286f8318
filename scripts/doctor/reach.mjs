// Whether a host's first request gets to the server at all: encryption, names and connections, redirects, the path, what a
// CDN does to the user agents of hosts, set-up, the other methods, and the clock.

import { mediaType, ownError } from "./exchange.mjs";
import { Stop } from "./report.mjs";

const SECONDS_OF_SKEW = 60;

/** How hosts introduce themselves; versions go stale, and what rules match on does not. */
export const USER_AGENTS = {
  "Claude": "Claude-User",
  "Claude Code": "claude-code/2.1.204 (cli)",
  "ChatGPT": "openai-mcp/1.0.0",
  "Cursor": "Cursor/2.2.9 (linux x64)",
  "VS Code": "Visual Studio Code/1.124.0",
  "Gemini CLI and others on Node": "node",
  "undici": "undici",
  "Python": "python-httpx/0.28.1",
  "no user agent": null,
};

export const isLoopback = (hostname) => /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname);

/** Whether calls to this URL, and the token in them, would cross a network unencrypted. */
export const isExposed = (url) => url.protocol === "http:" && !isLoopback(url.hostname);

export function probeEncryption({ url, report }) {
  if (!isExposed(url)) {
    report.ok("tls", url.protocol === "https:" ? "the URL is https" : "http, on this machine alone");
    return;
  }
  report.fault("tls", `${report.quote(url.href)} is not encrypted`, {
    means: "the token would cross the network readable, so hosts refuse such a URL; nothing is sent with the token from here",
    mend: "serve it by https and give hosts the https URL",
  });
}

const CONNECTION_FAULTS = [
  [/^(ENOTFOUND|EAI_)/, "its name does not resolve", "check the name's spelling, and its DNS record"],
  [/^ECONNREFUSED/, "nothing listens there", "start the server, or check the port"],
  [/^ETIMEDOUT/, "there is no answer in time", "check that the server runs and that no firewall drops the connection"],
  [/CERT|SELF_SIGNED|ISSUER|ALTNAME/, "its certificate is not one that hosts trust",
    "install a valid certificate for this name, with its chain"],
  [/^(EPROTO|ERR_SSL)/, "what answers does not speak TLS as asked", "check the scheme and the port of the URL"],
];

/** Ends the examination when there was no answer. */
function requireAnswer(answer, { url, report }) {
  if (!answer.error) return;
  const [, meaning, mend] = CONNECTION_FAULTS.find(([pattern]) => pattern.test(answer.error)) ?? [
    undefined, "the connection broke", "try again, and look into the log of what stands in front of the server",
  ];
  report.fault("connection", `${report.quote(url.host)} is not reached: ${report.quote(answer.error)}`, {
    means: `${meaning}; a host shows the server as failed`,
    mend,
  });
  throw new Stop();
}

/** Whether something in front of the server answered in its place, because of who asked. */
function isBlocked(answer) {
  if (answer.headers["cf-mitigated"]) return true;
  return [403, 429, 503].includes(answer.status) && ownError(answer) === undefined;
}

function redirectFault(answer, { url, report }) {
  const location = answer.headers.location;
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
  const text = `POST is answered ${answer.status}, to ${report.quote(location)}`;
  const means = "a host that follows it may drop the Authorization header or turn POST into GET; others stop";
  if (target?.hostname.endsWith(".cloudflareaccess.com")) {
    const access = "Cloudflare Access wants people to sign in, which a host can't";
    return [text, { means: access, mend: "let /mcp and /.well-known/* bypass Access" }];
  }
  let mend = "give hosts the URL that it redirects to, or answer here without redirecting";
  if (target && target.protocol !== url.protocol && target.host === url.host) mend = "give hosts the https URL";
  else if (target?.pathname === `${url.pathname}/`) mend = "end the rule that adds a slash: hosts use the URL without one";
  return [text, { means, mend }];
}

/**
 * The first request: `initialize` without a token, as hosts begin. Gives its answer, a 401, and the user agent that got it.
 * Whatever else comes back ends the examination, since nothing after it would say more.
 */
export async function probeFirstAnswer(subject) {
  const { report, url } = subject;
  const first = await subject.initialize({});
  requireAnswer(first, subject);
  report.ok("connection", `${report.quote(url.host)} answers`);

  if (first.status >= 300 && first.status < 400) {
    report.fault("redirect", ...redirectFault(first, subject));
    throw new Stop();
  }
  if (ownError(first) === "not_configured") {
    report.fault("set-up", "the server says that it is not set up", {
      means: "its secret SEAL_KEYS is missing or not usable, so it refuses every call",
      mend: "set the secret as README.md tells under Deploy; the server's log says what is wrong with it",
    });
    throw new Stop();
  }
  const agent = await probeUserAgents(first, subject);
  if (agent === undefined) throw new Stop();
  const answer = agent.answer;
  if (answer.status !== 401) {
    answeredOtherwise(answer, subject);
    throw new Stop();
  }
  probePath(subject);
  return agent;
}

/** Sends the first request as each host. Gives the first that is let through, with its answer. */
async function probeUserAgents(first, subject) {
  const { report } = subject;
  const asked = [{ name: "make doctor", userAgent: subject.userAgent, answer: first }];
  for (const [name, userAgent] of Object.entries(USER_AGENTS)) {
    asked.push({ name, userAgent, answer: await subject.initialize({ userAgent }) });
  }
  const admitted = asked.filter(({ answer }) => !answer.error && !isBlocked(answer));
  const usual = admitted[0];
  const differs = ({ answer }) => answer.error || isBlocked(answer) || answer.status !== usual?.answer.status;
  const refused = asked.filter(differs);
  if (refused.length === 0) {
    report.ok("user agents", `hosts are answered alike: ${Object.keys(USER_AGENTS).join(", ")}`);
    return usual;
  }
  const who = refused.length === asked.length ? "every user agent" : refused.map(({ name }) => name).join(", ");
  const by = refused[0].answer.headers?.server;
  report.fault("bot-blocking", `${who}: ${report.describe(refused[0].answer)}${by ? ` from ${report.quote(by)}` : ""}`, {
    means: "something in front of the server turns hosts away before it runs: hosts show no tools, and the server logs nothing",
    mend:
      "on Cloudflare: Security → Bots, turn off Block AI bots and Bot Fight Mode for this name, or add a rule that skips them for " +
      "/mcp and /.well-known/*; elsewhere, the same in the firewall",
  });
  return usual;
}

function answeredOtherwise(answer, { url, report }) {
  const text = `POST without a token is answered ${report.describe(answer)}`;
  const html = mediaType(answer) === "text/html";
  const wrongPath = [404, 405, 501].includes(answer.status) || (html && answer.status < 400);
  if (wrongPath) {
    const expected = new URL("/mcp", url).href;
    report.fault("path", text, {
      means: `the MCP endpoint is not at ${report.quote(url.pathname)}`,
      mend:
        url.pathname === "/mcp"
          ? "check that this name's route leads to the Worker, whole and with the path unchanged"
          : `give hosts ${report.quote(expected)}`,
    });
  } else if (answer.status < 300) {
    report.fault("no challenge", text, {
      means: "this server would ask for a token: something else answers, or a token is added on the way and anybody may use it",
      mend: "check what stands at this URL",
    });
  } else {
    const broken = answer.status >= 500;
    report.fault("answer", text, {
      means: "hosts show the server as failed",
      mend: broken ? "look into the server's log, and whether the Worker is deployed at this name" : "check what stands at this URL",
    });
  }
}

function probePath({ url, report }) {
  if (url.pathname === "/mcp") {
    report.ok("path", "the endpoint is at /mcp");
    return;
  }
  report.fault("path", `the endpoint answers at ${report.quote(url.pathname)}`, {
    means: "the server calls itself …/mcp, and hosts compare that with the URL that they were given, character by character",
    mend: `give hosts ${report.quote(new URL("/mcp", url).href)}`,
  });
}

const METHODS = {
  GET: "hosts try it for an event stream; 405 says that there is none, and any other answer makes them fail or ask for ever",
  DELETE: "hosts that end a session send it; 405 says that there is none",
};

export async function probeOtherMethods(subject) {
  const { report } = subject;
  for (const [method, means] of Object.entries(METHODS)) {
    const answer = await subject.send({ method, headers: { accept: "text/event-stream" } });
    if (answer.status === 405) report.ok(method, "answered 405, as hosts expect of a server without sessions");
    else {
      report.fault(method, `answered ${report.describe(answer)}`, {
        means,
        mend: "let all methods through to the Worker, and serve no page of another's at this path",
      });
    }
  }
}

export function probeClock({ headers, at }, { report }) {
  const told = Date.parse(headers.date ?? "");
  if (Number.isNaN(told)) {
    report.note("clock", "the answer has no Date, so the clocks can't be compared");
    return;
  }
  const seconds = Math.round((told - at) / 1000);
  if (Math.abs(seconds) <= SECONDS_OF_SKEW) {
    report.ok("clock", "the server's and this machine's agree");
    return;
  }
  report.fault("clock", `the server's is ${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} this machine's`, {
    means: "tokens that expire do so early or late, and certificates may look invalid",
    mend: "see which of the two is wrong (`date -u`) and let it follow NTP; or a cache in front serves old answers: turn it off",
  });
}
