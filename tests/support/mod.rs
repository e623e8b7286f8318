//! What the tests of the notebook share: a codex in memory, and calls made of JSON as a client sends it.

#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod arguments;
pub mod faulty;
pub mod fuzz;
pub mod random;
pub mod sqlite;
pub mod tokens;

use std::cell::RefCell;

use agent_codex::auth::KnownGrants;
use agent_codex::json;
use agent_codex::mcp::CallReply;
use agent_codex::mcp::era::Era;
use agent_codex::mcp::rpc::Id;
use agent_codex::notebook::arguments::{Call, Tool};
use agent_codex::notebook::failure::{Error, Failure};
use agent_codex::notebook::quota::Quota;
use agent_codex::notebook::time::Timestamp;
use agent_codex::notebook::{Surroundings, execute, tables};
use random::Random;
use serde_json::{Value, json};
use sqlite::Sqlite;

/// The moment at which the tests' clocks begin.
pub const START: i64 = 1_800_000_000_000;

pub const DAY: i64 = 86_400_000;

/// Makes the answer to a call without an id.
pub fn reply() -> CallReply {
    CallReply::new(Id::null(), Era::Modern)
}

/// A codex in memory, with a clock that the test sets and randomness that it seeds.
pub struct TestCodex {
    pub storage: Sqlite,
    pub now: i64,
    pub quota: Quota,
    pub grants: RefCell<KnownGrants>,
    random: Random,
    seed: u64,
}

/// A notebook failure as a client sees it.
#[derive(Debug, PartialEq, Eq)]
pub struct Failed {
    pub code: String,
    pub message: String,
}

impl TestCodex {
    pub fn new() -> Self {
        Self::seeded(1)
    }

    pub fn seeded(seed: u64) -> Self {
        let storage = Sqlite::new();
        tables::migrate(&storage, Timestamp::from_milliseconds(START)).unwrap();
        Self { storage, now: START, quota: Quota::default(), grants: RefCell::default(), random: Random(seed), seed }
    }

    /// Executes a call with these arguments, written as JSON.
    pub fn call_text(&mut self, tool: Tool, arguments: &str) -> Result<Value, Failed> {
        let document = json::parse(arguments.as_bytes()).unwrap();
        let call = Call::parse(tool, document.root(), document.flaws())
            .map_err(|violations| failed(&Failure::InvalidInput(violations)))?;
        self.execute(&call)
    }

    /// Begins the codex's randomness again.
    pub fn repeat_randomness(&mut self) {
        self.random = Random(self.seed);
    }

    /// Executes a call.
    pub fn execute(&mut self, call: &Call) -> Result<Value, Failed> {
        Ok(serde_json::from_str(&self.execute_to_text(call)?).unwrap())
    }

    /// Executes a call; gives the very text of its result.
    pub fn execute_to_text(&mut self, call: &Call) -> Result<String, Failed> {
        let random = &mut self.random;
        let mut randomness = |bytes: &mut [u8]| {
            for byte in bytes {
                *byte = random.next().to_le_bytes()[0];
            }
        };
        let mut surroundings = Surroundings {
            now: Timestamp::from_milliseconds(self.now),
            quota: &self.quota,
            randomness: &mut randomness,
        };
        match execute(&self.storage, call, &mut surroundings) {
            Ok(result) => Ok(result),
            Err(Error::Failure(failure)) => Err(failed(&failure)),
            Err(Error::Storage(error)) => panic!("{error}"),
        }
    }

    pub fn call(&mut self, tool: Tool, arguments: &Value) -> Result<Value, Failed> {
        self.call_text(tool, &arguments.to_string())
    }

    pub fn save(&mut self, request_id: &str, entry: &Value) -> Result<Value, Failed> {
        Ok(self.call(Tool::Save, &json!({"requestId": request_id, "entry": entry}))?["entry"].take())
    }

    pub fn get(&mut self, id: &Value) -> Result<Value, Failed> {
        Ok(self.call(Tool::Get, &json!({"id": id}))?["entry"].take())
    }

    pub fn update(&mut self, id: &Value, revision: i64, entry: &Value) -> Result<Value, Failed> {
        let arguments = json!({"id": id, "expectedRevision": revision, "entry": entry});
        Ok(self.call(Tool::Update, &arguments)?["entry"].take())
    }

    pub fn search(&mut self, arguments: &Value) -> Result<Value, Failed> {
        self.call(Tool::Search, arguments)
    }

    /// Every summary that a search finds, its cursors followed to the end.
    pub fn search_to_the_end(&mut self, arguments: &Value) -> Vec<Value> {
        let mut arguments = arguments.clone();
        let mut found = Vec::new();
        loop {
            let mut page = self.search(&arguments).unwrap();
            found.extend(page["entries"].as_array().unwrap().clone());
            match page["nextCursor"].take() {
                Value::Null => return found,
                cursor => arguments["cursor"] = cursor,
            }
        }
    }
}

fn failed(failure: &Failure) -> Failed {
    let json: Value = serde_json::from_str(&failure.to_json()).unwrap();
    let text = |member: &str| json["error"][member].as_str().unwrap().to_owned();
    Failed { code: text("code"), message: text("message") }
}
