// What a codex has acknowledged, and whether the codex still stands by it.
//
// An entry's content begins with the request that saved it, in brackets, through every update; so an entry whose answer was
// lost is known again, and one that was saved twice shows. A write without an answer is open: it may have happened or not,
// until the codex is looked at, and from then on it is settled.
import assert from 'node:assert/strict';
import { Notebook } from '../endpoint/worker.mjs';

const PAGE = 50;

/** What a write has written, to compare. */
export const written = ({ content, title, tags }) => JSON.stringify([content, title, tags]);

const requestOf = content => /^\[([^\]]+)\]/.exec(content)?.[1];

/** An entry as a summary shows it: its contents are short enough to be their own excerpts. */
export const asEntry = ({ excerpt, ...summary }) => ({ ...summary, content: excerpt });

export class Counts {
  kills = 0;
  calls = 0;
  acknowledged = 0;
  open = 0;
  codexes = 0;
  /** What was acknowledged and is not there: entries, grants, cursors. */
  lost = 0;
  /** Requests of which there are two entries. */
  doubled = 0;
  /** What stands as it did before an acknowledged change: entries, revoked grants. */
  reverted = 0;
  /** What nobody wrote. */
  strange = 0;
  #quiet;

  constructor(quiet) {
    this.#quiet = quiet;
  }

  get wrong() {
    return this.lost + this.doubled + this.reverted + this.strange;
  }

  /** Counts something wrong, and says what. */
  found(kind, what) {
    this[kind] += 1;
    if (!this.#quiet) console.error(`soak: ${kind}: ${what}`);
  }
}

export class Ledger {
  /** By request id: `{input, id, open}`; `open` while there is no answer. */
  saves = new Map();
  /**
   * By id: `{request, revision, written, createdAt, updatedAt, open, busy}`; `written` is what stands, as `written` below
   * says it, and `open` that of an update without an answer.
   */
  entries = new Map();
  /** `{cursor, after}`: the id after which each goes on. */
  cursors = [];
  /** By id: `{token, revoked}`, which is true, false or, while the revocation is open, undefined. */
  grants = new Map();
  /** Whether the whole codex is lost, which is counted once. */
  gone = false;

  constructor(name, token, counts) {
    Object.assign(this, { name, token, counts });
  }

  /** Notes that the codex's own grant is gone, and with it all. */
  isLost() {
    if (!this.gone) this.counts.found('lost', `${this.name}: all of it`);
    this.gone = true;
  }

  /** Notes the answer of a save. */
  saved(request, entry) {
    const { id, revision, createdAt, updatedAt } = entry;
    const save = this.saves.get(request);
    if (save.id === undefined) {
      save.id = id;
      this.entries.set(id, { request, revision, written: written(entry), createdAt, updatedAt });
    } else if (save.id !== id) {
      this.counts.found('doubled', `${this.name}: ${request} is ${save.id} and ${id}`);
    }
  }

  /** Compares an entry as it is shown with what was acknowledged of it; settles an open update. */
  shown(entry) {
    const { id, revision, content, createdAt, updatedAt } = entry;
    const known = this.entries.get(id);
    const found = written(entry);
    const { counts } = this;
    if (!known) return counts.found('strange', `${this.name}: nobody saved ${id}: ${content}`);
    const updated = known.open !== undefined && revision === known.revision + 1 && found === known.open;
    if (revision < known.revision) {
      counts.found('reverted', `${this.name}: ${id} is at ${revision}, not ${known.revision}`);
    } else if (!updated && (revision !== known.revision || found !== known.written)) {
      counts.found('strange', `${this.name}: ${id} is ${revision} ${found}, not ${known.revision} ${known.written}`);
    } else if (createdAt !== known.createdAt || (updated ? updatedAt < known.updatedAt : updatedAt !== known.updatedAt)) {
      counts.found('strange', `${this.name}: ${id} is of ${createdAt} and ${updatedAt}, not ${known.createdAt} and ${known.updatedAt}`);
    }
    Object.assign(known, { revision, written: found, createdAt, updatedAt, open: undefined });
  }

  /** Looks at everything that the codex acknowledged; settles what was open. */
  async verify(worker, fetch) {
    if (this.gone) return;
    const notebook = new Notebook(worker.url, this.token, { fetch });
    const owned = await worker.owner('GET', `/grants?codex=${this.name}`);
    const grants = new Map((await owned.json()).grants.map(grant => [grant.id, grant]));
    if (![...grants.values()].some(grant => grant.label === 'writer')) {
      this.isLost();
      return;
    }
    const found = await this.#browse(notebook);
    this.#compare(found);
    await this.#settle(notebook);
    await this.#goOn(notebook, found.map(({ id }) => id));
    await this.#verifyGrants(worker, grants);
  }

  async #browse(notebook, cursor) {
    const found = [];
    do {
      const page = await notebook.call('search', { limit: PAGE, ...(cursor && { cursor }) });
      if (page.error) {
        assert.equal(page.error.code, 'invalid_cursor');
        return undefined;
      }
      found.push(...page.entries);
      cursor = page.nextCursor;
    } while (cursor);
    return found.map(asEntry);
  }

  #compare(found) {
    const ids = new Map();
    for (const entry of found) {
      const request = requestOf(entry.content);
      if (ids.has(request)) this.counts.found('doubled', `${this.name}: ${request} is ${ids.get(request)} and ${entry.id}`);
      ids.set(request, entry.id);
      const save = this.saves.get(request);
      if (save && save.id === undefined && entry.revision === 1 && written(entry) === written(save.input)) this.saved(request, entry);
      this.shown(entry);
    }
    const there = new Set(found.map(({ id }) => id));
    for (const [id, { request }] of this.entries) {
      if (there.has(id)) continue;
      this.counts.found('lost', `${this.name}: ${id} of ${request}`);
      this.entries.delete(id);
    }
  }

  /** Repeats the saves that were open before the look, twice at once: each is one entry, and the one that was there. */
  async #settle(notebook) {
    for (const [request, save] of this.saves) {
      if (!save.open) continue;
      const repeat = () => notebook.save(request, save.input);
      for (const entry of await Promise.all([repeat(), repeat()])) {
        this.saved(request, entry);
        this.shown(entry);
      }
      save.open = false;
    }
  }

  /** Goes on from the cursors that were taken before. */
  async #goOn(notebook, ids) {
    for (const { cursor, after } of this.cursors.splice(0)) {
      const rest = await this.#browse(notebook, cursor);
      const missing = rest && ids.filter(id => id > after && !rest.some(entry => entry.id === id));
      if (!rest) this.counts.found('lost', `${this.name}: a cursor`);
      else if (missing.length > 0) this.counts.found('lost', `${this.name}: ${missing.length} entries after a cursor`);
    }
  }

  async #verifyGrants(worker, listed) {
    for (const [id, grant] of this.grants) {
      if (!listed.has(id)) {
        this.counts.found('lost', `${this.name}: grant ${id}`);
        this.grants.delete(id);
        continue;
      }
      const { status } = await new Notebook(worker.url, grant.token).request('search', { limit: 1 });
      const stands = status === 200;
      assert.ok(stands || status === 401, `status ${status}`);
      if (stands && grant.revoked) this.counts.found('reverted', `${this.name}: grant ${id} stands again`);
      if (!stands && grant.revoked === false) this.counts.found('lost', `${this.name}: grant ${id} no longer stands`);
      grant.revoked = !stands;
    }
  }
}
