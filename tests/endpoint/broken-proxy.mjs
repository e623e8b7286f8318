// A reverse proxy on loopback that is broken in one chosen way, as CDNs and proxies in front of real deployments are. Without
// a fault it changes nothing.
import http from 'node:http';

const METADATA = '/.well-known/oauth-protected-resource';
const TARGET_MCP = '/mcp';

const page = (status, body = '<!DOCTYPE html><title>Just a moment...</title>', more = {}) => ({
  status, headers: { 'content-type': 'text/html; charset=UTF-8', ...more }, body,
});

const redirect = (status, location) => ({ status, headers: { location }, body: '' });

/** Takes headers away from a request. */
const strip = pattern => ({
  request(request) {
    for (const name of Object.keys(request.headers)) if (pattern.test(name)) delete request.headers[name];
  },
});

/** Answers in the server's place. */
const instead = answer => ({ request: answer });

const atEndpoint = answer => instead(request => (request.url === TARGET_MCP ? answer(request) : undefined));

/** Changes an answer. */
const change = response => ({ response });

const metadataWith = alter => change((answer, { url }) => {
  if (url.startsWith(METADATA)) answer.body = JSON.stringify(alter(JSON.parse(answer.body), url));
});

/**
 * The faults. `request` may alter `{method, url, headers}`, or give an answer of its own; `response` may alter the answer
 * `{status, headers, body}`.
 */
export const FAULTS = {
  blocksEverybody: instead(() => page(403, undefined, { 'cf-mitigated': 'challenge', server: 'cloudflare' })),
  blocksClaude: instead(({ headers }) => (
    headers['user-agent'] === 'Claude-User' ? page(403, 'error code: 1010', { 'content-type': 'text/plain' }) : undefined)),
  cutsCursorOff: { request({ headers }) { if (/cursor/i.test(headers['user-agent'])) throw new Error('cut off'); } },
  blocksPython: instead(({ headers }) => (/python/.test(headers['user-agent']) ? page(503) : undefined)),
  blocksTheNameless: instead(({ headers }) => (headers['user-agent'] ? undefined : page(403))),
  answersByUserAgent: instead(({ headers }) => (/openai/.test(headers['user-agent']) ? page(200, '<h1>Welcome</h1>') : undefined)),
  redirectsToHttps: atEndpoint(({ headers }) => redirect(308, `https://${headers.host}/mcp`)),
  redirectsToAnotherHost: atEndpoint(() => redirect(301, 'https://www.notes.example/mcp')),
  addsASlash: atEndpoint(() => redirect(307, '/mcp/')),
  asksToSignIn: atEndpoint(() => redirect(302, 'https://team.cloudflareaccess.com/cdn-cgi/access/login')),
  wrongPath: instead(({ url }) => (url === TARGET_MCP ? page(404, 'Cannot POST /mcp') : undefined)),
  website: atEndpoint(() => page(200, '<h1>Welcome</h1>')),
  down: atEndpoint(() => page(502, 'Bad gateway')),
  addsAToken: { request({ headers, token }) { headers.authorization = `Bearer ${token}`; } },
  losesTheChallenge: change(answer => { delete answer.headers['www-authenticate']; }),
  basicAuthentication: atEndpoint(({ headers }) => (
    headers.authorization?.startsWith('Basic')
      ? undefined
      : page(401, 'Sign in', { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' }))),
  relativeMetadata: change(answer => {
    const header = answer.headers['www-authenticate'];
    if (header) answer.headers['www-authenticate'] = header.replace(/https?:\/\/[^/"]+/, '');
  }),
  losesTheScope: change(answer => {
    const header = answer.headers['www-authenticate'];
    if (header) answer.headers['www-authenticate'] = header.replace(/, scope="[^"]*"/, '');
  }),
  changesHost: { request({ headers }) { headers.host = 'internal.example:8080'; } },
  missingMetadata: instead(({ url }) => (url.startsWith(METADATA) ? page(404, 'Not found') : undefined)),
  oneMetadataPathOnly: instead(({ url }) => (url === METADATA ? page(404, 'Not found') : undefined)),
  wrongResource: metadataWith(document => ({ ...document, resource: document.resource.replace(/\/mcp$/, '') })),
  differingMetadata: metadataWith((document, url) => (url === METADATA ? { ...document, resource_name: 'Another' } : document)),
  losesCors: change(answer => {
    for (const name of Object.keys(answer.headers)) if (name.startsWith('access-control-')) delete answer.headers[name];
  }),
  refusesPreflights: instead(({ method }) => (method === 'OPTIONS' ? page(405, 'Method Not Allowed') : undefined)),
  hidesTheChallenge: change(answer => { delete answer.headers['access-control-expose-headers']; }),
  clockBehind: change(answer => { answer.headers.date = new Date(Date.now() - 600_000).toUTCString(); }),
  clockAhead: change(answer => { answer.headers.date = new Date(Date.now() + 90_000).toUTCString(); }),
  rewritesTheMediaType: change(answer => { if (answer.body) answer.headers['content-type'] = 'text/html'; }),
  answersGet: atEndpoint(({ method }) => (method === 'GET' ? page(200, '<h1>It works</h1>') : undefined)),
  forbidsDelete: atEndpoint(({ method }) => (method === 'DELETE' ? page(403, 'Forbidden') : undefined)),
  losesAuthorization: strip(/^authorization$/),
  losesMcpHeaders: strip(/^mcp-/),
  losesMcpMethod: strip(/^mcp-method$/),
  hidesTools: change(answer => {
    const message = answer.body.startsWith('{"jsonrpc"') && JSON.parse(answer.body);
    if (!message?.result?.tools) return;
    message.result.tools.shift();
    answer.body = JSON.stringify(message);
  }),
  breaksNotifications: change(answer => { if (answer.status === 202) answer.status = 200; }),
  blocksTokens: instead(({ headers }) => (headers.authorization ? page(403, 'Blocked by a rule') : undefined)),
};

async function forward(target, { method, url, headers, body }) {
  const { hostname, port } = new URL(target);
  return new Promise((resolve, reject) => {
    // A connection each time: workerd closes one on which it left a body unread, which is what a 401 does.
    const onward = http.request({ hostname, port, path: url, method, headers, setHost: false, agent: false }, async answer => {
      const chunks = await answer.toArray();
      resolve({ status: answer.statusCode, headers: { ...answer.headers }, body: Buffer.concat(chunks).toString() });
    });
    onward.on('error', reject);
    onward.end(body);
  });
}

/** Starts a proxy in front of `target`'s origin with one of the faults, or none; gives its URL, and how to close it. */
export async function breakWith(fault, target, token) {
  const { request: onRequest, response: onResponse } = fault ? FAULTS[fault] : {};
  const server = http.createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const request = { method: incoming.method, url: incoming.url, headers: { ...incoming.headers }, body, token };
    try {
      const answer = onRequest?.(request) ?? (await forward(target, request));
      onResponse?.(answer, request);
      for (const name of ['content-length', 'transfer-encoding', 'connection', 'keep-alive']) delete answer.headers[name];
      outgoing.writeHead(answer.status, answer.headers);
      outgoing.end(answer.body);
    } catch {
      outgoing.destroy();
    }
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
