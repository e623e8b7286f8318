//! Requests of this server's own to others: https alone, no redirect is followed, and both time and size are bounded.

use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use worker::{CacheMode, CfProperties, Delay, Fetch, Headers, Method, Request, RequestInit, RequestRedirect};

/// How long an answer may take, with its body.
const TIME: Duration = Duration::from_secs(5);
/// For how many seconds the runtime's cache may keep an answer of success.
const CACHED_SECONDS: i32 = 3_600;

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
    let mut init = RequestInit::new();
    match caching {
        Caching::None => init.with_cache(CacheMode::NoStore),
        Caching::Hour => init.with_cf_properties(CfProperties {
            cache_everything: Some(true),
            cache_ttl_by_status: Some([("200-299".to_owned(), CACHED_SECONDS), ("300-599".to_owned(), 0)].into()),
            ..CfProperties::new()
        }),
    };
    within_time(url, fetch(url, bytes, init, &[])).await
}

/// The body that a URL answers a form with, JSON of at most so many bytes.
///
/// # Errors
/// Why there is none, for the log.
pub(super) async fn post(url: &str, form: &str, authorization: &str, bytes: usize) -> Result<Vec<u8>, String> {
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_body(Some(form.into()));
    let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", authorization)];
    within_time(url, fetch(url, bytes, init, &headers)).await
}

async fn within_time(url: &str, answer: impl Future<Output = Result<Vec<u8>, String>>) -> Result<Vec<u8>, String> {
    if !url.starts_with("https://") {
        return Err(format!("{url} is not https"));
    }
    match select(pin!(answer), pin!(Delay::from(TIME))).await {
        Either::Left((answer, _)) => answer.map_err(|reason| format!("{url} {reason}")),
        Either::Right(_) => Err(format!("{url} did not answer in {} s", TIME.as_secs())),
    }
}

async fn fetch(
    url: &str,
    bytes: usize,
    mut init: RequestInit,
    more_headers: &[(&str, &str)],
) -> Result<Vec<u8>, String> {
    let failed = |error: worker::Error| format!("failed: {error}");
    let headers = Headers::new();
    for (name, value) in [("Accept", "application/json")].iter().chain(more_headers) {
        headers.set(name, value).map_err(failed)?;
    }
    init.with_headers(headers).with_redirect(RequestRedirect::Manual);
    let request = Request::new_with_init(url, &init).map_err(failed)?;
    let mut response = Fetch::Request(request).send().await.map_err(failed)?;
    if response.status_code() != 200 {
        return Err(format!("answered with status {}", response.status_code()));
    }
    let mut answer = Vec::new();
    let mut chunks = response.stream().map_err(failed)?;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(failed)?;
        if answer.len().saturating_add(chunk.len()) > bytes {
            return Err(format!("answered with more than {bytes} bytes"));
        }
        answer.extend(chunk);
    }
    Ok(answer)
}
