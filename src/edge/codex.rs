//! The way to a codex: a call of its object's one method, whose name is the codex's. `src/entry.js` is the other end.

use wasm_bindgen::prelude::*;
use worker::js_sys::{Promise, Uint8Array};
use worker::{Env, wasm_bindgen_futures::JsFuture};

use crate::auth::CodexName;
use crate::codex::message::{Message, Outcome};

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

/// Asks a codex.
///
/// # Errors
/// When the object can't be reached or breaks; whether it has done what was asked is then not known.
pub(super) async fn ask(env: &Env, codex: &CodexName, message: &Message) -> worker::Result<Outcome> {
    let message = message.to_wire().map_err(|error| worker::Error::RustError(error.to_string()))?;
    let bindings: &Bindings = env.unchecked_ref();
    let stub = bindings.codex().get_by_name(codex.as_str())?;
    let answer = JsFuture::from(stub.turn(Uint8Array::from(message.as_slice()))?).await?;
    answer
        .as_string()
        .and_then(Outcome::from_wire)
        .ok_or_else(|| worker::Error::RustError("a codex gave no outcome".to_owned()))
}
