// A reverse proxy on loopback that passes everything on as it is, host and raw headers included, but for what it is told to
// add; it can record the bodies that go through it.
import { appendFileSync, mkdirSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/**
 * Starts a proxy in front of `target`; gives its URL, with the target's path, and how to close it. `added` are headers for
 * each request, as a flat list; `onExchange` is told each exchange when its answer has ended.
 */
export async function startProxy(target, { added = [], onExchange } = {}) {
  const { hostname, port, pathname } = new URL(target);
  const server = http.createServer((request, response) => {
    const headers = [...request.rawHeaders, ...added];
    const asked = onExchange && collect(request);
    const onward = http.request({ hostname, port, path: request.url, method: request.method, headers, setHost: false }, answer => {
      response.writeHead(answer.statusCode, answer.rawHeaders);
      const answered = onExchange && collect(answer);
      answer.on('end', () => onExchange?.(request, asked(), answer, answered()));
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => response.writableFinished || onward.destroy());
    request.pipe(onward);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    url: origin + pathname,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };

/** Collects a message's body, and gives what it has come to. */
function collect(message) {
  const chunks = [];
  message.on('data', chunk => chunks.push(chunk));
  return () => {
    const body = Buffer.concat(chunks);
    const decode = message.complete && body.length > 0 && decoders[message.headers['content-encoding']];
    try {
      return (decode ? decode(body) : body).toString('utf8');
    } catch {
      return body.toString('utf8'); // It is not what its header says.
    }
  };
}

let recordings = 0;

/** Starts a proxy that writes every exchange of JSON to a file of its own in `folder`, a line each. */
export function startRecorder(target, folder) {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${process.pid}-${recordings++}.jsonl`);
  return startProxy(target, {
    onExchange(request, asked, { statusCode: status, headers }, answered) {
      if (request.method !== 'POST' || !request.url.startsWith('/mcp')) return;
      const version = request.headers['mcp-protocol-version'];
      appendFileSync(file, `${JSON.stringify({ version, asked, status, type: headers['content-type'], answered })}\n`);
    },
  });
}
