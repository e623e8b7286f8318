//! Methods and their results: what a body asks for, answered at once where nothing stored is needed, and handed on as
//! calls of the codex where it is.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::era::{self, Era, Headers};
use super::listing;
use super::rpc::{self, Id, Incoming, RpcError};
use super::trace::Trace;
use crate::auth::Scopes;
use crate::json::{self, Document, Flaw, FlawKind, Kind, Node, write_string};
use crate::notebook::arguments::{Call, Tool};
use crate::notebook::failure::Failure;

/// Messages of a batch, at most. Each call of a batch is a request to the codex.
pub const BATCH_MESSAGES: usize = 50;
/// For how long a client may keep the listing and the discovery, in milliseconds: they change only with a new version.
const CACHE_MILLISECONDS: i64 = 3_600_000;

/// What a body asks for, message by message.
#[derive(Debug)]
pub struct Exchange {
    /// What each message comes to, in their order.
    pub steps: Vec<Step>,
    batch: bool,
}

/// What a message comes to.
#[derive(Debug)]
pub enum Step {
    /// It is answered.
    Answered(Answered),
    /// It needs scopes that the credential lacks.
    Forbidden(Scopes),
    /// It is a call of the codex.
    Call(PendingCall),
}

/// An answered message.
#[derive(Debug, PartialEq, Eq)]
pub struct Answered {
    status: u16,
    /// The answer's JSON; none for what is not answered.
    body: Option<String>,
}

impl Answered {
    fn result(id: &Id, result: &str) -> Self {
        Self { status: 200, body: Some(rpc::result(id, result.len(), |body| body.push_str(result))) }
    }

    fn error(id: &Id, error: &RpcError) -> Self {
        Self { status: error.status, body: Some(error.to_json(id)) }
    }

    /// What a codex has answered.
    #[must_use]
    pub const fn by_codex(body: String) -> Self {
        Self { status: 200, body: Some(body) }
    }

    /// The answer's JSON; empty for what is not answered.
    #[must_use]
    pub fn into_body(self) -> String {
        self.body.unwrap_or_default()
    }

    const ACCEPTED: Self = Self { status: 202, body: None };
}

/// An HTTP answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The body, JSON; none for what is not answered.
    pub body: Option<String>,
}

/// A call that waits for the codex.
#[derive(Debug, Clone)]
pub struct PendingCall {
    /// Makes its answer.
    pub reply: CallReply,
    /// The scopes that it needs.
    pub needed: Scopes,
    /// The call.
    pub call: Call,
    /// The trace that it belongs to.
    pub trace: Option<Trace>,
}

/// Makes the answer to a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallReply {
    id: Id,
    era: Era,
}

impl CallReply {
    /// That to a request of this id.
    #[must_use]
    pub const fn new(id: Id, era: Era) -> Self {
        Self { id, era }
    }

    /// A result: the codex's JSON twice, as structured content and as text.
    #[must_use]
    pub fn result(&self, json: &str) -> Answered {
        self.answer(json, |body| {
            body.push_str(",\"structuredContent\":");
            body.push_str(json);
        })
    }

    /// A failure: its JSON as text alone.
    #[must_use]
    pub fn failure(&self, json: &str) -> Answered {
        self.answer(json, |body| body.push_str(",\"isError\":true"))
    }

    /// The codex can't be asked now, and the client may try again.
    #[must_use]
    pub fn unavailable(&self, failure: &Failure) -> Answered {
        Answered::error(&self.id, &RpcError::unavailable(failure.to_string()))
    }

    /// The answer with this text as its content, and what `write` appends.
    fn answer(&self, text: &str, write: impl FnOnce(&mut String)) -> Answered {
        let end = match self.era {
            Era::Modern => &*MODERN_END,
            Era::Handshake => "}",
        };
        // The text is there twice, once with its quotes escaped; an entry has some twenty of them.
        let size = text.len().saturating_mul(5) / 2;
        let body = rpc::result(&self.id, size.saturating_add(end.len()).saturating_add(128), |body| {
            body.push_str("{\"content\":[{\"type\":\"text\",\"text\":");
            write_string(body, text);
            body.push_str("}]");
            write(body);
            body.push_str(end);
        });
        Answered { status: 200, body: Some(body) }
    }
}

