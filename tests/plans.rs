//! How SQLite goes about every statement that a call runs: none goes through a table that grows, and none sorts.
//! The statements are those that real calls were seen to run, so none can be forgotten.

mod support;

use std::collections::BTreeSet;

use agent_codex::auth::access::Access;
use agent_codex::auth::{GrantId, KnownGrants, Scopes};
use agent_codex::codex::message::{Message, Outcome};
use agent_codex::codex::take_turn;
use agent_codex::json;
use agent_codex::notebook::arguments::{Call, Tool};
use agent_codex::notebook::quota::Quota;
use agent_codex::notebook::time::Timestamp;
use agent_codex::notebook::{Surroundings, index, tables};
use serde_json::{Value, json};
use support::random::Random;
use support::sqlite::Sqlite;
use support::{DAY, START, reply};

const GRANT: [u8; 16] = [1; 16];

/// To go through these is no loop over what grows: the keys of a page, the entries that the index names, the row of a
/// backfill's position, the cursor keys, which are two at most, and what a limit has left of a table.
const FINE: &[&str] = &[
    "SCAN json_each VIRTUAL TABLE INDEX 1:",
    "SCAN trigrams VIRTUAL TABLE INDEX 64:M1>",
    "SCAN backfill",
    "SCAN cursor_keys",
    "SCALAR SUBQUERY 1",
    "SCALAR SUBQUERY 2",
    "SCALAR SUBQUERY 3",
    "CO-ROUTINE (subquery-1)",
    "CO-ROUTINE (subquery-2)",
    "CO-ROUTINE (subquery-3)",
    "SCAN (subquery-1)",
    "SCAN (subquery-2)",
    "SCAN (subquery-3)",
    "SCAN CONSTANT ROW",
];

struct Turns {
    storage: Sqlite,
    random: Random,
    now: i64,
}

impl Turns {
    fn turn(&mut self, message: &Message) -> Outcome {
        let random = &mut self.random;
        let mut randomness = |bytes: &mut [u8]| bytes.fill_with(|| random.next().to_le_bytes()[0]);
        let now = Timestamp::from_milliseconds(self.now);
        take_turn(
            &self.storage,
            &mut KnownGrants::default(),
            message,
            &mut Surroundings { now, quota: &Quota::default(), randomness: &mut randomness },
        )
        .unwrap()
    }

    /// Calls a tool; gives the result, or null of a failure.
    fn call(&mut self, tool: Tool, arguments: &Value) -> Value {
        let text = arguments.to_string();
        let document = json::parse(text.as_bytes()).unwrap();
        let call = Call::parse(tool, document.root(), document.flaws()).unwrap();
        let access = Access::Grant { id: GrantId::from_bytes(GRANT), generation: None };
        match self.turn(&Message::Call { access, needed: Scopes::needed_by(tool), call, reply: reply(), trace: None }) {
            Outcome::Result(json) => serde_json::from_str(&json).unwrap(),
            _ => Value::Null,
        }
    }

    fn save(&mut self, request: &str, entry: &Value) -> Value {
        self.call(Tool::Save, &json!({"requestId": request, "entry": entry}))["entry"]["id"].clone()
    }

    fn update(&mut self, id: &Value, revision: i64) {
        let entry = json!({"content": "replaced"});
        self.call(Tool::Update, &json!({"id": id, "expectedRevision": revision, "entry": entry}));
    }
}

/// Every statement that calls of all kinds ran.
fn statements() -> (Sqlite, BTreeSet<String>) {
    let storage = Sqlite::new();
    tables::migrate(&storage, Timestamp::from_milliseconds(START)).unwrap();
    let mut turns = Turns { storage, random: Random(1), now: START };
    turns.turn(&Message::CreateGrant {
        id: GrantId::from_bytes(GRANT),
        label: "laptop".to_owned(),
        scopes: Scopes::ALL,
        lifetime: None,
    });
    *turns.storage.log.borrow_mut() = Some(Vec::new());
    turns.storage.prepared_again.borrow_mut().clear();
    let ids: Vec<_> =
        (0..30).map(|number| turns.save(&format!("save {number}"), &json!({"content": "note"}))).collect();
    turns.save("save 0", &json!({"content": "note"}));
    turns.save("save 0", &json!({"content": "other"}));
    turns.save("outgrown", &json!({"content": "\u{fdfa}".repeat(31_000), "tags": ["kept"]}));
    turns.call(Tool::Get, &json!({"id": ids[0]}));
    turns.update(&ids[1], 1);
    turns.update(&ids[1], 1);
    let filters = [
        json!({"limit": 1}),
        json!({"query": "no", "limit": 1}),
        json!({"query": "note", "limit": 1}),
        json!({"query": "صلى"}),
        json!({"tag": "kept"}),
        json!({"query": "note", "relatedAgentId": "nobody"}),
    ];
    for mut arguments in filters {
        // Twice: the first cursor makes a key, and much later the next.
        for _ in 0..2 {
            let page = turns.call(Tool::Search, &arguments);
            if let Some(cursor) = page.get("nextCursor") {
                arguments["cursor"] = cursor.clone();
                turns.call(Tool::Search, &arguments);
            }
            arguments.as_object_mut().unwrap().remove("cursor");
            turns.now += 31 * DAY;
        }
    }
    turns.storage.run("INSERT INTO backfill VALUES (-1)");
    while index::catch_up(&turns.storage).unwrap() {}
    let log = turns.storage.log.borrow_mut().take().unwrap();
    (turns.storage, log.into_iter().collect())
}

#[test]
fn no_statement_of_a_call_is_planned_again_for_the_values_that_are_bound_to_it() {
    let (storage, _) = statements();
    assert_eq!(*storage.prepared_again.borrow(), BTreeSet::new());
}

#[test]
fn no_statement_of_a_call_goes_through_a_table_or_sorts() {
    let (storage, statements) = statements();
    for part in
        ["INSERT INTO entries", "UPDATE entries", "INTO trigrams", "FROM grants", "cursor_keys", "UPDATE backfill"]
    {
        assert!(statements.iter().any(|sql| sql.contains(part)), "{part} was seen");
    }
    for sql in &statements {
        for step in storage.plan(sql) {
            let fine = step.starts_with("SEARCH ") || FINE.contains(&step.as_str());
            assert!(fine, "{step}\n{sql}");
        }
    }
}
