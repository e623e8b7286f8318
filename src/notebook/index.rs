//! The index of searches: which entries can match, so that a search need not look at the others.
//!
//! The table `trigrams` holds, under an entry's key, every three characters in a row of its folded texts and of the JSON of
//! its tags and related agents. What an entry holds, it holds with all trigrams of it: the folded query, the tag or the agent
//! in the quotes of its JSON. So the entries that have all of those are all that can match, and a search examines each of
//! them as it would without the index: what the index finds too much does no harm. It finds nothing too little:
//!
//! - Triggers write the trigrams of an entry in the statement that writes the entry, so no crash, no failure and no forgetful
//!   code parts them, and take the old ones away.
//! - Trigrams are compared as they are, as folded texts have no case; characters that the tokenizer takes for one another are so on both
//!   sides. At NUL, which some of its versions pass over and some end at, no trigram is looked up.
//! - An entry whose folded text is not stored, being too large for a row, or holds NUL, has a marker in place of it, and
//!   every query finds the marker.
//! - Entries of a database that is older than the index are put into it step by step (`backfill`), from the lowest key on.
//!   Until all are, searches examine every entry, as they do where a query has no trigram.
//!
//! Entries are looked up by trigram in the order of their keys, a page's worth at a time, without a sort. A cursor is the same
//! key with the index and without, so a search may begin on one side of a backfill's end and go on on the other.

use super::cursor::Filters;
use super::list::list_of;
use super::storage::{Param, Storage, StorageError};
use crate::json::write_string;

/// Stands in the index for a folded text that is not in it. JSON holds no control character, and folded text no `A` but the
/// separators, so hardly another entry has it.
const MARKER: &str = "A\u{1}A";
/// Trigrams of one text that are looked up, at most. A few are mostly enough, and each costs by the entries that have it; more
/// are looked up where those name more entries than are asked for.
const FEW: usize = 4;
const MANY: usize = 16;
/// Trigrams of a text that is short.
const SHORT: usize = 2 * FEW;
/// A step of the backfill ends after so many entries, or with the one whose folded text makes it so many bytes.
const STEP_ENTRIES: i64 = 64;
const STEP_BYTES: i64 = 32_768;

/// Puts the entry of this key into the index, as the triggers of the tables do.
fn put(storage: &impl Storage, key: i64) -> Result<(), StorageError> {
    storage.execute(
        "INSERT OR REPLACE INTO trigrams (rowid, text) SELECT key, text FROM indexed WHERE key = ?",
        &[Param::Integer(key)],
    )
}

/// Whether entries of an older database are not yet in the index.
///
/// # Errors
/// What broke in the storage.
pub fn is_behind(storage: &impl Storage) -> Result<bool, StorageError> {
    backfilled_to(storage).map(|position| position.is_some())
}

/// The key up to which all entries are in the index; `None` where all are.
fn backfilled_to(storage: &impl Storage) -> Result<Option<i64>, StorageError> {
    let rows = storage.query("SELECT position FROM backfill", &[])?;
    rows.into_iter().next().map(|mut row| row.integer()).transpose()
}

/// Puts the next few entries of an older database into the index; says whether entries may be left.
///
/// # Errors
/// What broke in the storage; nothing has changed then.
pub fn catch_up(storage: &impl Storage) -> Result<bool, StorageError> {
    storage.transaction(|| {
        let Some(position) = backfilled_to(storage)? else { return Ok(false) };
        let rows = storage.query(
            "SELECT key, coalesce(octet_length(folded), 0) FROM entries WHERE key > ? ORDER BY key LIMIT CAST(? AS INTEGER)",
            &[Param::Integer(position), Param::Integer(STEP_ENTRIES)],
        )?;
        let (mut last, mut bytes) = (None, 0_i64);
        for mut row in rows {
            let key = row.integer()?;
            put(storage, key)?;
            last = Some(key);
            bytes = bytes.saturating_add(row.integer()?);
            if bytes >= STEP_BYTES {
                break;
            }
        }
        match last {
            Some(last) => storage.execute("UPDATE backfill SET position = ?", &[Param::Integer(last)])?,
            None => storage.execute("DELETE FROM backfill", &[])?,
        }
        Ok(last.is_some())
    })
}

/// The keys above `after`, in order and at most so many, of the entries that can pass the filters; `None` where the index
/// does not tell.
pub(super) fn candidates(
    storage: &impl Storage,
    filters: &Filters<'_>,
    after: i64,
    count: i64,
) -> Result<Option<Vec<i64>>, StorageError> {
    let Some(few) = expression(filters, FEW) else { return Ok(None) };
    let keys = looked_up(storage, &few, after, count)?;
    let are_all = keys.as_ref().is_none_or(|keys| usize::try_from(count).is_ok_and(|count| keys.len() < count));
    match expression(filters, MANY) {
        Some(many) if !are_all && many != few => looked_up(storage, &many, after, count),
        _ => Ok(keys),
    }
}

/// The keys of the entries that have what the expression says; `None` where the index does not tell.
fn looked_up(
    storage: &impl Storage,
    expression: &str,
    after: i64,
    count: i64,
) -> Result<Option<Vec<i64>>, StorageError> {
    // FTS5 begins at the bound where it is an integer; otherwise it would go through all that is before it.
    // A parameter alone as a limit would have SQLite plan the statement anew at every run.
    let rows = storage.list(
        concat!(
            "SELECT iif(EXISTS (SELECT 1 FROM backfill), 'n;', (SELECT ",
            list_of![integer "rowid"],
            " FROM (SELECT rowid FROM trigrams WHERE trigrams MATCH ? AND rowid > CAST(? AS INTEGER) ORDER BY rowid LIMIT CAST(? AS INTEGER))))"
        ),
        &[Param::Text(expression), Param::Integer(after), Param::Integer(count)],
    )?;
    rows.into_iter().map(|mut row| row.optional_integer()).collect()
}

/// What an entry must have in the index to pass the filters, as FTS5 writes that, with so many trigrams of each at `most`;
/// `None` where they have no trigram.
fn expression(filters: &Filters<'_>, most: usize) -> Option<String> {
    let mut all = Vec::new();
    let query = trigrams(&filters.query, most);
    if !query.is_empty() {
        all.push(format!("(({}) OR \"{MARKER}\")", query.join(" AND ")));
    }
    for whole in [filters.tag, filters.related_agent_id].into_iter().flatten() {
        let mut quoted = String::new();
        write_string(&mut quoted, whole);
        all.extend(trigrams(&quoted, most));
    }
    (!all.is_empty()).then(|| all.join(" AND "))
}

/// Trigrams of a text, each quoted: so many spread over the text. Of a short text a few say as much as all.
fn trigrams(text: &str, most: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let windows: Vec<_> = characters.windows(3).filter(|window| !window.contains(&'\0')).collect();
    let most = if windows.len() <= SHORT { FEW } else { most };
    let every = windows.len().div_ceil(most).max(1);
    let quoted = |window: &&[char]| {
        let text: String = window.iter().collect();
        format!("\"{}\"", text.replace('"', "\"\""))
    };
    windows.iter().step_by(every).map(quoted).collect()
}
