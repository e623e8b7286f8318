//! The tool listing: what a model reads of the four tools. Names, limits and shapes come from the notebook; the words are
//! here. `mcp-tools.json` at the repository's root is this listing, and a test holds them together.

use std::fmt::Write as _;

use super::schema;
use crate::json::write_string;
use crate::notebook::arguments::{ENTRY, Tool};
use crate::notebook::shape::Shape;

/// The server's name.
pub const NAME: &str = "agent-codex";
/// The server's title.
pub const TITLE: &str = "Agent Codex";
/// The server's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a model is told of the server. Its first 512 characters stand alone, since some hosts keep no more.
pub const INSTRUCTIONS: &str = "Your codex: durable field notes that outlive this conversation, shared by every host you \
    work from. Search it before work that may have been noted. Save what you will want to know again (decisions, findings, \
    pitfalls, preferences) as self-contained notes with a title and tags. Search is literal and case-insensitive, not \
    semantic: try single distinctive words, and follow nextCursor to the end. Update replaces a whole note and needs its \
    current revision. Never save secrets.";

/// The server's `Implementation` object, as JSON.
#[must_use]
pub fn implementation() -> String {
    format!("{{\"name\":\"{NAME}\",\"title\":\"{TITLE}\",\"version\":\"{VERSION}\"}}")
}

struct Words {
    title: &'static str,
    description: &'static str,
    destructive: bool,
    idempotent: bool,
}

const fn words(tool: Tool) -> Words {
    match tool {
        Tool::Save => Words {
            title: "Save a field note",
            description: "Save a new note. Returns the entry with its id and revision 1. Safe to retry with the same \
                requestId and entry: the retry returns the entry as it is now. On conflict, the requestId was used for \
                another entry: choose a new one.",
            destructive: false,
            idempotent: true,
        },
        Tool::Get => Words {
            title: "Get a field note",
            description: "Get one note in full by its id, with its current revision.",
            destructive: false,
            idempotent: true,
        },
        Tool::Search => Words {
            title: "Search field notes",
            description: "Find notes, or browse all with no filter. Literal substring, case-insensitive, any script; not \
                semantic, no wildcards: use one distinctive word. All filters given must hold. Returns \
                summaries with an excerpt, in id order; get an entry for its content. While nextCursor is present there \
                is more, even if entries is empty: repeat the call with it as cursor.",
            destructive: false,
            idempotent: true,
        },
        Tool::Update => Words {
            title: "Replace a field note",
            description: "Replace a note whole: members you leave out are removed. Needs the revision that you read. On \
                conflict the note has changed and nothing was written: get it, merge, and update with its current \
                revision; never just raise the number.",
            destructive: true,
            idempotent: false,
        },
    }
}

/// The value of `tools` in the result of tools/list, as JSON.
#[must_use]
pub fn tools() -> String {
    let tools: Vec<_> = Tool::ALL.into_iter().map(tool).collect();
    format!("[{}]", tools.join(","))
}

/// The content of `mcp-tools.json`: the listing as it is served, a tool to a line.
#[must_use]
pub fn file() -> String {
    let tools: Vec<_> = Tool::ALL.into_iter().map(tool).collect();
    format!("{{\"tools\":[\n{}\n]}}", tools.join(",\n"))
}

fn tool(tool: Tool) -> String {
    let words = words(tool);
    let mut json = format!("{{\"name\":\"{}\",\"title\":\"{}\",\"description\":", tool.name(), words.title);
    write_string(&mut json, words.description);
    json.push_str(",\"inputSchema\":");
    json.push_str(&schema::arguments(tool.arguments()));
    json.push_str(",\"outputSchema\":");
    json.push_str(&match tool {
        Tool::Search => page_schema(),
        Tool::Save | Tool::Get | Tool::Update => entry_schema(),
    });
    let _ = write!(
        json,
        ",\"annotations\":{{\"readOnlyHint\":{},\"destructiveHint\":{},\"idempotentHint\":{},\"openWorldHint\":false}}}}",
        !tool.writes(),
        words.destructive,
        words.idempotent
    );
    json
}

fn entry_schema() -> String {
    let reference = "{\"$ref\":\"#/definitions/Entry\"}".to_owned();
    schema::result(&[("entry", reference)], &[], &[("Entry", entry_definition(&["content"], None))])
}

fn page_schema() -> String {
    let text = "{\"type\":\"string\"}".to_owned();
    let summary = entry_definition(&[], Some(("excerpt", text.clone())));
    let entries = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/Summary\"}}".to_owned();
    let coverage = schema::closed_object(
        &[
            ("storage", "{\"const\":\"active-only\"}".to_owned()),
            ("mode", "{\"const\":\"literal-substring-v1\"}".to_owned()),
            ("scanned", "{\"type\":\"integer\"}".to_owned()),
            ("hasMore", "{\"type\":\"boolean\"}".to_owned()),
        ],
        &[],
    );
    schema::result(
        &[("entries", entries), ("nextCursor", text), ("coverage", format!("{{{coverage}}}"))],
        &["nextCursor"],
        &[("Summary", summary)],
    )
}

/// The schema of an entry or a summary: what the server gives, the stored members (of the required ones those in
/// `with`), and what comes `last`.
fn entry_definition(with: &[&str], last: Option<(&'static str, String)>) -> String {
    let time = "{\"type\":\"string\",\"format\":\"date-time\"}";
    let mut properties = vec![
        ("id", schema::stored(&Shape::EntryId)),
        ("revision", "{\"type\":\"integer\",\"minimum\":1}".to_owned()),
        ("createdAt", time.to_owned()),
        ("updatedAt", time.to_owned()),
    ];
    let mut optional = Vec::new();
    for member in ENTRY.members {
        if !member.required {
            optional.push(member.name);
        }
        if !member.required || with.contains(&member.name) {
            properties.push((member.name, schema::stored(&member.shape)));
        }
    }
    properties.extend(last);
    format!("{{{}}}", schema::closed_object(&properties, &optional))
}
