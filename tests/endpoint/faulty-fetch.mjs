// Stands between a client and the Worker as a server would that breaks one promise. Each fault makes of a `fetch` another;
// what it does not touch passes. By these the tests show that they would notice.

const callOf = init => JSON.parse(init.body).params;

/** The request with other arguments. */
function withArguments(init, change) {
  const message = JSON.parse(init.body);
  message.params.arguments = { ...message.params.arguments, ...change };
  return { ...init, body: JSON.stringify(message) };
}

async function resultOf(response) {
  const { result } = await response.clone().json();
  return { isError: result.isError, said: JSON.parse(result.content[0].text) };
}

/** The answer that a tool call with this structured content gets. */
const answerWith = content => Response.json({
  jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content },
});

const onTool = (tool, fault) => fetch => (url, init) => {
  const params = callOf(init);
  return params?.name === `field_notes_${tool}` ? fault(fetch, url, init, params.arguments) : fetch(url, init);
};

/** An update that names an old revision is now and then carried out all the same. */
export const lostConflictCheck = random => onTool('update', async (fetch, url, init) => {
  const answer = await fetch(url, init);
  const { isError, said } = await resultOf(answer);
  const current = isError && /is at revision (\d+)/.exec(said.error.message)?.[1];
  return current && random.oneIn(4) ? fetch(url, withArguments(init, { expectedRevision: Number(current) })) : answer;
});

/** A get is now and then answered from what an earlier get found. */
export function staleRead(random) {
  const seen = new Map();
  return onTool('get', async (fetch, url, init, { id }) => {
    if (seen.has(id) && random.oneIn(3)) return seen.get(id).clone();
    const answer = await fetch(url, init);
    if (!seen.has(id)) seen.set(id, answer.clone());
    return answer;
  });
}

/** A save that is repeated is now and then a new one. */
export function doubleInsert(random) {
  const seen = new Set();
  return onTool('save', (fetch, url, init, { requestId }) => {
    const again = seen.has(requestId) && random.oneIn(8);
    seen.add(requestId);
    return fetch(url, again ? withArguments(init, { requestId: `${requestId} again` }) : init);
  });
}

/** A save is now and then acknowledged, and kept in another codex, whose token this is. */
export const lostSave = (random, token) => onTool('save', (fetch, url, init) => (
  fetch(url, random.oneIn(4) ? { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } } : init)));

/** An update is now and then acknowledged and forgotten. */
export const lostUpdate = random => onTool('update', (fetch, url, init, { id, expectedRevision, entry }) => {
  if (!random.oneIn(4)) return fetch(url, init);
  const [createdAt, updatedAt] = [new Date(), new Date()];
  return answerWith({ entry: { id, revision: expectedRevision + 1, createdAt, updatedAt, ...entry } });
});

/** An update now and then loses the tags of its entry. */
export const lostTags = random => onTool('update', (fetch, url, init, { entry }) => (
  fetch(url, random.oneIn(4) ? withArguments(init, { entry: { ...entry, tags: [] } }) : init)));

/** A search by a text or a tag now and then finds nothing. */
export const lostFromIndex = random => onTool('search', (fetch, url, init, { query, tag }) => (
  (query || tag) && random.oneIn(4) ? answerWith({ entries: [], coverage: {} }) : fetch(url, init)));
