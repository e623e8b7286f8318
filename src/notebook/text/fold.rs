//! Folds text for caseless, compatibility-insensitive comparison.
//!
//! The folding is the fixed point of Unicode's D146 with NFKC: start with NFD, then case-fold
//! (full mappings) and normalise to NFKC until nothing changes. NFD comes first because U+0345
//! folds to a letter, so must take its place among the marks before it does. The text is folded
//! segment by segment, which gives the same result (see `segment`) in linear time, save for the
//! sorting of the marks within one segment.

use std::borrow::Cow;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use super::segment::{Stretch, is_common, stretches};

/// The version of Unicode up to which [`fold`] is complete: that of ICU4X's data, which do not tell
/// it; a test would notice a change.
///
/// Text that was folded under another version may fold differently now, where it holds characters
/// that only the later of the two versions assigns.
pub const UNICODE_VERSION: (u8, u8, u8) = (18, 0, 0);

const MAPPER: CaseMapperBorrowed<'static> = CaseMapper::new();
const NFD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfd();
const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();

/// The folded form of a text: two texts match, in the sense of Unicode's definition D146
/// (compatibility caseless match), when their folded forms are equal.
///
/// A text and its canonical normal forms fold alike. So do the compatibility ones, but for what
/// D146 itself leaves apart: the iota subscript folds to a letter, so it matters whether a mark
/// that only the compatibility form has was sorted before it.
///
/// The result is in NFKC, folds to itself, and never holds an upper-case ASCII letter. It takes
/// time linear in the text (in `n log n` for one character with `n` marks) and may be 18 times as
/// many characters as the text.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for stretch in stretches(text) {
        push_folded(stretch, &mut folded);
    }
    folded
}

/// Appends the folded form of a stretch.
pub(super) fn push_folded(stretch: Stretch<'_>, folded: &mut String) {
    let segment = match stretch {
        Stretch::Ascii(text) => {
            let start = folded.len();
            folded.push_str(text);
            return folded.get_mut(start..).unwrap_or_default().make_ascii_lowercase();
        }
        Stretch::Segment(segment) => segment,
    };
    let mut characters = segment.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) if is_common(character) || is_folded(character, segment) => {
            folded.push(character);
        }
        _ => folded.push_str(&fold_by_definition(segment)),
    }
}

/// Whether the one character of the segment folds to itself, as most do: only a shortcut past
/// the definition, which the tests compare for every character.
fn is_folded(character: char, segment: &str) -> bool {
    MAPPER.simple_fold(character) == character && NFKC.is_normalized(segment) && MAPPER.fold_string(segment) == segment
}

