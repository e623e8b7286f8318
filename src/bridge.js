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
