//! Flaws, and the pointers to them.

use super::read;
use crate::json::{Flaw, FlawKind, Node};

/// The flaws of a text with the pointers to them from its root.
fn flaws(text: &str) -> Vec<(FlawKind, String)> {
    let document = read(text);
    let root = document.root();
    let pointer = |flaw: &Flaw| root.pointer_to(flaw).unwrap();
    document.flaws().iter().map(|flaw| (flaw.kind, pointer(flaw))).collect()
}

fn one(kind: FlawKind, pointer: &str) -> Vec<(FlawKind, String)> {
    vec![(kind, pointer.to_owned())]
}

#[test]
fn an_unambiguous_text_has_no_flaws() {
    assert_eq!(flaws(r#"{"a": [1, "\ud83d\ude39", {"a": 0.1}], "b": null, "A": true}"#), []);
}

#[test]
fn a_lone_surrogate_is_a_flaw_at_its_node() {
    assert_eq!(flaws(r#"["a", ["\ud800"]]"#), one(FlawKind::LoneSurrogate, "/1/0"));
    assert_eq!(flaws(r#""\udc00""#), one(FlawKind::LoneSurrogate, ""));
}

#[test]
fn a_lone_surrogate_in_a_name_is_a_flaw_of_the_member() {
    let expected = one(FlawKind::LoneSurrogateInName, "/a/\u{fffd}x");
    assert_eq!(flaws(r#"{"a": {"\udc00x": [1]}}"#), expected);
}

#[test]
fn a_written_replacement_character_is_no_flaw() {
    assert_eq!(flaws("\"\u{fffd}\\ufffd\""), []);
}

#[test]
fn an_inexact_number_is_a_flaw_at_its_node() {
    let expected = one(FlawKind::InexactNumber, "/1/n");
    assert_eq!(flaws(r#"[1e23, {"n": 9007199254740993}]"#), expected);
}

#[test]
fn each_later_member_of_a_name_is_a_duplicate() {
    let document = read(r#"{"a": 1, "b": 2, "\u0061": 3, "a": {"a": 4}}"#);
    let found: Vec<_> = document.flaws().iter().map(|flaw| flaw.kind).collect();
    assert_eq!(found, [FlawKind::DuplicateName, FlawKind::DuplicateName]);
    let members: Vec<_> = document.root().members().map(|(_, member)| member).collect();
    let holding = |flaw: &Flaw| -> Vec<_> { members.iter().map(|node| node.holds(flaw)).collect() };
    assert_eq!(holding(&document.flaws()[0]), [false, false, true, false]);
    assert_eq!(holding(&document.flaws()[1]), [false, false, false, true]);
}

#[test]
fn names_of_different_objects_or_cases_are_no_duplicates() {
    assert_eq!(flaws(r#"[{"a": {"a": 1}}, {"a": 2, "A": 3, "a ": 4, "\u00e9": 5, "e\u0301": 6}]"#), []);
}

#[test]
fn names_that_decode_alike_are_duplicates() {
    let found: Vec<_> = flaws(r#"{"\ud800": 1, "\ud801": 2}"#).into_iter().map(|(kind, _)| kind).collect();
    let expected = [FlawKind::LoneSurrogateInName, FlawKind::DuplicateName, FlawKind::LoneSurrogateInName];
    assert_eq!(found, expected);
}

#[test]
fn flaws_are_in_document_order() {
    let text = r#"{"a": "\ud800", "\udc00": [1e400, {"x": 1, "x": "\udc00"}], "a": 1e999}"#;
    let expected = [
        (FlawKind::LoneSurrogate, "/a"),
        (FlawKind::LoneSurrogateInName, "/\u{fffd}"),
        (FlawKind::InexactNumber, "/\u{fffd}/0"),
        (FlawKind::DuplicateName, "/\u{fffd}/1/x"),
        (FlawKind::LoneSurrogate, "/\u{fffd}/1/x"),
        (FlawKind::DuplicateName, "/a"),
        (FlawKind::InexactNumber, "/a"),
    ];
    assert_eq!(flaws(text), expected.map(|(kind, pointer)| (kind, pointer.to_owned())));
}

#[test]
fn only_the_nodes_on_the_way_to_a_flaw_hold_it() {
    let document = read(r#"{"a": [1, 1e400, [2]], "b": [3]}"#);
    let flaw = &document.flaws()[0];
    let [a, b] = ["a", "b"].map(|name| document.root().member(name).unwrap());
    assert!(document.root().holds(flaw) && a.holds(flaw) && !b.holds(flaw));
    assert_eq!(a.elements().map(|node| node.holds(flaw)).collect::<Vec<_>>(), [false, true, false]);
    let pointers = |nodes: Vec<Node<'_>>| -> Vec<_> { nodes.into_iter().map(|node| node.pointer_to(flaw)).collect() };
    assert_eq!(pointers(vec![document.root(), a, b]), [Some("/a/1".to_owned()), Some("/1".to_owned()), None]);
    assert_eq!(pointers(a.elements().collect()), [None, Some(String::new()), None]);
}

#[test]
fn a_pointer_escapes_the_names_it_passes() {
    let expected = one(FlawKind::InexactNumber, "/a~1b/~0/\n\"//é");
    assert_eq!(flaws(r#"{"a\/b": {"~": {"\n\"": {"": {"\u00e9": 1e400}}}}}"#), expected);
}
