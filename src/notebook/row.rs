//! The row of an entry: how an entry input becomes columns, and columns an entry.
//!
//! What searches need is computed here, once, when the row is written: the excerpt from the content's start, and the
//! folded text of content, title and tags, in which a query is found by a plain substring search.

use super::entry::{Entry, EntryInput, Head};
use super::storage::{Param, Row, Storage, StorageError};
use super::text::{fold, head};
use super::time::Timestamp;

/// Stands before each folded text of an entry. Folding leaves no `A`, so no match can reach across it.
const SEPARATOR: char = 'A';
/// The largest folded form that is stored. A row holds 2 MB, and folding can grow a content to more than that; an entry
/// whose folded form is larger has none stored, and is folded again when a search examines it.
pub(super) const FOLDED_BYTES: usize = 1_000_000;

/// The columns that are computed from an entry input.
pub(super) struct Computed<'i> {
    /// The excerpt from the content's start, unless that is the whole content.
    pub(super) head: Option<&'i str>,
    /// The folded texts, unless they are too large.
    pub(super) folded: Option<String>,
}

impl<'i> Computed<'i> {
    pub(super) fn of(input: &'i EntryInput) -> Self {
        let excerpt = head(input.content());
        let folded = folded(input.searched_texts());
        Self {
            head: (excerpt.len() < input.content().len()).then_some(excerpt),
            folded: (folded.len() <= FOLDED_BYTES).then_some(folded),
        }
    }
}

/// The folded form of an entry's searched texts: a folded query is found in it exactly when one of the texts matches.
pub(super) fn folded<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut all = String::new();
    for text in texts {
        all.push(SEPARATOR);
        all.push_str(&fold(text));
    }
    all
}

/// What an entry and its summary have in common, from a row that begins with the columns
/// `id, revision, created_at, updated_at, meta`; where that meta is NULL, it is what `unlisted` gives.
pub(super) fn head_of(
    row: &mut Row,
    unlisted: impl FnOnce() -> Result<String, StorageError>,
) -> Result<Head, StorageError> {
    Ok(Head {
        id: row.text()?,
        revision: row.integer()?,
        created_at: Timestamp::from_milliseconds(row.integer()?),
        updated_at: Timestamp::from_milliseconds(row.integer()?),
        meta: row.optional_text()?.map_or_else(unlisted, Ok)?,
    })
}

/// The entry that is stored under this key.
pub(super) fn entry_at(storage: &impl Storage, key: i64) -> Result<Option<Entry>, StorageError> {
    let rows = storage.query(
        "SELECT id, revision, created_at, updated_at, meta, content FROM entries WHERE key = ?",
        &[Param::Integer(key)],
    )?;
    rows.into_iter().next().map(entry_of).transpose()
}

/// Bytes of the texts of the entry under this key.
pub(super) fn bytes_at(storage: &impl Storage, key: i64) -> Result<Option<i64>, StorageError> {
    let rows = storage.query(
        "SELECT octet_length(meta) + octet_length(content) + coalesce(octet_length(folded), 0) FROM entries WHERE key = ?",
        &[Param::Integer(key)],
    )?;
    rows.into_iter().next().map(|mut row| row.integer()).transpose()
}

/// The entry of a row whose columns are `id, revision, created_at, updated_at, meta, content`.
pub(super) fn entry_of(mut row: Row) -> Result<Entry, StorageError> {
    let head = head_of(&mut row, || Err(StorageError::new("an entry has no meta")))?;
    Ok(Entry { head, content: row.text()? })
}
