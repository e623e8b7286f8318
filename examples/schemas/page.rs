//! The page about the tools: arguments, results, failures, limits and an example of each. The tables come from the shapes
//! by which the server checks arguments.

use std::fmt::Write as _;

use agent_codex::auth::Scopes;
use agent_codex::notebook::arguments::{ENTRY, Tool};
use agent_codex::notebook::limits;
use agent_codex::notebook::shape::{Member, ObjectShape, Shape, VIOLATIONS_NAMED};

/// The text of `docs/tools.md`.
pub(crate) fn page() -> String {
    let mut page = String::from(INTRODUCTION);
    for tool in Tool::ALL {
        let _ = write!(page, "\n## `{}`\n\nScopes: `{}`. {}\n\n", tool.name(), Scopes::needed_by(tool), about(tool));
        page.push_str(&table(tool.arguments()));
        let _ = write!(page, "\n```json\n{}\n```\n\nreturns\n\n```json\n{}\n```\n", arguments(tool), result(tool));
    }
    let _ = write!(page, "\n## Entry input\n\n{}", table(&ENTRY));
    page.push_str(&limits_of_input());
    page.push_str(FAILURES);
    page
}

const INTRODUCTION: &str = "# The tools

An agent keeps field notes, *entries*, in its *codex*. A call's result is one JSON object, as `structuredContent` and as the same
text; a failure is `isError: true` and a text block `{\"error\":{\"code\",\"message\"}}`. Every object is closed, unless it says
otherwise; a member that is absent is absent, never null. This page is written by `make schemas` from the constants of the server.
";

fn about(tool: Tool) -> String {
    match tool {
        Tool::Save => "Saves a new entry. The request id is remembered for ever: the same id with the same entry input (the \
            order of members apart) returns that entry as it stands now, and with another one is a `conflict`."
            .to_owned(),
        Tool::Get => "Returns an entry whole. A missing entry and one of another codex are both `not_found`.".to_owned(),
        Tool::Search => format!(
            "Returns a page of summaries in ascending order of ids: an entry without its content, with an excerpt of at most \
             {} characters around the first match. The query is a literal substring of the content, the title or one tag, \
             compared without case and by Unicode's compatibility rule; it is not semantic and has no wildcards. All \
             filters that are given must hold. A filtered page examines at most {} entries, so an empty page with a \
             `nextCursor` is not the end: follow it, with the same filters, until there is none. A page's JSON is at most {} \
             bytes, unless its only entry is larger.",
            limits::EXCERPT,
            limits::CANDIDATES,
            limits::PAGE_BYTES
        ),
        Tool::Update => "Replaces an entry whole, if it is still at the expected revision; members that are left out are \
            removed. Otherwise it is a `conflict` that names the current revision: get the entry, reconcile, and update \
            again."
            .to_owned(),
    }
}

fn table(shape: &ObjectShape) -> String {
    let mut table = String::from("| member | | limit |\n| --- | --- | --- |\n");
    for member in shape.members {
        let required = if member.required { "required" } else { "" };
        let _ = writeln!(table, "| `{}` | {required} | {} |", member.name, limit(member));
    }
    table
}

fn limit(member: &Member) -> String {
    match &member.shape {
        Shape::Text { min, max, blank } => {
            let blank = if *blank { "" } else { ", not only white space" };
            format!("string of {min} to {max} characters{blank}")
        }
        Shape::EntryId => "string: a lower-case UUIDv4".to_owned(),
        Shape::Integer { min, max, default } => {
            let default = default.map(|default| format!(", {default} when absent")).unwrap_or_default();
            format!("integer from {min} to {max}{default}")
        }
        Shape::List { items, max } => {
            let Shape::Text { min, max: characters, .. } = items else { return String::new() };
            format!("array of at most {max} strings, no two equal, each of {min} to {characters} characters")
        }
        Shape::Object(shape) if shape.open => {
            let known =
                shape.members.iter().map(|known| format!("`{}`, where present, is a {}", known.name, limit(known)));
            format!(
                "open object: {}; other members are any JSON; at most {} bytes as compact JSON and {} levels deep",
                known.collect::<Vec<_>>().join("; "),
                shape.max_bytes.unwrap_or_default(),
                shape.max_depth.unwrap_or_default()
            )
        }
        Shape::Object(_) => "object: an [entry input](#entry-input)".to_owned(),
    }
}

