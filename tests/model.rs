//! The notebook against a model: random sequences of the four calls, run on SQLite and on plain maps, give the same
//! answers. A failing sequence shrinks to a short one.

mod support;

use std::collections::BTreeMap;

use agent_codex::notebook::text::fold;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use support::{Failed, TestCodex};

#[derive(Debug, Clone)]
enum Step {
    Save { request: u8, entry: Value },
    Get { entry: Index },
    Update { entry: Index, revision_off: i64, replacement: Value },
    Search { filters: Value, limit: u8 },
    Unknown,
    Tick { milliseconds: i64 },
}

/// What the notebook is, told as simply as can be.
#[derive(Default)]
struct Model {
    entries: BTreeMap<String, Value>,
    requests: BTreeMap<u8, (Value, String)>,
}

const WORDS: &[&str] =
    &["harbour", "Straße", "STRASSE", "café", "cafe\u{301}", "ΟΔΌΣ", "a", "\0", "東京", "ガ", "ｶﾞ", "%_"];
const TAGS: &[&str] = &["launch", "Launch", "\"", "a\\", "東"];
const AGENTS: &[&str] = &["agent-1", "agent-2", "launch"];

fn words(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(select(WORDS), 1..=most)
        .prop_map(|words| words.join(" "))
        .prop_filter("not blank", |text| !text.trim().is_empty())
}

fn subset(of: &'static [&'static str]) -> impl Strategy<Value = Option<Vec<&'static str>>> {
    prop::option::of(prop::sample::subsequence(of, 0..=of.len()).prop_shuffle())
}

fn entry() -> impl Strategy<Value = Value> {
    let provenance =
        prop::option::of(select(vec![json!({}), json!({"source": "launch", "n": [1, 2.5, null, {"a": {}}]})]));
    (words(60), prop::option::of(words(2)), subset(TAGS), subset(AGENTS), provenance).prop_map(
        |(content, title, tags, agents, provenance)| {
            let mut entry = json!({"content": content});
            let optional = [
                ("title", title.map(|title| json!(title))),
                ("tags", tags.map(|tags| json!(tags))),
                ("relatedAgentIds", agents.map(|agents| json!(agents))),
                ("provenance", provenance),
            ];
            for (name, value) in optional {
                if let Some(value) = value {
                    entry[name] = value;
                }
            }
            entry
        },
    )
}

fn filters() -> impl Strategy<Value = Value> {
    let query =
        prop::option::of(prop_oneof![select(WORDS).prop_map(str::to_owned), Just(String::new()), Just("R".to_owned())]);
    (query, prop::option::of(select(TAGS)), prop::option::of(select(AGENTS))).prop_map(|(query, tag, agent)| {
        let mut filters = json!({});
        if let Some(query) = query {
            filters["query"] = json!(query);
        }
        if let Some(tag) = tag {
            filters["tag"] = json!(tag);
        }
        if let Some(agent) = agent {
            filters["relatedAgentId"] = json!(agent);
        }
        filters
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..12_u8, entry()).prop_map(|(request, entry)| Step::Save { request, entry }),
        2 => any::<Index>().prop_map(|entry| Step::Get { entry }),
        4 => (any::<Index>(), prop_oneof![4 => Just(0), 1 => -1..=1_i64], entry())
            .prop_map(|(entry, revision_off, replacement)| Step::Update { entry, revision_off, replacement }),
        4 => (filters(), 1..=50_u8).prop_map(|(filters, limit)| Step::Search { filters, limit }),
        1 => Just(Step::Unknown),
        1 => (-1000..100_000_i64).prop_map(|milliseconds| Step::Tick { milliseconds }),
    ]
}

impl Model {
    fn id(&self, index: Index) -> Option<String> {
        (!self.entries.is_empty()).then(|| self.entries.keys().nth(index.index(self.entries.len())).unwrap().clone())
    }

    fn matches(entry: &Value, filters: &Value) -> bool {
        let strings = |member: &str| entry[member].as_array().into_iter().flatten().filter_map(Value::as_str);
        let query = fold(filters["query"].as_str().unwrap_or_default());
        let mut texts = entry["content"].as_str().into_iter().chain(entry["title"].as_str()).chain(strings("tags"));
        texts.any(|text| fold(text).contains(&query))
            && filters["tag"].as_str().is_none_or(|tag| strings("tags").any(|item| item == tag))
            && filters["relatedAgentId"]
                .as_str()
                .is_none_or(|agent| strings("relatedAgentIds").any(|item| item == agent))
    }
}

