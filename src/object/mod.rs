//! The Durable Object: one codex, and the only one who touches its database.
//!
//! A turn is one call without an await, so it runs from the check of its grant to its outcome without
//! another turn between. The runtime holds the answer back until the writes are durable (output gates). A panic in a
//! turn rolls its transaction back, and is told as `internal`.

#[cfg(feature = "faults")]
mod faults;
mod sql;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, State, console_error, durable_object};

use crate::codex::message::{Message, Outcome};
use crate::codex::take_turn;
use crate::mcp::Trace;
use crate::notebook::failure::Failure;
use crate::notebook::storage::StorageError;
use crate::notebook::{Surroundings, tables};
use crate::{clock, random};
use sql::DurableSql;

/// One codex.
#[durable_object]
pub struct Codex {
    storage: AssertUnwindSafe<DurableSql>,
    migrated: AtomicBool,
}

impl DurableObject for Codex {
    fn new(state: State, _env: Env) -> Self {
        Self { storage: AssertUnwindSafe(DurableSql::new(&state.storage())), migrated: AtomicBool::new(false) }
    }

    // The object is asked by `turn` alone; `src/entry.js` shows nothing else of it.
    async fn fetch(&self, _request: Request) -> worker::Result<Response> {
        Response::error("A codex takes turns", 404)
    }
}

#[wasm_bindgen]
impl Codex {
    /// Takes a turn: a message in, an outcome out, each as it travels.
    #[wasm_bindgen]
    pub fn turn(&self, message: &[u8]) -> String {
        let outcome = match Message::from_wire(message) {
            Some(message) => self.answer(&message),
            None => broken("a message is of another version of this program", None),
        };
        outcome.into_wire()
    }
}

impl Codex {
    fn answer(&self, message: &Message) -> Outcome {
        match catch_unwind(AssertUnwindSafe(|| self.take(message))) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => broken(&error.to_string(), message.trace()),
            // The panic's message and place are in the log already.
            Err(_) => broken("a turn panicked", message.trace()),
        }
    }

    fn take(&self, message: &Message) -> Result<Outcome, StorageError> {
        let now = clock::now();
        if !self.migrated.load(Ordering::Relaxed) {
            tables::migrate(&*self.storage, now)?;
            self.migrated.store(true, Ordering::Relaxed);
        }
        take_turn(&*self.storage, message, &mut Surroundings { now, randomness: &mut random::fill })
    }
}

fn broken(what: &str, trace: Option<&Trace>) -> Outcome {
    console_error!("{what}{}", Trace::log_suffix(trace));
    Outcome::Failure(Failure::Internal.to_json())
}
