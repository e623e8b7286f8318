//! Whom other issuers vouch for: a subject's codex and its grant, and what its owner has revoked.
//!
//! Whoever (issuer, subject) is has one codex, whose name is derived from both, and one grant in it, which is recorded
//! when it is first used, so that it is listed and revoked as every grant is. Derived names are SHA-256 over a purpose and
//! both texts, each with its length before it, so no two pairs share one. The codex checks the token's id, the grant and
//! the expiry in the turn of the call.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::credential::CodexName;
use super::grant::{self, Grant, GrantId, LABEL_CHARACTERS, Refusal};
use super::scope::Scopes;
use crate::notebook::storage::{Param, Storage, StorageError};
use crate::notebook::time::Timestamp;

/// What the names of external subjects' codexes begin with.
pub const PREFIX: &str = "ext.";

/// A token of another issuer, verified, as the codex needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct External {
    /// The subject's grant.
    pub grant: GrantId,
    /// The label that the grant is recorded with.
    pub label: String,
    /// The token, if it has an id.
    pub token: Option<TokenId>,
    /// What the token permits.
    pub scopes: Scopes,
    /// From when on it permits nothing.
    pub expires_at: Timestamp,
}

/// What the owner revokes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revocation {
    /// The subject's grant.
    pub grant: GrantId,
    /// What that is called.
    pub label: String,
    /// The token to revoke; `None` is the subject, with every token.
    pub token: Option<TokenId>,
    /// For how many milliseconds to keep in mind that the token is revoked; `None` is for ever.
    pub lifetime: Option<i64>,
}

/// The id of an external token: base64url of a hash of its issuer and its `jti`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenId(String);

impl TokenId {
    /// The id of an issuer's token.
    #[must_use]
    pub fn of(issuer: &str, jti: &str) -> Self {
        Self(URL_SAFE_NO_PAD.encode(derive("agent-codex external token", issuer, jti)))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Who (issuer, subject) is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The subject's codex.
    pub codex: CodexName,
    /// The subject's grant in it.
    pub grant: GrantId,
    /// What the grant is called.
    pub label: String,
}

impl Subject {
    /// The subject of an issuer.
    #[must_use]
    pub fn of(issuer: &str, subject: &str) -> Option<Self> {
        let name = URL_SAFE_NO_PAD.encode(derive("agent-codex external codex", issuer, subject));
        let id = derive("agent-codex external grant", issuer, subject).first_chunk().copied()?;
        Some(Self {
            codex: CodexName::parse(&format!("{PREFIX}{name}"))?,
            grant: GrantId::from_hash(id),
            label: format!("{issuer} {subject}").chars().take(LABEL_CHARACTERS).collect(),
        })
    }
}

fn derive(purpose: &str, issuer: &str, text: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(purpose);
    hash.update([0]);
    for part in [issuer, text] {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Whether a token of another issuer permits a call that needs these scopes now. Records the subject's grant at its first
/// use, with every scope that its tokens have had since.
///
/// # Errors
/// What broke in the storage.
pub fn authorise(
    storage: &impl Storage,
    external: &External,
    needed: Scopes,
    now: Timestamp,
) -> Result<Result<(), Refusal>, StorageError> {
    let known = grant::find(storage, external.grant)?;
    let stands = now < external.expires_at
        && known.as_ref().is_none_or(|grant| grant.stands(now))
        && !is_revoked(storage, external.token.as_ref())?;
    if !stands {
        return Ok(Err(Refusal::InvalidToken));
    }
    if !external.scopes.include(needed) {
        return Ok(Err(Refusal::InsufficientScope));
    }
    let mut grant = match known {
        None => {
            let grant = Grant::new(external.grant, &external.label, external.scopes, None, now);
            grant::create(storage, &grant)?;
            grant
        }
        Some(grant) if grant.scopes.include(external.scopes) => grant,
        Some(grant) => {
            let grant = Grant { scopes: grant.scopes.union(external.scopes), ..grant };
            grant::set_scopes(storage, &grant)?;
            grant
        }
    };
    grant::record_use(storage, &mut grant, now);
    Ok(Ok(()))
}

/// Revokes a token, or its subject, whose grant need not have been recorded yet. Forgets the revocations of tokens that need
/// not be kept any longer.
///
/// # Errors
/// What broke in the storage; nothing has changed then.
pub fn revoke(storage: &impl Storage, revocation: &Revocation, now: Timestamp) -> Result<(), StorageError> {
    let Revocation { grant, label, token, lifetime } = revocation;
    storage.transaction(|| match token {
        Some(token) => revoke_token(storage, token, lifetime.map(|lifetime| now.plus(lifetime)), now),
        None if grant::revoke(storage, *grant, now)? => Ok(()),
        None => {
            grant::create(storage, &Grant::new(*grant, label, Scopes::ALL, None, now))?;
            grant::revoke(storage, *grant, now).map(drop)
        }
    })
}

fn revoke_token(
    storage: &impl Storage,
    token: &TokenId,
    kept_until: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), StorageError> {
    let now = Param::Integer(now.milliseconds());
    storage.execute("DELETE FROM revoked_tokens WHERE kept_until <= ?", &[now])?;
    storage.execute(
        "INSERT INTO revoked_tokens (id, revoked_at, kept_until) VALUES (?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET kept_until = excluded.kept_until",
        &[Param::Text(token.as_str()), now, Param::integer_or_null(kept_until.map(Timestamp::milliseconds))],
    )
}

fn is_revoked(storage: &impl Storage, token: Option<&TokenId>) -> Result<bool, StorageError> {
    let Some(token) = token else { return Ok(false) };
    let rows = storage.query("SELECT 1 FROM revoked_tokens WHERE id = ?", &[Param::Text(token.as_str())])?;
    Ok(!rows.is_empty())
}
