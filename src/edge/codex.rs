//! The way to a codex: a call of its object's one method, whose name is the codex's. `src/entry.js` is the other end.
//!
//! What the runtime says of a call that failed decides what follows. One that it calls `retryable` is made again after a
//! moment, if to do the same twice is to do it once (`Message::is_repeatable`). One to an `overloaded` object is not: that
//! would add to what it can't do already.

use std::time::Duration;

use wasm_bindgen::prelude::*;
use worker::js_sys::{Promise, Reflect, Uint8Array};
use worker::{Delay, Env, Error, wasm_bindgen_futures::JsFuture};

use crate::auth::CodexName;
use crate::codex::message::{Message, Outcome};
use crate::random;

#[wasm_bindgen]
extern "C" {
    type Bindings;
    type Namespace;
    type Stub;

    #[wasm_bindgen(method, getter, js_name = CODEX)]
    fn codex(this: &Bindings) -> Namespace;
    #[wasm_bindgen(method, catch, js_name = getByName)]
    fn get_by_name(this: &Namespace, name: &str) -> Result<Stub, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn turn(this: &Stub, message: Uint8Array) -> Result<Promise, JsValue>;
}

/// About how long to wait after each time that a call is made, in milliseconds; `None` is the last time.
const PAUSES: [Option<u64>; 3] = [Some(100), Some(200), None];

/// Why a codex gave no outcome.
#[derive(Debug)]
pub(super) enum Lost {
    /// It has too much to do: nothing was done.
    Overloaded(Error),
    /// It could not be reached, or not be heard, for a moment: what was asked may have been done.
    Unreachable(Error),
    /// It broke: what was asked may have been done.
    Broken(Error),
}

impl Lost {
    /// The error, for the log.
    pub(super) const fn error(&self) -> &Error {
        let (Self::Overloaded(error) | Self::Unreachable(error) | Self::Broken(error)) = self;
        error
    }
}

impl From<Lost> for Error {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::Overloaded(error) | Lost::Unreachable(error) => Self::Json((error.to_string(), UNAVAILABLE)),
            Lost::Broken(error) => error,
        }
    }
}

/// The status of an answer to a request that may be made again in a while.
pub(super) const UNAVAILABLE: u16 = 503;

/// Asks a codex.
///
/// # Errors
/// Why there is no outcome.
pub(super) async fn ask(env: &Env, codex: &CodexName, message: &Message) -> Result<Outcome, Lost> {
    let broken = |error: &str| Lost::Broken(Error::RustError(error.to_owned()));
    let wire = message.to_wire().map_err(|error| broken(&error.to_string()))?;
    let mut pauses = PAUSES.iter().filter(|pause| pause.is_none() || message.is_repeatable());
    loop {
        #[cfg(feature = "faults")]
        let answer = super::faults::lose(message, call(env, codex, &wire)).await;
        #[cfg(not(feature = "faults"))]
        let answer = call(env, codex, &wire).await;
        let error = match answer {
            Ok(answer) => {
                let outcome = answer.as_string().and_then(Outcome::from_wire);
                return outcome.ok_or_else(|| broken("a codex gave no outcome"));
            }
            Err(error) => error,
        };
        let says = |property| Reflect::get(&error, &JsValue::from_str(property)).is_ok_and(|says| says.is_truthy());
        if says("overloaded") {
            return Err(Lost::Overloaded(error.into()));
        }
        if !says("retryable") {
            return Err(Lost::Broken(error.into()));
        }
        let Some(Some(pause)) = pauses.next() else { return Err(Lost::Unreachable(error.into())) };
        Delay::from(jittered(*pause)).await;
    }
}

/// The call itself. A stub whose call has failed may be of no more use, so each call has its own.
async fn call(env: &Env, codex: &CodexName, wire: &[u8]) -> Result<JsValue, JsValue> {
    let bindings: &Bindings = env.unchecked_ref();
    let stub = bindings.codex().get_by_name(codex.as_str())?;
    JsFuture::from(stub.turn(Uint8Array::from(wire))?).await
}

/// Half to one and a half of so many milliseconds, so that callers who failed together do not come back together.
fn jittered(milliseconds: u64) -> Duration {
    let [jitter]: [u8; 1] = random::bytes();
    let part = milliseconds.saturating_mul(jitter.into()) >> 8;
    Duration::from_millis((milliseconds >> 1).saturating_add(part))
}
