// The owner's side of a running Worker: makes, lists and revokes grants. For scripts/dev.mjs and scripts/token.mjs.

import { existsSync, readFileSync } from "node:fs";

export const DEV_VARS = new URL("../.dev.vars", import.meta.url);

/** An error to show without a stack trace. */
export class Problem extends Error {}

function ownerKey() {
  if (process.env.OWNER_KEY) return process.env.OWNER_KEY;
  const line = existsSync(DEV_VARS) && readFileSync(DEV_VARS, "utf8").match(/^OWNER_KEY\s*=\s*"?([\w-]+)"?/m);
  if (!line) throw new Problem("Set OWNER_KEY in the environment; without it, .dev.vars is read, which has none.");
  return line[1];
}

async function ask(url, method, path, codex, body) {
  const target = new URL(path, url);
  target.searchParams.set("codex", codex);
  const headers = { Authorization: `Bearer ${ownerKey()}`, "Content-Type": "application/json" };
  let response;
  try {
    response = await fetch(target, { method, headers, body: body && JSON.stringify(body) });
  } catch (error) {
    throw new Problem(`Nothing answers at ${url} (${error.cause?.code ?? error.message}). Start it with \`make dev\`, or set URL.`);
  }
  const text = await response.text();
  if (response.status === 401) throw new Problem(`${url} does not accept this OWNER_KEY.`);
  if (!response.ok) {
    let reason = text;
    try {
      reason = JSON.parse(text).error_description;
    } catch {
      // Not this project's answer; shown as it is.
    }
    throw new Problem(`${url} answered ${response.status}: ${reason}`);
  }
  return text && JSON.parse(text);
}

/** Makes a grant: `{label, scopes, expiresInSeconds?}` becomes `{grant, token}`. */
export const createGrant = (url, codex, grant) => ask(url, "POST", "/grants", codex, grant);
export const listGrants = async (url, codex) => (await ask(url, "GET", "/grants", codex)).grants;
export const revokeGrant = (url, codex, id) => ask(url, "DELETE", `/grants/${encodeURIComponent(id)}`, codex);

export const revokeGrants = (url, codex) => ask(url, "DELETE", "/grants", codex);

/** Runs a script's main function; what it throws as a Problem is the user's to solve. */
export async function run(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    process.exitCode = 1;
  }
}
