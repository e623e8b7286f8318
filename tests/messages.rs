//! What a failed call is told, word for word. A model reads these and corrects itself.

mod support;

use agent_codex::notebook::arguments::Tool;
use agent_codex::notebook::failure::Failure;
use serde_json::{Value, json};
use support::TestCodex;

fn invalid(tool: Tool, arguments: &str) -> String {
    let failed = TestCodex::new().call_text(tool, arguments).unwrap_err();
    assert_eq!(failed.code, "invalid_input");
    failed.message
}

fn invalid_entry(entry: &str) -> String {
    invalid(Tool::Save, &format!(r#"{{"requestId":"r","entry":{entry}}}"#))
}

#[test]
fn what_breaks_the_shape_is_named_with_its_place_and_the_limit() {
    let long = |length: usize| "x".repeat(length);
    let array =
        |count: usize| format!("[{}]", (0..count).map(|item| format!("\"{item}\"")).collect::<Vec<_>>().join(","));
    for (entry, message) in [
        ("1".to_owned(), "/entry: must be an object, not a number."),
        ("{}".to_owned(), "/entry/content: is missing."),
        (r#"{"content":""}"#.to_owned(), "/entry/content: must be 1 to 65536 characters long, and is 0."),
        (r#"{"content":" \n\u3000"}"#.to_owned(), "/entry/content: must not be only white space."),
        (
            format!(r#"{{"content":"{}"}}"#, long(65_537)),
            "/entry/content: must be 1 to 65536 characters long, and is 65537.",
        ),
        (r#"{"content":"x","title":null}"#.to_owned(), "/entry/title: must be a string, not null."),
        (
            format!(r#"{{"content":"x","title":"{}"}}"#, long(257)),
            "/entry/title: must be 1 to 256 characters long, and is 257.",
        ),
        (r#"{"content":"x","tags":"a"}"#.to_owned(), "/entry/tags: must be an array, not a string."),
        (
            format!(r#"{{"content":"x","tags":{}}}"#, array(33)),
            "/entry/tags: must hold at most 32 items, and holds 33.",
        ),
        (r#"{"content":"x","tags":["a","b","a"]}"#.to_owned(), "/entry/tags/2: must not equal an earlier item."),
        (r#"{"content":"x","tags":[true]}"#.to_owned(), "/entry/tags/0: must be a string, not a boolean."),
        (
            r#"{"content":"x","relatedAgentIds":[[]]}"#.to_owned(),
            "/entry/relatedAgentIds/0: must be a string, not an array.",
        ),
        (r#"{"content":"x","provenance":[]}"#.to_owned(), "/entry/provenance: must be an object, not an array."),
        (
            r#"{"content":"x","provenance":{"source":{}}}"#.to_owned(),
            "/entry/provenance/source: must be a string, not an object.",
        ),
        (
            format!(r#"{{"content":"x","provenance":{{"a":{}0{}}}}}"#, "[".repeat(8), "]".repeat(8)),
            "/entry/provenance: must be at most 8 levels deep, and is 9.",
        ),
        (
            format!(r#"{{"content":"x","provenance":{{"a":"{}"}}}}"#, long(16_384)),
            "/entry/provenance: must be at most 16384 bytes of compact JSON, and is 16392.",
        ),
        (
            r#"{"content":"x","a/b~c":1}"#.to_owned(),
            "/entry/a~1b~0c: is not a member here; the members are content, title, tags, relatedAgentIds, provenance.",
        ),
        (r#"{"content":"x","content":"x"}"#.to_owned(), "/entry/content: stands twice in its object."),
        (r#"{"content":"\ud800"}"#.to_owned(), "/entry/content: must not hold a lone surrogate."),
        (
            r#"{"content":"x","provenance":{"\udc00":1}}"#.to_owned(),
            "/entry/provenance/\u{fffd}: must not hold a lone surrogate in its name.",
        ),
        (
            r#"{"content":"x","provenance":{"n":[1,9007199254740993]}}"#.to_owned(),
            "/entry/provenance/n/1: must be a number that a double keeps unchanged; send it as a string.",
        ),
    ] {
        assert_eq!(invalid_entry(&entry), message);
    }
}

#[test]
fn the_other_arguments_are_told_alike() {
    for (tool, arguments, message) in [
        (Tool::Save, r#"{"entry":{"content":"x"}}"#, "/requestId: is missing."),
        (Tool::Get, "{}", "/id: is missing."),
        (
            Tool::Get,
            r#"{"id":"11111111-1111-4111-8111-11111111111A"}"#,
            "/id: must be an entry's id, a lower-case UUIDv4 as save and search return it.",
        ),
        (Tool::Search, r#"{"limit":51}"#, "/limit: must be an integer from 1 to 50."),
        (Tool::Search, r#"{"limit":1.5}"#, "/limit: must be an integer from 1 to 50."),
        (Tool::Search, r#"{"limit":"1"}"#, "/limit: must be an integer from 1 to 50."),
        (Tool::Search, r#"{"tag":""}"#, "/tag: must be 1 to 64 characters long, and is 0."),
        (
            Tool::Search,
            r#"{"owner":"me"}"#,
            "/owner: is not a member here; the members are query, tag, relatedAgentId, limit, cursor.",
        ),
        (
            Tool::Update,
            r#"{"id":"11111111-1111-4111-8111-111111111111","expectedRevision":0,"entry":{"content":"x"}}"#,
            "/expectedRevision: must be an integer from 1 to 9007199254740991.",
        ),
    ] {
        assert_eq!(invalid(tool, arguments), message);
    }
}

#[test]
fn a_whole_entry_has_a_limit_of_its_own() {
    let agents: Vec<_> = (0..32).map(|number| format!("{number:02}{}", "\0".repeat(510))).collect();
    let entry = json!({"content": "\0".repeat(30_000), "relatedAgentIds": agents});
    let bytes = entry.to_string().len();
    assert_eq!(
        invalid_entry(&entry.to_string()),
        format!("/entry: must be at most 262144 bytes of compact JSON, and is {bytes}.")
    );
}

#[test]
fn more_than_2000_members_are_told_alone() {
    let zeros = vec!["0"; 1_998].join(",");
    assert_eq!(
        invalid_entry(&format!(r#"{{"provenance":{{"a":[{zeros}]}}}}"#)),
        "the arguments: hold 2002 array elements and object members in all; the limit is 2000."
    );
}

#[test]
fn every_violation_is_told_at_once_up_to_ten() {
    let entry = r#"{"content":" ","title":"","tags":[1,2],"x":1}"#;
    assert_eq!(
        invalid(Tool::Update, &format!(r#"{{"id":1,"entry":{entry}}}"#)),
        "/id: must be an entry's id, a lower-case UUIDv4 as save and search return it; /expectedRevision: is missing; \
         /entry/content: must not be only white space; /entry/title: must be 1 to 256 characters long, and is 0; \
         /entry/tags/0: must be a string, not a number; /entry/tags/1: must be a string, not a number; \
         /entry/x: is not a member here; the members are content, title, tags, relatedAgentIds, provenance."
    );
    let numbers: Value = (0..32).collect();
    let message = invalid_entry(&json!({"content": "x", "tags": numbers}).to_string());
    assert_eq!(message.matches("must be a string").count(), 10);
    assert!(message.ends_with("; and 22 more."), "{message}");
}

#[test]
fn at_most_80_characters_of_the_callers_own_are_repeated() {
    let message = invalid_entry(&json!({"content": "x", "😀".repeat(1_000): 1}).to_string());
    let (pointer, _) = message.split_once(": ").unwrap();
    assert_eq!(pointer.chars().count(), 80);
    assert!(pointer.ends_with("😀…"));
    let message = invalid(Tool::Get, &json!({"id": "secret".repeat(100)}).to_string());
    assert!(!message.contains("secret"));
}

#[test]
fn the_other_failures_say_how_to_go_on() {
    let mut codex = TestCodex::new();
    let saved = codex.save("r", &json!({"content": "x"})).unwrap();
    codex.update(&saved["id"], 1, &json!({"content": "y"})).unwrap();
    let told = |failed: support::Failed| (failed.code, failed.message);
    assert_eq!(
        told(codex.get(&json!("11111111-1111-4111-8111-111111111111")).unwrap_err()),
        ("not_found".to_owned(), "This codex has no entry with this id. Search for it, or check the id.".to_owned())
    );
    assert_eq!(
        told(codex.save("r", &json!({"content": "z"})).unwrap_err()),
        (
            "conflict".to_owned(),
            "This requestId was already used to save another entry, and nothing was saved now. To save a new entry, use a \
             new requestId; to change the saved one, use field_notes_update."
                .to_owned()
        )
    );
    assert_eq!(
        told(codex.update(&saved["id"], 1, &json!({"content": "z"})).unwrap_err()),
        (
            "conflict".to_owned(),
            "The entry is at revision 2, not 1, and was not changed. Get it, reconcile your replacement with it, and \
             update with expectedRevision 2."
                .to_owned()
        )
    );
    assert_eq!(
        told(codex.search(&json!({"cursor": "x"})).unwrap_err()),
        (
            "invalid_cursor".to_owned(),
            "The cursor does not belong to this search. Pass nextCursor unchanged, with the same query, tag and \
             relatedAgentId; or search again without a cursor."
                .to_owned()
        )
    );
    assert_eq!(
        Failure::OutcomeUnknown.to_json(),
        r#"{"error":{"code":"internal","message":"The answer was lost in the server, and whether the call was carried out is not known. Repeat a save with the same requestId and entry; before you repeat an update, get the entry and look at its revision."}}"#
    );
    assert_eq!(
        Failure::Internal.to_json(),
        r#"{"error":{"code":"internal","message":"Something broke in the server, and nothing was changed. Try again; a save with the same requestId is safe to repeat."}}"#
    );
}
