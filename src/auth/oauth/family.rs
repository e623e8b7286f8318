//! Codes and refresh families, as the codex keeps them. Each operation is one transaction.
//!
//! A code gives one grant; used again, it takes that grant back (OAuth 2.1, section 4.1.3). The grant is the family of all
//! the refresh tokens that follow: they are numbered, and only the newest *generation* counts. The one before it gives the
//! newest again, for a short time or as long as the newest was not used, since then its answer was lost or two refreshes
//! raced. Any other is a stolen one, or its thief has been here before: the family is revoked (section 4.3.1).

use serde::{Deserialize, Serialize};

use super::token::CodeId;
use super::{CODE_LIFETIME, Digest, REPLAY_WINDOW};
use crate::auth::credential::Resource;
use crate::auth::grant::{self, Grant, GrantId};
use crate::auth::members::parse_object;
use crate::auth::scope::Scopes;
use crate::json::{Node, Object};
use crate::notebook::storage::{Param, Storage, StorageError};
use crate::notebook::time::{DAY, Timestamp};

/// How long a code is remembered, in milliseconds, so that its second use is noticed.
const CODE_MEMORY: i64 = DAY;

/// A code that the owner's decision made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewCode {
    /// Its id.
    pub id: CodeId,
    /// Whom it was given to, and for what.
    pub bound: Bound,
    /// The SHA-256 of its verifier.
    pub challenge: Digest,
    /// The digest of the redirect URI that it was sent to.
    pub redirect_uri: Digest,
    /// What it will permit.
    pub scopes: Scopes,
    /// What the grant will be called.
    pub label: String,
}

/// Whom tokens were given to, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// The digest of the client's id.
    pub client: Digest,
    /// The resource server.
    pub resource: Resource,
}

/// A code that a client brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The code's id.
    pub code: CodeId,
    /// Who brings it, and for what.
    pub bound: Bound,
    /// The SHA-256 of the verifier that comes with it.
    pub challenge: Digest,
    /// The digest of the redirect URI that comes with it; OAuth 2.1 no longer wants one.
    pub redirect_uri: Option<Digest>,
    /// The id of the grant that it is to give.
    pub grant: GrantId,
}

/// A refresh token that a client brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refresh {
    /// The family.
    pub grant: GrantId,
    /// Which of its tokens it is.
    pub generation: u32,
    /// Who brings it, and for what.
    pub bound: Bound,
}

/// Tokens that were issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issued {
    /// The grant that they belong to.
    pub grant: GrantId,
    /// What it permits.
    pub scopes: Scopes,
    /// Which of its tokens they are.
    pub generation: u32,
    /// When they were issued, in milliseconds since 1970.
    pub issued_at: i64,
}

impl Issued {
    /// What a codex says to the edge.
    #[must_use]
    pub fn to_json(&self) -> String {
        Object::new()
            .text("grant", &self.grant.to_string())
            .text("scopes", &self.scopes.to_string())
            .integer("generation", self.generation.into())
            .integer("issuedAt", self.issued_at)
            .finish()
    }

    /// What a codex has said.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Self> {
        let document = parse_object(text.as_bytes())?;
        let text = |name| document.root().member(name).and_then(Node::as_str);
        let integer = |name| document.root().member(name).and_then(Node::as_number)?.as_integer();
        Some(Self {
            grant: GrantId::parse(&text("grant")?)?,
            scopes: Scopes::parse(text("scopes")?.split(' '))?,
            generation: u32::try_from(integer("generation")?).ok()?,
            issued_at: integer("issuedAt")?,
        })
    }
}

/// Records a code.
///
/// # Errors
/// What broke in the storage.
pub fn record(storage: &impl Storage, code: &NewCode, now: Timestamp) -> Result<(), StorageError> {
    storage.transaction(|| {
        let forgotten = now.plus(-CODE_MEMORY).milliseconds();
        storage.execute("DELETE FROM codes WHERE expires_at < ?", &[Param::Integer(forgotten)])?;
        storage.execute(
            "INSERT INTO codes (id, client, resource, challenge, redirect_uri, scopes, label, expires_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            &[
                Param::Blob(&code.id),
                Param::Blob(&code.bound.client),
                Param::Blob(code.bound.resource.as_bytes()),
                Param::Blob(&code.challenge),
                Param::Blob(&code.redirect_uri),
                Param::Text(&code.scopes.to_string()),
                Param::Text(&code.label),
                Param::Integer(now.plus(CODE_LIFETIME).milliseconds()),
            ],
        )
    })
}

