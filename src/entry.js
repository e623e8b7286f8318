// What the runtime loads: the Worker's handler and the class of the codex's object. Both hand on to Rust. Compared with the
// classes that worker-build generates, this spares every call a class of its own, and a proxy around it; and a codex's turn
// is a method, which costs less to call than a request.
import { DurableObject } from 'cloudflare:workers';
import Generated, { Codex as GeneratedCodex } from './generated.js';

// Every wait of Rust's is a microtask, and the runtime's own way to queue one costs several times what a promise does.
const resolved = Promise.resolve();
globalThis.queueMicrotask = task => void resolved.then(task);

// The classes under their proxies.
const { fetch } = Generated.prototype;
const Turns = GeneratedCodex.prototype.constructor;

export default {
  fetch(request, env, ctx) {
    return fetch.call({ env, ctx }, request);
  },
};

export class Codex extends DurableObject {
  #turns;

  /** Takes a turn: a message in, an outcome out. */
  turn(message) {
    return this.#ask(turns => turns.turn(message));
  }

  /** What the runtime calls when the object's alarm goes off. */
  alarm() {
    this.#ask(turns => turns.workBetweenTurns());
  }

  #ask(ask) {
    try {
      this.#turns ??= new Turns(this.ctx, this.env);
      return ask(this.#turns);
    } catch (error) {
      // After a trap the wasm instance is another one, and what belonged to the old one says so before it does anything.
      this.#turns = undefined;
      if (!/stale object/.test(error?.message)) throw error;
      this.#turns = new Turns(this.ctx, this.env);
      return ask(this.#turns);
    }
  }
}
