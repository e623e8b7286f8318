//! The parser against `serde_json`, on texts that are generated, valid or damaged.
//!
//! Both must accept the same texts and see the same values, apart from deliberate differences:
//!
//! * a lone surrogate is a flaw here and an error there;
//! * a number beyond the doubles is a flaw here and an error there;
//! * nesting of more than 127 levels is an error there (no text here nests so deeply);
//! * `serde_json` may misread a number by a unit in the last place (without its `float_roundtrip`).

use proptest::prelude::*;
use serde_json::Value;

use super::read;
use crate::json::{FlawKind, Kind, Node, parse, write_string};

fn space() -> impl Strategy<Value = String> {
    prop_oneof![3 => Just(String::new()), 1 => "[ \t\r\n]{1,3}"]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?",
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
    ]
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[ -!#-\\[\\]-~é€\u{1f600}]",
        1 => "\\\\[\"\\\\/bfnrt]",
        1 => "\\\\u[0-9a-fA-F]{4}",
        1 => "\\\\ud[89ab][0-9a-f]{2}\\\\ud[c-f][0-9a-f]{2}",
        1 => "(?s).{0,3}".prop_map(|text| {
            let mut out = String::new();
            write_string(&mut out, &text);
            out.get(1..out.len() - 1).unwrap().to_owned()
        }),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// A valid JSON text, perhaps with flaws.
fn text() -> impl Strategy<Value = String> {
    let literal = prop::sample::select(vec!["null", "true", "false"]).prop_map(str::to_owned);
    let scalar = prop_oneof![literal, number(), string()];
    let value = scalar.prop_recursive(5, 40, 6, |inner| {
        let element = (space(), inner, space()).prop_map(|(a, value, b)| a + &value + &b).boxed();
        let name = prop_oneof![string(), Just("\"a\"".to_owned()), Just("\"\\u0061\"".to_owned())];
        let member =
            (space(), name, space(), element.clone()).prop_map(|(a, name, b, value)| format!("{a}{name}{b}:{value}"));
        prop_oneof![
            (space(), prop::collection::vec(element, 0..6))
                .prop_map(|(a, elements)| format!("[{a}{}]", elements.join(","))),
            (space(), prop::collection::vec(member, 0..6))
                .prop_map(|(a, members)| format!("{{{a}{}}}", members.join(","))),
        ]
    });
    (space(), value, space()).prop_map(|(a, value, b)| a + &value + &b)
}

/// One way to damage a text.
#[derive(Clone, Debug)]
enum Damage {
    Flip(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Truncate(prop::sample::Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let telling = b"[]{}:,\"\\0123456789-+.eEtfnu \n\t\x00\x0c\x7f\x80\xc3\xa9\xed\xa0\xef\xbb\xbf\xff";
    let byte = || prop_oneof![4 => prop::sample::select(telling.to_vec()), 1 => any::<u8>()];
    let place = any::<prop::sample::Index>;
    prop_oneof![
        (place(), byte()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        (place(), byte()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        place().prop_map(Damage::Remove),
        place().prop_map(Damage::Truncate),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    let places = bytes.len().max(1);
    match damage {
        Damage::Insert(at, byte) => bytes.insert(at.index(bytes.len() + 1), *byte),
        Damage::Flip(at, byte) => {
            let at = at.index(places);
            bytes.splice(at.min(bytes.len())..(at + 1).min(bytes.len()), [*byte]);
        }
        Damage::Remove(at) => drop(bytes.drain(at.index(places).min(bytes.len())..).next()),
        Damage::Truncate(at) => bytes.truncate(at.index(places)),
    }
}

/// Asserts that both parsers see the same in a text.
fn compare(bytes: &[u8]) {
    let shown = String::from_utf8_lossy(bytes);
    match (parse(bytes), serde_json::from_slice::<Value>(bytes)) {
        (Ok(ours), Ok(theirs)) => assert_same(ours.root(), &theirs),
        (Err(_), Err(_)) => {}
        (Err(error), Ok(_)) => panic!("only serde_json accepts {shown}: {error}"),
        (Ok(ours), Err(error)) => {
            let is_deliberate = ours.flaws().iter().any(|flaw| flaw.kind != FlawKind::DuplicateName);
            assert!(is_deliberate, "only serde_json rejects {shown}: {error}");
        }
    }
}

fn assert_same(ours: Node<'_>, theirs: &Value) {
    match theirs {
        Value::Null => assert_eq!(ours.kind(), Kind::Null),
        Value::Bool(value) => assert_eq!(ours.as_bool(), Some(*value)),
        Value::String(value) => assert_eq!(ours.as_str().as_deref(), Some(value.as_str())),
        Value::Number(value) => {
            let number = ours.as_number().unwrap();
            let (double, other) = (number.as_f64(), value.as_f64().unwrap());
            let tolerance = (double.abs() * 4.0 * f64::EPSILON).max(1e-322);
            assert!((double - other).abs() <= tolerance, "{}: {other}", number.source());
            if let Some(integer) = number.as_integer()
                && value.is_i64()
            {
                assert_eq!(value.as_i64(), Some(integer));
            }
        }
        Value::Array(values) => {
            assert_eq!((ours.kind(), ours.elements().count()), (Kind::Array, values.len()));
            ours.elements().zip(values).for_each(|(node, value)| assert_same(node, value));
        }
        Value::Object(values) => {
            assert_eq!(ours.kind(), Kind::Object);
            let members: std::collections::BTreeMap<_, _> = ours.members().collect();
            assert_eq!(members.len(), values.len());
            for (name, node) in members {
                assert_same(node, &values[name.as_ref()]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_generated_text_is_read_as_serde_json_reads_it(text in text()) {
        prop_assert!(parse(text.as_bytes()).is_ok());
        compare(text.as_bytes());
    }

    #[test]
    fn a_damaged_text_is_judged_as_serde_json_judges_it(
        text in text(),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        let mut bytes = text.into_bytes();
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        compare(&bytes);
    }

    #[test]
    fn any_bytes_are_judged_as_serde_json_judges_them(bytes in "[\\[\\]{}:,\"\\\\0-9.eE+-truefalsn \n]{0,12}") {
        compare(bytes.as_bytes());
    }

    #[test]
    fn writing_and_reading_again_changes_nothing(text in text()) {
        let document = read(&text);
        let once = super::compact(&text);
        let again = read(&once);
        prop_assert_eq!(super::compact(&once), once.clone());
        prop_assert_eq!(again.root().source(), &once);
        prop_assert_eq!(again.root().count(), document.root().count());
        prop_assert_eq!(again.root().depth(), document.root().depth());
        prop_assert_eq!(again.root().canonical(), document.root().canonical());
        let canonical = document.root().canonical();
        prop_assert_eq!(super::canonical(&canonical), canonical);
    }

    #[test]
    fn every_flaw_has_a_place(text in text()) {
        let document = read(&text);
        prop_assert!(document.flaws().is_sorted());
        for flaw in document.flaws() {
            prop_assert!(document.root().pointer_to(flaw).is_some());
        }
    }
}
