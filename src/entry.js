// What the runtime loads: the Worker's handler and the class of the codex's object. Both hand on to Rust, and wait in its
// place: a call of Rust's that does not wait costs a fraction of one that does.
//
// All requests and objects of an isolate share one wasm instance. A panic, and whatever else traps, ends it: what asked is
// answered with an internal error, and so is each request that waits within Rust; a new instance takes what comes next.
// Nothing stored lived in the old one. A turn does not wait, so none of another codex is ever cut off.
import { DurableObject } from 'cloudflare:workers';
import { __wbg_reset_state, broken, Codex as Turns, handle, incomplete, unanswered } from './wasm/index.js';
import { ask, collect, permits, Question, respond } from './bridge.js';

/** Bytes of a body that are read, at most. */
const BODY_BYTES = 1_048_576;
/** The headers that are read at most requests. */
const HEADERS = [
  'Origin',
  'Authorization',
  'Content-Length',
  'Content-Type',
  'Content-Encoding',
  'Accept',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
];
const EMPTY = new Uint8Array(0);
/** What begins an outcome that is the whole answer to a client, in `src/codex/message.rs`. */
const ANSWER = 'a'.charCodeAt(0);

// Every wait of Rust's is a microtask, and the runtime's own way to queue one costs several times what a promise does.
const resolved = Promise.resolve();
globalThis.queueMicrotask = task => void resolved.then(task);

/** The wasm instance: its number, and a promise that fails when it ends. */
let instance = 0;
let ended = Promise.withResolvers();
ended.promise.catch(() => {});

/** Where an error means that the instance has ended, puts another in its place. */
function replaceEnded(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  console.error(error.stack);
  ended.reject(error);
  ended = Promise.withResolvers();
  ended.promise.catch(() => {});
  instance += 1;
  __wbg_reset_state();
}
addEventListener('error', event => replaceEnded(event.error));
addEventListener('unhandledrejection', event => replaceEnded(event.reason));

/**
 * A request's head, a line each: the method, the URL, and the value of each of the headers, with `=` before it; an empty line
 * for one that is not there. No value holds a line's end.
 */
function headOf(request) {
  const { headers } = request;
  let head = `${request.method}\n${request.url}`;
  for (const name of HEADERS) {
    const value = headers.get(name);
    head += value === null ? '\n' : `\n=${value}`;
  }
  return head;
}

/** A request's body; nothing where it is too large. */
async function bodyOf(request) {
  const length = request.headers.get('Content-Length');
  if (length === null) return request.body === null ? EMPTY : collect(request.body, BODY_BYTES);
  return Number(length) <= BODY_BYTES ? new Uint8Array(await request.arrayBuffer()) : undefined;
}

/** Answers a request; where a codex must be asked first, `told` is what came of that. */
function answer(request, head, body, env, ctx, told) {
  const answered = handle(request, head, body, env, ctx, told);
  return answered instanceof Promise ? Promise.race([answered, ended.promise]) : answered;
}

async function told({ codex, grant, message, repeatable }, env) {
  if (env.CALLS !== undefined && !(await permits(env, 'CALLS', grant))) return 'limited';
  return ask(env, codex, message, repeatable);
}

export default {
  async fetch(request, env, ctx) {
    try {
      const head = headOf(request);
      let body;
      try {
        body = await bodyOf(request);
      } catch {
        return incomplete();
      }
      const answered = await answer(request, head, body, env, ctx);
      if (!(answered instanceof Question)) return answered;
      const outcome = await told(answered, env);
      if (outcome[0] === ANSWER) return respond(200, answered.headers, outcome.subarray(1));
      return await answer(request, head, body, env, ctx, outcome);
    } catch (error) {
      replaceEnded(error);
      console.error(error?.message);
      return unanswered();
    }
  },
};

export class Codex extends DurableObject {
  #turns;
  #instance;

  /** Takes a turn: a message in, an outcome out. */
  turn(message) {
    try {
      return this.#current().turn(message);
    } catch (error) {
      replaceEnded(error);
      console.error(error?.message);
      return broken(message);
    }
  }

  /** What the runtime calls when the object's alarm goes off. */
  alarm() {
    try {
      this.#current().workBetweenTurns();
    } catch (error) {
      replaceEnded(error);
      throw error;
    }
  }

  #current() {
    if (this.#instance !== instance) {
      this.#turns = new Turns(this.ctx.storage, this.env);
      this.#instance = instance;
    }
    return this.#turns;
  }
}
