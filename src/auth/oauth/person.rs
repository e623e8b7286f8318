//! People who sign in with a provider of their own, each to a codex of their own.
//!
//! A sign-in is bound to the browser that began it by a cookie of random bytes: what the provider gets back (the nonce, the
//! verifier) and what this server's pages hold (the digest) are made from it, so that neither another page nor another
//! browser can end what this one began.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::{Digest, digest};
use crate::auth::credential::CodexName;
use crate::auth::external::Subject;
use crate::auth::jwt::Claims;

/// A person who has signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Their codex: that of the provider and the subject.
    pub codex: CodexName,
    /// What they are called on the page: the e-mail address, or the subject.
    pub called: String,
}

impl Person {
    /// The person that verified claims are about.
    #[must_use]
    pub fn of(claims: &Claims) -> Option<Self> {
        let codex = Subject::of(&claims.issuer, &claims.subject)?.codex;
        let called = claims.email.clone().unwrap_or_else(|| claims.subject.clone());
        Some(Self { codex, called })
    }
}

/// Who may sign in: subjects, e-mail addresses, and domains of such with `@` before them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed(Vec<String>);

impl Allowed {
    /// The list that a setting, with white space between its entries, holds.
    #[must_use]
    pub fn parse(setting: &str) -> Self {
        Self(setting.split_whitespace().map(str::to_owned).collect())
    }

    /// Whether the person of verified claims may. An address that the provider has not verified is none.
    #[must_use]
    pub fn permits(&self, claims: &Claims) -> bool {
        let email = claims.email.as_deref().filter(|_| claims.email_verified).map(str::to_lowercase);
        let domain = email.as_deref().and_then(|email| email.rfind('@').and_then(|at| email.get(at..)));
        self.0.iter().any(|entry| match entry.find('@') {
            None => *entry == claims.subject,
            Some(0) => domain == Some(entry.to_lowercase().as_str()),
            Some(_) => email == Some(entry.to_lowercase()),
        })
    }
}

/// Whether claims are about a sign-in of this browser to this client (`OpenID` Connect Core 1.0, section 3.1.3.7).
#[must_use]
pub fn is_of_sign_in(claims: &Claims, cookie: &str, client_id: &str) -> bool {
    let party = claims.authorized_party.as_deref();
    claims.nonce.as_deref() == Some(nonce(cookie).as_str())
        && party.is_none_or(|party| party == client_id)
        && (claims.audience.len() == 1 || party.is_some())
}

/// What the pages of a sign-in hold of the browser's cookie.
#[must_use]
pub fn browser(cookie: &str) -> Digest {
    digest(&format!("browser {cookie}"))
}

/// The nonce of a browser's sign-in.
#[must_use]
pub fn nonce(cookie: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&format!("nonce {cookie}")))
}

/// The verifier of a browser's sign-in (RFC 7636).
#[must_use]
pub fn verifier(cookie: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&format!("verifier {cookie}")))
}

/// The challenge that belongs to the verifier.
#[must_use]
pub fn challenge(cookie: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&verifier(cookie)))
}
