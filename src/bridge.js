// What Rust would ask of JavaScript in many small calls, in one call each: a crossing costs more than what it fetches.

/**
 * A request's head, a line each: the method, the URL, and the value of each header that `wanted` names, with `=` before it;
 * an empty line for one that is not there. No value holds a line's end.
 */
export function head(request, wanted) {
  const { headers } = request;
  let head = `${request.method}\n${request.url}`;
  for (const name of wanted) {
    const value = headers.get(name);
    head += value === null ? '\n' : `\n=${value}`;
  }
  return head;
}

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

/** The rows of a statement as JSON, bytes as arrays of numbers; nothing where there is no row. */
export function query(sql, statement, bindings) {
  const cursor = sql.exec(statement, ...bindings).raw();
  const rows = [];
  // Step by step, which costs less than what does it all at once.
  for (let next = cursor.next(); !next.done; next = cursor.next()) {
    const row = next.value;
    for (let column = 0; column < row.length; column++) {
      if (row[column] instanceof ArrayBuffer) row[column] = Array.from(new Uint8Array(row[column]));
    }
    rows.push(row);
  }
  return rows.length === 0 ? undefined : JSON.stringify(rows);
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
export async function ask(url, form, authorization, keep, time, limit) {
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

/** Whether the rate limiter of that name lets `key` pass, as a promise; nothing where there is no such limiter. */
export function permits(env, name, key) {
  return env[name]?.limit({ key }).then(outcome => outcome.success);
}
