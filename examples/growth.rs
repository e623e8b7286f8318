//! Measures how the cost of each call grows with the number of entries, on SQLite in memory:
//! `cargo run --release --example growth [-- LARGEST]`. `docs/performance.md` has what it printed.
//!
//! A call is all that this program does of it, from the body of the request to the body of the answer: JSON, arguments, the
//! message to the codex, the turn with its grant, and the answer. What the runtime adds does not grow.
//!
//! A codex is asked now and then, and much else runs between: before each call, memory is gone through until the processor's
//! caches hold nothing of the codex. Otherwise a small codex, which fits into them, would look faster than it ever is.
//! With `HOT=1` that is left out.

#![allow(clippy::cast_precision_loss)] // No count here is near 2^52.

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use agent_codex::auth::access::Access;
use agent_codex::auth::{GrantId, Scopes};
use agent_codex::codex::message::{Message, Outcome};
use agent_codex::codex::take_turn;
use agent_codex::mcp::era::Headers;
use agent_codex::mcp::{PendingCall, Step, receive};
use agent_codex::notebook::quota::Quota;
use agent_codex::notebook::time::Timestamp;
use agent_codex::notebook::{Surroundings, index, tables};
use serde_json::{Value, json};
use support::random::Random;
use support::{START, TestCodex};

