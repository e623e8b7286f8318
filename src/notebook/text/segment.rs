//! Cuts a text into segments that fold independently of each other: the fold of a text is the
//! folds of its segments, one after the other.
//!
//! Call a character *closed* when the first character of its compatibility decomposition is a
//! starter (combining class 0) that never composes with a character before it. A segment is cut
//! before every closed character. Take a text `L` + `R` where `R` begins with a closed character:
//!
//! - Normalising `L` + `R` normalises `L` and `R` apart. Canonical ordering moves nothing across
//!   a starter, and once `R` begins with one that composes with nothing before it, that starter,
//!   not the last one of `L`, is what the rest of `R` would compose with. Hangul is no exception:
//!   vowels and trailing consonants do compose with what is before them, so are not closed.
//! - Case folding maps each character by itself, so it never looks across.
//! - Either leaves `R` beginning with a closed character: normalisation because the composite
//!   decomposes to the same first character, case folding because it maps closed characters to
//!   closed ones (the tests ask every character).
//!
//! So no step of the folding, however often repeated, lets `L` and `R` interact. U+0345, which
//! moves behind other marks as a mark and then folds to the letter iota, is not closed.

use std::iter::once;

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;

const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();
const COMBINING_CLASSES: CanonicalCombiningClassMapBorrowed<'static> = CanonicalCombiningClassMapBorrowed::new();

/// Every character before this one is closed; the tests ask each.
const FIRST_OPEN: char = '\u{300}';

/// Whether a character is of those that texts are mostly of: closed, and folded to itself. Only a shortcut past the
/// definitions, which the tests compare for every character.
pub(super) const fn is_common(character: char) -> bool {
    matches!(
        character,
        'à'..='ö' | 'ø'..='ÿ' | 'α'..='ρ' | 'σ'..='ω' | 'а'..='џ' | 'א'..='ת' | 'ء'..='غ' | 'ف'..='ي'
            | 'ก'..='ะ' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '㐀'..='䶿' | '一'..='鿿' | '가'..='힣'
    )
}

/// A part of a text: one segment, or many of one ASCII character each.
///
/// A segment is one character and the marks, vowels or trailing consonants that may join it, so it is short in real text, but
/// nothing bounds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stretch<'t> {
    Ascii(&'t str),
    Segment(&'t str),
}

/// The stretches of a text, in order; none is empty, and together they are the text.
pub(super) fn stretches(text: &str) -> impl Iterator<Item = Stretch<'_>> {
    Stretches { rest: text }
}

struct Stretches<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Stretches<'t> {
    type Item = Stretch<'t>;

    fn next(&mut self) -> Option<Stretch<'t>> {
        let ascii = self.rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(self.rest.len());
        // What follows may join the last.
        let alone = if ascii == self.rest.len() { ascii } else { ascii.saturating_sub(1) };
        if alone > 0 {
            return self.take(alone).map(Stretch::Ascii);
        }
        let mut characters = self.rest.char_indices();
        characters.next()?;
        let end = characters.find(|&(_, character)| is_closed(character)).map_or(self.rest.len(), |(start, _)| start);
        self.take(end).map(Stretch::Segment)
    }
}

impl<'t> Stretches<'t> {
    fn take(&mut self, end: usize) -> Option<&'t str> {
        let (taken, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(taken)
    }
}

/// Whether nothing that precedes the character can interact with it in folding.
fn is_closed(character: char) -> bool {
    character < FIRST_OPEN || is_common(character) || decomposes_to_closed(character)
}

fn decomposes_to_closed(character: char) -> bool {
    let first = NFKD.normalize_iter(once(character)).next();
    first.is_some_and(|first| COMBINING_CLASSES.get_u8(first) == 0 && !composes_backwards(first))
}

