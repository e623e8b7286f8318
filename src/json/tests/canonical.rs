//! The canonical form, by the examples of RFC 8785.

use super::{canonical, compact};

/// RFC 8785, sections 3.2.2 and 3.2.3.
#[test]
fn the_sample_of_rfc_8785_is_canonicalized_as_it_says() {
    let text = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    assert_eq!(canonical(text), expected);
}

/// RFC 8785, section 3.2.3: the emoji's surrogates sort before U+FB33, though its code point does not.
#[test]
fn members_are_sorted_by_utf16_code_units() {
    let text = r#"{
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let expected = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
        \"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\
        \"\u{1f600}\":\"Emoji: Grinning Face\",\
        \"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}";
    assert_eq!(canonical(text), expected);
}

#[test]
fn members_are_sorted_at_every_level_and_elements_nowhere() {
    let text = r#"[3, {"b": [2, {"d": 1, "c": {}}, 1], "": 0, "ba": [], "a": null}, 1]"#;
    assert_eq!(canonical(text), r#"[3,{"":0,"a":null,"b":[2,{"c":{},"d":1},1],"ba":[]},1]"#);
}

#[test]
fn texts_of_the_same_value_have_the_same_canonical_form() {
    let texts = [r#"{"a":1,"b":[100,0]}"#, r#" { "b" : [1e2, -0.0], "\u0061" : 1.0 } "#];
    assert_eq!(canonical(texts[0]), canonical(texts[1]));
}

#[test]
fn flaws_do_not_break_the_canonical_form() {
    assert_eq!(
        canonical(r#"{"b":1e400,"a":2,"b":"\ud800","a":1}"#),
        "{\"a\":2,\"a\":1,\"b\":1e400,\"b\":\"\u{fffd}\"}"
    );
}

#[test]
fn the_canonical_form_is_compact_already() {
    let text = canonical(r#"{"z": [1.50, "\u0041\u0007"], "y": {"x": null}}"#);
    assert_eq!(compact(&text), text);
    assert_eq!(canonical(&text), text);
}
