//! How a person signs in who decides on a client's request: with an OpenID provider (OpenID Connect Core 1.0, section 3.1), or
//! in front of this server already, with Cloudflare Access.
//!
//! The provider's page comes first and the decision after it; between the two, the request travels sealed in the `state`. The
//! cookie binds it all to one browser.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use form_urlencoded::{Serializer, byte_serialize};
use worker::{Context, console_error, console_log};

use super::authorize;
use crate::auth::Issuer;
use crate::auth::jwt::{Claims, Unverified};
use crate::auth::oauth::metadata::CALLBACK;
use crate::auth::oauth::person::{self, Allowed, Person, browser};
use crate::auth::oauth::redirect;
use crate::auth::oauth::request::{AuthorizationRequest, Pending};
use crate::clock::now;
use crate::edge::config::Config;
use crate::edge::issuers::ANSWER_BYTES;
use crate::edge::outgoing::{self, Caching};
use crate::edge::request::Request;
use crate::edge::respond::Answer;
use crate::edge::{issuers, query};
use crate::json::{self, Node};
use crate::random;

/// `__Host-` keeps other hosts from setting it; `Lax` lets it come back from the provider.
const COOKIE: &str = "__Host-acx_sign_in";

/// The provider with which people sign in.
pub(in crate::edge) struct Provider {
    pub(in crate::edge) issuer: Issuer,
    pub(in crate::edge) client_id: String,
    pub(in crate::edge) client_secret: String,
    pub(in crate::edge) allowed: Allowed,
}

/// The cookie of the request's browser.
pub(super) fn cookie(request: &Request) -> worker::Result<Option<String>> {
    let cookies = request.headers().get("Cookie")?.unwrap_or_default();
    let named = cookies.split(';').find_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    Ok(named.map(str::to_owned))
}

fn new_cookie() -> String {
    URL_SAFE_NO_PAD.encode(random::bytes::<32>())
}

fn with_cookie(answer: Answer, cookie: &str) -> Answer {
    answer.with_header("Set-Cookie", format!("{COOKIE}={cookie}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=3600"))
}

/// Sends the browser to the provider.
pub(super) async fn begin(
    asked: AuthorizationRequest,
    provider: &Provider,
    own: &str,
    config: &Config,
) -> worker::Result<Answer> {
    let Some(endpoint) = endpoint(provider, "authorization_endpoint").await else { return Ok(unavailable()) };
    let cookie = new_cookie();
    let pending = Pending { request: asked, browser: Some(browser(&cookie)), person: None };
    let location = redirect::with_parameters(
        &endpoint,
        &[
            ("response_type", "code"),
            ("client_id", &provider.client_id),
            ("redirect_uri", &format!("{own}{CALLBACK}")),
            ("scope", "openid email"),
            ("state", &pending.seal(&config.seal_keys, now())),
            ("nonce", &person::nonce(&cookie)),
            ("code_challenge", &person::challenge(&cookie)),
            ("code_challenge_method", "S256"),
        ],
    );
    Ok(with_cookie(Answer::empty(302).with_header("Location", location), &cookie))
}

/// Takes the browser back, and puts the request to the person that it now is known to be.
pub(super) async fn end(request: &Request, config: &Config, context: &Context) -> worker::Result<Answer> {
    let Some(provider) = &config.provider else { return Ok(Answer::refusal(404, "Nobody signs in here.")) };
    let parameters = query::parameters(request).unwrap_or_default();
    let cookie = cookie(request)?.unwrap_or_default();
    let pending = Pending::open(&config.seal_keys, parameters.get("state").unwrap_or_default(), now())
        .filter(|pending| pending.browser == Some(browser(&cookie)))
        .filter(|_| parameters.get("iss").is_none_or(|issuer| issuer == provider.issuer.issuer));
    let Some(pending) = pending else {
        return Ok(Answer::refusal(400, "The sign-in is too old, or was begun in another browser."));
    };
    let Some(code) = parameters.get("code") else {
        return Ok(Answer::refusal(403, "The provider did not let you sign in."));
    };
    let Some(claims) = claims(code, &cookie, provider, request.origin(), context).await else {
        return Ok(unavailable());
    };
    if !provider.allowed.permits(&claims) {
        console_log!("Somebody who is not in OIDC_ALLOWED has tried to sign in.");
        return Ok(Answer::refusal(403, "You have signed in, but are not among those who may use this server."));
    }
    let Some(person) = Person::of(&claims) else { return Ok(unavailable()) };
    Ok(authorize::put(&Pending { person: Some(person), ..pending }, config))
}

/// What the provider says of whoever has the code.
async fn claims(code: &str, cookie: &str, provider: &Provider, own: &str, context: &Context) -> Option<Claims> {
    let endpoint = endpoint(provider, "token_endpoint").await?;
    let form = Serializer::new(String::new())
        .append_pair("grant_type", "authorization_code")
        .append_pair("code", code)
        .append_pair("redirect_uri", &format!("{own}{CALLBACK}"))
        .append_pair("code_verifier", &person::verifier(cookie))
        .finish();
    // RFC 6749, section 2.3.1: both are encoded as in a form first.
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let credentials = format!("{}:{}", encoded(&provider.client_id), encoded(&provider.client_secret));
    let authorization = format!("Basic {}", STANDARD.encode(credentials));
    let answer = match outgoing::post(&endpoint, &form, &authorization, ANSWER_BYTES).await {
        Ok(answer) => answer,
        Err(reason) => {
            console_error!("The provider gave no token: {reason}");
            return None;
        }
    };
    let answer = json::parse(&answer).ok()?;
    let token = answer.root().member("id_token").and_then(Node::as_str)?;
    let token = Unverified::parse(&token).ok()?;
    if let Err(reason) = issuers::verify(&token, now(), &provider.issuer, "", context).await {
        console_error!("The provider's id_token is refused: {reason}");
        return None;
    }
    person::is_of_sign_in(&token.claims, cookie, &provider.client_id).then_some(token.claims)
}

async fn endpoint(provider: &Provider, name: &str) -> Option<String> {
    let endpoint = issuers::discover(&provider.issuer, name, Caching::Hour).await;
    endpoint.inspect_err(|reason| console_error!("The provider's {name} can't be had: {reason}")).ok()
}

fn unavailable() -> Answer {
    Answer::refusal(502, "Signing in with the provider did not work; the server’s log says why.")
}

/// Puts the request to the person whom Cloudflare Access has let through.
pub(super) async fn behind_access(
    asked: AuthorizationRequest,
    request: &Request,
    access: &Issuer,
    config: &Config,
    context: &Context,
) -> worker::Result<Answer> {
    let assertion = request.headers().get("Cf-Access-Jwt-Assertion")?.unwrap_or_default();
    let refused = || Answer::refusal(403, "Cloudflare Access, in front of this server, does not vouch for you.");
    let Ok(token) = Unverified::parse(&assertion) else { return Ok(refused()) };
    if let Err(reason) = issuers::verify(&token, now(), access, "", context).await {
        console_error!("An assertion of Cloudflare Access is refused: {reason}");
        return Ok(refused());
    }
    let Some(person) = Person::of(&token.claims) else { return Ok(refused()) };
    let cookie = new_cookie();
    let pending = Pending { request: asked, browser: Some(browser(&cookie)), person: Some(person) };
    Ok(with_cookie(authorize::put(&pending, config), &cookie))
}
