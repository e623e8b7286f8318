//! Faults for the endpoint tests, in builds with the feature `faults` alone: a call whose text asks for one loses its answer
//! on the way from the codex, or does not reach it.

use std::cell::RefCell;
use std::collections::HashMap;

use wasm_bindgen::prelude::*;
use worker::js_sys::{Error, Reflect};

use crate::codex::message::Message;
use crate::notebook::arguments::Call;

thread_local! {
    /// How often each fault has happened.
    static HAPPENED: RefCell<HashMap<String, u32>> = RefCell::default();
}

/// The text by which a call may ask for a fault.
fn text(message: &Message) -> &str {
    match message {
        Message::Call { call: Call::Save(save), .. } => &save.request_id,
        Message::Call { call: Call::Update(update), .. } => update.entry.content(),
        Message::Call { call: Call::Search(search), .. } => &search.query,
        Message::CreateGrant { label, .. } => label,
        _ => "",
    }
}

/// `fault: overloaded` does not reach the codex; `fault: lost N` is carried out and loses its answer the first N times.
pub(super) async fn lose(
    message: &Message,
    call: impl Future<Output = Result<JsValue, JsValue>>,
) -> Result<JsValue, JsValue> {
    let text = text(message);
    if text.starts_with("fault: overloaded") {
        return Err(error("overloaded"));
    }
    let answer = call.await;
    let Some(times) = text.strip_prefix("fault: lost ").and_then(|times| times.parse::<u32>().ok()) else {
        return answer;
    };
    let happened = HAPPENED.with_borrow_mut(|happened| {
        let times = happened.entry(text.to_owned()).or_default();
        *times = times.saturating_add(1);
        *times
    });
    if happened <= times { Err(error("retryable")) } else { answer }
}

fn error(property: &str) -> JsValue {
    let error = Error::new("a fault for the tests");
    let _ = Reflect::set(&error, &JsValue::from_str(property), &JsValue::TRUE);
    error.into()
}
