//! Strings: decoded, and written.

use std::borrow::Cow;

use super::read;
use crate::json::{escape_pointer_token, write_string};

fn decoded(text: &str) -> String {
    read(text).root().as_str().unwrap().into_owned()
}

#[test]
fn every_escape_is_decoded() {
    assert_eq!(decoded(r#""\"\\\/\b\f\n\r\t""#), "\"\\/\u{8}\u{c}\n\r\t");
    assert_eq!(decoded(r#""\u0041\u00e9\u20AC\uffff\u0000""#), "Aé€\u{ffff}\0");
    assert_eq!(decoded(r#""a\\u0041b\\\\n""#), "a\\u0041b\\\\n");
}

#[test]
fn surrogates_are_joined_only_in_pairs() {
    assert_eq!(decoded(r#""\ud83d\ude39""#), "\u{1f639}");
    assert_eq!(decoded(r#""\uDBFF\uDFFF""#), "\u{10ffff}");
    assert_eq!(decoded(r#""\ud83d""#), "\u{fffd}");
    assert_eq!(decoded(r#""\ude39\ud83d""#), "\u{fffd}\u{fffd}");
    assert_eq!(decoded(r#""\ud83d\ud83d\ude39""#), "\u{fffd}\u{1f639}");
    assert_eq!(decoded(r#""\ud83dx\ude39""#), "\u{fffd}x\u{fffd}");
    assert_eq!(decoded(r#""\ud83d\n""#), "\u{fffd}\n");
    assert_eq!(decoded(r#""\ud83d\u0041""#), "\u{fffd}A");
}

#[test]
fn a_string_without_escapes_is_borrowed() {
    let document = read("\"é\u{7f}\u{1f639}\"");
    assert!(matches!(document.root().as_str(), Some(Cow::Borrowed("é\u{7f}\u{1f639}"))));
}

#[test]
fn only_what_must_be_escaped_is_escaped_when_written() {
    let mut out = String::new();
    write_string(&mut out, "a\"\\/\u{8}\u{c}\n\r\t\0\u{1b}\u{1f} \u{7f}\u{80}\u{2028}é\u{1f639}");
    let expected = "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001b\\u001f \u{7f}\u{80}\u{2028}é\u{1f639}\"";
    assert_eq!(out, expected);
}

#[test]
fn every_control_character_is_read_as_it_was_written() {
    let text: String = ('\0'..='\u{ff}').collect();
    let mut out = String::new();
    write_string(&mut out, &text);
    assert_eq!(decoded(&out), text);
    assert_eq!(out, serde_json::to_string(&text).unwrap());
}

#[test]
fn pointer_tokens_are_escaped_only_where_needed() {
    assert!(matches!(escape_pointer_token("a b%"), Cow::Borrowed("a b%")));
    assert_eq!(escape_pointer_token("~/~1/"), "~0~1~01~1");
}
