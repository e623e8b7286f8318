//! Search: a page of summaries in the order of ids, and where to go on.
//!
//! A cursor holds the key of the last candidate that was examined. An entry's key never changes and pages go up the
//! keys, so whoever follows cursors to the end examines every entry that was there throughout exactly once, whatever is
//! saved or updated meanwhile.

use std::fmt::Write as _;

use super::arguments::Search;
use super::cursor::{self, Filters};
use super::entry::Summary;
use super::failure::Error;
use super::index;
use super::list::{LISTED_BYTES, list_of};
use super::row::{folded, head_of};
use super::storage::{Param, Row, Storage, StorageError};
use super::text::{excerpt, fold};
use super::{Surroundings, limits};
use crate::json::{self, Node, write_string};

/// Bytes of a page's JSON around its entries, at most: the brackets, the cursor and the coverage.
const PAGE_FRAME_BYTES: usize = 256;
/// Entries that are read with one statement, at most: so many fit into a list with their contents.
const ENTRIES_AT_ONCE: usize = 25;
/// A page ends behind the candidate whose content makes it so many bytes of contents that were folded anew: their folded text
/// is not stored, and to fold the largest takes a fifth of a second.
const FOLDED_ANEW_BYTES: usize = 262_144;
// What is listed of the candidates, and of the entries of a page, fits into a value, which has at most 2 MB.
const _: () = assert!(limits::CANDIDATES * (LISTED_BYTES as usize + 64) < 2_000_000);
const _: () = assert!(ENTRIES_AT_ONCE * (2 * LISTED_BYTES as usize + 8 * limits::EXCERPT) < 2_000_000);

/// Finds a page, and gives its JSON.
pub(super) fn search(
    storage: &impl Storage,
    search: &Search,
    surroundings: &mut Surroundings<'_>,
) -> Result<String, Error> {
    let filters = Filters {
        query: fold(&search.query),
        tag: search.tag.as_deref(),
        related_agent_id: search.related_agent_id.as_deref(),
    };
    let after = match &search.cursor {
        Some(cursor) => cursor::verify(storage, &filters, cursor)?,
        None => -1,
    };
    let (page, goes_on) = if filters.any() {
        found(storage, &filters, after, search.limit)?
    } else {
        browsed(storage, after, search.limit)?
    };
    let next_cursor = goes_on.map(|last| cursor::sign(storage, &filters, last, surroundings)).transpose()?;
    Ok(page.to_json(next_cursor.as_deref()))
}

/// The next page of all entries; and the key of its last, if there are more.
fn browsed(storage: &impl Storage, after: i64, limit: usize) -> Result<(Page, Option<i64>), StorageError> {
    let mut page = Page::default();
    let mut last = after;
    loop {
        let asked = limit.saturating_sub(page.count).saturating_add(1).min(ENTRIES_AT_ONCE);
        let rows = storage.list(
            concat!(
                "SELECT ",
                list_of![integer "key", text "id", integer "revision", integer "created_at", integer "updated_at",
                    text "meta", text "start"],
                " FROM (SELECT key, id, revision, created_at, updated_at, iif(octet_length(meta) <= ?, meta, NULL) AS meta,
                          coalesce(head, content) AS start
                        FROM entries WHERE key > ? ORDER BY key LIMIT CAST(? AS INTEGER))"
            ),
            &[
                Param::Integer(LISTED_BYTES.into()),
                Param::Integer(last),
                Param::Integer(i64::try_from(asked).unwrap_or(i64::MAX)),
            ],
        )?;
        let all = rows.len() < asked;
        for row in rows {
            let (key, summary) = summary(storage, row, None)?;
            if page.count == limit || !page.add(&summary) {
                return Ok((page, Some(last)));
            }
            page.examined = page.count;
            last = key;
        }
        if all {
            return Ok((page, None));
        }
    }
}

/// The next page of what passes the filters; and the key of the last entry that was examined, if there may be more.
fn found(
    storage: &impl Storage,
    filters: &Filters<'_>,
    after: i64,
    limit: usize,
) -> Result<(Page, Option<i64>), StorageError> {
    let mut candidates = Candidates::after(storage, filters, after)?;
    let matching = candidates.matching(storage, filters)?;
    let mut page = Page { examined: candidates.keys.len(), ..Page::default() };
    page.fill(storage, &matching, &filters.query, limit)?;
    let has_more = candidates.more || page.examined < candidates.keys.len();
    let last = page.examined.checked_sub(1).and_then(|last| candidates.keys.get(last)).copied();
    Ok((page, last.filter(|_| has_more)))
}

/// The next entries in the order of ids that a filtered page may examine: those that the index names, or all where it does
/// not tell.
struct Candidates {
    keys: Vec<i64>,
    more: bool,
}

