//! The tables of a codex, and the migrations that make them.
//!
//! Migrations only go forward: each runs once, in a transaction that also records it, so that a codex is always at one
//! version, whole. `docs/storage.md` describes the tables.

use super::storage::{Param, Storage, StorageError};
use super::time::Timestamp;

/// The statements of each migration, the first being version 1. What was released never changes.
const MIGRATIONS: &[&[&str]] = &[NOTEBOOK, AUTHORIZATION_SERVER, REVOKED_TOKENS, SEARCH_INDEX];

const NOTEBOOK: &[&str] = &[
    // In the order of keys the entries are in the order of their ids. The columns that browsing reads come first.
    "CREATE TABLE entries (
       key INTEGER PRIMARY KEY,       -- the first 53 random bits of the id
       id TEXT NOT NULL,
       revision INTEGER NOT NULL,
       created_at INTEGER NOT NULL,   -- milliseconds since 1970
       updated_at INTEGER NOT NULL,
       meta TEXT NOT NULL,            -- the members besides the content, as a compact JSON object
       head TEXT,                     -- the excerpt from the content's start; NULL: the whole content
       content TEXT NOT NULL,
       folded TEXT                    -- content, title and tags as searches see them; NULL: too large for a row
     ) STRICT",
    "CREATE TABLE requests (
       request_id TEXT PRIMARY KEY,
       digest BLOB NOT NULL,          -- SHA-256 of the entry input's canonical JSON
       key INTEGER NOT NULL           -- the entry that the request saved
     ) STRICT, WITHOUT ROWID",
    "CREATE TABLE cursor_keys (
       id INTEGER PRIMARY KEY,        -- ascending: the largest signs
       secret BLOB NOT NULL,
       created_at INTEGER NOT NULL
     ) STRICT",
    "CREATE TABLE grants (
       id TEXT PRIMARY KEY,
       label TEXT NOT NULL,
       scopes TEXT NOT NULL,          -- space-separated
       created_at INTEGER NOT NULL,
       last_used_at INTEGER,          -- to the hour
       expires_at INTEGER,
       revoked_at INTEGER
     ) STRICT, WITHOUT ROWID",
];

const AUTHORIZATION_SERVER: &[&str] = &[
    "CREATE TABLE codes (
       id BLOB PRIMARY KEY,
       client BLOB NOT NULL,          -- SHA-256 of the client's id
       resource BLOB NOT NULL,        -- the start of the SHA-256 of the resource server's URL
       challenge BLOB NOT NULL,       -- SHA-256 of the code's verifier
       redirect_uri BLOB NOT NULL,    -- SHA-256 of the redirect URI
       scopes TEXT NOT NULL,
       label TEXT NOT NULL,           -- what its grant will be called
       expires_at INTEGER NOT NULL,
       grant_id TEXT                  -- the grant that it gave; NULL: none yet
     ) STRICT, WITHOUT ROWID",
    "CREATE TABLE families (
       grant_id TEXT PRIMARY KEY,
       client BLOB NOT NULL,          -- SHA-256 of the client's id
       resource BLOB NOT NULL,        -- the start of the SHA-256 of the resource server's URL
       generation INTEGER NOT NULL,   -- of the newest tokens, counted from 1
       issued_at INTEGER NOT NULL,
       used INTEGER NOT NULL          -- 1: the newest access token was used
     ) STRICT, WITHOUT ROWID",
];

/// Tokens of other issuers.
const REVOKED_TOKENS: &[&str] = &["CREATE TABLE revoked_tokens (
       id TEXT PRIMARY KEY,           -- base64url of the SHA-256 of issuer and jti
       revoked_at INTEGER NOT NULL,
       kept_until INTEGER             -- NULL: for ever
     ) STRICT, WITHOUT ROWID"];

const SEARCH_INDEX: &[&str] = &[
    // A row's id is the key of its entry.
    "CREATE VIRTUAL TABLE trigrams USING fts5(
       text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
     )",
    // What stands in place of a folded text that is not in the index, `A`, U+0001, `A`, is that of src/notebook/index.rs.
    "CREATE VIEW indexed AS
       SELECT key, coalesce(iif(instr(folded, char(0)) > 0, NULL, folded), 'A' || char(1) || 'A')
         || coalesce(meta -> '$.tags', '') || coalesce(meta -> '$.relatedAgentIds', '') AS text
       FROM entries",
    "CREATE TRIGGER entry_inserted AFTER INSERT ON entries BEGIN
       INSERT INTO trigrams (rowid, text) SELECT key, text FROM indexed WHERE key = new.key;
     END",
    "CREATE TRIGGER entry_updated AFTER UPDATE ON entries BEGIN
       INSERT OR REPLACE INTO trigrams (rowid, text) SELECT key, text FROM indexed WHERE key = new.key;
     END",
    "CREATE TABLE backfill (
       position INTEGER NOT NULL      -- entries of larger keys may not be in the index; no row: all are
     ) STRICT",
    "INSERT INTO backfill SELECT -1 WHERE EXISTS (SELECT 1 FROM entries)",
];

/// Brings the database to the newest version; does nothing where it is there already.
///
/// # Errors
/// When the database can't be read or written, or was made by a newer version of this program.
pub fn migrate(storage: &impl Storage, now: Timestamp) -> Result<(), StorageError> {
    storage.execute(
        "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT",
        &[],
    )?;
    let version = match storage.query("SELECT coalesce(max(version), 0) FROM migrations", &[])?.pop() {
        Some(mut row) => usize::try_from(row.integer()?).unwrap_or_default(),
        None => 0,
    };
    if version > MIGRATIONS.len() {
        return Err(StorageError::new(format!(
            "the database is at version {version}, which is newer than this program"
        )));
    }
    for (version, statements) in (1..).zip(MIGRATIONS).skip(version) {
        storage.transaction(|| {
            for statement in *statements {
                storage.execute(statement, &[])?;
            }
            storage.execute(
                "INSERT INTO migrations (version, applied_at) VALUES (?, ?)",
                &[Param::Integer(version), Param::Integer(now.milliseconds())],
            )
        })?;
    }
    Ok(())
}
