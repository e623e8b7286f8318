//! The authorization endpoint: it puts a client's request to the owner, and sends the owner back with the decision.
//!
//! Nothing is kept between the two: the page holds the request, sealed. The decision to allow comes with the owner key, which
//! no other page can know, or with the cookie of the browser in which the person signed in, so a forged one allows nothing;
//! that it comes from this server's own page is checked as well.

use worker::{Context, Env};

use super::{client, form, sign_in};
use crate::auth::oauth::digest;
use crate::auth::oauth::family::{Bound, NewCode};
use crate::auth::oauth::form::Parameters;
use crate::auth::oauth::page::{self, Consent, Page};
use crate::auth::oauth::person::browser;
use crate::auth::oauth::request::{AuthorizationRequest, Pending, Rejection, check};
use crate::auth::oauth::token::Code;
use crate::auth::{CodexName, Resource, Scopes};
use crate::clock::now;
use crate::codex::message::{Message, Outcome};
use crate::edge::config::Config;
use crate::edge::request::Request;
use crate::edge::respond::Answer;
use crate::edge::{codex, limits, origin, query};
use crate::random;

/// Puts a request to the owner.
pub(super) async fn ask(request: &Request, env: &Env, config: &Config, context: &Context) -> worker::Result<Answer> {
    let parameters = match query::parameters(request) {
        Ok(parameters) => parameters,
        Err(reason) => return Ok(Answer::refusal(400, reason)),
    };
    let Some(id) = parameters.get("client_id") else {
        return Ok(Answer::refusal(400, "The request does not say which client it comes from."));
    };
    let client = match client::find(id, request, env, config).await? {
        Ok(client) => client,
        Err(answer) => return Ok(answer),
    };
    let own = request.origin().to_owned();
    let asked = match check(&parameters, &client, &own) {
        Ok(asked) => asked,
        Err(Rejection::Here(reason)) => return Ok(Answer::refusal(400, reason)),
        Err(Rejection::AtClient { reason, location }) => {
            return Ok(Answer::page(400, page::rejection(reason, &location)));
        }
    };
    match (&config.access, &config.provider) {
        (Some(access), _) => sign_in::behind_access(asked, request, access, config, context).await,
        (None, Some(provider)) => sign_in::begin(asked, provider, &own, config).await,
        (None, None) => Ok(put(&Pending { request: asked, browser: None, person: None }, config)),
    }
}

/// The page that puts a request to whoever decides.
pub(super) fn put(pending: &Pending, config: &Config) -> Answer {
    let sealed = pending.seal(&config.seal_keys, now());
    Answer::page(200, consent(pending, &sealed, &config.default_codex, None))
}

fn consent(pending: &Pending, sealed: &str, codex: &str, problem: Option<&str>) -> Page {
    page::consent(&pending.request, Consent { sealed, codex, person: pending.person.as_ref(), problem })
}

/// Takes the owner's decision.
pub(super) async fn decide(request: &Request, env: &Env, config: &Config) -> worker::Result<Answer> {
    if !from_own_page(request)? {
        return Ok(Answer::refusal(403, "The decision does not come from this server’s own page."));
    }
    let form = match form(request)? {
        Ok(form) => form,
        Err(refusal) => return Ok(refusal.told_by(Answer::refusal(400, "The decision can’t be read."))),
    };
    let sealed = form.get("request").unwrap_or_default();
    let Some(pending) = Pending::open(&config.seal_keys, sealed, now()) else {
        return Ok(Answer::refusal(400, "The page is too old, or not one of this server’s."));
    };
    let asked = &pending.request;
    let own = request.origin().to_owned();
    match form.get("decision") {
        Some("allow") => {}
        Some("deny") => return Ok(Answer::empty(303).with_header("Location", asked.denied(&own))),
        _ => return Ok(Answer::refusal(400, "The decision is neither to allow nor to deny.")),
    }
    let typed = form.get("codex").unwrap_or_default();
    let again = |status, problem| Answer::page(status, consent(&pending, sealed, typed, Some(problem)));
    let ticked = |scope: &&str| form.get(scope).is_some();
    let Some(scopes) = Scopes::parse(asked.scopes.names().filter(ticked)) else {
        return Ok(again(400, "Nothing is ticked; to allow nothing, deny."));
    };
    let codex = match &pending.person {
        Some(person) if pending.browser == sign_in::cookie(request)?.as_deref().map(browser) => person.codex.clone(),
        Some(_) => return Ok(Answer::refusal(403, "You have signed in with another browser.")),
        None => match owners_choice(&form, typed, request, env, config, again).await {
            Ok(codex) => codex,
            Err(answer) => return Ok(answer),
        },
    };
    let code = record(asked, scopes, codex, &own, env).await?;
    Ok(Answer::empty(303).with_header("Location", asked.granted(&code.seal(&config.seal_keys), &own)))
}

/// The codex that the owner has named, and shown the owner key for; otherwise the answer, mostly the page `again`.
async fn owners_choice(
    form: &Parameters,
    typed: &str,
    request: &Request,
    env: &Env,
    config: &Config,
    again: impl Fn(u16, &'static str) -> Answer,
) -> Result<CodexName, Answer> {
    let codex =
        CodexName::parse(typed).ok_or_else(|| again(400, "A codex is named by 1 to 128 of A–Z a–z 0–9 . _ @ -"))?;
    if codex.is_of_a_subject() {
        return Err(again(400, "Names that begin with ext. are those of other issuers’ subjects; choose another."));
    }
    let Some(owner_key) = &config.owner_key else {
        return Err(again(403, "The secret OWNER_KEY is not set, so nobody can allow this."));
    };
    if form.get("owner_key").is_some_and(|key| owner_key.matches(key.trim())) {
        return Ok(codex);
    }
    let limited = |answer: Answer| answer.told_by(again(429, "Too many failed attempts; try again in a minute."));
    limits::count_failure(env, request).await.map_err(limited)?;
    Err(again(403, "This is not the owner key."))
}

/// Whether a form was sent by a page of this server, as far as the browser tells.
fn from_own_page(request: &Request) -> worker::Result<bool> {
    let headers = request.headers();
    let own = request.origin().to_owned();
    Ok(headers.get("Origin")?.is_none_or(|origin| origin == own)
        && headers.get("Sec-Fetch-Site")?.is_none_or(|site| site == "same-origin"))
}

/// Makes a code, which the codex keeps.
async fn record(
    asked: &AuthorizationRequest,
    scopes: Scopes,
    codex: CodexName,
    own: &str,
    env: &Env,
) -> worker::Result<Code> {
    let id = random::bytes();
    let code = NewCode {
        id,
        bound: Bound { client: digest(&asked.client_id), resource: Resource::of(&origin::resource(own)) },
        challenge: asked.challenge,
        redirect_uri: digest(&asked.redirect_uri),
        scopes,
        label: asked.label(),
    };
    match codex::ask(env, &codex, &Message::RecordCode(code)).await? {
        Outcome::Result(_) => Ok(Code { id, codex }),
        Outcome::Answer(_) | Outcome::Failure(_) | Outcome::Refused(_) => {
            Err(worker::Error::RustError("a codex did not record a code".to_owned()))
        }
    }
}
