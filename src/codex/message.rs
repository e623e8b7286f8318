//! What travels between the edge and a codex's object, both of this program: the message in Postcard's format, with the
//! format's number before it, since for a moment of each deployment one of them is the older program; the outcome as a
//! letter that says which and JSON that the edge passes on without reading it.

use serde::{Deserialize, Serialize};

use crate::auth::access::Access;
use crate::auth::external::Revocation;
use crate::auth::grant::{GrantId, Refusal};
use crate::auth::oauth::family::{Exchange, NewCode, Refresh};
use crate::auth::scope::Scopes;
use crate::mcp::{CallReply, Trace};
use crate::notebook::arguments::Call;

/// What the edge asks of a codex.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// Executes a call, if the access permits it.
    Call {
        /// By what right the call is made.
        access: Access,
        /// The scopes that the call needs.
        needed: Scopes,
        /// The call.
        call: Call,
        /// Makes the answer to the client.
        reply: CallReply,
        /// The trace that the call belongs to, for the log.
        trace: Option<Trace>,
    },
    /// Records a grant; the owner asks.
    CreateGrant {
        /// The new grant's id.
        id: GrantId,
        /// What the owner calls it.
        label: String,
        /// What it permits.
        scopes: Scopes,
        /// For how many milliseconds; `None` is for ever.
        lifetime: Option<i64>,
    },
    /// Lists the grants; the owner asks.
    ListGrants,
    /// Revokes a grant; the owner asks, or the client that holds its tokens.
    RevokeGrant(GrantId),
    /// Revokes every grant; the owner asks.
    RevokeGrants,
    /// Revokes what another issuer vouches for; the owner asks.
    RevokeExternal(Revocation),
    /// Records a code; the owner has granted a client's request.
    RecordCode(NewCode),
    /// Exchanges a code for tokens; a client asks.
    ExchangeCode(Exchange),
    /// Refreshes tokens; a client asks.
    RefreshTokens(Refresh),
}

/// The number of the format. It changes with whatever changes the bytes of a message; a test holds the bytes of each.
const FORMAT: u8 = 2;

impl Message {
    /// The message as bytes.
    ///
    /// # Errors
    /// None that is known of; the format has a name for it.
    pub fn to_wire(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_extend(self, vec![FORMAT])
    }

    /// The message that bytes stand for; `None` when they are of another format.
    #[must_use]
    pub fn from_wire(wire: &[u8]) -> Option<Self> {
        let (&FORMAT, message) = wire.split_first()? else { return None };
        let (message, rest) = postcard::take_from_bytes(message).ok()?;
        rest.is_empty().then_some(message)
    }

    /// Whether to ask for it twice is to ask for it once: the second answer is as good as the first, which may have been
    /// lost. An update that was carried out would conflict with itself, a code be taken for a stolen one.
    #[must_use]
    pub const fn is_repeatable(&self) -> bool {
        match self {
            Self::Call { call: Call::Update(_), .. }
            | Self::CreateGrant { .. }
            | Self::RecordCode(_)
            | Self::ExchangeCode(_) => false,
            Self::Call { .. }
            | Self::ListGrants
            | Self::RevokeGrant(_)
            | Self::RevokeGrants
            | Self::RevokeExternal(_)
            | Self::RefreshTokens(_) => true,
        }
    }

    /// The trace that the message belongs to.
    #[must_use]
    pub fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Call { trace, .. } => trace.as_ref(),
            _ => None,
        }
    }

    /// The outcome as the edge takes it: that of a call is the whole answer to the client, where there is one.
    #[must_use]
    pub fn tell(&self, outcome: Outcome) -> Outcome {
        match (self, outcome) {
            (Self::Call { reply, .. }, Outcome::Result(json)) => Outcome::Answer(reply.result(&json).into_body()),
            (Self::Call { reply, .. }, Outcome::Failure(json)) => Outcome::Answer(reply.failure(&json).into_body()),
            (_, outcome) => outcome,
        }
    }
}

/// What a codex answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The body of the answer to a client's call.
    Answer(String),
    /// The JSON of the result.
    Result(String),
    /// The JSON of a notebook failure.
    Failure(String),
    /// The grant does not permit it.
    Refused(Refusal),
}

const ANSWER: u8 = b'a';
const RESULT: u8 = b'r';
const FAILURE: u8 = b'f';
const INVALID_TOKEN: u8 = b't';
const INSUFFICIENT_SCOPE: u8 = b's';
const UNKNOWN_GRANT: u8 = b'g';
const INVALID_GRANT: u8 = b'i';

impl Outcome {
    /// The outcome as bytes: a letter that says which, and the JSON. `src/entry.js` knows that of an answer.
    #[must_use]
    pub fn into_wire(self) -> Vec<u8> {
        let (kind, json) = match self {
            Self::Answer(body) => (ANSWER, body),
            Self::Result(json) => (RESULT, json),
            Self::Failure(json) => (FAILURE, json),
            Self::Refused(Refusal::InvalidToken) => (INVALID_TOKEN, String::new()),
            Self::Refused(Refusal::InsufficientScope) => (INSUFFICIENT_SCOPE, String::new()),
            Self::Refused(Refusal::UnknownGrant) => (UNKNOWN_GRANT, String::new()),
            Self::Refused(Refusal::InvalidGrant) => (INVALID_GRANT, String::new()),
        };
        let mut wire = json.into_bytes();
        wire.insert(0, kind);
        wire
    }

    /// The outcome that bytes stand for; `None` when no codex answers so.
    #[must_use]
    pub fn from_wire(mut wire: Vec<u8>) -> Option<Self> {
        if wire.is_empty() {
            return None;
        }
        let kind = wire.remove(0);
        let json = String::from_utf8(wire).ok()?;
        match kind {
            ANSWER => Some(Self::Answer(json)),
            RESULT => Some(Self::Result(json)),
            FAILURE => Some(Self::Failure(json)),
            INVALID_TOKEN => Some(Self::Refused(Refusal::InvalidToken)),
            INSUFFICIENT_SCOPE => Some(Self::Refused(Refusal::InsufficientScope)),
            UNKNOWN_GRANT => Some(Self::Refused(Refusal::UnknownGrant)),
            INVALID_GRANT => Some(Self::Refused(Refusal::InvalidGrant)),
            _ => None,
        }
    }
}
