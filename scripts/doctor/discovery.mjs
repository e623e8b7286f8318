// What a host reads before it has a token: the challenge, the protected-resource metadata that it leads to, and, in a
// browser, the permission to read either.

import { isDeepStrictEqual } from "node:util";
import { mediaType, ownError, parsed } from "./exchange.mjs";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const INSPECTOR = "http://localhost:6274";
/** Origins that hosts of people's accounts were seen to send, from their own servers too. */
const HOST_ORIGINS = ["https://claude.ai", "https://claude.com", "https://chatgpt.com", "https://vscode.dev"];
const REQUEST_HEADERS = ["authorization", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

/** The parameters of a Bearer challenge; undefined where there is none. */
export function bearerParameters(header) {
  const challenge = /(?:^|,\s*)Bearer(?:\s+(.*))?$/is.exec(header ?? "");
  if (!challenge) return undefined;
  const found = (challenge[1] ?? "").matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g);
  return Object.fromEntries([...found].map(([, name, quoted, bare]) => [name.toLowerCase(), quoted ?? bare]));
}

/** Checks the 401. */
export function probeChallenge(answer, { url, report }) {
  const header = answer.headers["www-authenticate"];
  const fault = (text, means, mend) => report.fault("challenge", text, { means, mend });
  const proxy = "let the proxy pass WWW-Authenticate unchanged, and the Host and scheme that it was asked with";
  const parameters = bearerParameters(header);
  if (!parameters) {
    const what = header === undefined ? "no WWW-Authenticate" : `WWW-Authenticate ${report.quote(header)}`;
    fault(`the 401 has ${what}`,
      "hosts don't learn that a bearer token is wanted, nor where the metadata is", proxy);
    return;
  }
  const metadata = parameters.resource_metadata;
  const expected = [`${url.origin}${WELL_KNOWN}${url.pathname}`, `${url.origin}${WELL_KNOWN}`];
  if (metadata === undefined || !/^https?:\/\//.test(metadata)) {
    fault(`resource_metadata is ${report.quote(metadata)}`, "it must be an absolute URL: hosts silently ignore anything else", proxy);
  } else if (!expected.some((known) => known.replace(/\/$/, "") === metadata)) {
    fault(`resource_metadata is ${report.quote(metadata)}, of another place than ${report.quote(url.href)}`,
      "the server believes to be at another origin: hosts reject the metadata, or ask a name that they can't reach", proxy);
  } else if (!parameters.scope) {
    fault("it names no scope", "hosts ask for a token without scopes, which then permits nothing", proxy);
  } else {
    report.ok("challenge", "the 401 names Bearer, absolute metadata and the scopes");
  }
}

/** Every answer of this server's that has a body is JSON and says so. */
export function probeMediaType(answer, { report }, what) {
  if (mediaType(answer) === "application/json") return true;
  report.fault("content-type", `${what} comes as ${report.quote(answer.headers["content-type"])}, not application/json`, {
    means: "something in front rewrites answers; hosts decide by the content type how to read them, and fail",
    mend: "turn off what rewrites (page optimisation, injected scripts, error pages, a default type) for this name",
  });
  return false;
}

export async function probeMetadata(subject) {
  const { url, report } = subject;
  const documents = [];
  for (const path of [`${WELL_KNOWN}/mcp`, WELL_KNOWN]) {
    const answer = await subject.send({ target: new URL(path, url), headers: { accept: "application/json" } });
    const document = answer.status === 200 ? parsed(answer) : undefined;
    if (document === undefined || typeof document !== "object" || document === null) {
      report.fault("metadata", `${path} is answered ${report.describe(answer)}`, {
        means: "hosts look there for how to authorise, some at one of the two paths only, and give up",
        mend: "let /.well-known/oauth-protected-resource and what is below it through to the Worker, on the same name",
      });
      return;
    }
    if (!probeMediaType(answer, subject, path)) return;
    documents.push(document);
  }
  if (!isDeepStrictEqual(...documents)) {
    report.fault("metadata", "the two well-known paths serve different documents", {
      means: "hosts disagree on what this server is",
      mend: "let both through to the Worker; one of them is served by something else or from a cache",
    });
    return;
  }
  report.ok("metadata", "both well-known paths serve the same document");
  // At another path than the server's own, the two differ, and why has been told.
  if (report.has("path")) return;
  const { resource } = documents[0];
  if (resource === url.href) report.ok("resource", "it is the URL exactly");
  else {
    report.fault("resource", `it is ${report.quote(resource)}, and the URL is ${report.quote(url.href)}`, {
      means: "hosts compare the two character by character and refuse to send a token when they differ",
      mend: "give hosts the URL that the metadata names; if that one is wrong, let the proxy pass on Host and scheme",
    });
  }
}

/** What a comma-separated header lacks of these, without regard to case. */
function missingOf(header, wanted) {
  const values = (header ?? "").toLowerCase().split(",").map((value) => value.trim());
  return wanted.filter((name) => !values.includes(name));
}

export async function probeCors(subject) {
  const { report } = subject;
  const preflight = await subject.send({
    method: "OPTIONS",
    headers: { origin: INSPECTOR, "access-control-request-method": "POST", "access-control-request-headers": REQUEST_HEADERS.join(",") },
  });
  if (!preflight.error && ownError(preflight) === "forbidden_origin") {
    report.note("cors", `by ALLOWED_ORIGINS, pages of ${INSPECTOR} may not call it; only MCP Inspector in a browser needs that`);
    return;
  }
  const answer = await subject.initialize({ headers: { origin: INSPECTOR } });
  const wrong = corsFlaw(preflight, answer, report);
  if (wrong === undefined) report.ok("cors", `pages of ${INSPECTOR} (MCP Inspector) may call it`);
  else {
    report.fault("cors", wrong, {
      means: "a client in a browser, such as MCP Inspector, can't connect; others can",
      mend: "let OPTIONS and the Access-Control headers through to and from the Worker, and handle CORS nowhere else",
    });
  }
}

/** What keeps a page from calling the server and reading its answer; undefined where nothing does. */
function corsFlaw(preflight, answer, report) {
  if (preflight.error || preflight.status >= 300) return `the preflight is answered ${report.describe(preflight)}`;
  const missing = missingOf(preflight.headers["access-control-allow-headers"], REQUEST_HEADERS);
  for (const [what, { headers }] of Object.entries({ preflight, answer })) {
    const allowed = headers?.["access-control-allow-origin"];
    if (allowed !== INSPECTOR && allowed !== "*") return `the ${what} allows the origin ${report.quote(allowed)}, not ${INSPECTOR}`;
  }
  if (missing.length > 0) return `the preflight does not allow the headers ${missing.join(", ")}`;
  const exposed = answer.headers["access-control-expose-headers"];
  const hidden = exposed?.trim() !== "*" && missingOf(exposed, ["www-authenticate"]).length > 0;
  return hidden ? `the answer exposes ${report.quote(exposed)}, not WWW-Authenticate` : undefined;
}

/** Which hosts' origins the deployment refuses: its own choice, so that it is no fault. */
export async function probeOrigins(subject) {
  const { report } = subject;
  const refused = [];
  for (const origin of HOST_ORIGINS) {
    const answer = await subject.initialize({ headers: { origin } });
    if (!answer.error && ownError(answer) === "forbidden_origin") refused.push(origin);
  }
  if (refused.length === 0) report.ok("origins", `requests that name ${HOST_ORIGINS.join(", ")} are let through`);
  else report.note("origins", `ALLOWED_ORIGINS refuses ${refused.join(", ")}; add the one of a host that sends it and gets 403`);
}
