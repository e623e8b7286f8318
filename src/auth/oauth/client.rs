//! Clients. A client's id is the URL of its metadata document (draft-ietf-oauth-client-id-metadata-document), or its own
//! registration, sealed (RFC 7591): there is no table of clients, and an id that a retired key sealed is not known any more.
//!
//! Every client is public: what it proves is that it has the code's verifier (PKCE).

use serde::{Deserialize, Serialize};

use super::metadata::{GRANT_TYPES, OFFLINE_ACCESS};
use super::{OAuthError, redirect};
use crate::auth::members::{parse_object, texts};
use crate::auth::scope::Scopes;
use crate::auth::seal::{Purpose, SealKeys};
use crate::json::{Kind, Node, Object};

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
    pub name: Option<String>,
    /// The redirect URIs that it may use.
    pub redirect_uris: Vec<String>,
}

impl Client {
    /// The client that registers with this metadata (RFC 7591, section 2).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_registration(body: &[u8]) -> Result<Self, OAuthError> {
        let metadata =
            parse_object(body).ok_or(invalid("The metadata must be a JSON object, and no name in it twice"))?;
        Self::from_metadata(metadata.root())
    }

    /// The client that its document describes, fetched from `id`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_document(id: &str, body: &[u8]) -> Result<Self, OAuthError> {
        let document =
            parse_object(body).ok_or(invalid("The document must be a JSON object, and no name in it twice"))?;
        let document = document.root();
        let text = |name| document.member(name).and_then(Node::as_str);
        if text("client_id").is_none_or(|told| told != id) {
            return Err(invalid("The document's client_id is not its URL"));
        }
        if text("client_name").is_none() {
            return Err(invalid("The document has no client_name"));
        }
        let method = document.member("token_endpoint_auth_method");
        let public = method.is_none_or(|method| method.as_str().is_some_and(|method| method == "none"));
        if !public || document.member("client_secret").is_some() {
            return Err(invalid("The document's client is not public; token_endpoint_auth_method must be none"));
        }
        Self::from_metadata(document)
    }

    fn from_metadata(metadata: Node<'_>) -> Result<Self, OAuthError> {
        let uris = metadata.member("redirect_uris").filter(|uris| uris.kind() == Kind::Array).and_then(texts);
        let uris = uris.unwrap_or_default();
        if uris.is_empty() || uris.len() > REDIRECT_URIS || !uris.iter().all(|uri| redirect::is_acceptable(uri)) {
            return Err(OAuthError::new(
                "invalid_redirect_uri",
                "redirect_uris must hold 1 to 10 URIs: https, http on a loopback address or an application's own scheme; \
                 without fragment or user name",
            ));
        }
        let supports = |member: &str, needed: &str| {
            metadata
                .member(member)
                .is_none_or(|values| values.elements().any(|it| it.as_str().is_some_and(|it| it == needed)))
        };
        if !supports("grant_types", "authorization_code") || !supports("response_types", "code") {
            return Err(invalid("The authorization code flow is the only one"));
        }
        let name = metadata.member("client_name").and_then(Node::as_str).and_then(|name| readable(&name));
        Ok(Self { name, redirect_uris: uris })
    }

    /// The client's id: its registration, sealed.
    #[must_use]
    pub fn seal(&self, keys: &SealKeys) -> String {
        keys.seal(REGISTRATION, postcard::to_allocvec(self).unwrap_or_default())
    }

    /// The client of an id, if this server registered it, with a key that is still in use.
    #[must_use]
    pub fn open(keys: &SealKeys, id: &str) -> Option<Self> {
        postcard::from_bytes(&keys.open(REGISTRATION, id)?).ok()
    }

    /// Whether the client may have its code sent there.
    #[must_use]
    pub fn may_use(&self, redirect_uri: &str) -> bool {
        self.redirect_uris.iter().any(|registered| redirect::matches(registered, redirect_uri))
    }

    /// What a registration is answered with, JSON (RFC 7591, section 3.2.1). `issued_at` is in seconds since 1970.
    #[must_use]
    pub fn registered(&self, id: &str, issued_at: i64) -> String {
        let answer = Object::new()
            .text("client_id", id)
            .integer("client_id_issued_at", issued_at)
            .texts("redirect_uris", self.redirect_uris.iter().map(String::as_str))
            .texts("grant_types", GRANT_TYPES)
            .texts("response_types", ["code"])
            .text("token_endpoint_auth_method", "none")
            .text("scope", &format!("{} {OFFLINE_ACCESS}", Scopes::ALL));
        match &self.name {
            Some(name) => answer.text("client_name", name).finish(),
            None => answer.finish(),
        }
    }
}

/// A name as the owner may be shown it, between quotation marks: without such marks of its own, and without characters
/// that can't be seen or that turn the writing around. None where nothing is left.
fn readable(name: &str) -> Option<String> {
    let seen = |character: &char| {
        !character.is_control()
            && !matches!(
                character,
                '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            )
            && !matches!(character, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
            && !matches!(character, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
    };
    let plain = |character| match character {
        '"'
        | '«'
        | '»'
        | '\u{201c}'..='\u{201f}'
        | '\u{2033}'
        | '\u{2036}'
        | '\u{275d}'
        | '\u{275e}'
        | '\u{301d}'..='\u{301f}'
        | '\u{ff02}' => '\'',
        other => other,
    };
    let name: String = name.chars().filter(seen).map(plain).collect();
    let name: String = name.trim().chars().take(NAME_CHARACTERS).collect();
    (!name.is_empty()).then_some(name)
}

const fn invalid(description: &'static str) -> OAuthError {
    OAuthError::new("invalid_client_metadata", description)
}

/// Top-level names that are not the public internet's.
const PRIVATE: &[&str] =
    &["localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion"];

/// Whether a client's id is the URL of a metadata document that may be fetched: `https`, a public name and the usual port, a
/// path without dot segments, and nothing that would make two ids of one document. `own` is the host of this server.
#[must_use]
pub fn is_document_url(id: &str, own: &str) -> bool {
    let Some(url) = redirect::parse(id).filter(|_| id.len() <= redirect::CHARACTERS) else { return false };
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
