//! The MCP endpoint. Its checks run in this order: method, credential, size and media type, JSON, era and headers, scope,
//! arguments; then the codex checks the grant and executes the call.

use worker::{Context, Env, console_error};

use super::codex::{Lost, Told, UNAVAILABLE};
use super::config::Config;
use super::request::Request;
use super::respond::{Answer, Question};
use super::{body, caller, codex, limits};
use crate::auth::{Caller, Challenge, Refusal};
use crate::codex::message::{Message, Outcome};
use crate::mcp::era::Headers;
use crate::mcp::{Answered, Exchange, PendingCall, Step, Trace, receive};
use crate::notebook::failure::Failure;

pub(super) async fn serve(
    request: &Request,
    env: &Env,
    config: &Config,
    context: &Context,
    told: Option<Told>,
) -> worker::Result<Answer> {
    if request.method() != "POST" {
        return Ok(Answer::method_not_allowed("POST"));
    }
    let own = request.origin().to_owned();
    let caller = match caller::identify(request, &own, config, context).await? {
        Ok(caller) => caller,
        Err(challenge) => return refuse(challenge, request, env, &own).await,
    };
    let body = match body::read(request, body::JSON)? {
        Ok(body) => body,
        Err(refusal) => return Ok(refusal),
    };
    let exchange = receive(body, &headers(request)?, caller.scopes);
    match answer(exchange, env, &caller, told).await {
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

/// Answers what a body asks for. A call that is all of it is answered by its codex, and `told` is what came of that where it
/// has no answer.
async fn answer(exchange: Exchange, env: &Env, caller: &Caller, mut told: Option<Told>) -> Result<Answer, Challenge> {
    if let Some(needed) = exchange.forbidden() {
        return Err(Challenge::InsufficientScope(needed));
    }
    let batch = exchange.is_batch();
    let mut answered = Vec::new();
    for step in exchange.steps {
        answered.push(match step {
            Step::Answered(answer) => answer,
            Step::Forbidden(needed) => return Err(Challenge::InsufficientScope(needed)),
            Step::Call(call) if batch => execute(&call, env, caller).await?,
            Step::Call(call) => match told.take() {
                Some(told) => answer_to(&call, told)?,
                None => return Ok(Answer::of_codex(question(&call, caller))),
            },
        });
    }
    let reply = Exchange::reply(batch, answered);
    Ok(match reply.body {
        Some(body) if reply.status == UNAVAILABLE => Answer::json(reply.status, body).retried_later(),
        Some(body) => Answer::json(reply.status, body),
        None => Answer::empty(reply.status),
    })
}

fn question(pending: &PendingCall, caller: &Caller) -> Question {
    let PendingCall { reply, needed, call, trace } = pending.clone();
    let message = Message::Call { access: caller.access.clone(), needed, call, reply, trace };
    Question { codex: caller.codex.clone(), grant: caller.access.grant(), message }
}

/// The answer to a call of a batch.
async fn execute(pending: &PendingCall, env: &Env, caller: &Caller) -> Result<Answered, Challenge> {
    let Question { codex, grant, message } = question(pending, caller);
    let told = if limits::permits_call(env, grant).await {
        codex::ask(env, &codex, &message).await
    } else {
        Err(Lost::Limited)
    };
    answer_to(pending, told)
}

fn answer_to(pending: &PendingCall, told: Told) -> Result<Answered, Challenge> {
    let PendingCall { reply, needed, call: _, trace } = pending;
    let lost = match told {
        Ok(Outcome::Answer(body)) => return Ok(Answered::by_codex(body)),
        Ok(Outcome::Refused(Refusal::InsufficientScope)) => return Err(Challenge::InsufficientScope(*needed)),
        Ok(Outcome::Refused(_)) => return Err(Challenge::InvalidToken),
        Ok(Outcome::Result(_) | Outcome::Failure(_)) => Lost::Broken("a call has another outcome".to_owned()),
        Err(lost) => lost,
    };
    let log = |error: &str| console_error!("{error}{}", Trace::log_suffix(trace.as_ref()));
    Ok(match lost {
        Lost::Limited => reply.failure(&Failure::RateLimited.to_json()),
        Lost::Overloaded(error) => {
            log(&error);
            reply.unavailable(&Failure::Overloaded)
        }
        Lost::Unreachable(error) => {
            log(&error);
            reply.unavailable(&Failure::OutcomeUnknown)
        }
        Lost::Broken(error) => {
            log(&error);
            reply.failure(&Failure::OutcomeUnknown.to_json())
        }
    })
}
