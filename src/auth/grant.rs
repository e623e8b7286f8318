//! Grants: the record, in each codex, of every credential that opens it.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::scope::Scopes;
use crate::json::Object;
use crate::notebook::storage::{Param, Row, Storage, StorageError};
use crate::notebook::time::{HOUR, Timestamp};

/// A grant's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GrantId(Uuid);

impl GrantId {
    /// An id made of these random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The id of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// An id made of these bytes of a hash.
    #[must_use]
    pub fn from_hash(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// The id that `text` spells.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }

    /// The id's bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(formatter)
    }
}

/// Characters of a grant's label, at most.
pub const LABEL_CHARACTERS: usize = 128;
/// How old the record of a grant's last use may be, in milliseconds: it is not written at every call.
const LAST_USE_PRECISION: i64 = HOUR;

/// A grant as its codex keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Its id.
    pub id: GrantId,
    /// What its owner calls it.
    pub label: String,
    /// What it permits.
    pub scopes: Scopes,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, to the hour.
    pub last_used_at: Option<Timestamp>,
    /// From when on it permits nothing.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl Grant {
    /// A grant that begins now, and ends after `lifetime` milliseconds if that is given.
    #[must_use]
    pub fn new(id: GrantId, label: &str, scopes: Scopes, lifetime: Option<i64>, now: Timestamp) -> Self {
        Self {
            id,
            label: label.to_owned(),
            scopes,
            created_at: now,
            last_used_at: None,
            expires_at: lifetime.map(|lifetime| now.plus(lifetime)),
            revoked_at: None,
        }
    }

    /// The grant as JSON, for its owner.
    #[must_use]
    pub fn to_json(&self) -> String {
        let times = [("lastUsedAt", self.last_used_at), ("expiresAt", self.expires_at), ("revokedAt", self.revoked_at)];
        let grant = Object::new()
            .text("id", &self.id.to_string())
            .text("label", &self.label)
            .texts("scopes", self.scopes.names())
            .text("createdAt", &self.created_at.to_string());
        let times = times.into_iter().filter_map(|(name, time)| Some((name, time?)));
        times.fold(grant, |grant, (name, time)| grant.text(name, &time.to_string())).finish()
    }

    fn from_row(mut row: Row) -> Result<Self, StorageError> {
        let optional_time = |row: &mut Row| Ok(row.optional_integer()?.map(Timestamp::from_milliseconds));
        let damaged = || StorageError::new("a grant can't be read");
        Ok(Self {
            id: GrantId::parse(&row.text()?).ok_or_else(damaged)?,
            label: row.text()?,
            scopes: Scopes::parse(row.text()?.split(' ')).ok_or_else(damaged)?,
            created_at: Timestamp::from_milliseconds(row.integer()?),
            last_used_at: optional_time(&mut row)?,
            expires_at: optional_time(&mut row)?,
            revoked_at: optional_time(&mut row)?,
        })
    }

    /// Whether the grant permits anything now.
    #[must_use]
    pub fn stands(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expiry| now < expiry)
    }
}

/// Why a codex does not do what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// There is no such grant, or it has expired or been revoked. Which, the caller is not told.
    InvalidToken,
    /// The grant lacks a scope that the call needs.
    InsufficientScope,
    /// The owner asked for a grant that there is not.
    UnknownGrant,
    /// The code or refresh token gives no tokens. Why, the caller is not told.
    InvalidGrant,
}

/// Records a grant.
///
/// # Errors
/// What broke in the storage.
pub fn create(storage: &impl Storage, grant: &Grant) -> Result<(), StorageError> {
    storage.execute(
        "INSERT INTO grants (id, label, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
        &[
            Param::Text(&grant.id.to_string()),
            Param::Text(&grant.label),
            Param::Text(&grant.scopes.to_string()),
            Param::Integer(grant.created_at.milliseconds()),
            Param::integer_or_null(grant.expires_at.map(Timestamp::milliseconds)),
        ],
    )
}

/// The grant of an id.
///
/// # Errors
/// What broke in the storage.
pub fn find(storage: &impl Storage, id: GrantId) -> Result<Option<Grant>, StorageError> {
    let rows = storage.query(
        "SELECT id, label, scopes, created_at, last_used_at, expires_at, revoked_at FROM grants WHERE id = ?",
        &[Param::Text(&id.to_string())],
    )?;
    rows.into_iter().next().map(Grant::from_row).transpose()
}

/// Every grant of the codex, the oldest first.
///
/// # Errors
/// What broke in the storage.
pub fn list(storage: &impl Storage) -> Result<Vec<Grant>, StorageError> {
    let rows = storage.query(
        "SELECT id, label, scopes, created_at, last_used_at, expires_at, revoked_at FROM grants ORDER BY created_at, id",
        &[],
    )?;
    rows.into_iter().map(Grant::from_row).collect()
}

/// Revokes a grant, now if it still stood; says whether there is such a grant.
///
/// # Errors
/// What broke in the storage.
pub fn revoke(storage: &impl Storage, id: GrantId, now: Timestamp) -> Result<bool, StorageError> {
    let revoked = storage.query(
        "UPDATE grants SET revoked_at = coalesce(revoked_at, CAST(? AS INTEGER)) WHERE id = ? RETURNING id",
        &[Param::Integer(now.milliseconds()), Param::Text(&id.to_string())],
    )?;
    Ok(!revoked.is_empty())
}

/// Revokes every grant that still stood.
///
/// # Errors
/// What broke in the storage.
pub fn revoke_all(storage: &impl Storage, now: Timestamp) -> Result<(), StorageError> {
    storage.execute("UPDATE grants SET revoked_at = ? WHERE revoked_at IS NULL", &[Param::Integer(now.milliseconds())])
}

/// Whether the grant permits a call that needs these scopes now.
pub(super) fn authorise(
    storage: &impl Storage,
    grant: &mut Grant,
    needed: Scopes,
    now: Timestamp,
) -> Result<(), Refusal> {
    if !grant.stands(now) {
        return Err(Refusal::InvalidToken);
    }
    if !grant.scopes.include(needed) {
        return Err(Refusal::InsufficientScope);
    }
    record_use(storage, grant, now);
    Ok(())
}

/// Records that the grant is used now, unless that was recorded within the hour. What the owner reads now and then is not worth
/// a refused call: a codex that is full can still be read.
pub(super) fn record_use(storage: &impl Storage, grant: &mut Grant, now: Timestamp) {
    let old = |used: Timestamp| now.milliseconds().saturating_sub(used.milliseconds()) >= LAST_USE_PRECISION;
    if grant.last_used_at.is_none_or(old) {
        let recorded = storage.execute(
            "UPDATE grants SET last_used_at = ? WHERE id = ?",
            &[Param::Integer(now.milliseconds()), Param::Text(&grant.id.to_string())],
        );
        if recorded.is_ok() {
            grant.last_used_at = Some(now);
        }
    }
}

/// Records the scopes of a grant that is recorded already.
pub(super) fn set_scopes(storage: &impl Storage, grant: &Grant) -> Result<(), StorageError> {
    storage.execute(
        "UPDATE grants SET scopes = ? WHERE id = ?",
        &[Param::Text(&grant.scopes.to_string()), Param::Text(&grant.id.to_string())],
    )
}
