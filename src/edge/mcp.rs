//! The MCP endpoint. Its checks run in this order: method, credential, size and media type, JSON, era and headers, scope,
//! arguments; then the codex checks the grant and executes the call.

use worker::{Context, Env, console_error};

use super::codex::{Lost, UNAVAILABLE};
use super::config::Config;
use super::request::Request;
use super::respond::Answer;
use super::{body, caller, codex, limits};
use crate::auth::{Caller, Challenge, Refusal};
use crate::codex::message::{Message, Outcome};
use crate::mcp::era::Headers;
use crate::mcp::{Answered, Exchange, PendingCall, Step, Trace, receive};
use crate::notebook::failure::Failure;

pub(super) async fn serve(
    request: &mut Request,
    env: &Env,
    config: &Config,
    context: &Context,
) -> worker::Result<Answer> {
    if request.method() != "POST" {
        return Ok(Answer::method_not_allowed("POST"));
    }
    let own = request.origin().to_owned();
    let caller = match caller::identify(request, &own, config, context).await? {
        Ok(caller) => caller,
        Err(challenge) => return refuse(challenge, request, env, &own).await,
    };
    let body = match body::read(request, body::JSON).await? {
        Ok(body) => body,
        Err(refusal) => return Ok(refusal),
    };
    let exchange = receive(&body, &headers(request)?, caller.scopes);
    match answer(exchange, env, &caller).await {
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

fn headers(request: &Request) -> worker::Result<Headers> {
    let headers = request.headers();
    let value = |name| headers.get(name).map(|value| value.map(|value| value.trim().to_owned()));
    Ok(Headers {
        protocol_version: value("MCP-Protocol-Version")?,
        method: value("Mcp-Method")?,
        name: value("Mcp-Name")?,
    })
}

async fn answer(exchange: Exchange, env: &Env, caller: &Caller) -> Result<Answer, Challenge> {
    if let Some(needed) = exchange.forbidden() {
        return Err(Challenge::InsufficientScope(needed));
    }
    let batch = exchange.is_batch();
    let mut answered = Vec::new();
    for step in exchange.steps {
        answered.push(match step {
            Step::Answered(answer) => answer,
            Step::Forbidden(needed) => return Err(Challenge::InsufficientScope(needed)),
            Step::Call(call) => execute(call, env, caller).await?,
        });
    }
    let reply = Exchange::reply(batch, answered);
    Ok(match reply.body {
        Some(body) if reply.status == UNAVAILABLE => Answer::json(reply.status, body).retried_later(),
        Some(body) => Answer::json(reply.status, body),
        None => Answer::empty(reply.status),
    })
}

/// The answer that the codex gives to a call.
async fn execute(pending: PendingCall, env: &Env, caller: &Caller) -> Result<Answered, Challenge> {
    let PendingCall { reply, needed, call, trace } = pending;
    if !limits::permits_call(env, caller.access.grant()).await {
        return Ok(reply.failure(&Failure::RateLimited.to_json()));
    }
    let message = Message::Call { access: caller.access.clone(), needed, call, trace };
    match codex::ask(env, &caller.codex, &message).await {
        Ok(Outcome::Result(json)) => Ok(reply.result(&json)),
        Ok(Outcome::Failure(json)) => Ok(reply.failure(&json)),
        Ok(Outcome::Refused(Refusal::InsufficientScope)) => Err(Challenge::InsufficientScope(needed)),
        Ok(Outcome::Refused(_)) => Err(Challenge::InvalidToken),
        Err(lost) => {
            console_error!("{}{}", lost.error(), Trace::log_suffix(message.trace()));
            Ok(match lost {
                Lost::Overloaded(_) => reply.unavailable(&Failure::Overloaded),
                Lost::Unreachable(_) => reply.unavailable(&Failure::OutcomeUnknown),
                Lost::Broken(_) => reply.failure(&Failure::OutcomeUnknown.to_json()),
            })
        }
    }
}
