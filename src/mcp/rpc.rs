//! JSON-RPC 2.0 as MCP uses it: ids are strings or integers, `params` is an object.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::json::{Kind, Node, write_string};

/// A request's id, as the JSON that its answer repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    /// The id of an answer to what could not be read.
    #[must_use]
    pub fn null() -> Self {
        Self("null".to_owned())
    }

    fn read(node: Node<'_>) -> Option<Self> {
        let readable = match node.kind() {
            Kind::String => true,
            Kind::Number => node.as_number()?.as_integer().is_some(),
            _ => false,
        };
        readable.then(|| {
            let mut json = String::new();
            node.write_compact(&mut json);
            Self(json)
        })
    }
}

/// A message of the client's.
#[derive(Debug)]
pub enum Incoming<'d> {
    /// A request, which is answered.
    Request {
        /// Its id.
        id: Id,
        /// Its method.
        method: Cow<'d, str>,
        /// Its parameters, an object.
        params: Option<Node<'d>>,
    },
    /// A notification, which is not.
    Notification {
        /// Its parameters, an object.
        params: Option<Node<'d>>,
    },
    /// A response, to which there is no request of ours.
    Response,
}

/// Reads a message.
///
/// # Errors
/// `-32600` with the message's id, where that can be read, for what JSON-RPC and MCP do not allow.
pub fn read(node: Node<'_>) -> Result<Incoming<'_>, (Id, RpcError)> {
    let id = node.member("id");
    let readable_id = id.and_then(Id::read);
    let invalid = |reason: &str| (readable_id.clone().unwrap_or_else(Id::null), RpcError::invalid_request(reason));
    if node.kind() != Kind::Object {
        return Err(invalid("a message must be an object"));
    }
    if node.member("jsonrpc").and_then(Node::as_str).is_none_or(|version| version != "2.0") {
        return Err(invalid("jsonrpc must be \"2.0\""));
    }
    if id.is_some() && readable_id.is_none() {
        return Err(invalid("id must be a string or an integer within ±(2^53 − 1)"));
    }
    let Some(method) = node.member("method") else {
        let response = id.is_some() && (node.member("result").is_some() != node.member("error").is_some());
        return if response { Ok(Incoming::Response) } else { Err(invalid("method is missing")) };
    };
    let Some(method) = method.as_str() else { return Err(invalid("method must be a string")) };
    let params = node.member("params");
    if params.is_some_and(|params| params.kind() != Kind::Object) {
        return Err(invalid("params must be an object"));
    }
    Ok(match readable_id {
        Some(id) => Incoming::Request { id, method, params },
        None => Incoming::Notification { params },
    })
}

/// An error answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    code: i32,
    message: String,
    /// The `data` member, as JSON.
    data: Option<String>,
    /// The HTTP status that goes with it.
    pub status: u16,
}

impl RpcError {
    fn new(code: i32, status: u16, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, status }
    }

    /// The body is not JSON that can be served.
    #[must_use]
    pub fn parse_error(reason: &str) -> Self {
        Self::new(-32700, 400, format!("Parse error: {reason}."))
    }

    /// The message is not one that JSON-RPC or MCP allow.
    #[must_use]
    pub fn invalid_request(reason: &str) -> Self {
        Self::new(-32600, 400, format!("Invalid request: {reason}."))
    }

    /// There is no such method. `status` is the era's.
    #[must_use]
    pub fn method_not_found(status: u16) -> Self {
        Self::new(-32601, status, "Method not found.")
    }

    /// The parameters are not those of the method.
    #[must_use]
    pub fn invalid_params(status: u16, reason: impl Into<String>) -> Self {
        Self::new(-32602, status, reason)
    }

    /// Something broke here.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(-32603, 500, "Internal error.")
    }

    /// What is needed can't be reached at the moment.
    #[must_use]
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::new(-32603, 503, reason)
    }

    /// Header and body disagree, or a required header is missing (MCP 2026-07-28, transports, "Server Validation").
    #[must_use]
    pub fn header_mismatch(reason: impl Into<String>) -> Self {
        Self::new(-32020, 400, reason)
    }

    /// The version is not served (MCP 2026-07-28, "Protocol Version Negotiation").
    #[must_use]
    pub fn unsupported_version(requested: &str, supported: &[&str]) -> Self {
        let mut data = String::from("{\"supported\":[");
        for (position, version) in supported.iter().enumerate() {
            data.push_str(if position == 0 { "" } else { "," });
            write_string(&mut data, version);
        }
        data.push_str("],\"requested\":");
        write_string(&mut data, requested);
        data.push('}');
        Self { data: Some(data), ..Self::new(-32022, 400, "Unsupported protocol version.") }
    }

    /// The error answer as JSON.
    #[must_use]
    pub fn to_json(&self, id: &Id) -> String {
        let mut json = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{{\"code\":{},\"message\":", id.0, self.code);
        write_string(&mut json, &self.message);
        if let Some(data) = &self.data {
            let _ = write!(json, ",\"data\":{data}");
        }
        json.push_str("}}");
        json
    }
}

/// The answer to request `id` whose result is the JSON that `write` appends, of about `size` bytes.
#[must_use]
pub fn result(id: &Id, size: usize, write: impl FnOnce(&mut String)) -> String {
    const AROUND: &str = r#"{"jsonrpc":"2.0","id":,"result":}"#;
    let mut json = String::with_capacity(AROUND.len().saturating_add(id.0.len()).saturating_add(size));
    json.push_str(r#"{"jsonrpc":"2.0","id":"#);
    json.push_str(&id.0);
    json.push_str(r#","result":"#);
    write(&mut json);
    json.push('}');
    json
}
