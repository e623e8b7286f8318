//! Rate limits, by the bindings `CALLS` (calls of a grant) and `FAILURES` (failed credentials and the like of an address) of
//! wrangler.toml. A binding that is not there limits nothing.

use std::net::IpAddr;

use wasm_bindgen::prelude::*;
use worker::Env;
use worker::js_sys::Promise;
use worker::wasm_bindgen_futures::JsFuture;

use super::request::Request;
use super::respond::Answer;
use crate::auth::GrantId;

#[wasm_bindgen(raw_module = "../bridge.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = permits)]
    fn js_permits(env: &Env, binding: &str, key: &str) -> Result<Promise, JsValue>;
}

/// Seconds after which a limit has passed: the longest period that the bindings have.
const PERIOD_SECONDS: &str = "60";

/// Whether a grant may make one more call.
pub(super) async fn permits_call(env: &Env, grant: GrantId) -> bool {
    permits(env, "CALLS", &grant.to_string()).await
}

/// Counts a failure of the address that a request comes from.
///
/// # Errors
/// The answer for an address that has failed too often.
pub(super) async fn count_failure(env: &Env, request: &Request) -> Result<(), Answer> {
    let address = request.headers().get("CF-Connecting-IP").ok().flatten().unwrap_or_default();
    if permits(env, "FAILURES", &network(&address)).await {
        return Ok(());
    }
    let answer =
        Answer::error(429, "rate_limited", "Too many failed attempts from this address; try again in a minute");
    Err(answer.with_header("Retry-After", PERIOD_SECONDS))
}

/// What one customer of a provider has: an IPv4 address, or the first half of an IPv6 address.
fn network(address: &str) -> String {
    match address.parse() {
        Ok(IpAddr::V6(address)) => format!("{:x}", address.to_bits() >> 64),
        _ => address.to_owned(),
    }
}

async fn permits(env: &Env, binding: &str, key: &str) -> bool {
    // It has told the log of what failed, and no failure of its own stops anybody.
    let Ok(permitted) = js_permits(env, binding, key) else { return true };
    JsFuture::from(permitted).await.is_ok_and(|permitted| permitted.is_truthy())
}