/// Exchanges a code for a grant and its first tokens; for nothing if the code is not good for that.
///
/// # Errors
/// What broke in the storage.
pub fn exchange(storage: &impl Storage, asked: &Exchange, now: Timestamp) -> Result<Option<Issued>, StorageError> {
    storage.transaction(|| {
        let rows = storage.query(
            "SELECT client, resource, challenge, redirect_uri, scopes, label, expires_at, grant_id FROM codes WHERE id = ?",
            &[Param::Blob(&asked.code)],
        )?;
        let Some(mut row) = rows.into_iter().next() else { return Ok(None) };
        let [client, resource, challenge, redirect_uri] = [row.blob()?, row.blob()?, row.blob()?, row.blob()?];
        let scopes = Scopes::parse(row.text()?.split(' ')).ok_or_else(|| StorageError::new("a code can't be read"))?;
        let label = row.text()?;
        let expires_at = Timestamp::from_milliseconds(row.integer()?);
        if let Some(given) = row.optional_text()? {
            let given = GrantId::parse(&given).ok_or_else(|| StorageError::new("a code can't be read"))?;
            grant::revoke(storage, given, now)?;
            return Ok(None);
        }
        let good = client == asked.bound.client
            && resource == asked.bound.resource.as_bytes()
            && challenge == asked.challenge
            && asked.redirect_uri.is_none_or(|brought| redirect_uri == brought);
        if !good || now >= expires_at {
            return Ok(None);
        }
        grant::create(storage, &Grant::new(asked.grant, &label, scopes, None, now))?;
        let grant_id = asked.grant.to_string();
        storage.execute(
            "INSERT INTO families (grant_id, client, resource, generation, issued_at, used) VALUES (?, ?, ?, 1, ?, 0)",
            &[
                Param::Text(&grant_id),
                Param::Blob(&client),
                Param::Blob(&resource),
                Param::Integer(now.milliseconds()),
            ],
        )?;
        storage.execute("UPDATE codes SET grant_id = ? WHERE id = ?", &[Param::Text(&grant_id), Param::Blob(&asked.code)])?;
        Ok(Some(Issued { grant: asked.grant, scopes, generation: 1, issued_at: now.milliseconds() }))
    })
}

/// Exchanges a refresh token for the tokens of the next generation, or for those that it gave before; for nothing if it is
/// not good for that.
///
/// # Errors
/// What broke in the storage.
pub fn refresh(storage: &impl Storage, asked: &Refresh, now: Timestamp) -> Result<Option<Issued>, StorageError> {
    storage.transaction(|| {
        let grant_id = asked.grant.to_string();
        let rows = storage.query(
            "SELECT client, resource, generation, issued_at, used FROM families WHERE grant_id = ?",
            &[Param::Text(&grant_id)],
        )?;
        let (Some(mut row), Some(grant)) = (rows.into_iter().next(), grant::find(storage, asked.grant)?) else {
            return Ok(None);
        };
        let bound = row.blob()? == asked.bound.client;
        let bound = row.blob()? == asked.bound.resource.as_bytes() && bound;
        if !bound || !grant.stands(now) {
            return Ok(None);
        }
        let (current, issued_at, used) = (row.integer()?, row.integer()?, row.integer()? != 0);
        let fresh = now.milliseconds() <= issued_at.saturating_add(REPLAY_WINDOW);
        let (generation, issued_at) = match current.saturating_sub(i64::from(asked.generation)) {
            0 => (current.saturating_add(1), now.milliseconds()),
            1 if fresh => return Ok(issued(&grant, current, issued_at)),
            1 if !used => (current, now.milliseconds()),
            _ => {
                grant::revoke(storage, asked.grant, now)?;
                return Ok(None);
            }
        };
        storage.execute(
            "UPDATE families SET generation = ?, issued_at = ?, used = 0 WHERE grant_id = ?",
            &[Param::Integer(generation), Param::Integer(issued_at), Param::Text(&grant_id)],
        )?;
        Ok(issued(&grant, generation, issued_at))
    })
}

fn issued(grant: &Grant, generation: i64, issued_at: i64) -> Option<Issued> {
    let generation = u32::try_from(generation).ok()?;
    Some(Issued { grant: grant.id, scopes: grant.scopes, generation, issued_at })
}

/// Records that an access token of this generation was used: its answer was not lost. Where that can't be recorded the call
/// goes on, and the refresh token before is answered for longer: a codex that is full can still be read.
///
/// # Errors
/// What broke in the storage.
pub fn confirm(storage: &impl Storage, id: GrantId, generation: u32) -> Result<(), StorageError> {
    storage.execute(
        "UPDATE families SET used = 1 WHERE grant_id = ? AND generation = ? AND used = 0",
        &[Param::Text(&id.to_string()), Param::Integer(i64::from(generation))],
    )
}
