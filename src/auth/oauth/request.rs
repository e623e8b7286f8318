//! What a client asks the owner for (OAuth 2.1, section 4.1.1), checked, and sealed into the page on which the owner decides.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::client::Client;
use super::form::Parameters;
use super::metadata::OFFLINE_ACCESS;
use super::person::Person;
use super::{DECISION_LIFETIME, Digest, redirect};
use crate::auth::grant::LABEL_CHARACTERS;
use crate::auth::scope::Scopes;
use crate::auth::seal::{Purpose, SealKeys};
use crate::notebook::time::Timestamp;

const PENDING: Purpose = Purpose { prefix: "", name: "agent-codex authorization request", characters: 32_768 };
/// Bytes of a state, at most.
const STATE_BYTES: usize = 4_096;

/// A request that the owner may grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthorizationRequest {
    /// The id of the client.
    pub client_id: String,
    /// What the client calls itself.
    pub client_name: Option<String>,
    /// Where the code goes.
    pub redirect_uri: String,
    /// What the client wants back with it.
    pub state: Option<String>,
    /// The SHA-256 of the code's verifier (RFC 7636, `S256`).
    pub challenge: Digest,
    /// What it asks for.
    pub scopes: Scopes,
}

/// Why a request is not put to the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// It is not known who asks, or where the answer goes: nobody is redirected (RFC 6749, section 4.1.2.1).
    Here(&'static str),
    /// The client can be told, at its redirect URI. The owner is asked to go there, not sent: anybody can register a client,
    /// and a server that redirects for anybody serves phishers (RFC 9700, section 4.11.2).
    AtClient {
        /// What is wrong, for people.
        reason: &'static str,
        /// The redirect URI with the error in it.
        location: String,
    },
}

/// Where an answer goes: the redirect URI of a request and its state.
struct Answerable<'r> {
    redirect_uri: &'r str,
    state: Option<&'r str>,
    issuer: &'r str,
}

impl Answerable<'_> {
    fn location(&self, parameters: &[(&str, &str)]) -> String {
        let mut all = parameters.to_vec();
        all.extend(self.state.map(|state| ("state", state)));
        all.push(("iss", self.issuer));
        redirect::with_parameters(self.redirect_uri, &all)
    }

    fn reject(&self, error: &str, reason: &'static str) -> Rejection {
        let location = self.location(&[("error", error), ("error_description", reason)]);
        Rejection::AtClient { reason, location }
    }
}

/// Checks a request of a client whose id `parameters` holds. `issuer` is this server's own origin.
///
/// # Errors
/// Why it is not put to the owner.
pub fn check(parameters: &Parameters, client: &Client, issuer: &str) -> Result<AuthorizationRequest, Rejection> {
    let redirect_uri = match parameters.get("redirect_uri") {
        Some(uri) if client.may_use(uri) => uri,
        Some(_) => return Err(Rejection::Here("The redirect URI is not one that the client registered.")),
        None => return Err(Rejection::Here("The request has no redirect URI.")),
    };
    let state = parameters.get("state");
    if state.is_some_and(|state| state.len() > STATE_BYTES) {
        return Err(Rejection::Here("The state is too long."));
    }
    let answerable = Answerable { redirect_uri, state, issuer };
    let reject = |error, description| Err(answerable.reject(error, description));
    if parameters.get("request").is_some() {
        return reject("request_not_supported", "Request objects are not supported");
    }
    if parameters.get("request_uri").is_some() {
        return reject("request_uri_not_supported", "Request objects are not supported");
    }
    if parameters.get("response_type") != Some("code") {
        return reject("unsupported_response_type", "response_type must be code");
    }
    if parameters.get("response_mode").is_some_and(|mode| mode != "query") {
        return reject("invalid_request", "response_mode must be query");
    }
    if parameters.get("code_challenge_method") != Some("S256") {
        return reject("invalid_request", "PKCE is required: code_challenge_method must be S256");
    }
    let Some(challenge) = parameters.get("code_challenge").and_then(decode_challenge) else {
        return reject("invalid_request", "code_challenge must be the base64url of a SHA-256");
    };
    if !parameters.get("resource").is_some_and(|resource| is_own_resource(resource, issuer)) {
        return reject("invalid_target", "resource must be the URL of this MCP endpoint");
    }
    let Some(scopes) = requested_scopes(parameters.get("scope").unwrap_or_default()) else {
        return reject("invalid_scope", "scope must hold notes:read, notes:write or both");
    };
    Ok(AuthorizationRequest {
        client_id: parameters.get("client_id").unwrap_or_default().to_owned(),
        client_name: client.name.clone(),
        redirect_uri: redirect_uri.to_owned(),
        state: state.map(str::to_owned),
        challenge,
        scopes,
    })
}

