//! Cursors: where a search goes on, signed.
//!
//! A cursor is base64url of `version (1) | key id (4) | position (8) | tag (16)`, big-endian. The tag is the head of an
//! HMAC-SHA-256 (RFC 2104, section 5 on truncation) over the fields before it and the search's filters, so the
//! filters need not travel. The signing keys are random and each codex keeps its own, which binds a cursor to its codex.
//!
//! A key signs for thirty days, and then verifies for the thirty days that its successor signs: so long at least does
//! every cursor live.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::Surroundings;
use super::failure::{Error, Failure};
use super::storage::{Param, Row, Storage, StorageError};
use super::time::DAY;
use crate::mac::{Key, mac};

const VERSION: u8 = 1;
/// How long a key signs before the next is made, in milliseconds.
const SIGNING_PERIOD: i64 = 30 * DAY;
const FIELDS: usize = 13;
const TAG: usize = 16;

/// What a search's cursors are bound to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Filters<'s> {
    /// The folded query; empty is no filter.
    pub(super) query: String,
    /// The tag.
    pub(super) tag: Option<&'s str>,
    /// The related agent.
    pub(super) related_agent_id: Option<&'s str>,
}

impl Filters<'_> {
    /// Whether any filter is given.
    pub(super) fn any(&self) -> bool {
        !self.query.is_empty() || self.tag.is_some() || self.related_agent_id.is_some()
    }

    /// Whether a filter looks at the members besides the texts.
    pub(super) fn look_at_meta(&self) -> bool {
        self.tag.is_some() || self.related_agent_id.is_some()
    }

    /// Feeds the filters to a MAC so that no two sets of filters feed it alike: each with its length before it.
    fn authenticate(&self, mac: &mut Hmac<Sha256>) {
        for filter in [Some(self.query.as_str()), self.tag, self.related_agent_id] {
            let length = filter.map_or(u64::MAX, |text| text.len() as u64);
            mac.update(&length.to_be_bytes());
            mac.update(filter.unwrap_or_default().as_bytes());
        }
    }
}

struct SigningKey {
    id: u32,
    secret: Key,
}

/// The cursor of a search with these filters that goes on after the entry of key `position`.
pub(super) fn sign(
    storage: &impl Storage,
    filters: &Filters<'_>,
    position: i64,
    surroundings: &mut Surroundings<'_>,
) -> Result<String, StorageError> {
    let key = signing_key(storage, surroundings)?;
    let mut cursor = Vec::with_capacity(FIELDS + TAG);
    cursor.push(VERSION);
    cursor.extend(key.id.to_be_bytes());
    cursor.extend(position.to_be_bytes());
    let tag = authenticate(&key.secret, &cursor, filters).finalize().into_bytes();
    cursor.extend(tag.iter().take(TAG));
    Ok(URL_SAFE_NO_PAD.encode(cursor))
}

/// The key of the entry after which a search with these filters goes on.
pub(super) fn verify(storage: &impl Storage, filters: &Filters<'_>, cursor: &str) -> Result<i64, Error> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| Failure::InvalidCursor)?;
    let (fields, tag) = bytes.split_first_chunk::<FIELDS>().ok_or(Failure::InvalidCursor)?;
    let [VERSION, key_id @ .., p0, p1, p2, p3, p4, p5, p6, p7] = *fields else {
        return Err(Failure::InvalidCursor.into());
    };
    let rows = storage
        .query("SELECT secret FROM cursor_keys WHERE id = ?", &[Param::Integer(u32::from_be_bytes(key_id).into())])?;
    let Some(mut row) = rows.into_iter().next() else { return Err(Failure::InvalidCursor.into()) };
    let expected = authenticate(&secret(&mut row)?, fields, filters);
    if tag.len() != TAG || expected.verify_truncated_left(tag).is_err() {
        return Err(Failure::InvalidCursor.into());
    }
    Ok(i64::from_be_bytes([p0, p1, p2, p3, p4, p5, p6, p7]))
}

fn authenticate(secret: &Key, fields: &[u8], filters: &Filters<'_>) -> Hmac<Sha256> {
    let mut mac = mac(secret, b"agent-codex cursor");
    mac.update(fields);
    filters.authenticate(&mut mac);
    mac
}

fn secret(row: &mut Row) -> Result<Key, StorageError> {
    row.blob()?.try_into().map_err(|_| StorageError::new("a cursor key is not of its length"))
}

/// The key that signs now, made when there is none or the newest has signed long enough.
fn signing_key(storage: &impl Storage, surroundings: &mut Surroundings<'_>) -> Result<SigningKey, StorageError> {
    let newest = storage.query("SELECT id, secret, created_at FROM cursor_keys ORDER BY id DESC LIMIT 1", &[])?;
    let now = surroundings.now.milliseconds();
    let mut id = 1;
    if let Some(mut row) = newest.into_iter().next() {
        let newest = row.integer()?;
        let secret = secret(&mut row)?;
        if now.saturating_sub(row.integer()?) < SIGNING_PERIOD {
            let id = u32::try_from(newest).map_err(|_| StorageError::new("a cursor key's id is out of range"))?;
            return Ok(SigningKey { id, secret });
        }
        id = newest.saturating_add(1);
    }
    let secret: Key = surroundings.random();
    storage.transaction(|| {
        storage.execute(
            "INSERT INTO cursor_keys (id, secret, created_at) VALUES (?, ?, ?)",
            &[Param::Integer(id), Param::Blob(&secret), Param::Integer(now)],
        )?;
        storage.execute("DELETE FROM cursor_keys WHERE id < ?", &[Param::Integer(id.saturating_sub(1))])
    })?;
    let id = u32::try_from(id).map_err(|_| StorageError::new("cursor keys have run out"))?;
    Ok(SigningKey { id, secret })
}
