//! The Worker: HTTP in, HTTP out, as `src/entry.js` calls it. It routes, checks what HTTP alone can tell, opens the credential and
//! asks the codex's object where something stored is needed. Whatever happens, it answers with a response of its own.

mod body;
mod caller;
mod codex;
mod config;
mod grants;
mod issuers;
mod limits;
mod mcp;
mod oauth;
mod origin;
mod outgoing;
mod query;
mod request;
mod respond;
mod revocations;
mod web_crypto;

use std::task::{self, Poll, Waker};

use wasm_bindgen::prelude::*;
use worker::wasm_bindgen_futures::future_to_promise;
use worker::{Context, Env, console_error, web_sys, worker_sys};

use crate::auth::challenge::{METADATA_PATH, ROOT_METADATA_PATH, metadata};
use crate::auth::oauth::metadata::AUTHORIZE;
use codex::{Told, UNAVAILABLE};
use config::Config;
use origin::Origin;
use request::Request;
use respond::Answer;

/// Answers a request with a response, or a promise of one where that takes a wait; or with a question to a codex, and then
/// is called again with what came of it, unless that is all of the answer.
#[wasm_bindgen]
#[must_use]
pub fn handle(
    request: web_sys::Request,
    head: &str,
    body: Option<Vec<u8>>,
    env: Env,
    context: worker_sys::Context,
    told: &JsValue,
) -> JsValue {
    let told = (!told.is_undefined()).then(|| codex::told(told));
    let request = Request::new(request, head, body);
    let mut answer = Box::pin(async move {
        let answer = match answer(&request, &env, &Context::new(context), told).await {
            Ok(answer) => answer,
            Err(error) => {
                console_error!("{error}");
                if matches!(error, worker::Error::Json((_, UNAVAILABLE))) {
                    Answer::unavailable()
                } else {
                    Answer::internal()
                }
            }
        };
        answer.into_js().unwrap_or_else(|error| {
            console_error!("{error}");
            JsValue::UNDEFINED
        })
    });
    // Most requests are answered without a wait, and so without a promise.
    match answer.as_mut().poll(&mut task::Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => future_to_promise(async move { Ok(answer.await) }).into(),
    }
}

/// The answer to a request whose body can't be read to its end: the client has gone, or what it sends is not HTTP.
#[wasm_bindgen]
#[must_use]
pub fn incomplete() -> JsValue {
    Answer::error(400, "incomplete_body", "The body ended before its end").into_js().unwrap_or_default()
}

/// The answer where nothing else answers.
#[wasm_bindgen]
#[must_use]
pub fn unanswered() -> JsValue {
    Answer::internal().into_js().unwrap_or_default()
}

async fn answer(request: &Request, env: &Env, context: &Context, told: Option<Told>) -> worker::Result<Answer> {
    match Config::of(env) {
        Ok(config) => permitted(request, env, &config, context, told).await,
        Err(reason) => {
            console_error!("{reason}");
            Ok(Answer::error(503, "not_configured", "This server is not set up yet; its log says what is missing"))
        }
    }
}

/// Answers where the request's origin permits it.
async fn permitted(
    request: &Request,
    env: &Env,
    config: &Config,
    context: &Context,
    told: Option<Told>,
) -> worker::Result<Answer> {
    let origin = Origin::of(request, config)?;
    // The page on which the owner decides is this server's own, and looks at where its form comes from itself.
    if origin == Origin::Refused && request.path() != AUTHORIZE {
        return Ok(Answer::error(403, "forbidden_origin", "Pages of this origin may not use this server"));
    }
    let answer = match request.method() {
        "OPTIONS" => Answer::empty(204),
        _ => route(request, env, config, context, told).await?,
    };
    Ok(origin.allow(answer))
}

async fn route(
    request: &Request,
    env: &Env,
    config: &Config,
    context: &Context,
    told: Option<Told>,
) -> worker::Result<Answer> {
    let path = request.path();
    match path {
        "/mcp" | "/mcp/" => mcp::serve(request, env, config, context, told).await,
        METADATA_PATH | ROOT_METADATA_PATH if !matches!(request.method(), "GET" | "HEAD") => {
            Ok(Answer::method_not_allowed("GET, HEAD"))
        }
        METADATA_PATH | ROOT_METADATA_PATH => {
            let own = request.origin().to_owned();
            let issuers = config.issuers.iter().map(|issuer| issuer.issuer.as_str());
            let servers: Vec<_> = [own.as_str()].into_iter().chain(issuers).collect();
            Ok(Answer::json(200, metadata(&own, &servers)))
        }
        "/revocations" => revocations::serve(request, env, config).await,
        #[cfg(feature = "faults")]
        #[allow(clippy::panic)]
        "/faults/panic" => panic!("a fault for the tests"),
        #[cfg(feature = "faults")]
        "/faults/minute" => Ok(issuers::pass(60)),
        #[cfg(feature = "faults")]
        "/faults/hour" => Ok(issuers::pass(3_600)),
        _ => match path.strip_prefix("/grants") {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => grants::serve(rest, request, env, config).await,
            _ => Ok(oauth::serve(path, request, env, config, context)
                .await?
                .unwrap_or_else(|| Answer::error(404, "not_found", "There is nothing here; the MCP endpoint is /mcp"))),
        },
    }
}
