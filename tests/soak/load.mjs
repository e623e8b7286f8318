// A client that calls without pause until the server is gone: the four tools, repeated saves, cursors, grants. What is
// acknowledged goes into the ledger of its codex, and every answer is compared with it.
import { Notebook } from '../endpoint/worker.mjs';
import { asEntry, written } from './ledger.mjs';

export class Client {
  /** `gone()` says whether the server was killed; what fails before that is a failure of the server's. */
  constructor({ worker, ledgers, random, counts, fetch, gone }) {
    Object.assign(this, { worker, ledgers, random, counts, fetch, gone });
  }

  async run() {
    while (!this.gone()) {
      const standing = this.ledgers.filter(ledger => !ledger.gone);
      if (standing.length === 0) return;
      const ledger = this.random.pick(standing);
      this.notebook = new Notebook(this.worker.url, ledger.token, { fetch: this.fetch });
      this.counts.calls += 1;
      try {
        await this.#act(ledger);
        this.counts.acknowledged += 1;
      } catch (error) {
        if (this.gone()) this.counts.open += 1;
        else if (error.actual === 401) ledger.isLost();
        else throw error;
      }
    }
  }

  async #act(ledger) {
    const chosen = this.random.below(20);
    if (chosen < 6 || ledger.entries.size === 0) return this.#save(ledger);
    if (chosen < 7) return this.#takeCursor(ledger);
    if (chosen < 8) return this.#grant(ledger);
    if (chosen < 9) return this.#revoke(ledger);
    const idle = [...ledger.entries].slice(-100).filter(([, entry]) => !entry.busy && entry.open === undefined);
    if (idle.length === 0) return this.#save(ledger);
    const [id, entry] = this.random.pick(idle);
    entry.busy = true;
    try {
      if (chosen < 14) await this.#update(ledger, id, entry);
      else await this.#read(ledger, id, entry, chosen);
    } finally {
      entry.busy = false;
    }
  }

  async #save(ledger) {
    const request = `${ledger.name}-${ledger.saves.size}`;
    const input = { content: `[${request}] ${'x'.repeat(this.random.below(150))}`, tags: [request] };
    ledger.saves.set(request, { input, open: true });
    const entry = await this.notebook.save(request, input);
    ledger.saves.get(request).open = false;
    ledger.saved(request, entry);
  }

  async #update(ledger, id, entry) {
    const content = `[${entry.request}] update ${entry.revision} ${this.random.below(1e9)}`;
    const replacement = { content, title: `update ${entry.revision}`, tags: [entry.request, `of ${entry.revision}`] };
    entry.open = written(replacement);
    const answer = await this.notebook.call('update', { id, expectedRevision: entry.revision, entry: replacement });
    if (answer.entry) {
      ledger.shown(answer.entry);
    } else {
      entry.open = undefined;
      this.counts.found('strange', `${id} is not updated: ${answer.error.message}`);
    }
  }

  /** Gets the entry, by its id, its tag, its content or the request that saved it. */
  async #read(ledger, id, entry, how) {
    const { input } = ledger.saves.get(entry.request);
    const answer = await {
      14: () => this.#search({ query: `[${entry.request}]`.toUpperCase() }),
      15: () => this.#search({ tag: entry.request }),
      16: () => this.notebook.call('save', { requestId: entry.request, entry: input }),
    }[how]?.() ?? await this.notebook.call('get', { id });
    if (answer.entries) {
      if (answer.entries.length === 0) this.counts.found('lost', `${ledger.name}: ${entry.request} is not found`);
      if (answer.entries.length > 1) this.counts.found('doubled', `${ledger.name}: ${entry.request}`);
      for (const summary of answer.entries) ledger.shown(asEntry(summary));
    } else if (answer.entry) {
      if (answer.entry.id === id) ledger.shown(answer.entry);
      else this.counts.found('doubled', `${ledger.name}: ${entry.request} is ${id} and ${answer.entry.id}`);
    } else {
      this.counts.found('lost', `${ledger.name}: ${id}: ${answer.error.message}`);
      ledger.entries.delete(id);
    }
  }

  /** All pages as one. */
  async #search(args) {
    return { entries: await this.notebook.searchToTheEnd(args) };
  }

  async #takeCursor(ledger) {
    const { entries, nextCursor } = await this.notebook.call('search', { limit: 1 + this.random.below(5) });
    if (nextCursor) ledger.cursors.push({ cursor: nextCursor, after: entries.at(-1).id });
  }

  async #grant(ledger) {
    const { grant, token } = await this.worker.grant(ledger.name, ['notes:read']);
    ledger.grants.set(grant.id, { token, revoked: false });
  }

  async #revoke(ledger) {
    const standing = [...ledger.grants].filter(([, grant]) => grant.revoked === false);
    if (standing.length === 0) return this.#takeCursor(ledger);
    const [id, grant] = this.random.pick(standing);
    grant.revoked = undefined;
    const { status } = await this.worker.owner('DELETE', `/grants/${id}?codex=${ledger.name}`);
    if (status === 204) {
      grant.revoked = true;
    } else {
      this.counts.found('lost', `${ledger.name}: grant ${id}: ${status}`);
      ledger.grants.delete(id);
    }
  }
}
