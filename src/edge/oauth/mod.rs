//! The endpoints of the built-in authorization server.

mod authorize;
mod client;
pub(super) mod sign_in;
mod token;

use worker::{Context, Env};

use super::body;
use super::config::Config;
use super::respond::Answer;
use crate::auth::oauth::form::Parameters;
use crate::auth::oauth::page::{self, Page};
use crate::auth::oauth::{OAuthError, metadata};
use crate::edge::request::Request;

/// Answers a request to one of the endpoints; `None` where the path is not one of theirs.
pub(super) async fn serve(
    path: &str,
    request: &Request,
    env: &Env,
    config: &Config,
    context: &Context,
) -> worker::Result<Option<Answer>> {
    let method = request.method().to_owned();
    Ok(Some(match (path, method.as_str()) {
        (path, "GET" | "HEAD") if metadata::PATHS.contains(&path) => {
            Answer::json(200, metadata::metadata(request.origin()))
        }
        (path, _) if metadata::PATHS.contains(&path) => Answer::method_not_allowed("GET, HEAD"),
        (metadata::AUTHORIZE, "GET") => authorize::ask(request, env, config, context).await?,
        (metadata::AUTHORIZE, "POST") => authorize::decide(request, env, config).await?,
        (metadata::AUTHORIZE, _) => Answer::method_not_allowed("GET, POST"),
        (metadata::CALLBACK, "GET") => sign_in::end(request, config, context).await?,
        (metadata::REGISTER, "POST") => client::register(request, config)?,
        (metadata::TOKEN, "POST") => token::give(request, env, config).await?,
        (metadata::REVOKE, "POST") => token::revoke(request, env, config).await?,
        (metadata::REGISTER | metadata::TOKEN | metadata::REVOKE, _) => Answer::method_not_allowed("POST"),
        _ => return Ok(None),
    }))
}

impl Answer {
    fn page(status: u16, page: Page) -> Self {
        Self::html(status, page.html).with_header("Content-Security-Policy", page.policy)
    }

    fn refusal(status: u16, reason: &str) -> Self {
        Self::page(status, page::refusal(reason))
    }

    fn oauth_error(error: OAuthError) -> Self {
        Self::error(error.status, error.code, error.description)
    }
}

/// The parameters of a form.
///
/// # Errors
/// The inner one is the refusal.
fn form(request: &Request) -> worker::Result<Result<Parameters, Answer>> {
    let body = match body::read(request, body::FORM)? {
        Ok(body) => body,
        Err(refusal) => return Ok(Err(refusal)),
    };
    Ok(Parameters::parse(body).map_err(|reason| Answer::error(400, "invalid_request", reason)))
}
