//! Chooses the part of a content that a search hit shows.
//!
//! An excerpt is a substring of the content of at most [`EXCERPT_CHARACTERS`] code points, cut
//! on the boundaries of extended grapheme clusters (UAX #29). Where the two rules conflict,
//! because one cluster is longer than an excerpt, the limit wins. It holds the segments of the
//! match whole (see `locate`), so the excerpt matches the query as the content does. Boundaries
//! are looked for only at the cuts: an excerpt asks for four at most, and each looks at no
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

#[cfg(test)]
// A panic is a failed test.
#[allow(clippy::string_slice, clippy::arithmetic_side_effects)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;
    use crate::notebook::text::fold;
    use crate::notebook::text::strategies::nasty_text;

    fn found<'c>(content: &'c str, query: &str) -> &'c str {
        excerpt(content, &fold(query)).unwrap()
    }

    fn length(text: &str) -> usize {
        text.chars().count()
    }

    /// Where an excerpt lies in its content.
    fn place(content: &str, excerpt: &str) -> Range<usize> {
        let start = excerpt.as_ptr() as usize - content.as_ptr() as usize;
        start..start + excerpt.len()
    }

    fn is_boundary(content: &str, offset: usize) -> bool {
        offset == content.len() || content.grapheme_indices(true).any(|(start, _)| start == offset)
    }

    fn longest_cluster(content: &str) -> usize {
        content.graphemes(true).map(length).max().unwrap_or(0)
    }

    #[test]
    fn a_short_content_is_its_own_excerpt() {
        for content in ["", "a", &"é".repeat(240), &format!("a{}", "\u{301}".repeat(239))] {
            assert_eq!(head(content), content);
        }
        let content = format!("{}x", "ﷺ".repeat(239));
        assert_eq!(found(&content, "X"), content);
    }

    #[test]
    fn a_content_without_the_query_has_no_excerpt() {
        assert_eq!(excerpt("café", "cafe"), None);
        assert_eq!(excerpt("", "a"), None);
    }

    #[test]
    fn the_head_is_the_first_240_characters() {
        assert_eq!(head(&"a".repeat(241)), "a".repeat(240));
        assert_eq!(head(&"ﷺ".repeat(9000)), "ﷺ".repeat(240));
    }

    #[test]
    fn the_head_ends_with_a_whole_grapheme_cluster() {
        let content = format!("{}e\u{301}e", "a".repeat(239));
        assert_eq!(head(&content), "a".repeat(239));
        let flags = "🇦🇹".repeat(200);
        assert_eq!(head(&format!("a{flags}")), format!("a{}", "🇦🇹".repeat(119)));
    }

    #[test]
    fn an_excerpt_extends_evenly_to_both_sides() {
        let content = format!("{}xx{}", "a".repeat(500), "b".repeat(500));
        let expected = format!("{}xx{}", "a".repeat(119), "b".repeat(119));
        assert_eq!(found(&content, "XX"), expected);
    }

    #[test]
    fn what_one_side_cannot_use_goes_to_the_other() {
        let content = format!("{}x{}", "a".repeat(10), "b".repeat(500));
        assert_eq!(found(&content, "x"), &content[..240]);
        let content = format!("{}x{}", "a".repeat(500), "b".repeat(10));
        assert_eq!(found(&content, "x"), &content[511 - 240..]);
    }

    #[test]
    fn expansions_before_the_match_do_not_move_the_excerpt() {
        let content = format!("{}Straße{}", "ﷺ".repeat(5000), "ﬁ".repeat(5000));
        let expected = format!("{}Straße{}", "ﷺ".repeat(117), "ﬁ".repeat(117));
        assert_eq!(found(&content, "STRASSE"), expected);
    }

    #[test]
    fn a_match_within_a_grapheme_cluster_shows_the_whole_cluster() {
        // So long a cluster that an even share of the excerpt would not reach its start.
        let family = format!("👩{}\u{200d}👦", "\u{200d}👩".repeat(90));
        let content = format!("{}{family}{}", "a".repeat(240), "b".repeat(240));
        let shown = found(&content, "👦");
        assert!(shown.contains(&family));
        assert_eq!(length(shown), 240);
    }

    #[test]
    fn a_match_of_240_characters_is_the_excerpt() {
        let content = format!("{}{}{}", "a".repeat(99), "ß".repeat(240), "b".repeat(99));
        assert_eq!(found(&content, &"s".repeat(480)), "ß".repeat(240));
    }

    #[test]
    fn the_excerpt_of_a_longer_match_starts_where_the_match_does() {
        let content = format!("{}{}{}", "a".repeat(99), "ß".repeat(300), "b".repeat(99));
        assert_eq!(found(&content, &"SS".repeat(300)), "ß".repeat(240));
        let content = format!("{}\r\n{}", "a".repeat(300), "b".repeat(300));
        let query = format!("\n{}", "b".repeat(300));
        assert_eq!(found(&content, &query), format!("\r\n{}", "b".repeat(238)));
    }

    #[test]
    fn the_limit_wins_over_a_grapheme_cluster_that_is_longer() {
        let content = format!("xa{}", "\u{301}".repeat(65_535));
        assert_eq!(head(&content), "x");
        assert_eq!(length(head(&content[1..])), 240);
        let shown = found(&content, "xá");
        assert!(shown.starts_with("xa\u{301}"));
        assert_eq!(length(shown), 240);
    }

    #[test]
    fn a_match_deep_in_a_long_segment_is_shown() {
        let content = format!("a{}\u{302}x", "\u{301}".repeat(65_535));
        for query in ["\u{302}x", "\u{301}\u{302}x", "\u{302}", "x"] {
            let shown = found(&content, query);
            assert!(fold(shown).contains(&fold(query)), "{query:?}");
            assert!(length(shown) <= 240);
        }
        let content = "ㅠ".repeat(65_536);
        assert_eq!(found(&content, "ㅠㅠㅠ"), "ㅠ".repeat(240));
    }

    #[test]
    fn the_longest_contents_have_excerpts() {
        let content = format!("{}x", "ﷺ".repeat(65_535));
        assert_eq!(found(&content, "X"), format!("{}x", "ﷺ".repeat(239)));
        assert_eq!(found(&content, &"ﷺ".repeat(9_999)), "ﷺ".repeat(240));
        let content = format!("{}x", "🇦".repeat(65_535));
        assert_eq!(length(found(&content, "X")), 240);
        let content = "क\u{94d}".repeat(32_768);
        assert_eq!(length(found(&content, "क\u{94d}क")), 240);
        assert_eq!(length(head(&content)), 240);
    }

    /// A long content, which holds the query as far as its neighbours let it.
    fn content_and_query() -> impl Strategy<Value = (String, String)> {
        let sides = (0..400_usize, 0..400_usize);
        (nasty_text(0..150), nasty_text(1..60), nasty_text(0..150), sides).prop_map(
            |(before, query, after, (left, right))| {
                let (left, right) = ("字".repeat(left), "ﬃ".repeat(right));
                let content = format!("{left}{before}{query}{after}{right}");
                (content, fold(&query))
            },
        )
    }

    proptest! {
        #[test]
        fn an_excerpt_keeps_every_promise((content, query) in content_and_query()) {
            let Some(shown) = excerpt(&content, &query) else {
                prop_assert!(!fold(&content).contains(&query));
                return Ok(());
            };
            let span = place(&content, shown);
            prop_assert_eq!(&content[span.clone()], shown);
            prop_assert!(length(shown) <= 240);
            if length(&content) <= 240 {
                prop_assert_eq!(shown, &content);
                return Ok(());
            }
            let cluster = longest_cluster(&content);
            let matched = length(&content[locate(&content, &query).unwrap().segments()]);
            if matched <= 240 {
                prop_assert!(fold(shown).contains(&query));
            }
            if matched + 2 * cluster <= 240 {
                prop_assert!(is_boundary(&content, span.start));
                prop_assert!(is_boundary(&content, span.end));
                prop_assert!(length(shown) + 2 * cluster >= 240);
            }
        }

        #[test]
        fn a_head_keeps_every_promise(content in nasty_text(0..400)) {
            let shown = head(&content);
            prop_assert!(content.starts_with(shown));
            prop_assert_eq!(shown.is_empty(), content.is_empty());
            prop_assert!(length(shown) <= 240);
            prop_assert!(length(shown) + longest_cluster(&content) > 240 || shown == content);
            prop_assert!(longest_cluster(&content) > 240 || is_boundary(&content, shown.len()));
        }
    }
}