fn limits_of_input() -> String {
    format!(
        "\nA character is a Unicode code point. Text is stored and returned exactly as sent. An entry input is at most {} bytes \
         as compact UTF-8 JSON. The `arguments` of a call hold at most {} array elements and object members, counted together \
         over the whole tree. A number is one that a double keeps unchanged; a string holds no lone surrogate; an object holds no \
         two members of one name.\n",
        limits::ENTRY_BYTES,
        limits::ARGUMENT_MEMBERS
    ) + &format!(
        "\nA refused call is told everything that is wrong with it at once, up to {VIOLATIONS_NAMED} things.\n"
    )
}

fn arguments(tool: Tool) -> &'static str {
    match tool {
        Tool::Save => {
            r#"{"requestId":"2026-12-02-rollback","entry":{"content":"The launch checklist needs a rollback step.","title":"Launch checklist","tags":["launch"]}}"#
        }
        Tool::Get => r#"{"id":"11111111-1111-4111-8111-111111111111"}"#,
        Tool::Search => r#"{"query":"rollback","tag":"launch","limit":20}"#,
        Tool::Update => {
            r#"{"id":"11111111-1111-4111-8111-111111111111","expectedRevision":1,"entry":{"content":"The checklist has a rollback step.","tags":["launch"]}}"#
        }
    }
}

fn result(tool: Tool) -> &'static str {
    match tool {
        Tool::Save | Tool::Get => {
            r#"{"entry":{"id":"11111111-1111-4111-8111-111111111111","revision":1,"createdAt":"2026-12-02T10:00:00.000Z","updatedAt":"2026-12-02T10:00:00.000Z","content":"The launch checklist needs a rollback step.","title":"Launch checklist","tags":["launch"]}}"#
        }
        Tool::Search => {
            r#"{"entries":[{"id":"11111111-1111-4111-8111-111111111111","revision":1,"createdAt":"2026-12-02T10:00:00.000Z","updatedAt":"2026-12-02T10:00:00.000Z","title":"Launch checklist","tags":["launch"],"excerpt":"The launch checklist needs a rollback step."}],"coverage":{"storage":"active-only","mode":"literal-substring-v1","scanned":1,"hasMore":false}}"#
        }
        Tool::Update => {
            r#"{"entry":{"id":"11111111-1111-4111-8111-111111111111","revision":2,"createdAt":"2026-12-02T10:00:00.000Z","updatedAt":"2026-12-02T11:00:00.000Z","content":"The checklist has a rollback step.","tags":["launch"]}}"#
        }
    }
}

/// The failures of the tools, as the contract lists them.
pub(crate) const FAILURES: &str = "
## Failures

| code | when | what to do |
| --- | --- | --- |
| `invalid_input` | the arguments break a rule above | the message names each member by JSON Pointer, the rule and the limit: correct them |
| `not_found` | this codex has no entry with the id | search for it |
| `conflict` | save: the request id was used for another entry; update: the entry is at another revision | save: take a new request id; update: get, reconcile, update |
| `invalid_cursor` | the cursor is not one of this search | pass `nextCursor` unchanged with the same filters, or begin again |
| `limit_exceeded` | the codex has reached its quota of storage, and nothing was changed | make entries shorter, or ask the owner for a larger quota |
| `rate_limited` | the grant has made too many calls in a minute | wait a minute, then call again |
| `internal` | something broke in the server; the message says whether anything was changed | try again as the message says |

```json
{\"error\":{\"code\":\"invalid_input\",\"message\":\"/entry/title: must be 1 to 256 characters long, and is 257.\"}}
```

An unknown tool, a call without a name and `arguments` that are not an object are JSON-RPC errors, `-32602`.
";
