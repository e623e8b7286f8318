//! One turn of a codex: what the edge asks of it, and what it answers. This module is pure.
//!
//! A turn checks the grant and executes the call with nothing between them: the object runs it without an await, so no
//! other turn can revoke the grant or change an entry in the middle.

pub mod message;

use message::{Message, Outcome};

use crate::auth::grant::{self, Grant, Refusal};
use crate::auth::oauth::family::{self, Issued};
use crate::auth::{KnownGrants, access, external};
use crate::notebook::failure::Error;
use crate::notebook::storage::{Storage, StorageError};
use crate::notebook::{Surroundings, execute};

/// Takes a turn on the codex in `storage`, whose tables are up to date. `grants` are those that earlier turns on it have read.
///
/// # Errors
/// What broke in the storage; nothing but the records of the access's use has changed then.
pub fn take_turn(
    storage: &impl Storage,
    grants: &mut KnownGrants,
    message: &Message,
    surroundings: &mut Surroundings<'_>,
) -> Result<Outcome, StorageError> {
    if !matches!(message, Message::Call { .. }) {
        grants.forget();
    }
    match message {
        Message::Call { access, needed, call, .. } => {
            if let Err(refusal) = access::authorise(storage, grants, access, *needed, surroundings.now)? {
                return Ok(Outcome::Refused(refusal));
            }
            match execute(storage, call, surroundings) {
                Ok(result) => Ok(Outcome::Result(result)),
                Err(Error::Failure(failure)) => Ok(Outcome::Failure(failure.to_json())),
                Err(Error::Storage(error)) => Err(error),
            }
        }
        Message::CreateGrant { id, label, scopes, lifetime } => {
            let grant = Grant::new(*id, label, *scopes, *lifetime, surroundings.now);
            grant::create(storage, &grant)?;
            Ok(Outcome::Result(grant.to_json()))
        }
        Message::ListGrants => {
            let grants: Vec<_> = grant::list(storage)?.iter().map(Grant::to_json).collect();
            Ok(Outcome::Result(format!("[{}]", grants.join(","))))
        }
        Message::RevokeGrant(id) => {
            let known = grant::revoke(storage, *id, surroundings.now)?;
            Ok(if known { Outcome::Result("{}".to_owned()) } else { Outcome::Refused(Refusal::UnknownGrant) })
        }
        Message::RevokeExternal(revocation) => {
            external::revoke(storage, revocation, surroundings.now)?;
            Ok(Outcome::Result("{}".to_owned()))
        }
        Message::RevokeGrants => {
            grant::revoke_all(storage, surroundings.now)?;
            Ok(Outcome::Result("{}".to_owned()))
        }
        Message::RecordCode(code) => {
            family::record(storage, code, surroundings.now)?;
            Ok(Outcome::Result("{}".to_owned()))
        }
        Message::ExchangeCode(exchange) => Ok(tokens(family::exchange(storage, exchange, surroundings.now)?)),
        Message::RefreshTokens(refresh) => Ok(tokens(family::refresh(storage, refresh, surroundings.now)?)),
    }
}

fn tokens(issued: Option<Issued>) -> Outcome {
    match issued {
        Some(issued) => Outcome::Result(issued.to_json()),
        None => Outcome::Refused(Refusal::InvalidGrant),
    }
}
