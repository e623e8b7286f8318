//! The way to a codex: a turn of its object, whose name is the codex's. `src/bridge.js` asks, and asks again where that can
//! help; a call that is all of a request is asked by `src/entry.js`, without a wait here.

use wasm_bindgen::prelude::*;
use worker::js_sys::{Promise, Uint8Array};
use worker::{Env, Error, wasm_bindgen_futures::JsFuture};

use crate::auth::CodexName;
use crate::codex::message::{Message, Outcome};

#[wasm_bindgen(raw_module = "../bridge.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = ask)]
    fn js_ask(env: &Env, codex: &str, message: Uint8Array, repeatable: bool) -> Result<Promise, JsValue>;
}

/// Why a codex gave no outcome.
#[derive(Debug, Clone)]
pub(super) enum Lost {
    /// It was not asked: the grant has made too many calls.
    Limited,
    /// It has too much to do: nothing was done.
    Overloaded(String),
    /// It could not be reached, or not be heard, for a moment: what was asked may have been done.
    Unreachable(String),
    /// It broke: what was asked may have been done.
    Broken(String),
}

impl From<Lost> for Error {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::Overloaded(error) | Lost::Unreachable(error) => Self::Json((error, UNAVAILABLE)),
            Lost::Broken(error) => Self::RustError(error),
            Lost::Limited => Self::Json(("a grant has made too many calls".to_owned(), UNAVAILABLE)),
        }
    }
}

/// The status of an answer to a request that may be made again in a while.
pub(super) const UNAVAILABLE: u16 = 503;

/// What came of asking a codex.
pub(super) type Told = Result<Outcome, Lost>;

/// Asks a codex.
///
/// # Errors
/// Why there is no outcome.
pub(super) async fn ask(env: &Env, codex: &CodexName, message: &Message) -> Told {
    let broken = |error: JsValue| Lost::Broken(format!("{error:?}"));
    let wire = message.to_wire().map_err(|error| Lost::Broken(error.to_string()))?;
    let promise = js_ask(env, codex.as_str(), Uint8Array::from(&*wire), message.is_repeatable()).map_err(broken)?;
    told(&JsFuture::from(promise).await.map_err(broken)?)
}

/// What JavaScript says came of asking: bytes are an outcome, a text says why there is none.
pub(super) fn told(by: &JsValue) -> Told {
    let Some(text) = by.as_string() else {
        let outcome = Outcome::from_wire(Uint8Array::new(by).to_vec());
        return outcome.ok_or_else(|| Lost::Broken("a codex gave no outcome".to_owned()));
    };
    let (why, error) = text.split_once(' ').unwrap_or((&text, ""));
    Err(match why {
        "limited" => Lost::Limited,
        "overloaded" => Lost::Overloaded(error.to_owned()),
        "unreachable" => Lost::Unreachable(error.to_owned()),
        _ => Lost::Broken(error.to_owned()),
    })
}
