//! The token and the revocation endpoint.

use worker::Env;

use super::form;
use crate::auth::oauth::client::Client;
use crate::auth::oauth::family::{Bound, Exchange, Issued, Refresh};
use crate::auth::oauth::form::Parameters;
use crate::auth::oauth::metadata::OFFLINE_ACCESS;
use crate::auth::oauth::request::is_own_resource;
use crate::auth::oauth::token::{Code, RefreshToken, answer};
use crate::auth::oauth::{OAuthError, digest};
use crate::auth::{CodexName, Credential, GrantId, Resource, Scopes};
use crate::clock::now;
use crate::codex::message::{Message, Outcome};
use crate::edge::config::Config;
use crate::edge::request::Request;
use crate::edge::respond::Answer;
use crate::edge::{codex, limits, origin};
use crate::random;

/// Characters of a code's verifier (RFC 7636, section 4.1).
const VERIFIER: std::ops::RangeInclusive<usize> = 43..=128;

/// Gives tokens for a code or a refresh token (RFC 6749, sections 4.1.3 and 6).
pub(super) async fn give(request: &Request, env: &Env, config: &Config) -> worker::Result<Answer> {
    let form = match form(request)? {
        Ok(form) => form,
        Err(refusal) => return Ok(refusal),
    };
    let own = request.origin().to_owned();
    let (codex, message) = match asked(&form, &own, config) {
        Ok(asked) => asked,
        Err(error) => return refuse(error, request, env).await,
    };
    match codex::ask(env, &codex, &message).await? {
        Outcome::Result(json) => {
            let issued = Issued::from_json(&json)
                .ok_or_else(|| worker::Error::RustError("a codex issued no tokens".to_owned()))?;
            let Some(issued) = narrowed(issued, form.get("scope")) else {
                return Ok(Answer::oauth_error(OAuthError::new(
                    "invalid_scope",
                    "The grant does not have a scope of these",
                )));
            };
            let resource = Resource::of(&origin::resource(&own));
            Ok(Answer::json(200, answer(&config.seal_keys, &codex, &issued, resource, now())))
        }
        Outcome::Refused(_) => refuse(OAuthError::invalid_grant(), request, env).await,
        Outcome::Failure(_) | Outcome::Answer(_) => Ok(Answer::internal()),
    }
}

/// What is issued to a client that asks for some of the grant's scopes (RFC 6749, section 6); the grant keeps them all. A
/// refusal costs the client nothing, since the refresh token that it brought is answered again.
fn narrowed(issued: Issued, asked: Option<&str>) -> Option<Issued> {
    let names = asked.into_iter().flat_map(str::split_ascii_whitespace).filter(|name| *name != OFFLINE_ACCESS);
    let mut names = names.peekable();
    if names.peek().is_none() {
        return Some(issued);
    }
    let scopes = Scopes::parse(names).filter(|scopes| issued.scopes.include(*scopes))?;
    Some(Issued { scopes, ..issued })
}

async fn refuse(error: OAuthError, request: &Request, env: &Env) -> worker::Result<Answer> {
    Ok(match limits::count_failure(env, request).await {
        Ok(()) => Answer::oauth_error(error),
        Err(answer) => answer,
    })
}

/// Which codex is asked, and for what.
fn asked(form: &Parameters, own: &str, config: &Config) -> Result<(CodexName, Message), OAuthError> {
    let needed = |name| form.get(name).ok_or(OAuthError::new("invalid_request", "A parameter is missing"));
    let keys = &config.seal_keys;
    let client_id = form.get("client_id").ok_or(OAuthError::invalid_client())?;
    // A client of a metadata document is the one that the code was given to, or none: that needs no look at the document.
    if !client_id.starts_with("https:") && Client::open(keys, client_id).is_none() {
        return Err(OAuthError::invalid_client());
    }
    if form.get("resource").is_some_and(|resource| !is_own_resource(resource, own)) {
        return Err(OAuthError::new("invalid_target", "resource must be the URL of this MCP endpoint"));
    }
    let bound = Bound { client: digest(client_id), resource: Resource::of(&origin::resource(own)) };
    match needed("grant_type")? {
        "authorization_code" => {
            let code = Code::open(keys, needed("code")?).ok_or(OAuthError::invalid_grant())?;
            let verifier = needed("code_verifier")?;
            if !VERIFIER.contains(&verifier.len()) {
                return Err(OAuthError::invalid_grant());
            }
            let exchange = Exchange {
                code: code.id,
                bound,
                challenge: digest(verifier),
                redirect_uri: form.get("redirect_uri").map(digest),
                grant: GrantId::from_random(random::bytes()),
            };
            Ok((code.codex, Message::ExchangeCode(exchange)))
        }
        "refresh_token" => {
            let token = RefreshToken::open(keys, needed("refresh_token")?).ok_or(OAuthError::invalid_grant())?;
            let refresh = Refresh { grant: token.grant, generation: token.generation, bound };
            Ok((token.codex, Message::RefreshTokens(refresh)))
        }
        _ => Err(OAuthError::new("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")),
    }
}

/// Revokes the grant of a token, access or refresh (RFC 7009). What is no token of this server is revoked already.
pub(super) async fn revoke(request: &Request, env: &Env, config: &Config) -> worker::Result<Answer> {
    let form = match form(request)? {
        Ok(form) => form,
        Err(refusal) => return Ok(refusal),
    };
    let Some(token) = form.get("token") else {
        return Ok(Answer::error(400, "invalid_request", "The parameter token is missing"));
    };
    let keys = &config.seal_keys;
    let named = RefreshToken::open(keys, token)
        .map(|token| (token.codex, token.grant))
        .or_else(|| Credential::open(keys, token).map(|credential| (credential.codex, credential.grant)));
    if let Some((codex, grant)) = named
        && let Outcome::Failure(_) = codex::ask(env, &codex, &Message::RevokeGrant(grant)).await?
    {
        return Ok(Answer::internal());
    }
    Ok(Answer::empty(200))
}
