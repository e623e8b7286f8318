//! The Worker: HTTP in, HTTP out. It routes, checks what HTTP alone can tell, opens the credential and asks the codex's
//! object where something stored is needed. Whatever happens, it answers with a response of its own.

mod body;
mod caller;
mod codex;
mod config;
#[cfg(feature = "faults")]
mod faults;
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

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use worker::{Context, Env, console_error, event, web_sys};

use crate::auth::challenge::{METADATA_PATH, ROOT_METADATA_PATH, metadata};
use crate::auth::oauth::metadata::AUTHORIZE;
use codex::UNAVAILABLE;
use config::Config;
use origin::Origin;
use request::Request;
use respond::Answer;

#[event(fetch)]
async fn fetch(mut request: Request, env: Env, context: Context) -> worker::Result<web_sys::Response> {
    let answer = match AssertUnwindSafe(answer(&mut request, &env, &context)).catch_unwind().await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error @ worker::Error::Json((_, UNAVAILABLE)))) => {
            console_error!("{error}");
            Answer::unavailable()
        }
        Ok(Err(error)) => {
            console_error!("{error}");
            Answer::internal()
        }
        // The panic's message and place are in the log already.
        Err(_) => Answer::internal(),
    };
    answer.into_response()
}

async fn answer(request: &mut Request, env: &Env, context: &Context) -> worker::Result<Answer> {
    let answer = match Config::of(env) {
        Ok(config) => permitted(request, env, &config, context).await?,
        Err(reason) => {
            console_error!("{reason}");
            Answer::error(503, "not_configured", "This server is not set up yet; its log says what is missing")
        }
    };
    body::discard(request).await?;
    Ok(answer)
}

/// Answers where the request's origin permits it.
async fn permitted(request: &mut Request, env: &Env, config: &Config, context: &Context) -> worker::Result<Answer> {
    let origin = Origin::of(request, config)?;
    // The page on which the owner decides is this server's own, and looks at where its form comes from itself.
    if origin == Origin::Refused && request.path() != AUTHORIZE {
        return Ok(Answer::error(403, "forbidden_origin", "Pages of this origin may not use this server"));
    }
    let answer = match request.method() {
        "OPTIONS" => Answer::empty(204),
        _ => route(request, env, config, context).await?,
    };
    Ok(origin.allow(answer))
}

async fn route(request: &mut Request, env: &Env, config: &Config, context: &Context) -> worker::Result<Answer> {
    let path = request.path();
    match path.as_str() {
        "/mcp" | "/mcp/" => mcp::serve(request, env, config, context).await,
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
            _ => Ok(oauth::serve(&path, request, env, config, context)
                .await?
                .unwrap_or_else(|| Answer::error(404, "not_found", "There is nothing here; the MCP endpoint is /mcp"))),
        },
    }
}
