//! Save: a new entry, once per request id.
//!
//! The record of the request id and the insert of the entry are one transaction, and a request id is recorded once. So of
//! any number of saves with one request id exactly one inserts, and all the others find its record.

use super::Surroundings;
use super::arguments::Save;
use super::entry::{Entry, EntryId, Head};
use super::failure::{Error, Failure};
use super::row::{Computed, entry_of};
use super::storage::{Param, Storage, StorageError};

/// Random ids that an insert tries. That one is taken happens once in 2^53 ÷ entries; a second time, the randomness is
/// at fault.
const TRIES: usize = 4;

/// Saves an entry, or finds the one that the same request saved before, as it stands now.
pub(super) fn save(storage: &impl Storage, save: &Save, surroundings: &mut Surroundings<'_>) -> Result<Entry, Error> {
    storage.transaction(|| {
        let id = EntryId::from_random(surroundings.random());
        if !claim(storage, save, id)? {
            return saved_before(storage, save);
        }
        let quota = surroundings.quota;
        quota.keep(storage, || Ok(None), || insert(storage, save, id, surroundings))
    })
}

/// Records the request as that of the entry of this id; `false` where the request was made before.
fn claim(storage: &impl Storage, save: &Save, id: EntryId) -> Result<bool, StorageError> {
    let claimed = storage.query(
        "INSERT INTO requests (request_id, digest, key) VALUES (?, ?, ?) ON CONFLICT (request_id) DO NOTHING RETURNING key",
        &[Param::Text(&save.request_id), Param::Blob(&save.digest), Param::Integer(id.key())],
    )?;
    Ok(!claimed.is_empty())
}

fn saved_before(storage: &impl Storage, save: &Save) -> Result<Entry, Error> {
    // A parameter alone would have SQLite plan the join anew at every run.
    let rows = storage.query(
        "SELECT digest, id, revision, created_at, updated_at, meta, content FROM requests JOIN entries USING (key)
         WHERE request_id = CAST(? AS TEXT)",
        &[Param::Text(&save.request_id)],
    )?;
    let mut row = rows.into_iter().next().ok_or_else(|| StorageError::new("a request or its entry has gone"))?;
    if row.blob()? != save.digest {
        return Err(Failure::RequestIdReused.into());
    }
    Ok(entry_of(row)?)
}

/// Inserts the entry under the id that its request has claimed, or under another if that is taken.
fn insert(
    storage: &impl Storage,
    save: &Save,
    mut id: EntryId,
    surroundings: &mut Surroundings<'_>,
) -> Result<Entry, Error> {
    let (now, input) = (surroundings.now, &save.entry);
    let computed = Computed::of(input);
    for _ in 0..TRIES {
        let text = id.to_string();
        let inserted = storage.query(
            "INSERT INTO entries (key, id, revision, created_at, updated_at, meta, head, content, folded)
             VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING key",
            &[
                Param::Integer(id.key()),
                Param::Text(&text),
                Param::Integer(now.milliseconds()),
                Param::Integer(now.milliseconds()),
                Param::Text(input.meta()),
                Param::text_or_null(computed.head),
                Param::Text(input.content()),
                Param::text_or_null(computed.folded.as_deref()),
            ],
        )?;
        if !inserted.is_empty() {
            let head = Head { id: text, revision: 1, created_at: now, updated_at: now, meta: input.meta().to_owned() };
            return Ok(Entry { head, content: input.content().to_owned() });
        }
        id = EntryId::from_random(surroundings.random());
        storage.execute(
            "UPDATE requests SET key = ? WHERE request_id = ?",
            &[Param::Integer(id.key()), Param::Text(&save.request_id)],
        )?;
    }
    Err(StorageError::new("every random id that was tried is taken").into())
}
