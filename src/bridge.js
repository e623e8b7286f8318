// What Rust would ask of JavaScript in many small calls, in one call each: a crossing costs more than what it fetches.

let names = '';
let list = [];

/**
 * A request's head, a line each: the method, the URL, and the value of each header that `wanted` names, with `=` before it;
 * an empty line for one that is not there. No value holds a line's end.
 */
export function head(request, wanted) {
  if (wanted !== names) {
    names = wanted;
    list = wanted.split(' ');
  }
  const { headers } = request;
  let head = `${request.method}\n${request.url}`;
  for (const name of list) {
    const value = headers.get(name);
    head += value === null ? '\n' : `\n=${value}`;
  }
  return head;
}

/** A response; `headers` holds a line for each. */
export function respond(status, headers, body) {
  const pairs = headers.split('\n').map(line => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1)];
  });
  return new Response(body, { status, headers: pairs });
}

/** The rows of a statement as JSON, bytes as arrays of numbers; nothing where there is no row. */
export function query(sql, statement, bindings) {
  const rows = sql.exec(statement, ...bindings).raw().toArray();
  if (rows.length === 0) return undefined;
  for (const row of rows) {
    for (let column = 0; column < row.length; column++) {
      if (row[column] instanceof ArrayBuffer) row[column] = Array.from(new Uint8Array(row[column]));
    }
  }
  return JSON.stringify(rows);
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

/** Whether the rate limiter of that name lets `key` pass; one that is not there lets everybody. */
export async function permits(env, name, key) {
  const limiter = env[name];
  return limiter === undefined || (await limiter.limit({ key })).success;
}
