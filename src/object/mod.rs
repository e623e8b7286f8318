//! The Durable Object: one codex, and the only one who touches its database.
//!
//! After the message is read there is no await, so a turn runs from the check of its grant to its outcome without
//! another turn between. The runtime holds the answer back until the writes are durable (output gates). A panic in a
//! turn rolls its transaction back, and is told as `internal`.

#[cfg(feature = "faults")]
mod faults;
mod sql;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use worker::{Date, DurableObject, Env, Request, Response, ResponseBuilder, State, console_error, durable_object};

use crate::codex::message::{Message, Outcome};
use crate::codex::take_turn;
use crate::notebook::failure::Failure;
use crate::notebook::storage::StorageError;
use crate::notebook::time::Timestamp;
use crate::notebook::{Surroundings, tables};
use crate::random;
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

    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        let body = request.text().await?;
        let turn = catch_unwind(AssertUnwindSafe(|| self.turn(&body)));
        let outcome = match turn {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => {
                console_error!("{error}");
                Outcome::Failure(Failure::Internal.to_json())
            }
            // The panic's message and place are in the log already.
            Err(_) => Outcome::Failure(Failure::Internal.to_json()),
        };
        let (status, body) = outcome.into_wire();
        Ok(ResponseBuilder::new().with_status(status).fixed(body.into_bytes()))
    }
}

impl Codex {
    fn turn(&self, body: &str) -> Result<Outcome, StorageError> {
        let message: Message = serde_json::from_str(body)
            .map_err(|error| StorageError::new(format!("a message can't be read: {error}")))?;
        let now = Timestamp::from_milliseconds(i64::try_from(Date::now().as_millis()).unwrap_or_default());
        if !self.migrated.load(Ordering::Relaxed) {
            tables::migrate(&*self.storage, now)?;
            self.migrated.store(true, Ordering::Relaxed);
        }
        take_turn(&*self.storage, &message, &mut Surroundings { now, randomness: &mut random::fill })
    }
}
