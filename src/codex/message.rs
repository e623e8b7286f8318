//! What travels between the edge and a codex's object, both of this program: the message as JSON in a request's body,
//! the outcome as a status and a body that the edge passes on without reading it.

use serde::{Deserialize, Serialize};

use crate::auth::access::Access;
use crate::auth::external::Revocation;
use crate::auth::grant::{GrantId, Refusal};
use crate::auth::oauth::family::{Exchange, NewCode, Refresh};
use crate::auth::scope::Scopes;
use crate::mcp::Trace;
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
        /// The trace that the call belongs to, for the log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
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
    /// Revokes what another issuer vouches for; the owner asks.
    RevokeExternal(Revocation),
    /// Records a code; the owner has granted a client's request.
    RecordCode(NewCode),
    /// Exchanges a code for tokens; a client asks.
    ExchangeCode(Exchange),
    /// Refreshes tokens; a client asks.
    RefreshTokens(Refresh),
}

impl Message {
    /// The trace that the message belongs to.
    #[must_use]
    pub fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Call { trace, .. } => trace.as_ref(),
            _ => None,
        }
    }
}

/// What a codex answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The JSON of the result.
    Result(String),
    /// The JSON of a notebook failure.
    Failure(String),
    /// The grant does not permit it.
    Refused(Refusal),
}

impl Outcome {
    /// The outcome as a status and a body.
    #[must_use]
    pub fn into_wire(self) -> (u16, String) {
        match self {
            Self::Result(json) => (200, json),
            Self::Failure(json) => (422, json),
            Self::Refused(Refusal::InvalidToken) => (401, String::new()),
            Self::Refused(Refusal::InsufficientScope) => (403, String::new()),
            Self::Refused(Refusal::UnknownGrant) => (404, String::new()),
            Self::Refused(Refusal::InvalidGrant) => (400, String::new()),
        }
    }

    /// The outcome that a status and a body stand for; `None` when no codex answers so.
    #[must_use]
    pub fn from_wire(status: u16, body: String) -> Option<Self> {
        match status {
            200 => Some(Self::Result(body)),
            422 => Some(Self::Failure(body)),
            401 => Some(Self::Refused(Refusal::InvalidToken)),
            403 => Some(Self::Refused(Refusal::InsufficientScope)),
            404 => Some(Self::Refused(Refusal::UnknownGrant)),
            400 => Some(Self::Refused(Refusal::InvalidGrant)),
            _ => None,
        }
    }
}
