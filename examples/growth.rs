//! Measures how the cost of each call grows with the number of entries, on SQLite in memory:
//! `cargo run --release --example growth [-- LARGEST]`. `docs/performance.md` has what it printed.

#![allow(clippy::cast_precision_loss)] // No count here is near 2^52.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use agent_codex::notebook::time::Timestamp;
use agent_codex::notebook::{index, tables};
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
/// How often each call is repeated for its median.
const ROUNDS: usize = 200;
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// A note of about 200 bytes; one in a thousand says `needle`.
fn note(random: &mut Random, number: usize) -> Value {
    let mut content = format!("note {number}");
    while content.len() < 200 {
        content.push(' ');
        let word: &str = random.pick::<&str>(WORDS);
        content.push_str(word);
    }
    if number % 1_000 == 7 {
        content.push_str(" needle");
    }
    json!({"content": content, "tags": [random.pick::<&str>(WORDS)]})
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The median, the mean and the longest of some times, in microseconds.
type Times = [f64; 3];

fn summed_up(mut times: Vec<f64>) -> Times {
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    [times[times.len() / 2], mean, times[times.len() - 1]]
}

fn timed(mut act: impl FnMut(usize)) -> Times {
    let times = (0..ROUNDS)
        .map(|round| {
            let start = Instant::now();
            act(round);
            microseconds(start.elapsed())
        })
        .collect();
    summed_up(times)
}

fn measure(codex: &mut TestCodex, random: &mut Random, ids: &mut Vec<Value>) -> Vec<(&'static str, Times)> {
    let mut rows = Vec::new();
    let mut add = |name, times| rows.push((name, times));
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
    println!("| entries | call | median, µs | mean, µs | longest, µs |\n| --- | --- | --- | --- | --- |");
    for size in SIZES.into_iter().filter(|size| *size <= largest) {
        while ids.len() < size {
            let entry = note(&mut random, ids.len());
            ids.push(codex.save(&format!("save {}", ids.len()), &entry).unwrap()["id"].take());
        }
        let pages = codex.storage.pages();
        for (name, [median, mean, longest]) in measure(&mut codex, &mut random, &mut ids) {
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
    codex.storage.run("DROP TABLE trigrams; DROP TABLE backfill; DELETE FROM migrations WHERE version >= 4");
    tables::migrate(&codex.storage, Timestamp::from_milliseconds(START)).unwrap();
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        let more = index::catch_up(&codex.storage).unwrap();
        times.push(microseconds(start.elapsed()));
        if !more {
            return times;
        }
    }
}
