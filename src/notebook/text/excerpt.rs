//! Chooses the part of a content that a search hit shows.
//!
//! An excerpt is a substring of the content of at most [`EXCERPT_CHARACTERS`] code points, cut
//! on the boundaries of extended grapheme clusters (UAX #29). Where the two rules conflict,
//! because one cluster is longer than an excerpt, the limit wins. It holds the segments of the
//! match whole (see `locate`), so the excerpt matches the query as the content does. Boundaries
//! are looked for only at the cuts: an excerpt asks for six at most, and each looks at no
//! more than the content once.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

use super::locate::locate;

/// The greatest length of an excerpt, in characters (Unicode code points).
pub const EXCERPT_CHARACTERS: usize = 240;

/// The excerpt from the start of a content: all of it when it has at most
/// [`EXCERPT_CHARACTERS`], else as many whole grapheme clusters as fit.
#[must_use]
pub fn head(content: &str) -> &str {
    starting_at(content, 0)
}

/// The excerpt around the first match of a query in a content, or nothing where the content does
/// not hold it.
///
/// The query must be folded (by [`fold`](super::fold)) and not empty. The excerpt holds the match
/// whenever its original has at most [`EXCERPT_CHARACTERS`] and then extends as evenly to both
/// sides as the content allows; for a longer match, it starts where the match does, or with the
/// grapheme cluster there.
#[must_use]
pub fn excerpt<'c>(content: &'c str, folded_query: &str) -> Option<&'c str> {
    let found = locate(content, folded_query)?;
    if fits(content, 0..content.len()) {
        return Some(content);
    }
    let mut span = found.segments();
    if !fits(content, span.clone()) {
        span = found.narrowed();
    }
    Some(if fits(content, span.clone()) { around(content, span) } else { starting_at(content, span.start) })
}

/// As much as fits from the grapheme cluster at `start` on, or from `start` where the cluster
/// begins so far before it that the excerpt would show little else.
fn starting_at(content: &str, start: usize) -> &str {
    let cluster = boundary_before(content, start);
    let start = if before(content, start, EXCERPT_CHARACTERS / 2) <= cluster { cluster } else { start };
    let limit = after(content, start, EXCERPT_CHARACTERS);
    let end = Some(boundary_before(content, limit)).filter(|&end| end > start);
    content.get(start..end.unwrap_or(limit)).unwrap_or("")
}

/// As much as fits around a span that fits.
fn around(content: &str, span: Range<usize>) -> &str {
    let span = whole_clusters(content, span);
    let room = EXCERPT_CHARACTERS.saturating_sub(characters(content, span.clone()));
    let left = characters(content, before(content, span.start, room)..span.start);
    let right = characters(content, span.end..after(content, span.end, room));
    // One half goes to each side, and what one side cannot use to the other.
    let left = (room / 2).max(room.saturating_sub(right)).min(left);
    let first = before(content, span.start, left);
    let last = after(content, span.end, room.saturating_sub(left));
    // Cut inwards, unless the match itself begins or ends within a cluster too long to show.
    let start = Some(boundary_after(content, first)).filter(|&start| start <= span.start);
    let end = Some(boundary_before(content, last)).filter(|&end| end >= span.end);
    content.get(start.unwrap_or(first)..end.unwrap_or(last)).unwrap_or("")
}

/// The span, with its first and last grapheme cluster completed as far as they fit.
fn whole_clusters(content: &str, span: Range<usize>) -> Range<usize> {
    let start = Some(boundary_before(content, span.start))
        .filter(|&start| fits(content, start..span.end))
        .unwrap_or(span.start);
    let end = Some(boundary_after(content, span.end)).filter(|&end| fits(content, start..end)).unwrap_or(span.end);
    start..end
}

/// The last grapheme cluster boundary at or before an offset.
fn boundary_before(content: &str, offset: usize) -> usize {
    let mut cursor = GraphemeCursor::new(offset, content.len(), true);
    // The cursor never fails: it has the whole content at hand.
    match cursor.is_boundary(content, 0) {
        Ok(true) => offset,
        _ => cursor.prev_boundary(content, 0).ok().flatten().unwrap_or(0),
    }
}

/// The first grapheme cluster boundary at or after an offset.
fn boundary_after(content: &str, offset: usize) -> usize {
    let mut cursor = GraphemeCursor::new(offset, content.len(), true);
    match cursor.is_boundary(content, 0) {
        Ok(true) => offset,
        _ => cursor.next_boundary(content, 0).ok().flatten().unwrap_or(content.len()),
    }
}

/// The offset that many characters before another, or the start.
fn before(content: &str, offset: usize, characters: usize) -> usize {
    let part = content.get(..offset).unwrap_or("");
    part.char_indices().rev().take(characters).last().map_or(offset, |(start, _)| start)
}

/// The offset that many characters after another, or the end.
fn after(content: &str, offset: usize, characters: usize) -> usize {
    let part = content.get(offset..).unwrap_or("");
    part.char_indices().nth(characters).map_or(content.len(), |(start, _)| offset.saturating_add(start))
}

fn characters(content: &str, part: Range<usize>) -> usize {
    content.get(part).unwrap_or("").chars().count()
}

fn fits(content: &str, part: Range<usize>) -> bool {
    after(content, part.start, EXCERPT_CHARACTERS) >= part.end
}
