//! Update: the full replacement of an entry that is still at the expected revision.
//!
//! The comparison of the revision and the replacement are one statement, so of any number of updates that expect one
//! revision exactly one finds it.

use super::Surroundings;
use super::arguments::Update;
use super::entry::{Entry, Head};
use super::failure::{Error, Failure};
use super::get::get;
use super::row::{Computed, bytes_at};
use super::storage::{Param, Storage};
use super::time::Timestamp;

/// Replaces an entry.
pub(super) fn update(storage: &impl Storage, update: &Update, surroundings: &Surroundings<'_>) -> Result<Entry, Error> {
    let id = update.id.to_string();
    let computed = Computed::of(&update.entry);
    storage.transaction(|| surroundings.quota.keep(storage, || bytes_at(storage, update.id.key()), || {
        // A clock that went back does not take updated_at before what it was.
        let updated = storage.query(
            "UPDATE entries SET revision = revision + 1, updated_at = max(updated_at, CAST(? AS INTEGER)), meta = ?, head = ?,
               content = ?, folded = ?
             WHERE key = ? AND id = ? AND revision = ? RETURNING revision, created_at, updated_at",
            &[
                Param::Integer(surroundings.now.milliseconds()),
                Param::Text(update.entry.meta()),
                Param::text_or_null(computed.head),
                Param::Text(update.entry.content()),
                Param::text_or_null(computed.folded.as_deref()),
                Param::Integer(update.id.key()),
                Param::Text(&id),
                Param::Integer(update.expected_revision),
            ],
        )?;
        let Some(mut row) = updated.into_iter().next() else {
            let current = get(storage, update.id)?.head.revision;
            return Err(Failure::RevisionConflict { expected: update.expected_revision, current }.into());
        };
        let head = Head {
            id: id.clone(),
            revision: row.integer()?,
            created_at: Timestamp::from_milliseconds(row.integer()?),
            updated_at: Timestamp::from_milliseconds(row.integer()?),
            meta: update.entry.meta().to_owned(),
        };
        Ok(Entry { head, content: update.entry.content().to_owned() })
    }))
}