/// The SHA-256 that 43 characters of base64url are.
fn decode_challenge(challenge: &str) -> Option<Digest> {
    URL_SAFE_NO_PAD.decode(challenge).ok()?.try_into().ok()
}

/// Whether a `resource` (RFC 8707) is the endpoint of the server of this origin, or the whole of it.
#[must_use]
pub fn is_own_resource(resource: &str, issuer: &str) -> bool {
    resource.strip_prefix(issuer).is_some_and(|path| matches!(path, "" | "/" | "/mcp" | "/mcp/"))
}

/// The scopes of ours that are asked for: both where none are named, and none where all that are named are unknown.
fn requested_scopes(scope: &str) -> Option<Scopes> {
    let mut names = scope.split(' ').filter(|name| !name.is_empty() && *name != OFFLINE_ACCESS).peekable();
    if names.peek().is_none() {
        return Some(Scopes::ALL);
    }
    names.filter_map(|name| Scopes::parse([name])).reduce(Scopes::union)
}

/// A request that waits for its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The request.
    pub request: AuthorizationRequest,
    /// The digest of the cookie of the browser that it waits in, where people sign in.
    pub browser: Option<Digest>,
    /// Who decides, once they have signed in; otherwise whoever has the owner key.
    pub person: Option<Person>,
}

impl Pending {
    /// The request, sealed until it is decided.
    #[must_use]
    pub fn seal(&self, keys: &SealKeys, now: Timestamp) -> String {
        let pending = (self, now.milliseconds());
        keys.seal(PENDING, postcard::to_allocvec(&pending).unwrap_or_default())
    }

    /// The request that was sealed, if it may still be decided.
    #[must_use]
    pub fn open(keys: &SealKeys, sealed: &str, now: Timestamp) -> Option<Self> {
        let (pending, asked_at): (Self, i64) = postcard::from_bytes(&keys.open(PENDING, sealed)?).ok()?;
        (now < Timestamp::from_milliseconds(asked_at).plus(DECISION_LIFETIME)).then_some(pending)
    }
}

impl AuthorizationRequest {
    /// The host that publishes the client's metadata document, if the client's id is that of one.
    #[must_use]
    pub fn client_host(&self) -> Option<String> {
        self.client_id.starts_with("https:").then(|| redirect::described(&self.client_id))
    }

    /// What a grant of it is called, for the owner's list.
    #[must_use]
    pub fn label(&self) -> String {
        let name = self.client_name.as_deref().unwrap_or("An application");
        let host = self.client_host().unwrap_or_else(|| redirect::described(&self.redirect_uri));
        format!("{name} ({host})").chars().take(LABEL_CHARACTERS).collect()
    }

    /// Where the owner is sent who has granted it: the code, the state and the issuer (RFC 9207).
    #[must_use]
    pub fn granted(&self, code: &str, issuer: &str) -> String {
        self.answerable(issuer).location(&[("code", code)])
    }

    /// Where the owner is sent who has denied it.
    #[must_use]
    pub fn denied(&self, issuer: &str) -> String {
        let denial = [("error", "access_denied"), ("error_description", "The owner denied the request")];
        self.answerable(issuer).location(&denial)
    }

    fn answerable<'r>(&'r self, issuer: &'r str) -> Answerable<'r> {
        Answerable { redirect_uri: &self.redirect_uri, state: self.state.as_deref(), issuer }
    }
}
