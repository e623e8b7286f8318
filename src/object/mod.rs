//! The Durable Object: one codex, and the only one who touches its database.
//!
//! A turn is one call without an await, so it runs from the check of its grant to its outcome without
//! another turn between. The runtime holds the answer back until the writes are durable (output gates). A panic in a
//! turn rolls its transaction back, and is told as `internal`.
//!
//! A database that is older than the index of searches is put into it between the turns: the first turn sets the alarm, and
//! each alarm takes one short step and sets the next. One that fails is repeated by the runtime, a few times; and whenever
//! the object begins anew the alarm is set again, if a step is left.

mod alarm;
#[cfg(feature = "faults")]
mod faults;
mod sql;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, State, console_error, durable_object};

use crate::auth::KnownGrants;
use crate::codex::message::{Message, Outcome};
use crate::codex::take_turn;
use crate::mcp::Trace;
use crate::notebook::failure::Failure;
use crate::notebook::quota::Quota;
use crate::notebook::storage::StorageError;
use crate::notebook::time::Timestamp;
use crate::notebook::{Surroundings, index, tables};
use crate::{clock, random};
use alarm::Alarm;
use sql::DurableSql;

/// The variable that says how large a codex may become, in MiB.
pub(crate) const QUOTA_SETTING: &str = "CODEX_MEBIBYTES";

/// One codex.
#[durable_object]
pub struct Codex {
    storage: AssertUnwindSafe<DurableSql>,
    alarm: AssertUnwindSafe<Alarm>,
    grants: AssertUnwindSafe<RefCell<KnownGrants>>,
    quota: AssertUnwindSafe<Quota>,
    ready: AtomicBool,
}

impl DurableObject for Codex {
    fn new(state: State, env: Env) -> Self {
        let storage = state.storage();
        let setting = env.var(QUOTA_SETTING).ok().map(|setting| setting.to_string());
        Self {
            storage: AssertUnwindSafe(DurableSql::new(&storage)),
            alarm: AssertUnwindSafe(Alarm::new(&storage)),
            grants: AssertUnwindSafe(RefCell::default()),
            // The edge refuses every call where it is set to something else.
            quota: AssertUnwindSafe(setting.and_then(|setting| Quota::parse(&setting)).unwrap_or_default()),
            ready: AtomicBool::new(false),
        }
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

    /// Takes the next step of what is done between the turns; `src/entry.js` calls it when the alarm goes off.
    ///
    /// # Errors
    /// That the step failed, for the runtime, which calls again later; the log has the reason.
    #[wasm_bindgen(js_name = workBetweenTurns)]
    pub fn work_between_turns(&self) -> Result<(), JsValue> {
        let what = match catch_unwind(AssertUnwindSafe(|| self.catch_up())) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            // The panic's message and place are in the log already.
            Err(_) => "it panicked".to_owned(),
        };
        console_error!("A step of the index's backfill failed: {what}");
        Err(JsValue::from_str("a step failed"))
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
        self.be_ready(now)?;
        let quota = &*self.quota;
        take_turn(
            &*self.storage,
            &mut self.grants.borrow_mut(),
            message,
            &mut Surroundings { now, quota, randomness: &mut random::fill },
        )
    }

    /// Brings the tables up to date, once, and sets the alarm if the index is not.
    fn be_ready(&self, now: Timestamp) -> Result<(), StorageError> {
        if !self.ready.load(Ordering::Relaxed) {
            tables::migrate(&*self.storage, now)?;
            if index::is_behind(&*self.storage)? {
                self.alarm.set(now)?;
            }
            self.ready.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn catch_up(&self) -> Result<(), StorageError> {
        let now = clock::now();
        self.be_ready(now)?;
        if index::catch_up(&*self.storage)? {
            self.alarm.set(now)?;
        }
        Ok(())
    }
}

fn broken(what: &str, trace: Option<&Trace>) -> Outcome {
    console_error!("{what}{}", Trace::log_suffix(trace));
    Outcome::Failure(Failure::Internal.to_json())
}
