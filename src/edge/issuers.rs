//! Tokens of other issuers: verified with the issuer's keys, which are fetched when [`KeyCache`] says so and kept by this
//! isolate.
//!
//! A load runs beside the request that began it, so that a client which goes away does not end it, and leaves plain data
//! behind, which any request may use. Requests that need the keys look again until it has ended. A load ends in five
//! seconds, whatever the issuer does.

use std::cell::RefCell;
use std::pin::pin;

use futures_util::future::{Either, select};
use wasm_bindgen::prelude::*;
use worker::js_sys::Promise;
use worker::wasm_bindgen_futures::JsFuture;
use worker::{Context, console_error};

use super::outgoing::{self, Caching};
use super::web_crypto;
use crate::auth::Issuer;
use crate::auth::jwks::{Jwk, Jwks};
use crate::auth::jwt::{Reason, Unverified};
use crate::auth::key_cache::{KeyCache, Step};
use crate::clock::now;
use crate::notebook::time::Timestamp;

/// How long a load may take, all its requests together.
const LOAD_TIME: u32 = 5_000; // milliseconds
/// How long a request waits before it looks again whether a load has ended.
const GLANCE: u32 = 10; // milliseconds
/// Bytes of an issuer's answer, at most.
pub(super) const ANSWER_BYTES: usize = 65_536;

#[wasm_bindgen(raw_module = "../bridge.js")]
extern "C" {
    fn pause(milliseconds: u32) -> Promise;
}

thread_local! {
    /// What is known of each issuer's keys, by the issuer.
    static CACHES: RefCell<Vec<(String, KeyCache)>> = const { RefCell::new(Vec::new()) };
}

/// Verifies a token of this issuer, which is for `resource` where the issuer's settings name nobody else.
///
/// # Errors
/// Why it is not believed. What costs nothing to know is looked at first, so only a token that is right but for its
/// signature has keys asked for.
pub(super) async fn verify(
    token: &Unverified<'_>,
    now: Timestamp,
    issuer: &Issuer,
    resource: &str,
    context: &Context,
) -> Result<(), Reason> {
    issuer.expected(resource).check(token, now)?;
    let key = key(issuer, token, context).await.ok_or(Reason::Key)?;
    match web_crypto::verify(&key, token).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(Reason::Signature),
        Err(error) => {
            console_error!("A key of {} is not usable: {error:?}", issuer.issuer);
            Err(Reason::Key)
        }
    }
}

async fn key(issuer: &Issuer, token: &Unverified<'_>, context: &Context) -> Option<Jwk> {
    loop {
        let step = |cache: &mut KeyCache| cache.step(token.algorithm, token.kid.as_deref(), clock());
        match with_cache(&issuer.issuer, step) {
            Step::Use(key) => return Some(key),
            Step::UseAndAsk(key) => {
                ask(issuer, context);
                return Some(key);
            }
            Step::Ask => ask(issuer, context),
            Step::Wait => drop(JsFuture::from(pause(GLANCE)).await),
            Step::Refuse => return None,
        }
    }
}

fn with_cache<T>(issuer: &str, act: impl FnOnce(&mut KeyCache) -> T) -> T {
    CACHES.with_borrow_mut(|caches| {
        if let Some((_, cache)) = caches.iter_mut().find(|(name, _)| name == issuer) {
            return act(cache);
        }
        let mut cache = KeyCache::default();
        let outcome = act(&mut cache);
        caches.push((issuer.to_owned(), cache));
        outcome
    })
}

/// Begins a load of the issuer's keys.
fn ask(issuer: &Issuer, context: &Context) {
    let issuer = issuer.clone();
    context.wait_until(async move {
        let loaded = match select(pin!(load(&issuer)), pin!(JsFuture::from(pause(LOAD_TIME)))).await {
            Either::Left((loaded, _)) => loaded,
            Either::Right(_) => Err("it took more than 5 s".to_owned()),
        };
        if let Err(reason) = &loaded {
            console_error!("The keys of {} can't be had: {reason}.", issuer.issuer);
        }
        with_cache(&issuer.issuer, |cache| cache.end(loaded.ok(), clock()));
    });
}

async fn load(issuer: &Issuer) -> Result<Jwks, String> {
    let url = match &issuer.jwks {
        Some(url) => url.clone(),
        None => discover(issuer, "jwks_uri", Caching::None).await?,
    };
    let keys = outgoing::get(&url, ANSWER_BYTES, Caching::None).await?;
    Jwks::parse(&keys).ok_or_else(|| format!("{url} is no key set"))
}

/// The URL of that name in the issuer's metadata.
///
/// # Errors
/// Why there is none, for the log.
pub(super) async fn discover(issuer: &Issuer, name: &str, caching: Caching) -> Result<String, String> {
    let mut reasons = Vec::new();
    for url in issuer.metadata_urls() {
        match outgoing::get(&url, ANSWER_BYTES, caching).await.map(|metadata| issuer.url_in(&metadata, name)) {
            Ok(Some(named)) => return Ok(named),
            Ok(None) => reasons.push(format!("{url} is not this issuer's metadata, or has no {name}")),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons.join("; "))
}

/// The time by which keys age.
fn clock() -> Timestamp {
    let now = now();
    #[cfg(feature = "faults")]
    let now = now.plus(PASSED.get());
    now
}

#[cfg(feature = "faults")]
thread_local! {
    static PASSED: std::cell::Cell<i64> = const { std::cell::Cell::new(0) };
}

/// Lets time pass at once for the keys, in builds with the feature `faults` alone.
#[cfg(feature = "faults")]
pub(super) fn pass(seconds: i64) -> super::respond::Answer {
    PASSED.set(PASSED.get().saturating_add(seconds.saturating_mul(crate::notebook::time::SECOND)));
    super::respond::Answer::empty(204)
}
