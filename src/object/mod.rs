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

use std::cell::{Cell, RefCell};

use wasm_bindgen::prelude::*;
use worker::{Env, console_error};

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
#[wasm_bindgen]
pub struct Codex {
    storage: DurableSql,
    alarm: Alarm,
    grants: RefCell<KnownGrants>,
    quota: Quota,
    ready: Cell<bool>,
}

#[wasm_bindgen]
impl Codex {
    /// The codex in the storage of a Durable Object.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(storage: &JsValue, env: &Env) -> Self {
        let setting = env.var(QUOTA_SETTING).ok().map(|setting| setting.to_string());
        Self {
            storage: DurableSql::new(storage),
            alarm: Alarm::new(storage),
            grants: RefCell::default(),
            // The edge refuses every call where it is set to something else.
            quota: setting.and_then(|setting| Quota::parse(&setting)).unwrap_or_default(),
            ready: Cell::new(false),
        }
    }

    /// Takes a turn: a message in, an outcome out, each as it travels.
    #[must_use]
    pub fn turn(&self, message: &[u8]) -> Vec<u8> {
        let Some(message) = Message::from_wire(message) else { return broken(message) };
        let outcome = self.take(&message).unwrap_or_else(|error| {
            console_error!("{error}{}", Trace::log_suffix(message.trace()));
            Outcome::Failure(Failure::Internal.to_json())
        });
        message.tell(outcome).into_wire()
    }

    /// Takes the next step of what is done between the turns; `src/entry.js` calls it when the alarm goes off.
    ///
    /// # Errors
    /// That the step failed, for the runtime, which calls again later; the log has the reason.
    #[wasm_bindgen(js_name = workBetweenTurns)]
    pub fn work_between_turns(&self) -> Result<(), JsValue> {
        self.catch_up().map_err(|error| {
            console_error!("A step of the index's backfill failed: {error}");
            JsValue::from_str("a step failed")
        })
    }
}

/// The outcome of a turn that broke, which `src/entry.js` has logged; and of a message of another version of this program.
#[wasm_bindgen]
#[must_use]
pub fn broken(message: &[u8]) -> Vec<u8> {
    let outcome = Outcome::Failure(Failure::Internal.to_json());
    if let Some(message) = Message::from_wire(message) {
        console_error!("a turn broke{}", Trace::log_suffix(message.trace()));
        message.tell(outcome).into_wire()
    } else {
        console_error!("a message is of another version of this program");
        outcome.into_wire()
    }
}

impl Codex {
    fn take(&self, message: &Message) -> Result<Outcome, StorageError> {
        let now = clock::now();
        self.be_ready(now)?;
        let quota = &self.quota;
        take_turn(
            &self.storage,
            &mut self.grants.borrow_mut(),
            message,
            &mut Surroundings { now, quota, randomness: &mut random::fill },
        )
    }

    /// Brings the tables up to date, once, and sets the alarm if the index is not.
    fn be_ready(&self, now: Timestamp) -> Result<(), StorageError> {
        if !self.ready.get() {
            tables::migrate(&self.storage, now)?;
            if index::is_behind(&self.storage)? {
                self.alarm.set(now)?;
            }
            self.ready.set(true);
        }
        Ok(())
    }

    fn catch_up(&self) -> Result<(), StorageError> {
        let now = clock::now();
        self.be_ready(now)?;
        if index::catch_up(&self.storage)? {
            self.alarm.set(now)?;
        }
        Ok(())
    }
}
