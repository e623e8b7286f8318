//! The owner's endpoint for grants. Each request carries the owner key as bearer token, and names a codex by `?codex=`, or
//! by the `?issuer=` and `&subject=` whose codex it is.
//!
//! - `POST /grants` with `{"label","scopes","expiresInSeconds"?}` makes one, and answers with it and its token
//! - `GET /grants` lists them
//! - `DELETE /grants/{id}` revokes one, and `DELETE /grants` all

use std::borrow::Cow;

use worker::Env;

use super::config::Config;
use super::request::Request;
use super::respond::Answer;
use super::{body, caller, codex, mcp, query};
use crate::auth::external::Subject;
use crate::auth::grant::LABEL_CHARACTERS;
use crate::auth::{Challenge, CodexName, Credential, GrantId, Scopes};
use crate::codex::message::{Message, Outcome};
use crate::json::{self, Kind, Node, Object};
use crate::notebook::time::SECOND;
use crate::random;

pub(super) async fn serve(rest: &str, request: &Request, env: &Env, config: &Config) -> worker::Result<Answer> {
    if let Err(refusal) = check_owner(request, env, config).await? {
        return Ok(refusal);
    }
    let Some(codex) = codex_of(request) else {
        return Ok(invalid(
            "?codex= must name a codex, with 1 to 128 of A-Z a-z 0-9 . _ @ -, or ?issuer= and &subject= must say whose",
        ));
    };
    match (request.method(), rest.strip_prefix('/')) {
        ("POST", None) => create(request, codex, env, config).await,
        ("GET", None) => list(&codex, env).await,
        ("DELETE", None) => revoke_all(&codex, env).await,
        ("DELETE", Some(id)) => revoke(id, &codex, env).await,
        (_, None) => Ok(Answer::method_not_allowed("GET, POST, DELETE")),
        (_, Some(_)) => Ok(Answer::method_not_allowed("DELETE")),
    }
}

/// Checks that the owner asks.
///
/// # Errors
/// The inner one is the refusal.
pub(super) async fn check_owner(request: &Request, env: &Env, config: &Config) -> worker::Result<Result<(), Answer>> {
    let Some(owner_key) = &config.owner_key else {
        return Ok(Err(Answer::error(403, "no_owner", "The secret OWNER_KEY is not set, so nobody manages grants")));
    };
    let challenge = match caller::bearer(request)? {
        Some(key) if owner_key.matches(&key) => return Ok(Ok(())),
        Some(_) => Challenge::InvalidToken,
        None => Challenge::Missing,
    };
    mcp::refuse(challenge, request, env, request.origin()).await.map(Err)
}

/// The codex that the query names.
fn codex_of(request: &Request) -> Option<CodexName> {
    match query::parameters(request).ok()?.get("codex") {
        Some(name) => CodexName::parse(name),
        None => subject_of(request).map(|(_, subject)| subject.codex),
    }
}

/// The issuer and its subject that the query names.
pub(super) fn subject_of(request: &Request) -> Option<(String, Subject)> {
    let query = query::parameters(request).ok()?;
    let issuer = query.get("issuer")?;
    Some((issuer.to_owned(), Subject::of(issuer, query.get("subject")?)?))
}

pub(super) fn invalid(description: &str) -> Answer {
    Answer::error(400, "invalid_request", description)
}

pub(super) fn unexpected(outcome: &Outcome) -> worker::Error {
    worker::Error::RustError(format!(
        "a codex answered a question about grants with {}",
        match outcome {
            Outcome::Answer(_) => "an answer to a client",
            Outcome::Result(_) => "a result",
            Outcome::Failure(_) => "a notebook failure",
            Outcome::Refused(_) => "a refusal",
        }
    ))
}

/// The milliseconds of a lifetime in seconds.
pub(super) fn lifetime_of(seconds: Node<'_>) -> Option<i64> {
    let seconds = u32::try_from(seconds.as_number()?.as_integer()?).ok()?;
    Some(i64::from(seconds).saturating_mul(SECOND))
}

/// What a body asks for, as it asks: label, scopes and lifetime.
type Asked = (String, Vec<String>, Option<i64>);

fn asked(body: &[u8]) -> Option<Asked> {
    let document = json::parse(body).ok().filter(|document| document.flaws().is_empty())?;
    let (mut label, mut scopes, mut lifetime) = (None, None, None);
    for (name, value) in document.root().members() {
        match &*name {
            "label" => label = Some(value.as_str()?.into_owned()),
            "scopes" if value.kind() == Kind::Array => {
                let names = value.elements().map(|name| name.as_str().map(Cow::into_owned));
                scopes = Some(names.collect::<Option<_>>()?);
            }
            "expiresInSeconds" if value.kind() == Kind::Null => {}
            "expiresInSeconds" => lifetime = Some(lifetime_of(value)?),
            _ => return None,
        }
    }
    Some((label?, scopes?, lifetime))
}

async fn create(request: &Request, codex: CodexName, env: &Env, config: &Config) -> worker::Result<Answer> {
    let body = match body::read(request, body::JSON)? {
        Ok(body) => body,
        Err(refusal) => return Ok(refusal),
    };
    let Some((label, scopes, lifetime)) = asked(body) else {
        return Ok(invalid(
            "The body must be {\"label\": string, \"scopes\": [string], \"expiresInSeconds\"?: integer}",
        ));
    };
    let Some(scopes) = Scopes::parse(scopes.iter().map(String::as_str)) else {
        return Ok(invalid("scopes must hold notes:read, notes:write or both"));
    };
    if label.chars().count() > LABEL_CHARACTERS {
        return Ok(invalid("label must be at most 128 characters long"));
    }
    let credential = Credential { codex, grant: GrantId::from_random(random::bytes()), scopes, issue: None };
    let message = Message::CreateGrant { id: credential.grant, label, scopes, lifetime };
    match codex::ask(env, &credential.codex, &message).await? {
        Outcome::Result(grant) => {
            let answer = Object::new().json("grant", &grant).text("token", &credential.seal(&config.seal_keys));
            Ok(Answer::json(201, answer.finish()))
        }
        outcome => Err(unexpected(&outcome)),
    }
}

async fn list(codex: &CodexName, env: &Env) -> worker::Result<Answer> {
    match codex::ask(env, codex, &Message::ListGrants).await? {
        Outcome::Result(grants) => Ok(Answer::json(200, format!("{{\"grants\":{grants}}}"))),
        outcome => Err(unexpected(&outcome)),
    }
}

async fn revoke(id: &str, codex: &CodexName, env: &Env) -> worker::Result<Answer> {
    let unknown = || Answer::error(404, "not_found", "This codex has no such grant");
    let Some(id) = GrantId::parse(id) else { return Ok(unknown()) };
    match codex::ask(env, codex, &Message::RevokeGrant(id)).await? {
        Outcome::Result(_) => Ok(Answer::empty(204)),
        Outcome::Refused(_) => Ok(unknown()),
        outcome @ (Outcome::Answer(_) | Outcome::Failure(_)) => Err(unexpected(&outcome)),
    }
}

async fn revoke_all(codex: &CodexName, env: &Env) -> worker::Result<Answer> {
    match codex::ask(env, codex, &Message::RevokeGrants).await? {
        Outcome::Result(_) => Ok(Answer::empty(204)),
        outcome => Err(unexpected(&outcome)),
    }
}
