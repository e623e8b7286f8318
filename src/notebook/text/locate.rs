//! Finds the first match of a query in a content, and where it lies in the original.
//!
//! The content is folded segment by segment, as far as the match, so each part of the folded text belongs to one
//! segment: the segments that a match touches, whole, are the original of the match, and they
//! still hold it wherever they are cut out, because segments fold alone.

use std::ops::Range;

use super::fold::{fold, push_folded};
use super::segment::{Stretch, stretches};

/// Bytes that are folded before a match is looked for in them.
const FOLDED_AT_ONCE: usize = 1_024;

/// The first match of a query, by the segments that it touches first and last.
pub(super) struct Match<'c, 'q> {
    content: &'c str,
    query: &'q str,
    first: Segment,
    last: Segment,
    /// How many bytes of the query lie in the first segment, where it is not also the last.
    opening: usize,
    /// How many bytes of the query precede the last segment.
    closing: usize,
}

/// Where one segment lies in the content, and in its folded form.
#[derive(Clone, PartialEq)]
struct Segment {
    original: Range<usize>,
    folded: Range<usize>,
}

/// The first match of the folded query in the content.
pub(super) fn locate<'c, 'q>(content: &'c str, query: &'q str) -> Option<Match<'c, 'q>> {
    let mut folded = Folded::default();
    let mut stretches = stretches(content);
    // No match begins before this.
    let mut from = 0;
    let start = loop {
        let at_end = !folded.grow(&mut stretches);
        let found = folded.text.get(from..)?.find(query);
        match found {
            Some(start) => break from.saturating_add(start),
            None if at_end => return None,
            None => from = folded.boundary_before(folded.text.len().saturating_sub(query.len())),
        }
    };
    let end = start.saturating_add(query.len());
    let first = folded.segment_at(start)?;
    let last = folded.segment_at(end.saturating_sub(1))?;
    Some(Match {
        content,
        query,
        opening: first.folded.end.saturating_sub(start),
        closing: last.folded.start.saturating_sub(start),
        first,
        last,
    })
}

/// The folded form of the start of a content, and which part of it is of which stretch.
#[derive(Default)]
struct Folded {
    text: String,
    /// Of each stretch: where it ends in the original and in the folded text, and whether it is ASCII.
    ends: Vec<(usize, usize, bool)>,
}

impl Folded {
    /// Folds some more of the content; `false` where that is all of it.
    fn grow<'c>(&mut self, stretches: &mut impl Iterator<Item = Stretch<'c>>) -> bool {
        let enough = self.text.len().saturating_add(FOLDED_AT_ONCE);
        for stretch in stretches {
            let (Stretch::Ascii(original) | Stretch::Segment(original)) = stretch;
            let before = self.ends.last().map_or(0, |&(end, ..)| end);
            push_folded(stretch, &mut self.text);
            let is_ascii = matches!(stretch, Stretch::Ascii(_));
            self.ends.push((before.saturating_add(original.len()), self.text.len(), is_ascii));
            if self.text.len() >= enough {
                return true;
            }
        }
        false
    }

    fn boundary_before(&self, mut offset: usize) -> usize {
        while !self.text.is_char_boundary(offset) {
            offset = offset.saturating_sub(1);
        }
        offset
    }

    /// The segment that this byte of the folded text is of.
    fn segment_at(&self, byte: usize) -> Option<Segment> {
        let number = self.ends.partition_point(|&(_, folded, _)| folded <= byte);
        let &(original_end, folded_end, is_ascii) = self.ends.get(number)?;
        let before = number.checked_sub(1).and_then(|before| self.ends.get(before));
        let &(original, folded, _) = before.unwrap_or(&(0, 0, false));
        if is_ascii {
            let within = original.saturating_add(byte.saturating_sub(folded));
            return Some(Segment { original: within..within.saturating_add(1), folded: byte..byte.saturating_add(1) });
        }
        Some(Segment { original: original..original_end, folded: folded..folded_end })
    }
}

impl Match<'_, '_> {
    /// The original of the match, in whole segments.
    pub(super) fn segments(&self) -> Range<usize> {
        self.first.original.start..self.last.original.end
    }

