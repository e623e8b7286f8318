// `make doctor` against the Worker, healthy and behind a proxy that is broken on purpose: it names the right fault, and only
// faults that follow from it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isExposed } from '../../scripts/doctor/reach.mjs';
import { FAULTS, breakWith } from './broken-proxy.mjs';
import { serve } from './worker.mjs';

const SCRIPT = fileURLToPath(new URL('../../scripts/doctor.mjs', import.meta.url));

let worker, token, forged;
before(async () => {
  worker = await serve({ direct: true });
  ({ token } = await worker.grant('doctor'));
  forged = token.slice(0, -4);
});
after(() => worker?.close());

/** Runs the doctor; gives its exit code, its output, and the names of the faults and the notes that it told. */
function examine(env) {
  return new Promise(resolve => {
    execFile(process.execPath, [SCRIPT], { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) => {
      const named = level => [...stdout.matchAll(new RegExp(`^${level}\\s+([^:\n]+):`, 'gm'))].map(([, name]) => name);
      resolve({ code: error?.code ?? 0, stdout, stderr, faults: named('FAULT'), notes: named('note') });
    });
  });
}

async function examineBroken(fault, env = { TOKEN: token }) {
  const proxy = await breakWith(fault, worker.url, token);
  try {
    return await examine({ URL: proxy.url, ...env });
  } finally {
    proxy.close();
  }
}

test('it finds nothing on the healthy Worker, with a token and without', async () => {
  for (const env of [{}, { TOKEN: token }]) {
    const { code, stdout, faults } = await examine({ URL: worker.url, ...env });
    assert.deepEqual(faults, [], stdout);
    assert.equal(code, 0);
    assert.match(stdout, /\ndoctor: no fault .*\n$/);
  }
});

test('it finds nothing behind a proxy that changes nothing, the clock included', async () => {
  const { code, faults, notes, stdout } = await examineBroken();
  assert.deepEqual({ code, faults, notes }, { code: 0, faults: [], notes: ['origins'] }, stdout);
});

