//! The published schemas and the server agree: for thousands of arguments per tool, a JSON Schema validator's verdict on
//! the listing is the server's, but for the rules that a schema can't say, which are listed here.

mod support;

use std::collections::BTreeSet;

use agent_codex::json;
use agent_codex::notebook::arguments::{Call, Tool};
use agent_codex::notebook::limits;
use jsonschema::Validator;
use serde_json::Value;
use support::arguments::{INEXACT, LONE, Written, mutate, valid_object};
use support::random::Random;

/// Cases per tool.
const CASES: u64 = 6_000;

type Rule = (&'static str, fn(&Written) -> bool);

/// The rules that a schema can't say: each with whether arguments break it.
const RULES: &[Rule] = &[
    ("a content is not only white space", |arguments| {
        let content = entry(arguments).and_then(|entry| entry.member("content")).and_then(Written::said);
        content.is_some_and(|content| content.chars().all(char::is_whitespace))
    }),
    ("an entry is at most 262,144 bytes", |arguments| {
        entry(arguments).is_some_and(|entry| entry.compact_bytes() > limits::ENTRY_BYTES)
    }),
    ("a provenance is at most 16,384 bytes", |arguments| {
        provenance(arguments).is_some_and(|provenance| provenance.compact_bytes() > limits::PROVENANCE_BYTES)
    }),
    ("a provenance is at most 8 levels deep", |arguments| {
        provenance(arguments).is_some_and(|provenance| provenance.depth() > limits::PROVENANCE_DEPTH)
    }),
    ("arguments hold at most 2,000 members", |arguments| arguments.count() > limits::ARGUMENT_MEMBERS),
    ("an object has no two members of one name", |arguments| arguments.any(&has_duplicates)),
    ("a string holds no lone surrogate", |arguments| arguments.any(&has_lone_surrogate)),
    ("a number is one that a double holds", |arguments| {
        arguments.any(&|value| matches!(value, Written::Scalar(text) if INEXACT.contains(&text.as_str())))
    }),
];

fn entry(arguments: &Written) -> Option<&Written> {
    arguments.member("entry")
}

fn provenance(arguments: &Written) -> Option<&Written> {
    entry(arguments)?.member("provenance")
}

fn has_duplicates(value: &Written) -> bool {
    let Written::Object(members) = value else { return false };
    members.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len() < members.len()
}

fn has_lone_surrogate(value: &Written) -> bool {
    match value {
        Written::Scalar(text) => LONE.contains(&text.as_str()),
        Written::Object(members) => members.iter().any(|(name, _)| name == "\"\\ud800\""),
        Written::Array(_) => false,
    }
}

fn schemas() -> Vec<Value> {
    let listing: Value = serde_json::from_str(include_str!("../mcp-tools.json")).unwrap();
    listing["tools"].as_array().unwrap().iter().map(|tool| tool["inputSchema"].clone()).collect()
}

fn server(tool: Tool, text: &str) -> bool {
    let document = json::parse(text.as_bytes()).unwrap();
    Call::parse(tool, document.root(), document.flaws()).is_ok()
}

/// Arguments of a tool: a third valid, the rest changed in one place or two.
fn case(tool: Tool, seed: u64) -> Written {
    let mut random = Random(seed);
    let mut arguments = valid_object(&mut random, tool.arguments());
    for _ in 0..seed % 3 {
        mutate(&mut random, &mut arguments);
    }
    arguments
}

/// What the schema and the server make of one case.
struct Verdicts {
    text: String,
    by_schema: bool,
    broken: Vec<&'static str>,
    by_server: bool,
}

impl Verdicts {
    fn of(tool: Tool, seed: u64, schema: &Validator, server: &dyn Fn(Tool, &str) -> bool) -> Self {
        let arguments = case(tool, seed);
        let text = arguments.text();
        // What serde_json can't read breaks one of the rules.
        let by_schema = serde_json::from_str(&text).ok().is_none_or(|value: Value| schema.is_valid(&value));
        let broken = RULES.iter().filter(|(_, breaks)| breaks(&arguments)).map(|(name, _)| *name).collect();
        Self { by_schema, broken, by_server: server(tool, &text), text }
    }

    fn agree(&self) -> bool {
        self.by_server == (self.by_schema && self.broken.is_empty())
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft7::new(schema).unwrap()
}

#[test]
fn the_schemas_and_the_server_agree_on_all_but_the_listed_rules() {
    let mut decisive = BTreeSet::new();
    let mut accepted = 0;
    for (tool, schema) in Tool::ALL.into_iter().zip(&schemas()) {
        let schema = validator(schema);
        for seed in 0..CASES {
            let verdicts = Verdicts::of(tool, seed, &schema, &server);
            let Verdicts { text, by_schema, broken, by_server } = &verdicts;
            let start: String = text.chars().take(300).collect();
            assert!(verdicts.agree(), "{tool:?} {seed}: server {by_server}, schema {by_schema}, {broken:?}: {start}");
            if *by_schema && let [rule] = broken[..] {
                decisive.insert(rule);
            }
            accepted += u64::from(*by_server);
        }
    }
    let total = CASES * 4;
    assert!(total >= 20_000 && (total / 4..total * 3 / 4).contains(&accepted), "{accepted} of {total}");
    let never: Vec<_> = RULES.iter().map(|(name, _)| *name).filter(|name| !decisive.contains(name)).collect();
    assert!(never.is_empty(), "rules that decided no case: {never:?}");
}

fn found(schema: &Value, server: &dyn Fn(Tool, &str) -> bool) -> bool {
    let schema = validator(schema);
    (0..CASES).any(|seed| !Verdicts::of(Tool::Save, seed, &schema, server).agree())
}

#[test]
fn seeded_faults_are_found() {
    type Fault = (&'static str, fn(&mut Value));
    let faults: &[Fault] = &[
        ("a limit off by one", |save| save["properties"]["entry"]["properties"]["title"]["maxLength"] = 255.into()),
        ("a limit of items off by one", |save| {
            save["properties"]["entry"]["properties"]["tags"]["maxItems"] = 33.into();
        }),
        ("a missing additionalProperties", |save| {
            save["properties"]["entry"].as_object_mut().unwrap().remove("additionalProperties");
        }),
        ("a nullable member", |save| {
            save["properties"]["entry"]["properties"]["title"]["type"] = serde_json::json!(["string", "null"]);
        }),
        ("an unlisted pattern", |save| save["properties"]["requestId"]["pattern"] = "^[ -~]*$".into()),
        ("a member that is not required", |save| save["required"] = serde_json::json!(["entry"])),
    ];
    for (name, fault) in faults {
        let mut save = schemas().swap_remove(0);
        fault(&mut save);
        assert!(found(&save, &server), "{name}");
    }
    let utf16 = |tool: Tool, text: &str| {
        let value: Option<Value> = serde_json::from_str(text).ok();
        let title = value.as_ref().and_then(|value| value["entry"]["title"].as_str());
        server(tool, text) && title.is_none_or(|title| title.encode_utf16().count() <= limits::TITLE_CHARACTERS)
    };
    assert!(found(&schemas()[0], &utf16), "UTF-16 instead of code points");
}
