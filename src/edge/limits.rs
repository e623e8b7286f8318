//! Rate limits, by the bindings `CALLS` (calls of a grant) and `FAILURES` (failed credentials and the like of an address) of
//! wrangler.toml. A binding that is not there limits nothing.

use std::net::IpAddr;

use worker::{Env, console_error};

use super::request::Request;
use super::respond::Answer;
use crate::auth::GrantId;

/// Seconds after which a limit has passed: the longest period that the bindings have.
const PERIOD_SECONDS: &str = "60";

/// Whether a grant may make one more call.
pub(super) async fn permits_call(env: &Env, grant: GrantId) -> bool {
    permits(env, "CALLS", grant.to_string()).await
}

/// Counts a failure of the address that a request comes from.
///
/// # Errors
/// The answer for an address that has failed too often.
pub(super) async fn count_failure(env: &Env, request: &Request) -> Result<(), Answer> {
    let address = request.headers().get("CF-Connecting-IP").ok().flatten().unwrap_or_default();
    if permits(env, "FAILURES", network(&address)).await {
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

async fn permits(env: &Env, binding: &str, key: String) -> bool {
    let Ok(limiter) = env.rate_limiter(binding) else { return true };
    match limiter.limit(key).await {
        Ok(outcome) => outcome.success,
        Err(error) => {
            console_error!("The rate limiter {binding} failed: {error}");
            true
        }
    }
}