impl Candidates {
    fn after(storage: &impl Storage, filters: &Filters<'_>, after: i64) -> Result<Self, StorageError> {
        let count = limits::CANDIDATES;
        let one_more = i64::try_from(count).unwrap_or(i64::MAX).saturating_add(1);
        let mut keys = match index::candidates(storage, filters, after, one_more)? {
            Some(keys) => keys,
            None => storage
                .list(
                    concat!(
                        "SELECT ",
                        list_of![integer "key"],
                        " FROM (SELECT key FROM entries WHERE key > ? ORDER BY key LIMIT CAST(? AS INTEGER))"
                    ),
                    &[Param::Integer(after), Param::Integer(one_more)],
                )?
                .into_iter()
                .map(|mut row| row.integer())
                .collect::<Result<_, _>>()?,
        };
        let more = keys.len() > count;
        keys.truncate(count);
        Ok(Self { keys, more })
    }

    /// The candidates that match, in order, each with its place among the candidates. Those of which it can't be said cheaply
    /// are candidates no more, but for the first few.
    fn matching(&mut self, storage: &impl Storage, filters: &Filters<'_>) -> Result<Vec<(usize, i64)>, StorageError> {
        if self.keys.is_empty() {
            return Ok(Vec::new());
        }
        let quoted = |text: &str| {
            let mut json = String::new();
            write_string(&mut json, text);
            json
        };
        // SQL leaves only what can match; a tag and an agent may stand in another member than theirs.
        let rows = storage.list(
            concat!(
                "SELECT ",
                list_of![integer "json_each.key", integer "entries.key", integer "(folded IS NULL)", text "iif(octet_length(meta) <= ?1, meta, NULL)"],
                " FROM json_each(?2) CROSS JOIN entries ON entries.key = json_each.value
                  WHERE (folded IS NULL OR instr(folded, ?3) > 0) AND instr(meta, ?4) > 0 AND instr(meta, ?5) > 0"
            ),
            &[
                Param::Integer(if filters.look_at_meta() { LISTED_BYTES.into() } else { 0 }),
                Param::Text(&json_list(&self.keys)),
                Param::Text(&filters.query),
                Param::Text(&filters.tag.map(quoted).unwrap_or_default()),
                Param::Text(&filters.related_agent_id.map(quoted).unwrap_or_default()),
            ],
        )?;
        let (mut matching, mut folded_anew) = (Vec::new(), 0);
        for mut row in rows {
            let position = usize::try_from(row.integer()?).unwrap_or_default();
            let key = row.integer()?;
            if folded_anew >= FOLDED_ANEW_BYTES {
                self.keys.truncate(position);
                self.more = true;
                break;
            }
            if matches(storage, key, &mut row, filters, &mut folded_anew)? {
                matching.push((position, key));
            }
        }
        Ok(matching)
    }
}

/// Whether an entry that SQL left passes every filter; `row` says whether it has no folded text stored, and holds its meta
/// or NULL. The bytes that had to be folded anew are added to `folded_anew`.
fn matches(
    storage: &impl Storage,
    key: i64,
    row: &mut Row,
    filters: &Filters<'_>,
    folded_anew: &mut usize,
) -> Result<bool, StorageError> {
    let folded_stored = row.integer()? == 0;
    if folded_stored && !filters.look_at_meta() {
        return Ok(true);
    }
    let meta = row.optional_text()?.map_or_else(|| meta_at(storage, key), Ok)?;
    let meta = json::parse(meta.as_bytes()).map_err(|error| StorageError::new(format!("an entry's meta: {error}")))?;
    let holds = |member: &str, wanted: Option<&str>| {
        wanted
            .is_none_or(|wanted| list(meta.root(), member).any(|item| item.as_str().is_some_and(|item| item == wanted)))
    };
    if !holds("tags", filters.tag) || !holds("relatedAgentIds", filters.related_agent_id) {
        return Ok(false);
    }
    if folded_stored || filters.query.is_empty() {
        return Ok(true);
    }
    let content = content_at(storage, key)?;
    *folded_anew = folded_anew.saturating_add(content.len());
    let title = meta.root().member("title").and_then(Node::as_str);
    let tags: Vec<_> = list(meta.root(), "tags").filter_map(Node::as_str).collect();
    let texts = std::iter::once(content.as_str()).chain(title.as_deref()).chain(tags.iter().map(AsRef::as_ref));
    Ok(folded(texts).contains(&filters.query))
}

fn list<'d>(meta: Node<'d>, member: &str) -> impl Iterator<Item = Node<'d>> + use<'d> {
    meta.member(member).into_iter().flat_map(Node::elements)
}

fn content_at(storage: &impl Storage, key: i64) -> Result<String, StorageError> {
    text_at(storage, "SELECT content FROM entries WHERE key = ?", key)
}

