//! Save: a new entry, once per request id.
//!
//! The look-up of the request id, the insert of the entry and the record of the request are one transaction of one
//! codex, and a codex does one thing at a time. So of any number of saves with one request id exactly one inserts, and
//! all the others find its record.

use super::Surroundings;
use super::arguments::Save;
use super::entry::{Entry, EntryId, EntryInput, Head};
use super::failure::{Error, Failure};
use super::index;
use super::row::{Computed, entry_at};
use super::storage::{Param, Storage, StorageError};

/// Random ids that an insert tries. That one is taken happens once in 2^53 ÷ entries; a second time, the randomness is
/// at fault.
const TRIES: usize = 4;

/// Saves an entry, or finds the one that the same request saved before, as it stands now.
pub(super) fn save(storage: &impl Storage, save: &Save, surroundings: &mut Surroundings<'_>) -> Result<Entry, Error> {
    storage.transaction(|| {
        if let Some(entry) = saved_before(storage, save)? {
            return Ok(entry);
        }
        surroundings.quota.keep(storage, false, || {
            let (id, entry) = insert(storage, &save.entry, surroundings)?;
            storage.execute(
                "INSERT INTO requests (request_id, digest, key) VALUES (?, ?, ?)",
                &[Param::Text(&save.request_id), Param::Blob(&save.digest), Param::Integer(id.key())],
            )?;
            Ok(entry)
        })
    })
}

fn saved_before(storage: &impl Storage, save: &Save) -> Result<Option<Entry>, Error> {
    let rows =
        storage.query("SELECT digest, key FROM requests WHERE request_id = ?", &[Param::Text(&save.request_id)])?;
    let Some(mut row) = rows.into_iter().next() else { return Ok(None) };
    if row.blob()? != save.digest {
        return Err(Failure::RequestIdReused.into());
    }
    match entry_at(storage, row.integer()?)? {
        Some(entry) => Ok(Some(entry)),
        None => Err(StorageError::new("a request's entry is missing").into()),
    }
}

fn insert(
    storage: &impl Storage,
    input: &EntryInput,
    surroundings: &mut Surroundings<'_>,
) -> Result<(EntryId, Entry), StorageError> {
    let now = surroundings.now;
    let computed = Computed::of(input);
    for _ in 0..TRIES {
        let id = EntryId::from_random(surroundings.random());
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
            index::put(storage, id.key())?;
            let head = Head { id: text, revision: 1, created_at: now, updated_at: now, meta: input.meta().to_owned() };
            return Ok((id, Entry { head, content: input.content().to_owned() }));
        }
    }
    Err(StorageError::new("every random id that was tried is taken"))
}
