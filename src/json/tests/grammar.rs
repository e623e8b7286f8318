//! What is accepted and what is not, case by case, after the plan of the `JSONTestSuite`.

use crate::json::{SyntaxError, parse};

const ACCEPTED: &[&str] = &[
    "null",
    "true",
    " false ",
    "0",
    "-0",
    "-0.0",
    "123",
    "-1",
    "20e1",
    "0e1",
    "0e+1",
    "1E22",
    "1E-2",
    "1E+2",
    "123.456e78",
    "0.4e00669999999999999999999999999999999999999999",
    "-1e400",
    "\"\"",
    "\" \"",
    "\"\u{7f}\"",
    "\"\u{2028}\u{2029}\"",
    "\"\u{feff}\u{ffff}\u{10ffff}\"",
    r#""\"\\\/\b\f\n\r\t""#,
    r#""\u0000\u0012\uFFFF\uabCD""#,
    r#""\ud83d\ude39""#,
    r#""\uD800""#,
    r#""\uDd1e\uD834""#,
    r#""\\u0000""#,
    "\"a/*b*/c/*d//e\"",
    "[]",
    "[ ]",
    "[[]   ]",
    "[\n1\n,1]",
    "\t\r\n [1 , null,true , \"a\",{ }] \r\n",
    "{}",
    "{\"\":0}",
    "{\"a\":{\"b\":[]},\"a\":null}",
    "{ \"a\" : 1 , \"b\" : 2 }",
    r#"{"\u0000":"\ud800"}"#,
];

const REJECTED: &[&str] = &[
    "",
    " ",
    "\u{feff}",
    "\u{feff}{}",
    "\u{a0}1",
    "\u{c}1",
    "\u{2028}1",
    "nul",
    "nulll",
    "True",
    "truefalse",
    "NaN",
    "Infinity",
    "-Infinity",
    "undefined",
    "'a'",
    "a",
    "é",
    "<null>",
    "*",
    "1]",
    "1 2",
    "1,",
    "{}}",
    "{}#",
    "{}//",
    "{}/**/",
    "[] \0",
    "-",
    "+1",
    "--1",
    "- 1",
    "-a",
    "00",
    "01",
    "-01",
    "-00",
    "1.",
    "-1.",
    ".1",
    "-.1",
    "1.e1",
    "0.e1",
    "1e",
    "1e+",
    "1e-",
    "1e+-1",
    "1e1.5",
    "1ee1",
    "0x1",
    "1_000",
    "1 000",
    "1a",
    "１",
    "\"",
    "\"a",
    "\"\\",
    "\"\\\"",
    "\"\\u",
    "\"\\u00A\"",
    "\"\\u00G0\"",
    "\"\\u+123\"",
    "\"\\uD834\\u\"",
    "\"\\u\"",
    "\"\\U0041\"",
    "\"\\a\"",
    "\"\\'\"",
    "\"\\x00\"",
    "\"\\0\"",
    "\"\\é\"",
    "\"\t\"",
    "\"\n\"",
    "\"\u{0}\"",
    "\"\u{1f}\"",
    "\"a\"b",
    "[",
    "]",
    "[[",
    "[}",
    "[1",
    "[1,",
    "[,",
    "[,1]",
    "[1,]",
    "[1,,2]",
    "[1 2]",
    "[1:2]",
    "[\"a\":1]",
    "[1}",
    "[1]]",
    "[1]x",
    "[-]",
    "[\u{c}]",
    "[a",
    "[\"a",
    "[\"a\"",
    "[...1]",
    "{",
    "}",
    "{]",
    "{\"a\"",
    "{\"a\"}",
    "{\"a\":",
    "{\"a\":}",
    "{\"a\" 1}",
    "{\"a\",1}",
    "{\"a\":1",
    "{\"a\":1,",
    "{\"a\":1,}",
    "{,\"a\":1}",
    "{\"a\":1,,\"b\":2}",
    "{\"a\":1 \"b\":2}",
    "{\"a\"::1}",
    "{\"a\":1]",
    "{a:1}",
    "{'a':1}",
    "{1:1}",
    "{null:1}",
    "{[]:1}",
    "{\"a\":1 /**/}",
    "{\"\u{1}\":1}",
    "{\"a\":[}",
];

const NOT_UTF8: &[&[u8]] = &[
    b"\xff",
    b"\"\xff\"",
    b"\"\x80\"",
    b"\"\xc0\xaf\"",
    b"\"\xe0\xff\"",
    b"\"\xed\xa0\x80\"",
    b"\"\xf4\x90\x80\x80\"",
    b"\"\xe2\x82\"",
    b"\xff\xfe[\0]\0",
    b"[1]\xe5",
];

#[test]
fn valid_texts_are_accepted() {
    for text in ACCEPTED {
        assert!(parse(text.as_bytes()).is_ok(), "{text}");
    }
}

#[test]
fn invalid_texts_are_rejected() {
    for text in REJECTED {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
        let nested = format!("[[{text}");
        assert!(parse(nested.as_bytes()).is_err(), "{nested}");
    }
}

#[test]
fn text_that_is_not_utf8_is_rejected() {
    for bytes in NOT_UTF8 {
        let error = parse(bytes).unwrap_err();
        assert_eq!(error.reason, "the text is not UTF-8", "{bytes:?}");
    }
}

#[test]
fn an_error_names_the_first_byte_that_cannot_stand() {
    let cases = [
        ("", 0, "a value was expected"),
        ("\u{feff}1", 0, "a byte-order mark must not be sent"),
        ("[1,\n]", 4, "a value was expected"),
        ("[tru]", 4, "a value was expected"),
        ("[01]", 2, "a number must not begin with a zero"),
        ("[1.x]", 3, "a digit was expected"),
        ("\"a", 2, "a string must end with a quotation mark"),
        ("\"é\n\"", 3, "a control character in a string must be escaped"),
        ("\"\\q\"", 2, "no such escape exists"),
        ("\"\\u12x4\"", 5, "a hexadecimal digit was expected"),
        ("[1 2]", 3, "a comma or ] was expected"),
        ("{\"a\":1]", 6, "a comma or } was expected"),
        ("{\"a\":1,}", 7, "a member name was expected"),
        ("{\"a\"1}", 4, "a colon was expected"),
        ("{} {}", 3, "the text must end after its value"),
    ];
    for (text, offset, reason) in cases {
        assert_eq!(parse(text.as_bytes()).unwrap_err(), SyntaxError { offset, reason }, "{text}");
    }
}

#[test]
fn an_error_reads_as_a_clause_with_its_place() {
    assert_eq!(parse(b"[1").unwrap_err().to_string(), "a comma or ] was expected at byte 2");
}