fn meta_at(storage: &impl Storage, key: i64) -> Result<String, StorageError> {
    text_at(storage, "SELECT meta FROM entries WHERE key = ?", key)
}

fn text_at(storage: &impl Storage, sql: &str, key: i64) -> Result<String, StorageError> {
    let rows = storage.query(sql, &[Param::Integer(key)])?;
    rows.into_iter().next().ok_or_else(|| StorageError::new("an entry has gone"))?.text()
}

/// The JSON of the summaries of the entries under these keys, in their order.
fn summaries(storage: &impl Storage, keys: &[i64], query: &str) -> Result<Vec<String>, StorageError> {
    let rows = storage.list(
        concat!(
            "SELECT ",
            list_of![integer "entries.key", text "entries.id", integer "revision", integer "created_at",
                integer "updated_at", text "iif(octet_length(meta) <= ?1, meta, NULL)", text "coalesce(head, content)",
                text "iif(head IS NULL, '', iif(octet_length(content) <= ?2, content, NULL))"],
            " FROM json_each(?3) CROSS JOIN entries ON entries.key = json_each.value"
        ),
        &[
            Param::Integer(LISTED_BYTES.into()),
            // Without a query the content is not read.
            Param::Integer(if query.is_empty() { 0 } else { LISTED_BYTES.into() }),
            Param::Text(&json_list(keys)),
        ],
    )?;
    if rows.len() != keys.len() {
        return Err(StorageError::new("an entry has gone"));
    }
    let query = Some(query).filter(|query| !query.is_empty());
    rows.into_iter().map(|row| Ok(summary(storage, row, query)?.1)).collect()
}

/// The key of an entry and the JSON of its summary, whose excerpt is around the first match in the content, if any. The row
/// holds key, head, the content's start, and for a query the content, empty where the start is all of it; what is too long
/// for a list is NULL.
fn summary(storage: &impl Storage, mut row: Row, query: Option<&str>) -> Result<(i64, String), StorageError> {
    let key = row.integer()?;
    let head = head_of(&mut row, || meta_at(storage, key))?;
    let start = row.text()?;
    let Some(query) = query else { return Ok((key, Summary { head, excerpt: &start }.to_json())) };
    let content = row.optional_text()?.map_or_else(|| content_at(storage, key), Ok)?;
    Ok((key, Summary { head, excerpt: excerpt(&content, query).unwrap_or(&start) }.to_json()))
}

/// Keys as a JSON array, over which `json_each` goes in order.
fn json_list(keys: &[i64]) -> String {
    let keys: Vec<_> = keys.iter().map(i64::to_string).collect();
    format!("[{}]", keys.join(","))
}

/// A page that is being filled.
#[derive(Default)]
struct Page {
    /// The summaries as JSON, with commas between them.
    entries: String,
    count: usize,
    /// Candidates examined.
    examined: usize,
}

impl Page {
    /// Adds the summaries of what matches, which is in the order of the candidates and each with its place among them, as
    /// long as the page has room and less than `limit` entries.
    fn fill(
        &mut self,
        storage: &impl Storage,
        matching: &[(usize, i64)],
        query: &str,
        limit: usize,
    ) -> Result<(), StorageError> {
        for some in matching.get(..limit.min(matching.len())).unwrap_or_default().chunks(ENTRIES_AT_ONCE) {
            let keys: Vec<_> = some.iter().map(|(_, key)| *key).collect();
            for ((position, _), summary) in some.iter().zip(summaries(storage, &keys, query)?) {
                if !self.add(&summary) {
                    self.examined = *position;
                    return Ok(());
                }
                if self.count == limit {
                    self.examined = position.saturating_add(1);
                }
            }
        }
        Ok(())
    }

    /// Adds a summary; `false` when the page would grow too large by it. The first always fits.
    fn add(&mut self, summary: &str) -> bool {
        let length = self.entries.len().saturating_add(summary.len()).saturating_add(PAGE_FRAME_BYTES);
        if self.count > 0 && length > limits::PAGE_BYTES {
            return false;
        }
        if self.count > 0 {
            self.entries.push(',');
        }
        self.entries.push_str(summary);
        self.count = self.count.saturating_add(1);
        true
    }

    fn to_json(&self, next_cursor: Option<&str>) -> String {
        let mut json = format!("{{\"entries\":[{}]", self.entries);
        if let Some(cursor) = next_cursor {
            json.push_str(",\"nextCursor\":");
            write_string(&mut json, cursor);
        }
        let _ = write!(
            json,
            ",\"coverage\":{{\"storage\":\"active-only\",\"mode\":\"literal-substring-v1\",\"scanned\":{},\"hasMore\":{}}}}}",
            self.examined,
            next_cursor.is_some()
        );
        json
    }
}
