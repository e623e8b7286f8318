//! Who calls, as the bearer token of the request says: a token that this Worker sealed, or a JWT of a configured issuer.
//! Whatever else it is, it is refused without a fetch and without an object; why, is in the log and not in the answer.

use worker::{Context, console_log};

use super::config::Config;
use super::request::Request;
use super::{issuers, origin};
use crate::auth::jwt::{Reason, Unverified};
use crate::auth::{Caller, Challenge, Credential};
use crate::clock::now;

/// The caller of a request (RFC 6750, section 2.1).
///
/// # Errors
/// The inner one is the challenge to answer with.
pub(super) async fn identify(
    request: &Request,
    own: &str,
    config: &Config,
    context: &Context,
) -> worker::Result<Result<Caller, Challenge>> {
    let Some(token) = bearer(request)? else { return Ok(Err(Challenge::Missing)) };
    let resource = origin::resource(own);
    let caller = match Unverified::parse(&token) {
        Ok(token) => external(&token, &resource, config, context).await,
        Err(_) => Credential::open(&config.seal_keys, &token)
            .filter(|credential| credential.is_for(&resource, now()))
            .map(Caller::from),
    };
    Ok(caller.ok_or(Challenge::InvalidToken))
}

/// The bearer of another issuer's token.
async fn external(token: &Unverified<'_>, resource: &str, config: &Config, context: &Context) -> Option<Caller> {
    let issuer = config.issuers.iter().find(|issuer| issuer.issuer == token.claims.issuer)?;
    match issuers::verify(token, now(), issuer, resource, context).await {
        Ok(()) => Caller::external(&token.claims),
        Err(reason) => {
            log(&issuer.issuer, reason);
            None
        }
    }
}

fn log(issuer: &str, reason: Reason) {
    console_log!("A token that names {issuer} is refused: {reason}.");
}

/// The bearer token of a request; empty when there is an `Authorization` of another form.
pub(super) fn bearer(request: &Request) -> worker::Result<Option<String>> {
    Ok(request.headers().get("Authorization")?.map(|value| match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim().to_owned(),
        _ => String::new(),
    }))
}
