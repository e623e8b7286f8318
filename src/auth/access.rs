//! Access: who calls, and by what right, in the edge's words to the codex.

use serde::{Deserialize, Serialize};

use super::credential::{CodexName, Credential};
use super::external::{self, External, Subject, TokenId};
use super::grant::{self, GrantId, Refusal};
use super::jwt::{CLOCK_SKEW, Claims};
use super::known::KnownGrants;
use super::scope::Scopes;
use crate::notebook::storage::{Storage, StorageError};
use crate::notebook::time::Timestamp;

/// By what right a call is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// By a grant of the codex.
    Grant {
        /// The grant that the credential names.
        id: GrantId,
        /// Which of the grant's access tokens the credential is, if it is one.
        generation: Option<u32>,
    },
    /// By a token of another issuer.
    External(External),
}

impl Access {
    /// The grant that it comes from.
    #[must_use]
    pub const fn grant(&self) -> GrantId {
        match self {
            Self::Grant { id, .. } => *id,
            Self::External(external) => external.grant,
        }
    }
}

/// Who calls: the codex, and by what right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The codex that is called.
    pub codex: CodexName,
    /// By what right.
    pub access: Access,
    /// The scopes, as far as the edge can tell.
    pub scopes: Scopes,
}

impl From<Credential> for Caller {
    fn from(credential: Credential) -> Self {
        let Credential { codex, grant, scopes, issue } = credential;
        Self { codex, access: Access::Grant { id: grant, generation: issue.map(|issue| issue.generation) }, scopes }
    }
}

impl Caller {
    /// The bearer of a token that says this, which must have been verified. Scopes that are not ours are no matter.
    #[must_use]
    pub fn external(claims: &Claims) -> Option<Self> {
        let Subject { codex, grant, label } = Subject::of(&claims.issuer, &claims.subject)?;
        let scopes = Scopes::known_of(claims.scopes.iter().map(String::as_str));
        let token = claims.id.as_ref().map(|jti| TokenId::of(&claims.issuer, jti));
        let expires_at = claims.expires_at.plus(CLOCK_SKEW);
        Some(Self { codex, access: Access::External(External { grant, label, token, scopes, expires_at }), scopes })
    }
}

/// Whether the access permits a call that needs these scopes now.
///
/// # Errors
/// What broke in the storage.
pub fn authorise(
    storage: &impl Storage,
    known: &mut KnownGrants,
    access: &Access,
    needed: Scopes,
    now: Timestamp,
) -> Result<Result<(), Refusal>, StorageError> {
    match access {
        Access::External(external) => external::authorise(storage, external, needed, now),
        Access::Grant { id, generation } => {
            let Some(known) = known.find(storage, *id)? else { return Ok(Err(Refusal::InvalidToken)) };
            let permitted = grant::authorise(storage, &mut known.grant, needed, now);
            if let (Ok(()), Some(generation)) = (permitted, *generation) {
                known.confirm(storage, generation);
            }
            Ok(permitted)
        }
    }
}
