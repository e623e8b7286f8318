//! The index of searches changes what a search costs, never what it finds: with it, and while an older database is put into
//! it, a search followed to its end finds what a plain look at every entry finds.

mod support;

use std::collections::BTreeMap;

use agent_codex::notebook::text::fold;
use agent_codex::notebook::time::Timestamp;
use agent_codex::notebook::{index, tables};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use support::{START, TestCodex};

/// Makes the codex's database one of the version before the index, and brings it to the newest version again.
fn age(codex: &TestCodex) {
    codex.storage.run("DROP TRIGGER entry_inserted; DROP TRIGGER entry_updated; DROP VIEW indexed; DROP TABLE trigrams; DROP TABLE backfill; DELETE FROM migrations WHERE version >= 4");
    tables::migrate(&codex.storage, Timestamp::from_milliseconds(START)).unwrap();
}

/// What the codex holds: the entries by their ids, each with its texts, folded.
#[derive(Default)]
struct Entries(BTreeMap<String, (Value, Vec<String>)>);

impl Entries {
    fn insert(&mut self, id: String, entry: Value) {
        let folded = texts(&entry).into_iter().map(fold).collect();
        self.0.insert(id, (entry, folded));
    }

    fn nth(&self, place: usize) -> String {
        self.0.keys().nth(place).unwrap().clone()
    }

    fn inputs(&self) -> impl Iterator<Item = &Value> {
        self.0.values().map(|(entry, _)| entry)
    }
}

fn strings<'e>(entry: &'e Value, member: &str) -> impl Iterator<Item = &'e str> {
    entry[member].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn texts(entry: &Value) -> Vec<&str> {
    let one = |member: &str| entry[member].as_str();
    one("content").into_iter().chain(one("title")).chain(strings(entry, "tags")).collect()
}

/// The ids of the entries that pass the filters, found by looking at every entry.
fn plain_scan(entries: &Entries, filters: &Value) -> Vec<String> {
    let query = fold(filters["query"].as_str().unwrap_or_default());
    let has = |entry: &Value, member: &str, filter: &str| {
        filters[filter].as_str().is_none_or(|wanted| strings(entry, member).any(|item| item == wanted))
    };
    let passes = |entry: &Value, folded: &[String]| {
        folded.iter().any(|text| text.contains(&query))
            && has(entry, "tags", "tag")
            && has(entry, "relatedAgentIds", "relatedAgentId")
    };
    entries.0.iter().filter(|(_, (entry, folded))| passes(entry, folded)).map(|(id, _)| id.clone()).collect()
}

fn id(entry: &Value) -> String {
    entry["id"].as_str().unwrap().to_owned()
}

fn assert_found_as_by_a_plain_scan(codex: &mut TestCodex, entries: &Entries, filters: &Value) {
    let found: Vec<_> = codex.search_to_the_end(filters).iter().map(id).collect();
    assert_eq!(found, plain_scan(entries, filters), "{filters}");
}

/// What texts are made of. The marker of the index, what FTS5's own syntax is made of, what its tokenizer takes for one
/// another or for an end, and what folds to more.
const PIECES: &[&str] = &[
    "a",
    "b",
    "ab",
    " ",
    "harbour",
    "Straße",
    "STRASSE",
    "café",
    "cafe\u{301}",
    "ΟΔΌΣ",
    "東京",
    "ガ",
    "ｶﾞ",
    "ﷺ",
    "한글",
    "😀",
    "A",
    "\u{1}",
    "A\u{1}A",
    "\0",
    "ab\0c",
    "\"",
    "\"\"",
    "'",
    "\\",
    "*",
    "(",
    ")",
    " AND ",
    " OR ",
    "NEAR",
    "^",
    "+",
    "-",
    "%_",
    "\u{fffd}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{1fffe}",
    "\u{10ffff}",
    "\u{e000}",
    "[",
    "]",
    ",",
    "\"tags\":[",
    "\u{7f}",
    "\n",
];

fn text(pieces: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), pieces).prop_map(|pieces| pieces.concat())
}

fn list() -> impl Strategy<Value = Option<Vec<String>>> {
    prop::option::of(prop::collection::btree_set(text(1..=3), 0..=4).prop_map(|set| set.into_iter().collect()))
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        50 => text(1..=40),
        // Folds to more than is stored folded.
        1 => text(1..=4).prop_map(|start| format!("{start}{}", "\u{fdfa}".repeat(31_000))),
        2 => text(300..=500),
    ]
    .prop_map(|content| if content.trim().is_empty() { format!("{content}x") } else { content })
}