    /// The original of the match, cut down within its first and last segment to what still folds
    /// to the match by itself.
    ///
    /// It is for a match whose segments are too long to show. Each cut is found by bisection, in
    /// logarithmically many folds of its segment. That presumes that more of the segment never
    /// holds less of the match; where marks compose and reorder so that it does, the result still
    /// folds to the match, but a smaller part might have.
    pub(super) fn narrowed(&self) -> Range<usize> {
        let first = self.content.get(self.first.original.clone()).unwrap_or("");
        let last = self.content.get(self.last.original.clone()).unwrap_or("");
        if self.first == self.last {
            let holds = |part: &str| fold(part).contains(self.query);
            let end = shortest_prefix(last, holds);
            let start = shortest_suffix(first.get(..end).unwrap_or(first), holds);
            return offset(&self.first, start)..offset(&self.last, end);
        }
        let opening = self.query.get(..self.opening).unwrap_or(self.query);
        let closing = self.query.get(self.closing..).unwrap_or(self.query);
        let start = shortest_suffix(first, |part| fold(part).ends_with(opening));
        let end = shortest_prefix(last, |part| fold(part).starts_with(closing));
        offset(&self.first, start)..offset(&self.last, end)
    }
}

fn offset(segment: &Segment, within: usize) -> usize {
    segment.original.start.saturating_add(within)
}

/// Where a prefix ends that holds what the whole text does, while one character less does not.
fn shortest_prefix(text: &str, holds: impl Fn(&str) -> bool) -> usize {
    let ends: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
    let shortest = ends.partition_point(|&end| !text.get(..end).is_some_and(&holds));
    ends.get(shortest).copied().unwrap_or(text.len())
}

/// Where a suffix starts that holds what the whole text does, while one character less does not.
fn shortest_suffix(text: &str, holds: impl Fn(&str) -> bool) -> usize {
    let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
    let too_short = starts.partition_point(|&start| text.get(start..).is_some_and(&holds));
    let shortest = too_short.saturating_sub(1);
    starts.get(shortest).copied().unwrap_or(0)
}

#[cfg(test)]
// A panic is a failed test.
#[allow(clippy::string_slice, clippy::arithmetic_side_effects)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::notebook::text::strategies::nasty_text;

    fn matched<'c>(content: &'c str, query: &str) -> Option<&'c str> {
        locate(content, query).map(|found| &content[found.segments()])
    }

    fn narrowed<'c>(content: &'c str, query: &str) -> Option<&'c str> {
        locate(content, query).map(|found| &content[found.narrowed()])
    }

    #[test]
    fn a_match_is_led_back_to_the_original() {
        assert_eq!(matched("Die Straße!", "strasse"), Some("Straße"));
        assert_eq!(matched("ﷺﷺ Ｃａｆｅ ﷺ", "cafe"), Some("Ｃａｆｅ"));
        assert_eq!(matched("xﬁy", "f"), Some("ﬁ"));
        assert_eq!(matched("xﬁy", "iy"), Some("ﬁy"));
        assert_eq!(matched("カｶﾞ", "ガ"), Some("ｶﾞ"));
        assert_eq!(matched("nothing", "here"), None);
        assert_eq!(matched("", "a"), None);
    }

    #[test]
    fn the_first_match_counts() {
        let found = locate("aXbxbX", "xb").unwrap();
        assert_eq!(found.segments(), 1..3);
    }

    #[test]
    fn a_narrowed_match_leaves_out_what_the_query_does_not_ask_for() {
        assert_eq!(narrowed("xyz\u{301}\u{301}\u{302}", "xyź"), Some("xyz\u{301}"));
        assert_eq!(narrowed("q\u{316}\u{317}\u{301}x", "\u{301}x"), Some("\u{301}x"));
        assert_eq!(narrowed("ㅏㅠㅠㅠㅠ", "\u{1172}\u{1172}"), Some("ㅠㅠ"));
    }

    proptest! {
        #[test]
        fn what_a_text_finds_it_finds_in_the_original_of_the_match(
            content in nasty_text(0..40),
            query in nasty_text(1..4),
        ) {
            let query = fold(&query);
            let found = locate(&content, &query);
            prop_assert_eq!(found.is_some(), fold(&content).contains(&query));
            if let Some(found) = found {
                prop_assert!(fold(&content[found.segments()]).contains(&query));
                prop_assert!(fold(&content[found.narrowed()]).contains(&query));
            }
        }

        #[test]
        fn a_part_of_a_text_is_found_no_later_than_it_stands(
            (before, part, after) in (nasty_text(0..9), nasty_text(1..9), nasty_text(0..9))
        ) {
            // Letters fence the part off from what it would join.
            let content = format!("{before}q{part}q{after}");
            let query = fold(&format!("q{part}q"));
            // A mark may join the last letter, and the match is another text then.
            if let Some(found) = locate(&content, &query) {
                prop_assert!(found.segments().start <= before.len());
                let before_match = &content[..found.segments().start];
                prop_assert!(!fold(before_match).contains(&query));
            }
        }
    }
}
