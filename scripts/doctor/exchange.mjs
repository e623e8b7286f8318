// One HTTP request as a host sends it: no redirect is followed, nothing is added, and there is a time limit. Node's own
// modules rather than fetch, which adds a user agent and hides why a connection failed.

import http from "node:http";
import https from "node:https";
import zlib from "node:zlib";

/** Bytes of a body that are read; what follows says nothing that a probe asks for. */
const BODY_BYTES = 262_144;

const DECODERS = { gzip: zlib.gunzipSync, deflate: zlib.inflateSync, br: zlib.brotliDecompressSync, zstd: zlib.zstdDecompressSync };

/** A body's text, decompressed where it came compressed; as it is where that fails. */
function textOf(body, encoding) {
  try {
    const decode = Object.hasOwn(DECODERS, encoding ?? "") ? DECODERS[encoding] : undefined;
    return (decode?.(body, { maxOutputLength: 4 * BODY_BYTES }) ?? body).toString("utf8");
  } catch {
    return body.toString("utf8");
  }
}

/**
 * Sends a request. What comes back is `{status, headers, text, at}`, `at` being the local time at which it came; or `{error}`,
 * the code of what went wrong, when there is no answer.
 */
export function exchange(url, { method = "GET", headers = {}, body, seconds }) {
  const { request } = new URL(url).protocol === "https:" ? https : http;
  return new Promise((resolve) => {
    const fail = (error) => resolve({ error: error.name === "AbortError" ? "ETIMEDOUT" : (error.code ?? error.message) });
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    let outgoing;
    try {
      const signal = AbortSignal.timeout(seconds * 1000);
      outgoing = request(url, { method, agent: false, signal, headers: { ...headers, ...length } });
    } catch (error) {
      fail(error);
      return;
    }
    outgoing.on("error", fail);
    outgoing.on("response", (incoming) => {
      const at = Date.now();
      const chunks = [];
      let size = 0;
      const done = () => {
        const text = textOf(Buffer.concat(chunks), incoming.headers["content-encoding"]);
        resolve({ status: incoming.statusCode, headers: incoming.headers, text, at });
      };
      incoming.on("data", (chunk) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < BODY_BYTES) return;
        done();
        incoming.destroy();
      });
      incoming.on("end", done);
      incoming.on("error", fail);
    });
    outgoing.end(body);
  });
}

/** A body as JSON; undefined where it is none. */
export function parsed(answer) {
  try {
    return JSON.parse(answer.text);
  } catch {
    return undefined;
  }
}

/** The media type of an answer, without parameters. */
export const mediaType = (answer) => (answer.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();

/** The code of an error answer of this server's own (`{"error":"…"}`); undefined where something else answered. */
export function ownError(answer) {
  const code = parsed(answer)?.error;
  return typeof code === "string" ? code : undefined;
}