/// Whether a starter is the second of a composition; the tests ask every character.
const fn composes_backwards(starter: char) -> bool {
    matches!(
        starter,
        '\u{9be}' | '\u{9d7}' | '\u{b3e}' | '\u{b56}' | '\u{b57}' | '\u{bbe}' | '\u{bd7}' | '\u{cc2}' | '\u{cd5}' | '\u{cd6}'
            | '\u{d3e}' | '\u{d57}' | '\u{dcf}' | '\u{ddf}' | '\u{102e}' | '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}'
            | '\u{1b35}' | '\u{11127}' | '\u{1133e}' | '\u{11357}' | '\u{113b8}' | '\u{113bb}' | '\u{113c2}' | '\u{113c9}'
            | '\u{114b0}' | '\u{114ba}' | '\u{114bd}' | '\u{115af}' | '\u{11930}' | '\u{1611e}'..='\u{16120}' | '\u{16129}'
            | '\u{16d67}'
    )
}

#[cfg(test)]
mod tests {
    use std::iter::once;

    use icu_casemap::CaseMapper;
    use unicode_normalization::char::canonical_combining_class;
    use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

    use super::{FIRST_OPEN, Stretch, composes_backwards, decomposes_to_closed, is_closed, is_common, stretches};
    use crate::notebook::text::strategies::interacts;

    fn cut(text: &str) -> Vec<&str> {
        stretches(text)
            .flat_map(|stretch| match stretch {
                Stretch::Ascii(text) => text.split("").filter(|character| !character.is_empty()).collect(),
                Stretch::Segment(segment) => vec![segment],
            })
            .collect()
    }

    #[test]
    fn the_segments_of_a_text_are_the_text() {
        assert_eq!(cut(""), Vec::<&str>::new());
        assert_eq!(cut("ab"), ["a", "b"]);
        assert_eq!(cut("abé"), ["a", "b", "é"]);
        assert_eq!(cut("ae\u{301}\u{323}x"), ["a", "e\u{301}\u{323}", "x"]);
        assert_eq!(cut("\u{301}x"), ["\u{301}", "x"]);
    }

    #[test]
    fn what_may_compose_stays_in_one_segment() {
        for text in [
            "\u{1100}\u{1161}\u{11a8}",
            "가\u{11a8}",
            "ｶﾞ",
            "α\u{345}\u{313}",
            "\u{9c7}\u{9be}",
            "\u{ffa1}\u{ffc2}",
            "\u{11099}\u{110ba}",
        ] {
            assert_eq!(cut(text), [text]);
        }
    }

    #[test]
    fn a_starter_that_composes_with_nothing_before_it_begins_a_segment() {
        assert_eq!(cut("한글"), ["한", "글"]);
        assert_eq!(cut("ガカ"), ["ガ", "カ"]);
        assert_eq!(cut("\u{1100}\u{1100}\u{1161}"), ["\u{1100}", "\u{1100}\u{1161}"]);
    }

    #[test]
    fn every_character_before_the_combining_marks_is_closed() {
        for character in '\0'..FIRST_OPEN {
            assert!(decomposes_to_closed(character), "{character:?}");
        }
    }

    #[test]
    fn every_common_character_is_closed() {
        for character in ('\0'..=char::MAX).filter(|&character| is_common(character)) {
            assert!(decomposes_to_closed(character), "{character:?}");
        }
    }

    #[test]
    fn the_starters_that_compose_backwards_are_those_of_unicode() {
        // A fully decomposed character has NFC_QC=Maybe exactly when it is the second of a composition.
        let decomposed = |character: &char| character.nfkd().eq(once(*character));
        for starter in ('\0'..=char::MAX).filter(decomposed).filter(|it| canonical_combining_class(*it) == 0) {
            assert_eq!(composes_backwards(starter), is_nfc_quick(once(starter)) == IsNormalized::Maybe, "{starter:?}");
        }
    }

    #[test]
    fn case_folding_maps_closed_characters_to_closed_characters() {
        let mapper = CaseMapper::new();
        let closed = ('\0'..=char::MAX).filter(|&character| is_closed(character));
        for character in closed.filter(|&character| interacts(character)) {
            let text = character.to_string();
            for form in [text.clone(), text.nfd().collect(), text.nfkc().collect()] {
                let first = form.chars().next().unwrap();
                assert!(is_closed(first), "{character:?}");
                assert_eq!(canonical_combining_class(first), 0, "{character:?}");
                let folded = mapper.fold_string(&form);
                assert!(is_closed(folded.chars().next().unwrap()), "{character:?}");
            }
        }
    }
}
