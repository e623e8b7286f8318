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
