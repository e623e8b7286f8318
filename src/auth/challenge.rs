//! What a refused request is told: the `WWW-Authenticate` header of RFC 6750, section 3, and RFC 9728, section 5.1.

use std::fmt::Write as _;

use super::scope::Scopes;
use crate::json::Object;

/// The path of the protected-resource metadata (RFC 9728, section 3.1), for the endpoint `/mcp`.
pub const METADATA_PATH: &str = "/.well-known/oauth-protected-resource/mcp";
/// The same, for clients that look at the root only.
pub const ROOT_METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Challenge {
    /// No credential was sent: 401.
    Missing,
    /// The credential is forged, expired or revoked: 401. Which, nobody is told.
    InvalidToken,
    /// The credential lacks scopes of these, which the request needs: 403.
    InsufficientScope(Scopes),
}

impl Challenge {
    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::Missing | Self::InvalidToken => 401,
            Self::InsufficientScope(_) => 403,
        }
    }

    /// The `error` and the `error_description`, for a request that sent a credential.
    const fn error(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Missing => None,
            Self::InvalidToken => Some(("invalid_token", "The access token is unknown, expired or revoked")),
            Self::InsufficientScope(_) => {
                Some(("insufficient_scope", "The access token lacks a scope that this call needs"))
            }
        }
    }

    /// The value of `WWW-Authenticate`; `origin` is the endpoint's own.
    #[must_use]
    pub fn header(self, origin: &str) -> String {
        let scopes = match self {
            Self::InsufficientScope(needed) => needed,
            Self::Missing | Self::InvalidToken => Scopes::ALL,
        };
        let mut header = format!("Bearer resource_metadata=\"{origin}{METADATA_PATH}\", scope=\"{scopes}\"");
        if let Some((error, description)) = self.error() {
            let _ = write!(header, ", error=\"{error}\", error_description=\"{description}\"");
        }
        header
    }

    /// The body, JSON.
    #[must_use]
    pub fn body(self) -> String {
        let (error, description) = self.error().unwrap_or(("unauthorized", "A bearer token is required"));
        Object::new().text("error", error).text("error_description", description).finish()
    }
}

/// The protected-resource metadata (RFC 9728, section 2), JSON; `origin` is the endpoint's own, and `servers` are the
/// authorization servers whose tokens are accepted.
#[must_use]
pub fn metadata(origin: &str, servers: &[&str]) -> String {
    Object::new()
        .text("resource", &format!("{origin}/mcp"))
        .text("resource_name", "Agent Codex")
        .texts("authorization_servers", servers.iter().copied())
        .texts("scopes_supported", Scopes::ALL.names())
        .texts("bearer_methods_supported", ["header"])
        .finish()
}
