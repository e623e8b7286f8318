//! Protocol revisions and the two eras. Each request is of the *modern* era (2026-07-28: stateless, versioned by its own
//! `_meta`) or of the *handshake* era (2025-03-26 to 2025-11-25: opened by `initialize`); both are served alike.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::rpc::RpcError;
use serde::{Deserialize, Serialize};

use crate::json::{Kind, Node};

/// The revisions of the modern era.
pub const MODERN: &[&str] = &["2026-07-28"];
/// The revisions of the handshake era, the newest first.
pub const HANDSHAKE: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26"];
/// The revision of a request without `MCP-Protocol-Version`, and the only one that has batches.
pub const UNVERSIONED: &str = "2025-03-26";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// The request headers that MCP defines, without the white space around their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    /// `MCP-Protocol-Version`.
    pub protocol_version: Option<String>,
    /// `Mcp-Method`.
    pub method: Option<String>,
    /// `Mcp-Name`.
    pub name: Option<String>,
}

/// How a request is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Era {
    /// 2026-07-28.
    Modern,
    /// 2025-11-25 and before.
    Handshake,
}

impl Era {
    /// The era that a request asks for: modern when its `_meta` has a protocol version, or its header names a modern one.
    #[must_use]
    pub fn of(headers: &Headers, params: Option<Node<'_>>) -> Self {
        let versioned = meta(params).is_some_and(|meta| meta.member(VERSION_KEY).is_some());
        let header = headers.protocol_version.as_deref();
        if versioned || header.is_some_and(|version| MODERN.contains(&version)) {
            Self::Modern
        } else {
            Self::Handshake
        }
    }

    /// The HTTP status of an unknown method.
    #[must_use]
    pub const fn unknown_method_status(self) -> u16 {
        match self {
            Self::Modern => 404,
            Self::Handshake => 200,
        }
    }
}

/// The `_meta` of a request's parameters.
pub(super) fn meta(params: Option<Node<'_>>) -> Option<Node<'_>> {
    params?.member("_meta").filter(|meta| meta.kind() == Kind::Object)
}

/// Checks what 2026-07-28 demands of every request: `_meta`, headers that agree with the body, a version that is served.
///
/// # Errors
/// The first of these that does not hold, in this order.
pub fn check_modern(headers: &Headers, method: &str, params: Option<Node<'_>>) -> Result<(), RpcError> {
    let missing = |member: &str| RpcError::invalid_params(400, format!("Invalid params: _meta must hold {member}."));
    let Some(meta) = meta(params) else { return Err(missing(VERSION_KEY)) };
    let Some(version) = meta.member(VERSION_KEY).and_then(Node::as_str) else { return Err(missing(VERSION_KEY)) };
    if meta.member(CAPABILITIES_KEY).is_none_or(|capabilities| capabilities.kind() != Kind::Object) {
        return Err(missing(CAPABILITIES_KEY));
    }
    agree("MCP-Protocol-Version", headers.protocol_version.as_deref(), &version)?;
    agree("Mcp-Method", headers.method.as_deref(), method)?;
    if method == "tools/call" {
        check_name(headers, params)?;
    }
    if MODERN.contains(&version.as_ref()) { Ok(()) } else { Err(RpcError::unsupported_version(&version, MODERN)) }
}

fn check_name(headers: &Headers, params: Option<Node<'_>>) -> Result<(), RpcError> {
    let name = params.and_then(|params| params.member("name")).and_then(Node::as_str);
    match (headers.name.as_deref(), name) {
        // A call that names no tool anywhere is refused as such, once its version is known to be served.
        (None, None) => Ok(()),
        (Some(_), None) => {
            Err(RpcError::header_mismatch("Header mismatch: Mcp-Name is there, and params.name is not."))
        }
        (None, Some(name)) => agree("Mcp-Name", None, &name),
        (Some(header), Some(name)) => match decoded(header) {
            Some(header) => agree("Mcp-Name", Some(&header), &name),
            None => Err(RpcError::header_mismatch("Header mismatch: Mcp-Name is not valid base64 of UTF-8.")),
        },
    }
}

fn agree(header: &str, value: Option<&str>, body: &str) -> Result<(), RpcError> {
    match value {
        None => Err(RpcError::header_mismatch(format!("Header mismatch: {header} is required, and missing."))),
        Some(value) if value != body => {
            Err(RpcError::header_mismatch(format!("Header mismatch: {header} does not match the body.")))
        }
        Some(_) => Ok(()),
    }
}

/// A header's value out of its `=?base64?…?=` form, where it has that form.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(Cow::Borrowed(value));
    };
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok().map(Cow::Owned)
}

/// Checks the version header of a request of the handshake era: absent, or a revision of that era.
///
/// # Errors
/// When it names another.
pub fn check_handshake(headers: &Headers) -> Result<(), RpcError> {
    match headers.protocol_version.as_deref() {
        Some(version) if !HANDSHAKE.contains(&version) => Err(RpcError::invalid_request(&format!(
            "MCP-Protocol-Version is not a version that this server serves; it serves {} and {}",
            MODERN.join(", "),
            HANDSHAKE.join(", ")
        ))),
        _ => Ok(()),
    }
}

/// Whether a body may be a batch: revision 2025-03-26 alone has them.
#[must_use]
pub fn allows_batches(headers: &Headers) -> bool {
    headers.protocol_version.as_deref().is_none_or(|version| version == UNVERSIONED)
}

/// The revision that answers an `initialize` which offers `offered`: the same where it is served, else the newest.
#[must_use]
pub fn negotiated(offered: &str) -> &'static str {
    HANDSHAKE.iter().find(|version| **version == offered).copied().unwrap_or("2025-11-25")
}
