//! Clients. A client's id is the URL of its metadata document (draft-ietf-oauth-client-id-metadata-document), or its own
//! registration, sealed (RFC 7591): there is no table of clients, and an id that a retired key sealed is not known any more.
//!
//! Every client is public: what it proves is that it has the code's verifier (PKCE).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{OAuthError, redirect};
use crate::auth::scope::Scopes;
use crate::auth::seal::{Purpose, SealKeys};

const REGISTRATION: Purpose = Purpose { prefix: "acl_", name: "agent-codex client registration", characters: 8_192 };
/// Redirect URIs of a client, at most.
const REDIRECT_URIS: usize = 10;
/// Characters of a name that are kept.
const NAME_CHARACTERS: usize = 80;
/// Bytes of a metadata document, at most.
pub const DOCUMENT_BYTES: usize = 16_384;

/// A client, as far as it has told of itself. Nobody has checked its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// Its name.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The redirect URIs that it may use.
    #[serde(rename = "r")]
    pub redirect_uris: Vec<String>,
}

impl Client {
    /// The client that this metadata describes (RFC 7591, section 2).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_metadata(metadata: &Value) -> Result<Self, OAuthError> {
        let invalid = |description| OAuthError::new("invalid_client_metadata", description);
        let Some(metadata) = metadata.as_object() else { return Err(invalid("The metadata must be a JSON object")) };
        let uris = metadata.get("redirect_uris").and_then(Value::as_array);
        let uris: Vec<_> = uris.into_iter().flatten().map(|uri| uri.as_str().unwrap_or_default().to_owned()).collect();
        if uris.is_empty() || uris.len() > REDIRECT_URIS || !uris.iter().all(|uri| redirect::is_acceptable(uri)) {
            return Err(OAuthError::new(
                "invalid_redirect_uri",
                "redirect_uris must hold 1 to 10 URIs: https, http on a loopback address or an application's own scheme; \
                 without fragment or user name",
            ));
        }
        let supports = |member: &str, needed: &str| match metadata.get(member) {
            None => true,
            Some(values) => values.as_array().is_some_and(|values| values.iter().any(|value| value == needed)),
        };
        if !supports("grant_types", "authorization_code") || !supports("response_types", "code") {
            return Err(invalid("The authorization code flow is the only one"));
        }
        let name = metadata.get("client_name").and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
        Ok(Self { name: name.map(|name| name.chars().take(NAME_CHARACTERS).collect()), redirect_uris: uris })
    }

    /// The client that its document describes, fetched from `id`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_document(id: &str, body: &[u8]) -> Result<Self, OAuthError> {
        let invalid = |description| OAuthError::new("invalid_client_metadata", description);
        let document: Value = serde_json::from_slice(body).map_err(|_| invalid("The document is not JSON"))?;
        if document.get("client_id").and_then(Value::as_str) != Some(id) {
            return Err(invalid("The document's client_id is not its URL"));
        }
        if !document.get("client_name").is_some_and(Value::is_string) {
            return Err(invalid("The document has no client_name"));
        }
        let method = document.get("token_endpoint_auth_method");
        if document.get("client_secret").is_some() || method.is_some_and(|method| method != "none") {
            return Err(invalid("The document's client is not public; token_endpoint_auth_method must be none"));
        }
        Self::from_metadata(&document)
    }

    /// The client's id: its registration, sealed.
    #[must_use]
    pub fn seal(&self, keys: &SealKeys) -> String {
        keys.seal(REGISTRATION, serde_json::to_vec(self).unwrap_or_default())
    }

    /// The client of an id, if this server registered it, with a key that is still in use.
    #[must_use]
    pub fn open(keys: &SealKeys, id: &str) -> Option<Self> {
        serde_json::from_slice(&keys.open(REGISTRATION, id)?).ok()
    }

    /// Whether the client may have its code sent there.
    #[must_use]
    pub fn may_use(&self, redirect_uri: &str) -> bool {
        self.redirect_uris.iter().any(|registered| redirect::matches(registered, redirect_uri))
    }

    /// What a registration is answered with (RFC 7591, section 3.2.1). `issued_at` is in seconds since 1970.
    #[must_use]
    pub fn registered(&self, id: &str, issued_at: i64) -> Value {
        let mut answer = json!({
            "client_id": id,
            "client_id_issued_at": issued_at,
            "redirect_uris": self.redirect_uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": format!("{} offline_access", Scopes::ALL),
        });
        if let Some(name) = &self.name
            && let Some(answer) = answer.as_object_mut()
        {
            answer.insert("client_name".to_owned(), json!(name));
        }
        answer
    }
}

/// Top-level names that are not the public internet's.
const PRIVATE: &[&str] =
    &["localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion"];

/// Whether a client's id is the URL of a metadata document that may be fetched: `https`, a public name and the usual port, a
/// path without dot segments, and nothing that would make two ids of one document. `own` is the host of this server.
#[must_use]
pub fn is_document_url(id: &str, own: &str) -> bool {
    let Some(url) = redirect::parse(id) else { return false };
    let Some(host) = redirect::https_host(url) else { return false };
    // The last label of a number in any of its spellings has a digit, and that of a public name has none or begins with xn--.
    let is_top = |top: &str| top.starts_with("xn--") || top.bytes().all(|byte| byte.is_ascii_lowercase());
    let public =
        host.rsplit_once('.').is_some_and(|(_, top)| !top.is_empty() && is_top(top) && !PRIVATE.contains(&top));
    let path = url.path().as_str();
    let dotted =
        path.split('/').any(|segment| matches!(segment, "." | "..")) || path.to_ascii_lowercase().contains("%2e");
    let usual_port = url.authority().is_some_and(|authority| authority.port().is_none());
    public && host != own && host == host.to_ascii_lowercase() && usual_port && path.len() > 1 && !dotted
}