/// Reads a body, as a request with these headers and a credential of these scopes sends it.
#[must_use]
pub fn receive(body: &[u8], headers: &Headers, granted: Scopes) -> Exchange {
    let refused =
        |error: RpcError| Exchange { steps: vec![Step::Answered(Answered::error(&Id::null(), &error))], batch: false };
    let document = match json::parse(body) {
        Ok(document) => document,
        Err(error) => return refused(RpcError::parse_error(&error.to_string())),
    };
    let root = document.root();
    if root.kind() != Kind::Array {
        return Exchange { steps: vec![step(root, &document, headers, granted)], batch: false };
    }
    match root.elements().count() {
        _ if !era::allows_batches(headers) => {
            refused(RpcError::invalid_request("only protocol revision 2025-03-26 has batches"))
        }
        0 => refused(RpcError::invalid_request("a batch must not be empty")),
        count if count > BATCH_MESSAGES => {
            refused(RpcError::invalid_request(&format!("a batch holds at most {BATCH_MESSAGES} messages")))
        }
        _ => Exchange {
            steps: root.elements().map(|message| step(message, &document, headers, granted)).collect(),
            batch: true,
        },
    }
}

impl Exchange {
    /// The scopes that all its messages together need, where the credential lacks any of them.
    #[must_use]
    pub fn forbidden(&self) -> Option<Scopes> {
        let needed = self.steps.iter().filter_map(|step| match step {
            Step::Forbidden(needed) => Some(*needed),
            _ => None,
        });
        needed.reduce(Scopes::union)
    }

    /// The HTTP answer of what its messages were answered.
    #[must_use]
    pub fn reply(batch: bool, answered: Vec<Answered>) -> Reply {
        if !batch {
            let answered = answered.into_iter().next().unwrap_or(Answered::ACCEPTED);
            return Reply { status: answered.status, body: answered.body };
        }
        let bodies: Vec<_> = answered.into_iter().filter_map(|answered| answered.body).collect();
        if bodies.is_empty() {
            return Reply { status: 202, body: None };
        }
        Reply { status: 200, body: Some(format!("[{}]", bodies.join(","))) }
    }

    /// Whether the body was a batch.
    #[must_use]
    pub fn is_batch(&self) -> bool {
        self.batch
    }
}

fn step(message: Node<'_>, document: &Document<'_>, headers: &Headers, granted: Scopes) -> Step {
    match answer(message, document.flaws(), headers, granted) {
        Ok(step) => step,
        Err((id, error)) => Step::Answered(Answered::error(&id, &error)),
    }
}

fn answer(message: Node<'_>, flaws: &[Flaw], headers: &Headers, granted: Scopes) -> Result<Step, (Id, RpcError)> {
    // Inside arguments, what JSON leaves open is the caller's mistake, named by its place; elsewhere it is not JSON to us.
    let arguments = message.member("params").and_then(|params| params.member("arguments"));
    let within = |flaw: &&Flaw| message.holds(flaw) && !arguments.is_some_and(|arguments| arguments.holds(flaw));
    if let Some(flaw) = flaws.iter().find(within) {
        let reason = match flaw.kind {
            FlawKind::DuplicateName => "two members of one object have the same name",
            FlawKind::LoneSurrogate | FlawKind::LoneSurrogateInName => "a string holds a lone surrogate",
            FlawKind::InexactNumber => "a number is not one that a double keeps unchanged",
        };
        return Err((Id::null(), RpcError::parse_error(reason)));
    }
    match rpc::read(message)? {
        Incoming::Request { id, method, params } => {
            let request = Request { id: &id, method: &method, params, flaws, granted };
            let step = match Era::of(headers, params) {
                Era::Modern => era::check_modern(headers, &method, params).and_then(|()| request.modern()),
                Era::Handshake => era::check_handshake(headers).and_then(|()| request.handshake()),
            };
            step.map_err(|error| (id, error))
        }
        Incoming::Notification { params } => match Era::of(headers, params) {
            Era::Modern => Ok(Step::Answered(Answered::ACCEPTED)),
            Era::Handshake => accepted(headers),
        },
        Incoming::Response => match Era::of(headers, None) {
            Era::Modern => Err((Id::null(), RpcError::invalid_request("a response is not expected"))),
            Era::Handshake => accepted(headers),
        },
    }
}

fn accepted(headers: &Headers) -> Result<Step, (Id, RpcError)> {
    era::check_handshake(headers).map_err(|error| (Id::null(), error))?;
    Ok(Step::Answered(Answered::ACCEPTED))
}

struct Request<'r, 'd> {
    id: &'r Id,
    method: &'r str,
    params: Option<Node<'d>>,
    flaws: &'r [Flaw],
    granted: Scopes,
}

