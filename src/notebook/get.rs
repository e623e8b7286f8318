//! Get: an entry by its id.

use super::entry::{Entry, EntryId};
use super::failure::{Error, Failure};
use super::row::entry_at;
use super::storage::Storage;

/// The entry of this id, as it stands now.
pub(super) fn get(storage: &impl Storage, id: EntryId) -> Result<Entry, Error> {
    // Another id may share the key.
    match entry_at(storage, id.key())? {
        Some(entry) if entry.head.id == id.to_string() => Ok(entry),
        _ => Err(Failure::NotFound.into()),
    }
}
