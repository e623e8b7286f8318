//! Walking a document.

use super::{compact, read};
use crate::json::{Kind, Node};

#[test]
fn each_kind_is_recognised_and_named() {
    let document = read(r#"[null, false, -1, "a", [], {}]"#);
    let kinds: Vec<_> = document.root().elements().map(|node| node.kind().name()).collect();
    assert_eq!(kinds, ["null", "boolean", "number", "string", "array", "object"]);
}

#[test]
fn a_node_has_a_value_of_its_own_kind_only() {
    let document = read(r#"[null, true, -1, "a", [1], {"b": 2}]"#);
    for node in document.root().elements() {
        assert_eq!(node.as_bool().is_some(), node.kind() == Kind::Bool);
        assert_eq!(node.as_number().is_some(), node.kind() == Kind::Number);
        assert_eq!(node.as_str().is_some(), node.kind() == Kind::String);
        assert_eq!(node.elements().count() > 0, node.kind() == Kind::Array);
        assert_eq!(node.members().count() > 0, node.kind() == Kind::Object);
        assert_eq!(node.member("b").is_some(), node.kind() == Kind::Object);
    }
    assert_eq!(read(" true ").root().as_bool(), Some(true));
    assert_eq!(read("false").root().as_bool(), Some(false));
}

#[test]
fn elements_and_members_are_the_direct_children_in_order() {
    let document = read(r#"{"a": [1, [2, 3], {"x": 4}], "b": {}, "a": 5}"#);
    let members: Vec<_> = document.root().members().map(|(name, node)| (name, node.source())).collect();
    let expected = [("a", r#"[1, [2, 3], {"x": 4}]"#), ("b", "{}"), ("a", "5")];
    assert_eq!(members, expected.map(|(name, source)| (name.into(), source)));
    let list = document.root().member("a").unwrap();
    let elements: Vec<_> = list.elements().map(Node::source).collect();
    assert_eq!(elements, ["1", "[2, 3]", r#"{"x": 4}"#]);
}

#[test]
fn a_member_is_found_by_its_decoded_name() {
    let document = read(r#"{"\u0061\/": 1, "a/": 2, "": 3}"#);
    let find = |name| document.root().member(name).map(Node::source);
    assert_eq!(find("a/"), Some("1"));
    assert_eq!(find(""), Some("3"));
    assert_eq!(find("b"), None);
}

#[test]
fn count_is_the_number_of_values_below_a_node() {
    for (text, count) in [("1", 0), ("[]", 0), ("[1]", 1), (r#"{"a":[1,{"b":2}],"c":{}}"#, 5)] {
        assert_eq!(read(text).root().count(), count, "{text}");
    }
}

#[test]
fn depth_is_the_number_of_levels_of_containers() {
    let cases = [("1", 0), ("{}", 1), ("[1]", 1), (r#"{"a":[]}"#, 2), ("[[],[],[]]", 2), ("[[[]],[],[[1,[]]],1]", 4)];
    for (text, depth) in cases {
        assert_eq!(read(text).root().depth(), depth, "{text}");
    }
    let document = read("[[[[]]],[[]]]");
    let depths: Vec<_> = document.root().elements().map(Node::depth).collect();
    assert_eq!(depths, [3, 2]);
}

#[test]
fn the_source_is_the_exact_text_of_a_value() {
    let document = read(" { \"é\" : [ 1.50 , \"\\u0041\" ] , \"b\":\ttrue } ");
    assert_eq!(document.root().source(), "{ \"é\" : [ 1.50 , \"\\u0041\" ] , \"b\":\ttrue }");
    assert_eq!(document.root().member("é").unwrap().source(), "[ 1.50 , \"\\u0041\" ]");
    assert_eq!(document.root().member("b").unwrap().source(), "true");
}

#[test]
fn the_compact_form_keeps_order_duplicates_and_numbers() {
    let text = "{ \"b\" : [ 1.50 , -0 , 1E+2, [ ] , { } ] ,\n\"a\" : \"\\u0041\\/\\u00e9\\u001F\" , \"b\" : null }";
    assert_eq!(compact(text), "{\"b\":[1.50,-0,1E+2,[],{}],\"a\":\"A/é\\u001f\",\"b\":null}");
}

#[test]
fn the_compact_form_of_a_member_has_no_name() {
    let document = read(r#"{"a": {"b": [1, 2]}, "c": 3}"#);
    let mut out = String::from("> ");
    document.root().member("a").unwrap().write_compact(&mut out);
    assert_eq!(out, r#"> {"b":[1,2]}"#);
}