impl<'d> Request<'_, 'd> {
    fn modern(&self) -> Result<Step, RpcError> {
        match self.method {
            "server/discover" => Ok(self.result(&DISCOVERY)),
            "tools/list" => self.single_page(&MODERN_LISTING),
            "tools/call" => self.call(Era::Modern),
            _ => Err(RpcError::method_not_found(Era::Modern.unknown_method_status())),
        }
    }

    fn handshake(&self) -> Result<Step, RpcError> {
        match self.method {
            "initialize" => self.initialize(),
            "ping" => Ok(self.result("{}")),
            "tools/list" => self.single_page(&LISTING),
            "tools/call" => self.call(Era::Handshake),
            _ => Err(RpcError::method_not_found(Era::Handshake.unknown_method_status())),
        }
    }

    fn result(&self, result: &str) -> Step {
        Step::Answered(Answered::result(self.id, result))
    }

    fn param(&self, name: &str) -> Option<Node<'d>> {
        self.params.and_then(|params| params.member(name))
    }

    fn initialize(&self) -> Result<Step, RpcError> {
        let offered = self.param("protocolVersion").and_then(Node::as_str);
        let Some(offered) = offered else {
            return Err(RpcError::invalid_params(200, "Invalid params: protocolVersion must be a string."));
        };
        let mut result = format!(
            "{{\"protocolVersion\":\"{}\",\"capabilities\":{{\"tools\":{{}}}},\"serverInfo\":{},\"instructions\":",
            era::negotiated(&offered),
            listing::implementation()
        );
        write_string(&mut result, listing::INSTRUCTIONS);
        result.push('}');
        Ok(self.result(&result))
    }

    /// The listing has one page, so no cursor of it was ever given out.
    fn single_page(&self, result: &str) -> Result<Step, RpcError> {
        match self.param("cursor") {
            None => Ok(self.result(result)),
            Some(_) => Err(RpcError::invalid_params(200, "Invalid params: tools/list gave no such cursor.")),
        }
    }

    fn call(&self, era: Era) -> Result<Step, RpcError> {
        let Some(name) = self.param("name").and_then(Node::as_str) else {
            return Err(RpcError::invalid_params(200, "Invalid params: name must be a string."));
        };
        let Some(tool) = Tool::named(&name) else {
            return Err(RpcError::invalid_params(200, "Unknown tool."));
        };
        let empty = json::parse(b"{}").ok();
        let arguments = self.param("arguments").or_else(|| empty.as_ref().map(Document::root));
        let Some(arguments) = arguments.filter(|arguments| arguments.kind() == Kind::Object) else {
            return Err(RpcError::invalid_params(200, "Invalid params: arguments must be an object."));
        };
        let needed = Scopes::needed_by(tool);
        if !self.granted.include(needed) {
            return Ok(Step::Forbidden(needed));
        }
        let reply = CallReply { id: self.id.clone(), era };
        Ok(match Call::parse(tool, arguments, self.flaws) {
            Ok(call) => Step::Call(PendingCall { reply, needed, call, trace: Trace::of(self.params) }),
            Err(violations) => Step::Answered(reply.failure(&Failure::InvalidInput(violations).to_json())),
        })
    }
}

/// The results that are the same for all, made at the first request of each.
static DISCOVERY: LazyLock<String> = LazyLock::new(|| modern_result(&cacheable(&discovery())));
static MODERN_LISTING: LazyLock<String> =
    LazyLock::new(|| modern_result(&cacheable(&format!("\"tools\":{}", listing::tools()))));
static LISTING: LazyLock<String> = LazyLock::new(|| format!("{{\"tools\":{}}}", listing::tools()));

fn discovery() -> String {
    let versions: Vec<_> = era::MODERN.iter().map(|version| format!("\"{version}\"")).collect();
    let mut members =
        format!("\"supportedVersions\":[{}],\"capabilities\":{{\"tools\":{{}}}},\"instructions\":", versions.join(","));
    write_string(&mut members, listing::INSTRUCTIONS);
    members
}

fn cacheable(members: &str) -> String {
    format!("{members},\"ttlMs\":{CACHE_MILLISECONDS},\"cacheScope\":\"public\"")
}

/// What ends each result of the modern era, behind its own members.
static MODERN_END: LazyLock<String> = LazyLock::new(|| {
    let server = listing::implementation();
    format!(",\"resultType\":\"complete\",\"_meta\":{{\"io.modelcontextprotocol/serverInfo\":{server}}}}}")
});

/// A result of the modern era with these members, as JSON.
fn modern_result(members: &str) -> String {
    format!("{{{members}{}", *MODERN_END)
}
