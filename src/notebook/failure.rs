//! What a call can fail with: the caller's mistakes, each with its code and a message that helps a model to correct
//! itself, apart from what broke here, which is logged whole and shown as `internal`.

use std::fmt;

use super::shape::Violations;
use super::storage::StorageError;
use crate::json::Object;

/// A failure that the caller is told about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The arguments break the input schema or a limit on input.
    InvalidInput(Violations),
    /// No entry of this codex has the id.
    NotFound,
    /// The request id was saved with another entry.
    RequestIdReused,
    /// The entry is at another revision than the update expects.
    RevisionConflict {
        /// The revision that the update expected.
        expected: i64,
        /// The entry's current revision.
        current: i64,
    },
    /// The cursor did not come from this search of this codex.
    InvalidCursor,
    /// The codex has reached its quota.
    LimitExceeded {
        /// The quota in MiB.
        mebibytes: i64,
    },
    /// The grant makes too many calls.
    RateLimited,
    /// Something broke here, and was undone.
    Internal,
    /// The codex has too much to do.
    Overloaded,
    /// Something broke on the way from or to the codex.
    OutcomeUnknown,
}

impl Failure {
    /// The contract's code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidInput(_) => "invalid_input",
            Self::NotFound => "not_found",
            Self::RequestIdReused | Self::RevisionConflict { .. } => "conflict",
            Self::InvalidCursor => "invalid_cursor",
            Self::LimitExceeded { .. } => "limit_exceeded",
            Self::RateLimited => "rate_limited",
            Self::Internal | Self::Overloaded | Self::OutcomeUnknown => "internal",
        }
    }

    /// The text block of a failed tool call: `{"error":{"code","message"}}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let error = Object::new().text("code", self.code()).text("message", &self.to_string());
        Object::new().json("error", &error.finish()).finish()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidInput(violations) => write!(formatter, "{violations}"),
            Self::NotFound => formatter.write_str("This codex has no entry with this id. Search for it, or check the id."),
            Self::RequestIdReused => formatter.write_str(
                "This requestId was already used to save another entry, and nothing was saved now. To save a new entry, \
                 use a new requestId; to change the saved one, use field_notes_update.",
            ),
            Self::RevisionConflict { expected, current } => write!(
                formatter,
                "The entry is at revision {current}, not {expected}, and was not changed. Get it, reconcile your \
                 replacement with it, and update with expectedRevision {current}."
            ),
            Self::InvalidCursor => formatter.write_str(
                "The cursor does not belong to this search. Pass nextCursor unchanged, with the same query, tag and \
                 relatedAgentId; or search again without a cursor.",
            ),
            Self::LimitExceeded { mebibytes } => write!(
                formatter,
                "This codex is full: its quota is {mebibytes} MiB. Nothing was changed. Make entries shorter with \
                 field_notes_update, or ask the owner of the codex for a larger quota."
            ),
            Self::RateLimited => {
                formatter.write_str("Too many calls, and this one was not carried out. Wait a minute, then call again.")
            }
            Self::Internal => formatter.write_str(
                "Something broke in the server, and nothing was changed. Try again; a save with the same requestId is \
                 safe to repeat.",
            ),
            Self::Overloaded => formatter
                .write_str("The codex has too much to do, and this call was not carried out. Wait some seconds, then call again."),
            Self::OutcomeUnknown => formatter.write_str(
                "The answer was lost in the server, and whether the call was carried out is not known. Repeat a save with \
                 the same requestId and entry; before you repeat an update, get the entry and look at its revision.",
            ),
        }
    }
}

/// Why an operation of the notebook did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The caller's mistake.
    Failure(Failure),
    /// What broke here.
    Storage(StorageError),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<StorageError> for Error {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}
