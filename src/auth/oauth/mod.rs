//! The built-in authorization server (OAuth 2.1 as MCP's authorization pages profile it), as far as it is pure.
//!
//! It keeps no tables of its own: a client's registration is sealed into its client id, a pending request into the consent
//! page, and what is granted lives in the codex. A code, an access token and a refresh token name their codex and are
//! authenticated, so a forged one wakes nothing.
//!
//! | subject | module |
//! | --- | --- |
//! | the parameters of a request | [`form`] |
//! | which redirect URIs there may be, and which one matches | [`redirect`] |
//! | clients: registrations and metadata documents | [`client`] |
//! | what a client asks the owner for | [`request`] |
//! | the pages that the owner sees | [`page`] |
//! | people who sign in with a provider of their own | [`person`] |
//! | codes and refresh tokens, as strings | [`token`] |
//! | codes and refresh families, as the codex keeps them | [`family`] |
//! | the metadata of the server | [`metadata`] |

pub mod client;
pub mod family;
pub mod form;
pub mod metadata;
pub mod page;
pub mod person;
pub mod redirect;
pub mod request;
pub mod token;

use sha2::{Digest as _, Sha256};

use crate::notebook::time::{HOUR, SECOND};

/// How long a code can be exchanged, in milliseconds (OAuth 2.1, section 4.1.2, recommends at most ten minutes).
pub const CODE_LIFETIME: i64 = 60 * SECOND;
/// How long an access token opens its codex, in milliseconds.
pub const ACCESS_LIFETIME: i64 = HOUR;
/// For how long a refresh token that was used gives the same tokens again, in milliseconds, so that neither two refreshes
/// at once nor a lost answer sign anybody out.
pub const REPLAY_WINDOW: i64 = 60 * SECOND;
/// How long the owner may take to decide, in milliseconds.
pub const DECISION_LIFETIME: i64 = HOUR;

/// A SHA-256, by which the codex remembers what it only ever compares.
pub type Digest = [u8; 32];

/// The digest of a text.
#[must_use]
pub fn digest(text: &str) -> Digest {
    Sha256::digest(text).into()
}

/// An error as OAuth's endpoints answer it (RFC 6749, section 5.2; RFC 7591, section 3.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OAuthError {
    /// The HTTP status.
    pub status: u16,
    /// The `error`.
    pub code: &'static str,
    /// The `error_description`.
    pub description: &'static str,
}

impl OAuthError {
    /// An error with status 400.
    #[must_use]
    pub const fn new(code: &'static str, description: &'static str) -> Self {
        Self { status: 400, code, description }
    }

    /// The client is not known, or not any more: 401, upon which clients register again.
    #[must_use]
    pub const fn invalid_client() -> Self {
        Self { status: 401, code: "invalid_client", description: "The client id is not known here; register again" }
    }

    /// The code or refresh token is not, or no longer, good for anything.
    #[must_use]
    pub const fn invalid_grant() -> Self {
        Self::new("invalid_grant", "The code or refresh token is unknown, expired, revoked or another client's")
    }
}
