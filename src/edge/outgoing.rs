//! Requests of this server's own to others: https alone, no redirect is followed, and both time and size are bounded.

use wasm_bindgen::prelude::*;
use worker::js_sys::{Promise, Uint8Array};
use worker::wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(raw_module = "../bridge.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn load(
        url: &str,
        form: Option<&str>,
        authorization: Option<&str>,
        keep_seconds: u32,
        milliseconds: u32,
        bytes: usize,
    ) -> Result<Promise, JsValue>;
}

/// How long an answer may take, with its body, in milliseconds.
const TIME: u32 = 5_000;
/// For how many seconds the runtime's cache may keep an answer of success.
const CACHED_SECONDS: u32 = 3_600;

/// Whether an answer may come from the runtime's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caching {
    /// It may, for an hour.
    Hour,
    /// It must be the one of now.
    None,
}

/// The body that a URL answers with, JSON of at most so many bytes.
///
/// # Errors
/// Why there is none, for the log.
pub(super) async fn get(url: &str, bytes: usize, caching: Caching) -> Result<Vec<u8>, String> {
    let keep = if caching == Caching::Hour { CACHED_SECONDS } else { 0 };
    answered(url, None, None, keep, bytes).await
}

/// The body that a URL answers a form with, JSON of at most so many bytes.
///
/// # Errors
/// Why there is none, for the log.
pub(super) async fn post(url: &str, form: &str, authorization: &str, bytes: usize) -> Result<Vec<u8>, String> {
    answered(url, Some(form), Some(authorization), 0, bytes).await
}

async fn answered(
    url: &str,
    form: Option<&str>,
    authorization: Option<&str>,
    keep: u32,
    bytes: usize,
) -> Result<Vec<u8>, String> {
    if !url.starts_with("https://") {
        return Err(format!("{url} is not https"));
    }
    let answer = async { JsFuture::from(load(url, form, authorization, keep, TIME, bytes)?).await };
    let answer = answer.await.map_err(|_: JsValue| format!("{url} failed"))?;
    match answer.as_string() {
        Some(reason) => Err(format!("{url} {reason}")),
        None => Ok(Uint8Array::new(&answer).to_vec()),
    }
}
