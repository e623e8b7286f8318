//! Every limit of the contract, each once. The schemas, the checks, the messages and the documentation read them here.
//!
//! A *character* is a Unicode code point, which is also what JSON Schema's `maxLength` counts.

use super::text::EXCERPT_CHARACTERS;

/// Characters of an entry's content.
pub const CONTENT_CHARACTERS: usize = 65_536;
/// Characters of an entry's title.
pub const TITLE_CHARACTERS: usize = 256;
/// Tags of an entry.
pub const TAGS: usize = 32;
/// Characters of a tag.
pub const TAG_CHARACTERS: usize = 64;
/// Related agents of an entry.
pub const RELATED_AGENTS: usize = 32;
/// Characters of a related agent's id.
pub const AGENT_ID_CHARACTERS: usize = 512;
/// Characters of a provenance's `source`.
pub const SOURCE_CHARACTERS: usize = 512;
/// Bytes of a provenance as compact UTF-8 JSON.
pub const PROVENANCE_BYTES: usize = 16_384;
/// Levels of arrays and objects in a provenance, itself being the first.
pub const PROVENANCE_DEPTH: usize = 8;
/// Bytes of an entry input as compact UTF-8 JSON.
pub const ENTRY_BYTES: usize = 262_144;
/// Array elements and object members of a call's `arguments`, counted together over the whole tree.
pub const ARGUMENT_MEMBERS: usize = 2_000;
/// Characters of a request id.
pub const REQUEST_ID_CHARACTERS: usize = 128;
/// Characters of a search's query.
pub const QUERY_CHARACTERS: usize = 256;
/// Entries of a search page, at most.
pub const PAGE_ENTRIES: i64 = 50;
/// Entries of a search page when the call names no limit.
pub const DEFAULT_PAGE_ENTRIES: i64 = 20;
/// Characters of a cursor.
pub const CURSOR_CHARACTERS: usize = 2_048;
/// Candidates that a filtered page examines, at most.
pub const CANDIDATES: usize = 100;
/// Bytes of a search page's JSON, unless its only entry is larger.
pub const PAGE_BYTES: usize = 65_536;
/// Characters of a summary's excerpt.
pub const EXCERPT: usize = EXCERPT_CHARACTERS;
/// The largest integer that every JSON reader holds exactly: 2^53 − 1 (RFC 8259, section 6).
pub const MAX_SAFE_INTEGER: i64 = 9_007_199_254_740_991;
