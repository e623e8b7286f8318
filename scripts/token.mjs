// Makes, lists and revokes the grants of a codex on a running Worker: `make token`, `make grants`, `make revoke`.
// Settings come from the environment: CODEX, LABEL, SCOPES, EXPIRES, GRANT, URL or PORT, and OWNER_KEY.

import { createGrant, listGrants, Problem, revokeGrant, revokeGrants, run } from "./owner.mjs";

const SECONDS = { s: 1, m: 60, h: 3600, d: 86400 };
const KNOWN_SCOPES = ["notes:read", "notes:write"];

const { CODEX = "local", SCOPES = KNOWN_SCOPES.join(" "), EXPIRES, GRANT, PORT = "8787" } = process.env;
const LABEL = process.env.LABEL || "made with make token";
const url = process.env.URL ?? `http://127.0.0.1:${PORT}`;
/** Seconds that a grant lives, at most. */
const LIFETIME = 2 ** 32 - 1;

function parseScopes() {
  const scopes = SCOPES.split(/[\s,]+/).filter(Boolean);
  const unknown = scopes.filter((scope) => !KNOWN_SCOPES.includes(scope));
  if (unknown.length > 0 || scopes.length === 0) {
    throw new Problem(`SCOPES must hold ${KNOWN_SCOPES.join(", ")} or both, not "${SCOPES}".`);
  }
  return scopes;
}

function parseExpires() {
  if (!EXPIRES) return undefined;
  const [, count, unit] = EXPIRES.match(/^([1-9]\d{0,8})([smhd])$/) ?? [];
  if (!unit) throw new Problem(`EXPIRES is a number and s, m, h or d, such as 30d, not "${EXPIRES}".`);
  const seconds = count * SECONDS[unit];
  if (seconds > LIFETIME) throw new Problem(`EXPIRES is at most ${Math.floor(LIFETIME / SECONDS.d)}d; without it a grant lasts.`);
  return seconds;
}

const commands = {
  async create() {
    const made = await createGrant(url, CODEX, { label: LABEL, scopes: parseScopes(), expiresInSeconds: parseExpires() });
    console.error(`Grant ${made.grant.id} on codex ${CODEX}. Its token, shown this once:`);
    console.log(made.token);
  },
  async list() {
    const grants = await listGrants(url, CODEX);
    if (grants.length === 0) console.error(`Codex ${CODEX} has no grants.`);
    for (const grant of grants) console.log(JSON.stringify(grant));
  },
  async revoke() {
    if (!GRANT) throw new Problem("GRANT must be the id of a grant, which `make grants` lists, or all.");
    if (GRANT === "all") {
      await revokeGrants(url, CODEX);
      console.error(`Every grant on codex ${CODEX} is revoked.`);
      return;
    }
    await revokeGrant(url, CODEX, GRANT);
    console.error(`Grant ${GRANT} on codex ${CODEX} is revoked.`);
  },
};

await run(async () => {
  const command = commands[process.argv[2]];
  if (!command) throw new Problem(`usage: node scripts/token.mjs ${Object.keys(commands).join("|")}`);
  await command();
});