// Each fault of the proxy: the faults that are told with a token, the first being its cause, and what the text must say. Where
// `tokenless` is there, that is what is told without a token; elsewhere it is the same.
const EXPECTED = {
  blocksEverybody: { faults: ['bot-blocking'], says: /every user agent: 403 "text\/html/ },
  blocksClaude: { faults: ['bot-blocking'], says: /bot-blocking: Claude: 403 "text\/plain", beginning "error code: 1010"/ },
  cutsCursorOff: { faults: ['bot-blocking'], says: /bot-blocking: Cursor: no answer \("ECONNRESET"\)/ },
  blocksPython: { faults: ['bot-blocking'], says: /bot-blocking: Python: 503/ },
  blocksTheNameless: { faults: ['bot-blocking'], says: /bot-blocking: no user agent: 403/ },
  answersByUserAgent: { faults: ['bot-blocking'], says: /bot-blocking: ChatGPT: 200 "text\/html/ },
  redirectsToHttps: { faults: ['redirect'], says: /answered 308.*[^]*give hosts the https URL/ },
  redirectsToAnotherHost: { faults: ['redirect'], says: /"https:\/\/www\.notes\.example\/mcp"/ },
  addsASlash: { faults: ['redirect'], says: /end the rule that adds a slash/ },
  asksToSignIn: { faults: ['redirect'], says: /Cloudflare Access/ },
  wrongPath: { faults: ['path'], says: /404 "text\/html[^]*route leads to the Worker/ },
  website: { faults: ['path'], says: /200 "text\/html/ },
  down: { faults: ['answer'], says: /502/ },
  addsAToken: { faults: ['no challenge'], says: /anybody may use it/ },
  losesTheChallenge: { faults: ['challenge'], says: /no WWW-Authenticate/ },
  basicAuthentication: {
    faults: ['challenge', 'GET', 'DELETE', 'cors', 'authorization'],
    tokenless: ['challenge', 'GET', 'DELETE', 'cors'],
    says: /WWW-Authenticate "Basic/,
  },
  relativeMetadata: { faults: ['challenge'], says: /resource_metadata is "\/\.well-known[^]*absolute/ },
  losesTheScope: { faults: ['challenge'], says: /names no scope/ },
  changesHost: { faults: ['challenge', 'resource'], says: /"http:\/\/internal\.example:8080/ },
  missingMetadata: { faults: ['metadata'], says: /oauth-protected-resource\/mcp is answered 404/ },
  oneMetadataPathOnly: { faults: ['metadata'], says: /oauth-protected-resource is answered 404/ },
  wrongResource: { faults: ['resource'], says: /it is "http:\/\/127\.0\.0\.1:\d+", and the URL is/ },
  differingMetadata: { faults: ['metadata'], says: /different documents/ },
  losesCors: { faults: ['cors'], says: /allows the origin nothing/ },
  refusesPreflights: { faults: ['cors'], says: /preflight is answered 405/ },
  hidesTheChallenge: { faults: ['cors'], says: /exposes nothing, not WWW-Authenticate/ },
  clockBehind: { faults: ['clock'], says: /(599|600|601) s behind/ },
  clockAhead: { faults: ['clock'], says: /(89|90) s ahead/ },
  rewritesTheMediaType: { faults: ['content-type'], says: /comes as "text\/html"/ },
  answersGet: { faults: ['GET'], says: /answered 200 "text\/html/ },
  forbidsDelete: { faults: ['DELETE'], says: /answered 403/ },
  losesAuthorization: { faults: ['authorization'], tokenless: [], says: /takes the Authorization header away/ },
  losesMcpHeaders: { faults: ['mcp-headers'], tokenless: [], says: /MCP-Protocol-Version is required/ },
  losesMcpMethod: { faults: ['mcp-headers'], tokenless: [], says: /Mcp-Method is required/ },
  hidesTools: { faults: ['tools'], tokenless: [], says: /names "field_notes_get,/ },
  breaksNotifications: { faults: ['notification'], tokenless: [], says: /answered 200/ },
  blocksTokens: { faults: ['answer'], tokenless: [], says: /403/ },
};

test('every fault of the proxy is expected', () => {
  assert.deepEqual(Object.keys(EXPECTED).toSorted(), Object.keys(FAULTS).toSorted());
});

for (const [fault, { faults, tokenless = faults, says }] of Object.entries(EXPECTED)) {
  test(`a proxy that ${fault} is found out, and nothing else`, async () => {
    const found = await examineBroken(fault);
    assert.deepEqual(found.faults, faults, found.stdout);
    assert.equal(found.code, 1);
    assert.match(found.stdout, says);
    const without = await examineBroken(fault, {});
    assert.deepEqual(without.faults, tokenless, without.stdout);
    assert.equal(without.code, tokenless.length > 0 ? 1 : 0);
  });
}

test('each fault comes with what it means and how to mend it', async () => {
  const { stdout, faults } = await examineBroken('changesHost');
  assert.equal(stdout.match(/^ +means: .{20,}\n +mend: {2}.{10,}$/gm).length, faults.length);
  assert.match(stdout, /\ndoctor: 2 faults, 1 note, at /);
});

test('a URL of another path, or with a slash at its end, gets the right one', async () => {
  for (const path of ['/', '/mcp/', '/sse', '/mcp/mcp']) {
    const { faults, stdout } = await examine({ URL: worker.origin + path, TOKEN: token });
    assert.deepEqual(faults, ['path'], stdout);
    assert.ok(stdout.includes(`give hosts "${worker.url}"`), stdout);
  }
});

test('a refused token is told apart from one that does not arrive', async () => {
  for (const refused of [forged, 'acx_x']) {
    const { faults } = await examine({ URL: worker.url, TOKEN: refused });
    assert.deepEqual(faults, ['token']);
  }
});

test('a revoked grant is found, though its token still lists the tools', async () => {
  const made = await worker.grant('doctor');
  await worker.owner('DELETE', `/grants/${made.grant.id}?codex=doctor`);
  assert.deepEqual((await examine({ URL: worker.url, TOKEN: made.token })).faults, ['token']);
});

test('a token that may not read is noted', async () => {
  const made = await worker.grant('doctor', ['notes:write']);
  const { faults, notes } = await examine({ URL: worker.url, TOKEN: made.token });
  assert.deepEqual(faults, []);
  assert.ok(notes.includes('call'));
});

test('a server that is not set up is told so', async t => {
  const bare = await serve({ direct: true, secrets: {} });
  t.after(() => bare.close());
  const { faults, stdout } = await examine({ URL: bare.url });
  assert.deepEqual(faults, ['set-up']);
  assert.match(stdout, /SEAL_KEYS/);
});

test('which origins may call is a choice of the deployment, and noted', async t => {
  const closed = await serve({ direct: true, origins: '' });
  t.after(() => closed.close());
  const refusing = await examine({ URL: closed.url, TOKEN: (await closed.grant('doctor')).token });
  assert.deepEqual([refusing.faults, refusing.notes], [[], ['clock', 'cors', 'origins']]);
  const open = await serve({ direct: true, origins: 'http://localhost:* https://claude.ai https://claude.com https://chatgpt.com https://vscode.dev' });
  t.after(() => open.close());
  const permitting = await examine({ URL: open.url, TOKEN: (await open.grant('doctor')).token });
  assert.deepEqual([permitting.faults, permitting.notes], [[], ['clock']]);
});

test('a server that is not there, does not answer, or speaks no TLS is told apart', async t => {
  const silent = createServer(() => {});
  await new Promise(resolve => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => silent.closeAllConnections() ?? silent.close());
  const host = `127.0.0.1:${silent.address().port}`;
  for (const [URL, means] of [
    ['http://127.0.0.1:9/mcp', /nothing listens there/],
    ['https://nowhere.invalid/mcp', /its name does not resolve/],
    [`https://${host}/mcp`, /does not speak TLS/],
    [`http://${host}/mcp`, /no answer in time/],
  ]) {
    const { faults, stdout, code } = await examine({ URL, TIMEOUT: '0.5' });
    assert.deepEqual({ code, faults }, { code: 1, faults: ['connection'] }, stdout);
    assert.match(stdout, means);
  }
});

test('http is a fault anywhere but on this machine, and the token is not sent there', async () => {
  for (const host of ['notes.example', '192.168.0.2', 'localhost.evil.example', '127.0.0.1.evil.example']) {
    assert.equal(isExposed(new URL(`http://${host}/mcp`)), true, host);
    assert.equal(isExposed(new URL(`https://${host}/mcp`)), false, host);
  }
  for (const host of ['localhost:8787', '127.0.0.1', '[::1]:8787', 'notes.localhost']) {
    assert.equal(isExposed(new URL(`http://${host}/mcp`)), false, host);
  }
  const { faults } = await examine({ URL: 'http://nowhere.invalid/mcp', TOKEN: token });
  assert.deepEqual(faults, ['tls', 'connection']);
});

test('what comes from outside is escaped, shortened, and never shows the token', async t => {
  const odd = createServer((request, response) => {
    response.writeHead(418, { 'content-type': 'text/odd' });
    response.end(`\u001b]0;owned\u0007\u202e ${request.headers.authorization} ${'x'.repeat(1e6)}`);
  });
  const echo = createServer((request, response) => {
    const status = request.headers.authorization ? 418 : 401;
    response.writeHead(status, { 'content-type': 'application/json', 'www-authenticate': 'Bearer' });
    response.end(`you sent ${request.headers.authorization?.slice(0, -9)}`);
  });
  for (const server of [odd, echo]) {
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { stdout, faults } = await examine({ URL: `http://127.0.0.1:${server.address().port}/mcp`, TOKEN: token });
    assert.ok(faults.includes('answer'), stdout);
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
    assert.ok(!stdout.includes(token.slice(0, 12)), stdout);
    for (const line of stdout.split('\n')) assert.ok(line.length < 400, line);
  }
});

test('asked wrongly, it says how to ask and ends with 2', async () => {
  for (const env of [{}, { URL: 'notes.example/mcp' }, { URL: 'ftp://x/mcp' }, { URL: 'https://u:p@x/mcp' }, { URL: 'https://x/mcp?a=b' },
    { URL: 'https://x/mcp', TOKEN: 'Bearer x' }, { URL: 'https://x/mcp', TIMEOUT: 'soon' }]) {
    const { code, stderr, stdout } = await examine(env);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /usage: make doctor URL=/);
  }
});