/// The fixed point itself. Three rounds reach it; the tests say so for every character.
fn fold_by_definition(text: &str) -> String {
    let mut folded = NFD.normalize(text);
    loop {
        let next = NFKC.normalize(&MAPPER.fold_string(&folded)).into_owned();
        if next == folded {
            return next;
        }
        folded = Cow::Owned(next);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::*;
    use crate::notebook::text::strategies::{interacts, nasty_characters, nasty_text};

    /// The definition, on the text as a whole.
    fn plain(text: &str) -> String {
        let mut folded: String = text.nfd().collect();
        loop {
            let next: String = case_fold(&folded).nfkc().collect();
            if next == folded {
                return folded;
            }
            folded = next;
        }
    }

    /// Unicode's formula for D146: two texts match when this is equal for both.
    fn d146(text: &str) -> String {
        let folded: String = case_fold(&text.nfd().collect::<String>()).nfkd().collect();
        case_fold(&folded).nfkd().collect()
    }

    fn case_fold(text: &str) -> String {
        MAPPER.fold_string(text).into_owned()
    }

    fn finds(query: &str, content: &str) -> bool {
        fold(content).contains(&fold(query))
    }

    #[test]
    fn a_query_finds_text_whatever_its_case() {
        assert!(finds("STRASSE", "Straße"));
        assert!(finds("straße", "STRASSE"));
        assert!(finds("strasse", "STRAẞE"));
        assert!(finds("ΟΔΟΣ", "οδος"));
        assert!(finds("οδος", "ΟΔΟΣ"));
        assert!(finds("ΟΔΌΣ", "οδός"));
        assert!(finds("οδόσ", "ΟΔΌΣ"));
        assert!(finds("ꭰ", "Ꭰ"));
        assert!(finds("i\u{307}", "İ"));
        assert!(!finds("i", "ı"));
    }

    #[test]
    fn a_query_finds_compatible_forms() {
        assert!(finds("ＣＡＦＥ", "Cafe"));
        assert!(finds("Cafe", "ＣＡＦＥ"));
        assert!(finds("ﬁ", "fi"));
        assert!(finds("fi", "ﬁ"));
        assert!(finds("f", "ﬁ"));
        assert!(finds("ｶﾞ", "ガ"));
        assert!(finds("ガ", "ｶﾞ"));
        assert!(finds("محمد", "ﷴ"));
    }

    #[test]
    fn composed_and_decomposed_forms_find_each_other() {
        assert!(finds("cafe\u{301}", "café"));
        assert!(finds("café", "CAFE\u{301}"));
        assert!(finds("한", "\u{1112}\u{1161}\u{11ab}"));
        assert!(finds("\u{1112}\u{1161}\u{11ab}", "한"));
        assert!(finds("ᾳ\u{313}", "α\u{313}\u{345}"));
    }

    #[test]
    fn a_compatibility_form_with_an_iota_subscript_may_differ_as_it_does_in_d146() {
        let text = "ᾃ\u{ff9e}";
        let compatible: String = text.nfkc().collect();
        assert_ne!(d146(text), d146(&compatible));
        assert_ne!(fold(text), fold(&compatible));
    }

    #[test]
    fn accents_tell_texts_apart() {
        assert!(!finds("ＣＡＦＥ", "café"));
        assert!(!finds("café", "cafe"));
        assert!(!finds("カ", "ガ"));
    }

    #[test]
    fn every_character_folds_as_defined() {
        for character in '\0'..=char::MAX {
            let text = character.to_string();
            let folded = fold(&text);
            assert_eq!(folded, plain(&text), "{character:?}");
            assert!(!folded.contains(|c: char| c.is_ascii_uppercase()), "{character:?}");
            if folded != text {
                assert_eq!(fold(&folded), folded, "{character:?}");
            }
        }
    }

    #[test]
    fn every_character_and_its_normal_forms_fold_alike() {
        for character in ('\0'..=char::MAX).filter(|&character| interacts(character)) {
            let text = character.to_string();
            let folded = fold(&text);
            assert_eq!(folded.nfkd().collect::<String>(), d146(&text), "{character:?}");
            assert_eq!(folded, fold(&character.nfc().collect::<String>()), "{character:?}");
            assert_eq!(folded, fold(&character.nfd().collect::<String>()), "{character:?}");
            assert_eq!(folded, fold(&character.nfkc().collect::<String>()), "{character:?}");
            assert_eq!(folded, fold(&character.nfkd().collect::<String>()), "{character:?}");
            assert_eq!(folded, fold(&case_fold(&text)), "{character:?}");
        }
    }

    #[test]
    fn characters_fold_as_defined_beside_nasty_neighbours() {
        // All pairs would take half a minute; a fifth of the neighbours, in turn, stands for all.
        let nasty = nasty_characters();
        let interacting =
            ('\0'..=char::MAX).enumerate().filter(|&(number, character)| number % 1009 == 0 || interacts(character));
        for (number, character) in interacting {
            let neighbours = nasty.iter().skip(number % 5).step_by(5);
            let text: String = neighbours.flat_map(|&neighbour| [character, neighbour]).collect();
            assert_eq!(fold(&text), plain(&text), "{character:?}");
        }
    }

    #[test]
    fn three_rounds_fold_every_character() {
        for character in ('\0'..=char::MAX).filter(|&character| interacts(character)) {
            let mut text: String = character.nfd().collect();
            for _ in 0..3 {
                text = case_fold(&text).nfkc().collect();
            }
            assert_eq!(text, fold(&character.to_string()), "{character:?}");
        }
    }

    #[test]
    fn the_data_are_of_the_announced_version() {
        let folded = ('\0'..=char::MAX).filter(|c| case_fold(&c.to_string()) != c.to_string());
        assert_eq!((UNICODE_VERSION, folded.count()), (unicode_normalization::UNICODE_VERSION, 1606));
        // Assigned by Unicode 18.
        assert_eq!(fold("\u{a7dd}\u{1df95}"), "\u{277}ss");
    }

    #[test]
    fn long_texts_and_long_segments_fold() {
        let ligatures = fold(&"ﷺ".repeat(65_536));
        assert_eq!(ligatures, fold("ﷺ").repeat(65_536));
        assert_eq!(ligatures.chars().count(), 18 * 65_536);
        // Each round of marks out of order: the base composes with the dot below.
        let marks = "\u{301}\u{323}".repeat(32_767);
        let folded = fold(&format!("A{marks}"));
        assert!(folded.starts_with("ạ\u{323}\u{323}"));
        assert!(folded.ends_with("\u{301}\u{301}"));
        assert_eq!(folded.chars().count(), 2 * 32_767);
    }

    proptest! {
        #[test]
        fn segmented_folding_is_the_definition(text in nasty_text(0..40)) {
            prop_assert_eq!(fold(&text), plain(&text));
        }

        #[test]
        fn folding_again_changes_nothing(text in nasty_text(0..40)) {
            prop_assert_eq!(fold(&fold(&text)), fold(&text));
        }

        #[test]
        fn texts_match_exactly_when_d146_says_so(
            (left, right) in (nasty_text(0..4), nasty_text(0..4))
        ) {
            prop_assert_eq!(fold(&left) == fold(&right), d146(&left) == d146(&right));
            prop_assert_eq!(fold(&left).nfkd().collect::<String>(), d146(&left));
        }

        #[test]
        fn the_normal_forms_of_a_text_fold_alike(text in nasty_text(0..40)) {
            let folded = fold(&text);
            prop_assert_eq!(&folded, &fold(&text.nfc().collect::<String>()));
            prop_assert_eq!(&folded, &fold(&text.nfd().collect::<String>()));
            let compatible: String = text.nfkd().collect();
            if !compatible.contains('\u{345}') {
                prop_assert_eq!(&folded, &fold(&text.nfkc().collect::<String>()));
                prop_assert_eq!(&folded, &fold(&compatible));
            }
        }

        #[test]
        fn folded_text_holds_no_upper_case_ascii(text in nasty_text(0..40)) {
            prop_assert!(!fold(&text).contains(|c: char| c.is_ascii_uppercase()));
        }
    }
}
