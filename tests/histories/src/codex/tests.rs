//! The checker itself: what it must refuse, and what it must not.

use crate::{History, is_linearizable};

/// A history of events `CLIENT CALL` and `CLIENT -> ANSWER`, in JSON.
fn judge(events: &[(u32, &str, &str)]) -> bool {
    let events: Vec<_> =
        events.iter().map(|(client, kind, value)| format!("{{\"client\":{client},\"{kind}\":{value}}}")).collect();
    let history: History = serde_json::from_str(&format!("{{\"events\":[{}]}}", events.join(","))).unwrap();
    is_linearizable(history).unwrap()
}

const SAVE: &str = r#"{"save":{"requestId":"r","content":"a"}}"#;
const GET: &str = r#"{"get":{"id":"1"}}"#;
const A: &str = r#"{"entry":{"id":"1","revision":1,"content":"a"}}"#;
const B: &str = r#"{"entry":{"id":"1","revision":2,"content":"b"}}"#;
const UPDATE_B: &str = r#"{"update":{"id":"1","expectedRevision":1,"content":"b"}}"#;
const UPDATE_C: &str = r#"{"update":{"id":"1","expectedRevision":1,"content":"c"}}"#;

#[test]
fn one_call_after_another_must_see_what_was_answered_before() {
    let until = |answer| {
        judge(&[
            (1, "call", SAVE),
            (1, "answer", A),
            (1, "call", UPDATE_B),
            (1, "answer", B),
            (2, "call", GET),
            (2, "answer", answer),
        ])
    };
    assert!(until(B));
    assert!(!until(A), "a stale read");
    assert!(!until("\"notFound\""));
}

#[test]
fn calls_at_the_same_time_may_come_in_either_order() {
    for answer in [A, B] {
        assert!(judge(&[
            (1, "call", SAVE),
            (1, "answer", A),
            (1, "call", UPDATE_B),
            (2, "call", GET),
            (2, "answer", answer),
            (1, "answer", B),
        ]));
    }
}

#[test]
fn of_two_updates_of_one_revision_one_wins() {
    let c = r#"{"entry":{"id":"1","revision":2,"content":"c"}}"#;
    let both = |second| {
        judge(&[
            (1, "call", SAVE),
            (1, "answer", A),
            (1, "call", UPDATE_B),
            (2, "call", UPDATE_C),
            (1, "answer", B),
            (2, "answer", second),
        ])
    };
    assert!(both("\"conflict\""));
    assert!(!both(c));
    assert!(!both(r#"{"entry":{"id":"1","revision":3,"content":"c"}}"#), "a lost conflict check");
}

#[test]
fn a_save_that_was_not_answered_is_one_entry_or_none() {
    let then = |page| judge(&[(1, "call", SAVE), (2, "call", "\"browse\""), (2, "answer", page)]);
    assert!(then(r#"{"page":[]}"#));
    assert!(then(r#"{"page":[{"id":"1","revision":1,"content":"a"}]}"#));
    assert!(!then(r#"{"page":[{"id":"1","revision":1,"content":"a"},{"id":"2","revision":1,"content":"a"}]}"#));
    let repeated = |id| {
        judge(&[
            (1, "call", SAVE),
            (2, "call", "\"browse\""),
            (2, "answer", r#"{"page":[{"id":"1","revision":1,"content":"a"}]}"#),
            (2, "call", SAVE),
            (2, "answer", id),
        ])
    };
    assert!(repeated(A));
    assert!(!repeated(r#"{"entry":{"id":"2","revision":1,"content":"a"}}"#), "a double insert");
}

#[test]
fn a_request_id_with_another_entry_conflicts() {
    let other = r#"{"save":{"requestId":"r","content":"b"}}"#;
    assert!(judge(&[(1, "call", SAVE), (1, "answer", A), (1, "call", other), (1, "answer", "\"conflict\"")]));
    assert!(!judge(&[(1, "call", SAVE), (1, "answer", A), (1, "call", SAVE), (1, "answer", "\"conflict\"")]));
}
