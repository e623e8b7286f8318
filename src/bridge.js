// What Rust would ask of JavaScript in many small calls, in one call each: a crossing costs more than what it fetches.

let before = '';
let made = new Headers();

/**
 * A response; `headers` holds a line for each. They are mostly those of the response before, and to make them anew costs more
 * than all the rest: a response takes a copy.
 */
export function respond(status, headers, body) {
  if (headers !== before) {
    const pairs = headers.split('\n').map(line => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)];
    });
    made = new Headers(pairs);
    before = headers;
  }
  return new Response(body, { status, headers: made });
}

/** What a codex is to be asked before a request is answered; the headers of an answer with what it says are those in `headers`. */
export class Question {
  constructor(codex, grant, message, repeatable, headers) {
    Object.assign(this, { codex, grant, message, repeatable, headers });
  }
}

/** The same, of `lines`: the codex, the grant, and the headers. */
export function question(lines, message, repeatable) {
  const codex = lines.indexOf('\n');
  const grant = lines.indexOf('\n', codex + 1);
  // The message lies in the memory of the instance, which goes on.
  return new Question(lines.slice(0, codex), lines.slice(codex + 1, grant), message.slice(), repeatable, lines.slice(grant + 1));
}

/** About how long to wait after a call that failed, in milliseconds, each time. */
const PAUSES = [100, 200];

/**
 * Asks a codex; gives what it answers, bytes. Where it answers nothing, a text says so, what the runtime says of the failed
 * call being its first word. A call that is `retryable` is made again after a moment, if to do the same twice is to do it
 * once. One to an `overloaded` object is not: that would add to what it can't do already.
 */
export async function ask(env, codex, message, repeatable) {
  for (let failures = 0; ; failures++) {
    try {
      // A stub whose call has failed may be of no more use, so each call has its own.
      return await env.CODEX.getByName(codex).turn(message);
    } catch (error) {
      const lost = error?.overloaded ? 'overloaded' : error?.retryable ? 'unreachable' : 'broken';
      if (lost !== 'unreachable' || !repeatable || failures === PAUSES.length) return `${lost} ${error?.message}`;
      // Half to one and a half of it, so that callers who failed together do not come back together.
      await pause(PAUSES[failures] * (0.5 + Math.random()));
    }
  }
}

/** Resolves after so many milliseconds. */
export const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/** Whether the rate limiter of that name, if there is one, lets `key` pass. */
export async function permits(env, name, key) {
  try {
    return env[name] === undefined || (await env[name].limit({ key })).success;
  } catch (error) {
    console.error(`The rate limiter ${name} failed: ${error?.message}`);
    return true;
  }
}

const encoder = new TextEncoder();

/**
 * The rows of a statement as JSON, bytes as arrays of numbers; nothing where there is no row. So are the bindings. Where its
 * only value is a `list` of rows, that; nothing where it is NULL.
 */
export function query(sql, statement, bindings, list) {
  const values = JSON.parse(bindings);
  for (let at = 0; at < values.length; at++) {
    if (Array.isArray(values[at])) values[at] = new Uint8Array(values[at]);
  }
  const cursor = sql.exec(statement, ...values).raw();
  if (list) {
    const [rows] = cursor.next().value;
    return rows === null ? undefined : encoder.encode(rows);
  }
  const rows = [];
  // Step by step, which costs less than what does it all at once.
  for (let next = cursor.next(); !next.done; next = cursor.next()) {
    const row = next.value;
    for (let column = 0; column < row.length; column++) {
      if (row[column] instanceof ArrayBuffer) row[column] = Array.from(new Uint8Array(row[column]));
    }
    rows.push(row);
  }
  return rows.length === 0 ? undefined : encoder.encode(JSON.stringify(rows));
}

const undone = new Error('undone');

/** Runs `body` in a transaction, and undoes what it did unless it returns true; gives what failed beside it, if anything did. */
export function transaction(storage, body) {
  try {
    storage.transactionSync(() => {
      if (!body()) throw undone;
    });
  } catch (error) {
    // The instance has ended, and nothing of it may go on.
    if (error instanceof WebAssembly.RuntimeError) throw error;
    return error === undone ? undefined : error;
  }
}

/** Bytes of a database, without its free pages. */
export function databaseSize(sql) {
  return sql.databaseSize;
}

/** The bytes of a body, which may be null; nothing where there are more than `limit`, and no more is read then. */
export async function collect(body, limit) {
  const chunks = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/**
 * What another server answers with 200, as bytes: to a form, or to a GET, whose answer the runtime's cache may keep for
 * `keep` seconds. What is wrong, as text, where that fails, takes more milliseconds than `time` or is larger than `limit`.
 */
export async function load(url, form, authorization, keep, time, limit) {
  const answers = { method: 'GET', headers: { Accept: 'application/json' }, redirect: 'manual', signal: AbortSignal.timeout(time) };
  if (form !== undefined) {
    answers.method = 'POST';
    answers.body = form;
    answers.headers['Content-Type'] = 'application/x-www-form-urlencoded';
    answers.headers.Authorization = authorization;
  } else if (keep > 0) {
    answers.cf = { cacheEverything: true, cacheTtlByStatus: { '200-299': keep, '300-599': 0 } };
  } else {
    answers.cache = 'no-store';
  }
  try {
    const response = await fetch(url, answers);
    if (response.status !== 200) {
      await response.body?.cancel();
      return `answered with status ${response.status}`;
    }
    return (await collect(response.body, limit)) ?? `answered with more than ${limit} bytes`;
  } catch (error) {
    return error?.name === 'TimeoutError' ? `did not answer in ${time} ms` : `failed: ${error?.message ?? error}`;
  }
}
