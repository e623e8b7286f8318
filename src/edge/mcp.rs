//! The MCP endpoint. Its checks run in this order: method, credential, size and media type, JSON, era and headers, scope,
//! arguments; then the codex checks the grant and executes the call.

use worker::{Date, Env, Method, Request, console_error};

use super::config::Config;
use super::respond::Answer;
use super::{body, codex, limits, origin};
use crate::auth::{Challenge, Credential, Refusal};
use crate::codex::message::{Message, Outcome};
use crate::mcp::era::Headers;
use crate::mcp::{Answered, Exchange, PendingCall, Step, Trace, receive};
use crate::notebook::failure::Failure;
use crate::notebook::time::Timestamp;

pub(super) async fn serve(request: &mut Request, env: &Env, config: &Config) -> worker::Result<Answer> {
    if request.method() != Method::Post {
        return Ok(Answer::method_not_allowed("POST"));
    }
    let own = origin::own(request);
    let credential = match credential(request, &own, config)? {
        Ok(credential) => credential,
        Err(challenge) => return refuse(challenge, request, env, &own).await,
    };
    let body = match body::read(request, body::JSON).await? {
        Ok(body) => body,
        Err(refusal) => return Ok(refusal),
    };
    let exchange = receive(&body, &headers(request)?, credential.scopes);
    match answer(exchange, env, &credential).await {
        Ok(answer) => Ok(answer),
        Err(challenge) => refuse(challenge, request, env, &own).await,
    }
}

/// Challenges, and counts a credential that is not good against the address that it came from.
pub(super) async fn refuse(challenge: Challenge, request: &Request, env: &Env, own: &str) -> worker::Result<Answer> {
    if challenge == Challenge::InvalidToken
        && let Err(answer) = limits::count_failure(env, request).await
    {
        return Ok(answer);
    }
    Ok(Answer::challenge(challenge, own))
}

/// The credential of a request (RFC 6750, section 2.1), if this Worker sealed it, for itself, and it has not expired.
fn credential(request: &Request, own: &str, config: &Config) -> worker::Result<Result<Credential, Challenge>> {
    let Some(token) = bearer(request)? else { return Ok(Err(Challenge::Missing)) };
    let credential = Credential::open(&config.seal_keys, &token);
    let now = Timestamp::from_milliseconds(i64::try_from(Date::now().as_millis()).unwrap_or_default());
    let usable = credential.filter(|credential| credential.is_for(&origin::resource(own), now));
    Ok(usable.ok_or(Challenge::InvalidToken))
}

/// The bearer token of a request; empty when there is an `Authorization` of another form.
pub(super) fn bearer(request: &Request) -> worker::Result<Option<String>> {
    Ok(request.headers().get("Authorization")?.map(|value| match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim().to_owned(),
        _ => String::new(),
    }))
}

fn headers(request: &Request) -> worker::Result<Headers> {
    let headers = request.headers();
    let value = |name| headers.get(name).map(|value| value.map(|value| value.trim().to_owned()));
    Ok(Headers {
        protocol_version: value("MCP-Protocol-Version")?,
        method: value("Mcp-Method")?,
        name: value("Mcp-Name")?,
    })
}

async fn answer(exchange: Exchange, env: &Env, credential: &Credential) -> Result<Answer, Challenge> {
    if let Some(needed) = exchange.forbidden() {
        return Err(Challenge::InsufficientScope(needed));
    }
    let batch = exchange.is_batch();
    let mut answered = Vec::new();
    for step in exchange.steps {
        answered.push(match step {
            Step::Answered(answer) => answer,
            Step::Forbidden(needed) => return Err(Challenge::InsufficientScope(needed)),
            Step::Call(call) => execute(call, env, credential).await?,
        });
    }
    let reply = Exchange::reply(batch, answered);
    Ok(match reply.body {
        Some(body) => Answer::json(reply.status, body),
        None => Answer::empty(reply.status),
    })
}

/// The answer that the codex gives to a call.
async fn execute(pending: PendingCall, env: &Env, credential: &Credential) -> Result<Answered, Challenge> {
    let PendingCall { reply, needed, call, trace } = pending;
    if !limits::permits_call(env, credential.grant).await {
        return Ok(reply.failure(&Failure::RateLimited.to_json()));
    }
    let generation = credential.issue.map(|issue| issue.generation);
    let message = Message::Call { grant: credential.grant, generation, needed, call, trace };
    match codex::ask(env, &credential.codex, &message).await {
        Ok(Outcome::Result(json)) => Ok(reply.result(&json)),
        Ok(Outcome::Failure(json)) => Ok(reply.failure(&json)),
        Ok(Outcome::Refused(Refusal::InsufficientScope)) => Err(Challenge::InsufficientScope(needed)),
        Ok(Outcome::Refused(_)) => Err(Challenge::InvalidToken),
        Err(error) => {
            console_error!("{error}{}", Trace::log_suffix(message.trace()));
            Ok(reply.failure(&Failure::OutcomeUnknown.to_json()))
        }
    }
}
