//! Measures how the cost of each call grows with the number of entries, on SQLite in memory:
//! `cargo run --release --example growth [-- LARGEST]`. `docs/performance.md` has what it printed.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use agent_codex::notebook::index;
use serde_json::{Value, json};
use support::TestCodex;
use support::random::Random;

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
/// How often each call is repeated for its median.
const ROUNDS: usize = 200;
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// A note of about 200 bytes; one in a thousand says `needle`.
fn note(random: &mut Random, number: usize) -> Value {
    let mut content = format!("note {number}");
    while content.len() < 200 {
        content.push(' ');
        content.push_str(random.pick(WORDS));
    }
    if number % 1_000 == 7 {
        content.push_str(" needle");
    }
    json!({"content": content, "tags": [random.pick(WORDS)]})
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The median and the longest of some repetitions, in microseconds.
fn timed(mut act: impl FnMut(usize)) -> (f64, f64) {
    let mut times: Vec<_> = (0..ROUNDS)
        .map(|round| {
            let start = Instant::now();
            act(round);
            microseconds(start.elapsed())
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[ROUNDS / 2], times[ROUNDS - 1])
}

fn measure(codex: &mut TestCodex, random: &mut Random, ids: &mut Vec<Value>) -> Vec<(&'static str, f64, f64)> {
    let mut rows = Vec::new();
    let mut add = |name, (median, longest): (f64, f64)| rows.push((name, median, longest));
    let start = ids.len();
    add(
        "save",
        timed(|round| {
            let entry = note(random, start + round);
            ids.push(codex.save(&format!("save {}", start + round), &entry).unwrap()["id"].take());
        }),
    );
    let some: Vec<_> = (0..ROUNDS).map(|_| random.pick(ids).clone()).collect();
    add("get", timed(|round| drop(codex.get(&some[round]).unwrap())));
    let revisions: Vec<_> = some.iter().map(|id| codex.get(id).unwrap()["revision"].as_i64().unwrap()).collect();
    add(
        "update",
        timed(|round| {
            let entry = note(random, 1);
            // One that was picked twice is at another revision, and that is an answer too.
            let _ = codex.update(&some[round], revisions[round], &entry);
        }),
    );
    for (name, arguments) in [
        ("browse: a page", json!({})),
        ("a common word: a page", json!({"query": "rollback"})),
        ("a tag: a page", json!({"tag": "quorum"})),
        ("a rare word: a page", json!({"query": "needle"})),
        ("a word that is nowhere", json!({"query": "nowhere"})),
        ("trigrams of the corpus, in no entry", json!({"query": "rollbacks of queues"})),
        ("a tag that is nowhere", json!({"tag": "nobody's"})),
        ("two characters, nowhere: a page", json!({"query": "zz"})),
    ] {
        add(name, timed(|_| drop(codex.search(&arguments).unwrap())));
    }
    rows
}

fn main() {
    let largest = std::env::args().nth(1).map_or(100_000, |largest| largest.parse().expect("a number of entries"));
    let mut codex = TestCodex::new();
    let (mut random, mut ids) = (Random(1), Vec::new());
    println!("| entries | call | median, µs | longest, µs |\n| --- | --- | --- | --- |");
    for size in SIZES.into_iter().filter(|size| *size <= largest) {
        while ids.len() < size {
            let entry = note(&mut random, ids.len());
            ids.push(codex.save(&format!("save {}", ids.len()), &entry).unwrap()["id"].take());
        }
        let pages = codex.storage.pages();
        for (name, median, longest) in measure(&mut codex, &mut random, &mut ids) {
            println!("| {size} | {name} | {median:.0} | {longest:.0} |");
        }
        println!("| {size} | kB of database an entry | {:.2} | |", pages as f64 * 4.096 / size as f64);
    }
    codex.storage.run("INSERT INTO backfill VALUES (-1)");
    let (median, longest) = timed(|_| drop(index::catch_up(&codex.storage).unwrap()));
    println!("| {} | a step of the backfill | {median:.0} | {longest:.0} |", ids.len());
}
