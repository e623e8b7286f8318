//! Judges recorded histories of calls: is there an order of the calls, each somewhere between its sending and its answer,
//! in which one codex that does one thing at a time would have answered so? Whether there is, stateright's
//! linearizability tester finds out; this crate tells it what a codex is.
//!
//! Standard input holds a history a line: `{"events": [{"client": 1, "call": …}, {"client": 1, "answer": …}, …]}` in the
//! order in which they were seen. A call without an answer may have been carried out at any time, or never. Standard
//! output gets `{"checked": n, "refused": [line numbers]}`.

mod codex;

use std::io::{BufRead, stdin};

use codex::{Answer, Call, Codex};
use serde::Deserialize;
use stateright::semantics::{ConsistencyTester, LinearizabilityTester};

#[derive(Deserialize)]
struct History {
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    client: u32,
    call: Option<Call>,
    answer: Option<Answer>,
}

fn is_linearizable(history: History) -> Result<bool, String> {
    let mut tester = LinearizabilityTester::new(Codex::default());
    for event in history.events {
        if let Some(call) = event.call {
            tester.on_invoke(event.client, call)?;
        }
        if let Some(answer) = event.answer {
            tester.on_return(event.client, answer)?;
        }
    }
    Ok(tester.is_consistent())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut checked = 0;
    let mut refused = Vec::new();
    for line in stdin().lock().lines() {
        if !is_linearizable(serde_json::from_str(&line?)?)? {
            refused.push(checked);
        }
        checked += 1;
    }
    println!("{}", serde_json::json!({"checked": checked, "refused": refused}));
    Ok(())
}