fn entry() -> impl Strategy<Value = Value> {
    (content(), prop::option::of(text(1..=4)), list(), list(), prop::option::of(text(1..=2))).prop_map(
        |(content, title, tags, agents, source)| {
            let mut entry = json!({"content": content});
            for (name, value) in [
                ("title", title.map(Value::from)),
                ("tags", tags.map(Value::from)),
                ("relatedAgentIds", agents.map(Value::from)),
                ("provenance", source.map(|source| json!({"source": source, "tags": ["harbour"]}))),
            ] {
                if let Some(value) = value {
                    entry[name] = value;
                }
            }
            entry
        },
    )
}

/// A part of something that is in the codex, or anything.
#[derive(Debug, Clone)]
enum Wanted {
    Part { of: Index, from: Index, length: usize },
    Any(String),
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let length = prop_oneof![4 => 1..=4_usize, 2 => 5..=30_usize, 1 => 31..=256_usize];
    prop_oneof![
        3 => (any::<Index>(), any::<Index>(), length).prop_map(|(of, from, length)| Wanted::Part { of, from, length }),
        1 => text(1..=3).prop_map(Wanted::Any),
    ]
}

impl Wanted {
    fn choose(&self, among: &[&str]) -> String {
        match self {
            Self::Part { of, from, length } if !among.is_empty() => {
                let text = among[of.index(among.len())];
                let from = from.index(text.chars().count());
                text.chars().skip(from).take(*length).collect()
            }
            Self::Part { .. } => "nothing".to_owned(),
            Self::Any(text) => text.clone(),
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Save(Value),
    Update(Index, Value),
    Search { query: Option<Wanted>, tag: Option<Index>, agent: Option<Index>, limit: u8 },
    Age,
    CatchUp,
}

fn step() -> impl Strategy<Value = Step> {
    let filter = || prop::option::weighted(0.3, any::<Index>());
    prop_oneof![
        4 => entry().prop_map(Step::Save),
        2 => (any::<Index>(), entry()).prop_map(|(at, entry)| Step::Update(at, entry)),
        8 => (prop::option::weighted(0.8, wanted()), filter(), filter(), 1..=50_u8)
            .prop_map(|(query, tag, agent, limit)| Step::Search { query, tag, agent, limit }),
        1 => Just(Step::Age),
        2 => Just(Step::CatchUp),
    ]
}

fn check(codex: &mut TestCodex, entries: &mut Entries, step: &Step) {
    match step {
        Step::Save(entry) => {
            let saved = codex.save(&format!("request {}", entries.0.len()), entry).unwrap();
            entries.insert(id(&saved), entry.clone());
        }
        Step::Update(at, entry) if !entries.0.is_empty() => {
            let id = entries.nth(at.index(entries.0.len()));
            let revision = codex.get(&json!(id)).unwrap()["revision"].as_i64().unwrap();
            codex.update(&json!(id), revision, entry).unwrap();
            entries.insert(id, entry.clone());
        }
        Step::Update(..) => {}
        Step::Search { query, tag, agent, limit } => {
            let mut filters = json!({"limit": limit});
            let all: Vec<_> = entries.inputs().flat_map(texts).collect();
            if let Some(query) = query {
                filters["query"] = json!(query.choose(&all));
            }
            for (name, member, at) in [("tag", "tags", tag), ("relatedAgentId", "relatedAgentIds", agent)] {
                let items: Vec<_> = entries.inputs().flat_map(|entry| strings(entry, member)).collect();
                if let Some(at) = at {
                    filters[name] = json!(items.get(at.index(items.len() + 1)).unwrap_or(&"none"));
                }
            }
            assert_found_as_by_a_plain_scan(codex, entries, &filters);
        }
        Step::Age => age(codex),
        Step::CatchUp => drop(index::catch_up(&codex.storage).unwrap()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_search_finds_what_a_plain_look_at_every_entry_finds(
        seed in any::<u64>(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut codex = TestCodex::seeded(seed);
        let mut entries = Entries::default();
        for step in &steps {
            check(&mut codex, &mut entries, step);
        }
    }
}

/// A codex of so many entries, one of which says `needle`.
fn haystack(count: usize) -> (TestCodex, Entries) {
    let mut codex = TestCodex::new();
    let mut entries = Entries::default();
    for number in 0..count {
        let word = if number == count / 2 { "Needle" } else { "hay" };
        let entry = json!({"content": format!("note {number} of {word}"), "tags": [format!("tag {}", number % 7)]});
        let saved = codex.save(&format!("save {number}"), &entry).unwrap();
        entries.insert(id(&saved), entry);
    }
    (codex, entries)
}

#[test]
fn a_rare_word_and_one_that_is_nowhere_take_one_page_among_thousands() {
    let (mut codex, entries) = haystack(3_000);
    for (filters, scanned) in [
        (json!({"query": "NEEDLE"}), 1),
        (json!({"query": "nowhere"}), 0),
        (json!({"tag": "nowhere"}), 0),
        (json!({"relatedAgentId": "nobody"}), 0),
        (json!({"query": "no", "tag": "t"}), 0),
        (json!({"query": "needle", "tag": format!("tag {}", 1_500 % 7)}), 1),
    ] {
        let page = codex.search(&filters).unwrap();
        assert_eq!(page["coverage"]["scanned"], scanned, "{filters}");
        assert_eq!(page["coverage"]["hasMore"], false, "{filters}");
        assert_found_as_by_a_plain_scan(&mut codex, &entries, &filters);
    }
}

#[test]
fn a_page_of_a_common_word_examines_at_most_a_hundred_and_goes_on_behind_them() {
    let (mut codex, entries) = haystack(450);
    // Every entry has the trigrams of this query, and none has the query.
    let page = codex.search(&json!({"query": "note of hay note"})).unwrap();
    assert_eq!(page["entries"], json!([]));
    let scanned = page["coverage"]["scanned"].as_u64().unwrap();
    assert!(scanned <= 100);
    for filters in [json!({"query": "hay"}), json!({"query": "note", "limit": 7}), json!({"tag": "tag 3", "limit": 1})]
    {
        assert_found_as_by_a_plain_scan(&mut codex, &entries, &filters);
    }
}

#[test]
fn a_page_ends_where_folding_its_candidates_anew_would_take_long_and_the_next_goes_on() {
    let (mut codex, mut entries) = haystack(20);
    for number in 0..8 {
        let entry = json!({"content": format!("{} large {number}", "\u{fdfa}".repeat(45_000)), "tags": ["large"]});
        let saved = codex.save(&format!("large {number}"), &entry).unwrap();
        entries.insert(id(&saved), entry);
    }
    let page = codex.search(&json!({"query": "large 7"})).unwrap();
    assert!(page["coverage"]["scanned"].as_u64().unwrap() <= 2, "{page}");
    assert_eq!(page["coverage"]["hasMore"], true);
    for filters in [json!({"query": "large 7"}), json!({"query": "صلى", "limit": 50}), json!({"query": "hay"})] {
        assert_found_as_by_a_plain_scan(&mut codex, &entries, &filters);
    }
    assert_eq!(codex.search(&json!({"tag": "large"})).unwrap()["entries"].as_array().unwrap().len(), 8);
}

#[test]
fn an_older_database_is_searched_right_at_every_step_until_the_index_has_all_of_it() {
    let (mut codex, mut entries) = haystack(400);
    age(&codex);
    assert!(index::is_behind(&codex.storage).unwrap());
    let mut steps = 0;
    let cursor = codex.search(&json!({"query": "hay", "limit": 9})).unwrap()["nextCursor"].clone();
    while index::catch_up(&codex.storage).unwrap() {
        assert!(index::is_behind(&codex.storage).unwrap());
        steps += 1;
        for query in ["needle", "nowhere", "hay", "is late", "no"] {
            assert_found_as_by_a_plain_scan(&mut codex, &entries, &json!({"query": query, "limit": 50}));
        }
        assert_found_as_by_a_plain_scan(&mut codex, &entries, &json!({"tag": "tag 5"}));
        let late = json!({"content": "This one is late"});
        let saved = codex.save(&format!("late {steps}"), &late).unwrap();
        entries.insert(id(&saved), late);
        let changed = json!({"content": "This one is later"});
        let first = entries.nth(steps * 50);
        let revision = codex.get(&json!(first)).unwrap()["revision"].as_i64().unwrap();
        codex.update(&json!(first), revision, &changed).unwrap();
        entries.insert(first, changed);
    }
    assert!(steps >= 400 / 64, "{steps} steps");
    assert!(!index::is_behind(&codex.storage).unwrap());
    assert_eq!(codex.search(&json!({"query": "nowhere"})).unwrap()["coverage"]["scanned"], 0);
    for query in ["needle", "nowhere", "hay", "is late", "no"] {
        assert_found_as_by_a_plain_scan(&mut codex, &entries, &json!({"query": query}));
    }
    codex.search(&json!({"query": "hay", "limit": 9, "cursor": cursor})).unwrap();
}

#[test]
fn a_new_database_has_nothing_to_catch_up_with() {
    let codex = TestCodex::new();
    assert!(!index::is_behind(&codex.storage).unwrap());
    assert!(!index::catch_up(&codex.storage).unwrap());
}