fn with_members(head: &Value, input: &Value) -> Value {
    let mut entry = head.clone();
    entry.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
    entry
}

fn code(result: &Result<Value, Failed>) -> &str {
    result.as_ref().expect_err("a failure").code.as_str()
}

fn check(codex: &mut TestCodex, model: &mut Model, step: &Step) {
    match step {
        Step::Save { request, entry } => check_save(codex, model, *request, entry),
        Step::Get { entry } => {
            if let Some(id) = model.id(*entry) {
                assert_eq!(codex.get(&json!(id)).as_ref(), Ok(&model.entries[&id]));
            }
        }
        Step::Update { entry, revision_off, replacement } => {
            if let Some(id) = model.id(*entry) {
                check_update(codex, model, &id, *revision_off, replacement);
            }
        }
        Step::Search { filters, limit } => check_search(codex, model, filters, *limit),
        Step::Unknown => {
            let id = json!("11111111-1111-4111-8111-111111111111");
            assert_eq!(code(&codex.get(&id)), "not_found");
            assert_eq!(code(&codex.update(&id, 1, &json!({"content": "x"}))), "not_found");
        }
        Step::Tick { milliseconds } => codex.now += milliseconds,
    }
}

fn check_save(codex: &mut TestCodex, model: &mut Model, request: u8, entry: &Value) {
    let saved = codex.save(&format!("request {request}"), entry);
    match model.requests.get(&request) {
        Some((input, id)) if input == entry => assert_eq!(saved.as_ref(), Ok(&model.entries[id])),
        Some(_) => assert_eq!(code(&saved), "conflict"),
        None => {
            let saved = saved.unwrap();
            let now = &saved["createdAt"];
            let head = json!({"id": saved["id"], "revision": 1, "createdAt": now, "updatedAt": now});
            assert_eq!(saved, with_members(&head, entry));
            let id = saved["id"].as_str().unwrap().to_owned();
            model.requests.insert(request, (entry.clone(), id.clone()));
            assert_eq!(model.entries.insert(id, saved), None, "the id is new");
        }
    }
}

fn check_update(codex: &mut TestCodex, model: &mut Model, id: &str, off: i64, replacement: &Value) {
    let before = model.entries[id].clone();
    let revision = before["revision"].as_i64().unwrap();
    if revision + off < 1 {
        return;
    }
    let updated = codex.update(&json!(id), revision + off, replacement);
    if off != 0 {
        let failed = updated.unwrap_err();
        assert_eq!(failed.code, "conflict");
        assert!(failed.message.contains(&format!("revision {revision},")), "{}", failed.message);
        return;
    }
    let updated = updated.unwrap();
    assert!(updated["updatedAt"].as_str() >= before["updatedAt"].as_str(), "time does not go back");
    let head = json!({
        "id": id, "revision": revision + 1, "createdAt": before["createdAt"], "updatedAt": updated["updatedAt"]
    });
    assert_eq!(updated, with_members(&head, replacement));
    model.entries.insert(id.to_owned(), updated);
}

fn check_search(codex: &mut TestCodex, model: &Model, filters: &Value, limit: u8) {
    let mut arguments = filters.clone();
    arguments["limit"] = json!(limit);
    let found = codex.search_to_the_end(&arguments);
    let expected: Vec<_> = model.entries.values().filter(|entry| Model::matches(entry, filters)).collect();
    assert_eq!(found.len(), expected.len(), "as many as match");
    for (summary, entry) in found.iter().zip(expected) {
        let mut summary = summary.clone();
        let excerpt = summary.as_object_mut().unwrap().remove("excerpt").unwrap();
        assert!(entry["content"].as_str().unwrap().contains(excerpt.as_str().unwrap()), "an excerpt is of the content");
        let mut entry = entry.clone();
        entry.as_object_mut().unwrap().remove("content");
        assert_eq!(summary, entry);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_calls_is_answered_as_the_model_answers_it(
        seed in any::<u64>(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut codex = TestCodex::seeded(seed);
        let mut model = Model::default();
        for step in &steps {
            check(&mut codex, &mut model, step);
        }
    }
}
