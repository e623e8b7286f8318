//! Origins: which web pages may use the server (MCP, transports, "Security"), and CORS for those that may.
//!
//! The allowlist is explicit. That an origin equals the request's host proves nothing: a page that has rebound its name
//! to this server's address sends just that.

use super::config::Config;
use super::request::Request;
use super::respond::Answer;

const ALLOWED_HEADERS: &str = "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, \
    Mcp-Session-Id, Last-Event-ID, traceparent, tracestate";
const ALLOWED_METHODS: &str = "GET, POST, DELETE, OPTIONS";

/// Where a request comes from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Not from a web page, as far as can be told.
    None,
    /// From a page of this origin, which may use the server.
    Allowed(String),
    /// From a page of an origin that may not.
    Refused,
}

impl Origin {
    pub(super) fn of(request: &Request, config: &Config) -> worker::Result<Self> {
        Ok(match request.headers().get("Origin")? {
            None => Self::None,
            Some(origin) if config.allowed_origins.iter().any(|allowed| permits(allowed, &origin)) => {
                Self::Allowed(origin)
            }
            Some(_) => Self::Refused,
        })
    }

    /// The answer, readable to the page that asked.
    pub(super) fn allow(self, answer: Answer) -> Answer {
        match self {
            Self::Allowed(origin) => answer
                .with_header("Access-Control-Allow-Origin", origin)
                .with_header("Access-Control-Allow-Methods", ALLOWED_METHODS)
                .with_header("Access-Control-Allow-Headers", ALLOWED_HEADERS)
                .with_header("Access-Control-Expose-Headers", "WWW-Authenticate, MCP-Protocol-Version")
                .with_header("Access-Control-Max-Age", "86400")
                .with_header("Vary", "Origin"),
            Self::None | Self::Refused => answer,
        }
    }
}

/// Whether an entry of the allowlist permits an origin: by being it, or by `:*` at the end for any port.
fn permits(allowed: &str, origin: &str) -> bool {
    match allowed.strip_suffix(":*") {
        None => allowed == origin,
        Some(host) => origin.strip_prefix(host).is_some_and(|rest| {
            rest.is_empty()
                || rest
                    .strip_prefix(':')
                    .is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
        }),
    }
}

/// The resource server of an origin: its MCP endpoint (RFC 9728, section 1.2).
pub(super) fn resource(origin: &str) -> String {
    format!("{origin}/mcp")
}
