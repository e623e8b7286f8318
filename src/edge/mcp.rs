//! The MCP endpoint. Its checks run in this order: method, credential, size and media type, JSON, era and headers, scope,
//! arguments; then the codex checks the grant and executes the call.

use worker::{Env, Method, Request, console_error};

use super::config::Config;
use super::respond::Answer;
use super::{body, codex, origin};
use crate::auth::{Challenge, Credential, Refusal};
use crate::codex::message::{Message, Outcome};
use crate::mcp::era::Headers;
use crate::mcp::{Answered, Exchange, PendingCall, Step, Trace, receive};
use crate::notebook::failure::Failure;

pub(super) async fn serve(request: &mut Request, env: &Env, config: &Config) -> worker::Result<Answer> {
    if request.method() != Method::Post {
        return Ok(Answer::method_not_allowed("POST"));
    }
    let own = origin::own(request);
    let credential = match credential(request, config)? {
        Ok(credential) => credential,
        Err(challenge) => return Ok(Answer::challenge(challenge, &own)),
    };
    let body = match body::read(request).await? {
        Ok(body) => body,
        Err(refusal) => return Ok(refusal),
    };
    let exchange = receive(&body, &headers(request)?, credential.scopes);
    match answer(exchange, env, &credential).await {
        Ok(answer) => Ok(answer),
        Err(challenge) => Ok(Answer::challenge(challenge, &own)),
    }
}

/// The credential of a request (RFC 6750, section 2.1), if this Worker sealed it.
fn credential(request: &Request, config: &Config) -> worker::Result<Result<Credential, Challenge>> {
    Ok(match bearer(request)? {
        None => Err(Challenge::Missing),
        Some(token) => config.seal_keys.open(&token).ok_or(Challenge::InvalidToken),
    })
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
    let message = Message::Call { grant: credential.grant, needed, call, trace };
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