const WORDS: &[&str] = &[
    "release",
    "rollback",
    "schema",
    "migration",
    "queue",
    "worker",
    "cache",
    "budget",
    "latency",
    "token",
    "grant",
    "cursor",
    "region",
    "replica",
    "snapshot",
    "lease",
    "quorum",
    "shard",
    "the",
    "a",
    "to",
    "of",
    "and",
    "is",
    "was",
];
/// The searches, with their arguments.
const SEARCHES: [(&str, &str); 9] = [
    ("browse: a page", "{}"),
    ("a common word: a page", r#"{"query": "rollback"}"#),
    ("a tag: a page", r#"{"tag": "quorum"}"#),
    ("a word of one entry, whole", r#"{"query": "needle"}"#),
    ("a word that is nowhere", r#"{"query": "nowhere"}"#),
    ("trigrams of the corpus, in no entry", r#"{"query": "rollbacks of queues"}"#),
    ("common words, in no entry in a row", r#"{"query": "lease of the quorum budget cache"}"#),
    ("a tag that is nowhere", r#"{"tag": "nobody's"}"#),
    ("two characters, nowhere: a page", r#"{"query": "zz"}"#),
];
/// How often each call is repeated for its median.
const ROUNDS: usize = 200;
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

/// A note of about 200 bytes; the eighth says `needle`.
fn note(random: &mut Random, number: usize) -> Value {
    let mut content = format!("note {number}");
    while content.len() < 200 {
        content.push(' ');
        let word: &str = random.pick::<&str>(WORDS);
        content.push_str(word);
    }
    if number == 7 {
        content.push_str(" needle");
    }
    json!({"content": content, "tags": [random.pick::<&str>(WORDS)]})
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Bytes of memory that are gone through before a call; more than processors cache.
const MUCH: usize = 128 << 20;

/// Takes everything out of the processor's caches.
fn forget(memory: &mut [u8]) {
    for byte in memory.iter_mut().step_by(64) {
        *byte = byte.wrapping_add(1);
    }
    std::hint::black_box(memory);
}

/// The median, the mean and the longest of some times, in microseconds.
type Times = [f64; 3];

fn summed_up(mut times: Vec<f64>) -> Times {
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    [times[times.len() / 2], mean, times[times.len() - 1]]
}

/// How long something takes, in microseconds.
fn time(act: impl FnOnce()) -> f64 {
    let start = Instant::now();
    act();
    microseconds(start.elapsed())
}

/// The grant by which the codex is called.
const GRANT: [u8; 16] = [1; 16];

fn turn(codex: &TestCodex, random: &mut Random, message: &Message) -> Outcome {
    let mut randomness = |bytes: &mut [u8]| bytes.fill_with(|| random.next().to_le_bytes()[0]);
    let now = Timestamp::from_milliseconds(START);
    let surroundings = &mut Surroundings { now, quota: &codex.quota, randomness: &mut randomness };
    take_turn(&codex.storage, &mut codex.grants.borrow_mut(), message, surroundings).unwrap()
}

/// The body of a request that calls a tool.
fn body(tool: &str, arguments: &Value) -> Vec<u8> {
    let params = json!({"name": format!("field_notes_{tool}"), "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string().into_bytes()
}

/// The answer to a request with this body.
fn answer(codex: &TestCodex, random: &mut Random, body: &[u8]) -> Vec<u8> {
    let exchange = receive(body, &Headers::default(), Scopes::ALL);
    let Some(Step::Call(call)) = exchange.steps.into_iter().next() else { panic!("it is a call") };
    let PendingCall { reply, needed, call, trace } = call;
    let access = Access::Grant { id: GrantId::from_bytes(GRANT), generation: None };
    let wire = Message::Call { access, needed, call, reply, trace }.to_wire().unwrap();
    let message = Message::from_wire(&wire).unwrap();
    message.tell(turn(codex, random, &message)).into_wire()
}

fn measure(codex: &mut TestCodex, random: &mut Random, ids: &[Value], memory: &mut [u8]) -> Vec<(&'static str, Times)> {
    let mut rows = Vec::new();
    let mut run = |name, codex: &TestCodex, random: &mut Random, bodies: Vec<Vec<u8>>| {
        let times = bodies.iter().map(|body| {
            forget(memory);
            time(|| drop(answer(codex, random, body)))
        });
        rows.push((name, summed_up(times.collect())));
    };
    let start = ids.len();
    let notes: Vec<_> = (0..ROUNDS).map(|round| note(random, start + round)).collect();
    let saves = notes
        .iter()
        .enumerate()
        .map(|(round, entry)| body("save", &json!({"requestId": format!("growth {start} {round}"), "entry": entry})));
    run("save", codex, random, saves.collect());
    let some: Vec<_> = (0..ROUNDS).map(|_| random.pick(ids).clone()).collect();
    run("get", codex, random, some.iter().map(|id| body("get", &json!({"id": id}))).collect());
    let mut revisions = HashMap::new();
    let updates = some.iter().zip(&notes).map(|(id, entry)| {
        let stored = || codex.get(id).unwrap()["revision"].as_i64().unwrap();
        let revision = revisions.entry(id.to_string()).or_insert_with(stored);
        let update = body("update", &json!({"id": id, "expectedRevision": revision, "entry": entry}));
        *revision += 1;
        update
    });
    let updates = updates.collect();
    run("update", codex, random, updates);
    let searches = SEARCHES.map(|(name, arguments)| (name, body("search", &serde_json::from_str(arguments).unwrap())));
    let mut times = SEARCHES.map(|_| Vec::new());
    // What a search costs depends on what the index has merged by then, so each follows another save.
    for round in 0..ROUNDS {
        codex.save(&format!("between {start} {round}"), &note(random, start + ROUNDS + round)).unwrap();
        for ((_, body), times) in searches.iter().zip(&mut times) {
            forget(memory);
            times.push(time(|| drop(answer(codex, random, body))));
        }
    }
    rows.extend(searches.iter().zip(times).map(|((name, _), times)| (*name, summed_up(times))));
    rows
}

fn main() {
    let largest = std::env::args().nth(1).map_or(100_000, |largest| largest.parse().expect("a number of entries"));
    let mut codex = TestCodex::new();
    codex.quota = Quota::parse("9000").expect("a quota");
    let (mut random, mut ids) = (Random(1), Vec::new());
    let mut memory = vec![0; if std::env::var_os("HOT").is_some() { 0 } else { MUCH }];
    let (id, label) = (GrantId::from_bytes(GRANT), "growth".to_owned());
    turn(&codex, &mut random, &Message::CreateGrant { id, label, scopes: Scopes::ALL, lifetime: None });
    println!("| entries | call | median, µs | mean, µs | longest, µs |\n| --- | --- | --- | --- | --- |");
    for size in SIZES.into_iter().filter(|size| *size <= largest) {
        while ids.len() < size {
            let entry = note(&mut random, ids.len());
            ids.push(codex.save(&format!("save {}", ids.len()), &entry).unwrap()["id"].take());
        }
        let pages = codex.storage.pages();
        for (name, [median, mean, longest]) in measure(&mut codex, &mut random, &ids, &mut memory) {
            println!("| {size} | {name} | {median:.0} | {mean:.0} | {longest:.0} |");
        }
        println!("| {size} | kB of database an entry | | {:.2} | |", pages as f64 * 4.096 / size as f64);
    }
    let steps = backfill(&codex);
    let count = steps.len();
    let [median, mean, longest] = summed_up(steps);
    println!("| {} | a step of the backfill, of {count} | {median:.0} | {mean:.0} | {longest:.0} |", ids.len());
}

/// Makes the database one of the version before the index, and takes every step of its backfill.
fn backfill(codex: &TestCodex) -> Vec<f64> {
    codex.storage.run("DROP TRIGGER entry_inserted; DROP TRIGGER entry_updated; DROP VIEW indexed; DROP TABLE trigrams; DROP TABLE backfill; DELETE FROM migrations WHERE version >= 4");
    tables::migrate(&codex.storage, Timestamp::from_milliseconds(START)).unwrap();
    let mut times = Vec::new();
    loop {
        let mut more = false;
        times.push(time(|| more = index::catch_up(&codex.storage).unwrap()));
        if !more {
            return times;
        }
    }
}
