// What the doctor says: a line for each probe, and for each fault what it means and how to mend it. Text that comes from
// outside is escaped and shortened, and never holds the token.

const SHOWN_CHARACTERS = 120;

/** Ends the examination: what would follow depends on what was found. */
export class Stop extends Error {}

export class Report {
  #write;
  #secret; // A pattern of the token, whole or cut off.
  faults = 0;
  notes = 0;
  #told = new Set();

  /** `write` takes a line; `secret` is what no line may show. */
  constructor(write, secret) {
    this.#write = write;
    const start = secret.slice(0, 8).replace(/[^\w]/g, "\\$&");
    this.#secret = secret && new RegExp(`${start}[\\w.~+/=-]*`, "g");
  }

  ok(probe, text) {
    this.#line("ok", probe, text);
  }

  note(probe, text) {
    this.notes += 1;
    this.#line("note", probe, text);
  }

  /** A fault. Each kind of fault is told once: what one cause does to several requests is still one fault. */
  fault(probe, text, { means, mend }) {
    if (this.#told.has(probe)) return;
    this.#told.add(probe);
    this.faults += 1;
    this.#line("FAULT", probe, text);
    this.#write(`         means: ${means}`);
    this.#write(`         mend:  ${mend}`);
  }

  /** Whether this kind of fault was found. */
  has(probe) {
    return this.#told.has(probe);
  }

  #line(level, probe, text) {
    this.#write(`${level.padEnd(6)} ${probe}: ${text}`);
  }

  /** Text from outside, in quotes. */
  quote(value, shown = SHOWN_CHARACTERS) {
    if (value === undefined) return "nothing";
    let text = String(value);
    if (this.#secret) text = text.replace(this.#secret, "[the token]");
    const cut = text.length > shown ? `${text.slice(0, shown)}…` : text;
    // JSON escapes control characters below U+0020; a terminal also obeys some above, and bidirectional marks reorder a line.
    const escape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return JSON.stringify(cut).replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, escape);
  }

  /** An answer in a few words: its status, media type, and how its body begins. */
  describe(answer) {
    if (answer.error) return `no answer (${this.quote(answer.error)})`;
    const type = answer.headers["content-type"];
    const body = answer.text.trim() ? `, beginning ${this.quote(answer.text.trim(), 60)}` : ", empty";
    return `${answer.status} ${type ? this.quote(type) : "without Content-Type"}${body}`;
  }
}
