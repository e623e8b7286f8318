//! Texts that are hard to fold and to cut, for the property tests of this module.

use std::iter::once;

use icu_casemap::CaseMapper;
use proptest::char::range;
use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use proptest::sample::select;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// One of each kind of character that interacts with its neighbours when a text is folded.
const NASTY: &[&str] = &[
    // Latin and its marks: of three combining classes, blocked, and never composed.
    "aAſßẞﬁİıIǰŉ\u{212b}ẛệ\u{300}\u{301}\u{307}\u{30c}\u{323}\u{327}\u{338}\u{340}\u{344}\u{34f}",
    // Greek: iota subscript, both sigmas, both letters that decompose to three.
    "\u{345}ι\u{1fbe}\u{37a}αᾳᾼᾷᾈΣςΐ\u{3a9}\u{2126}\u{313}\u{342}",
    // Hangul: syllables, conjoining, compatibility and half-width letters.
    "\u{1100}\u{1112}\u{1161}\u{1175}\u{11a7}\u{11a8}\u{11c2}가각힣ㄱㅏㅠ\u{ffa1}\u{ffc2}\u{115f}\u{1160}",
    // Kana with voiced marks, full and half width.
    "カガウヴｶﾊ\u{ff9e}\u{ff9f}\u{3099}\u{309a}\u{309b}㌕",
    // Arabic ligatures and marks, and what decomposes to marks alone.
    "ﷺﷲا\u{64b}\u{653}\u{fc5e}\u{fe70}",
    // Starters that are the second of a composition, with what they compose with.
    "\u{9c7}\u{9be}\u{9d7}\u{bc6}\u{bd7}\u{ddc}\u{ddf}\u{dca}\u{102e}\u{1025}\u{11131}\u{11127}\u{11099}\u{110ba}\u{1611e}\u{16129}\u{1133e}\u{11347}\u{16d67}\u{16d63}",
    // Composition exclusions and decompositions that begin with a mark.
    "\u{958}\u{93c}\u{fb2c}\u{5c1}\u{2adc}\u{1d15e}\u{1d165}\u{1d16e}\u{f71}\u{f73}\u{f81}\u{f72}",
    // Cherokee folds to upper case.
    "Ꭰꭰ\u{13f8}",
    // Han compatibility, unassigned, noncharacters, ignorables, controls and the last character.
    "\u{f900}\u{fa0e}\u{2f800}\u{378}\u{fdd0}\u{ffff}\u{10ffff}\u{ad}\u{200b}\u{200d}\u{fe0f}\0\r\n ",
    // Emoji, which grapheme clusters join.
    "👩🏽❤🇦🇿\u{e0020}",
];

/// The characters of [`NASTY`].
pub(super) fn nasty_characters() -> Vec<char> {
    NASTY.iter().flat_map(|kind| kind.chars()).collect()
}

/// A character that is likely to interact with its neighbours.
fn nasty_character() -> impl Strategy<Value = char> {
    prop_oneof![
        4 => select(nasty_characters()),
        2 => range('\u{300}', '\u{36f}'),
        1 => range('A', 'z'),
        1 => range('\u{1100}', '\u{11ff}'),
        1 => range('\u{370}', '\u{3ff}'),
        1 => range('\u{1f00}', '\u{1fff}'),
        1 => range('\u{ff00}', '\u{ffef}'),
        1 => range('\u{fb50}', '\u{fdff}'),
        1 => range('\u{1f1e6}', '\u{1f1ff}'),
        1 => any::<char>(),
    ]
}

/// A text of such characters.
pub(super) fn nasty_text(length: impl Into<SizeRange>) -> impl Strategy<Value = String> {
    vec(nasty_character(), length).prop_map(String::from_iter)
}

/// Whether folding may do anything with the character, alone or beside another.
pub(super) fn interacts(character: char) -> bool {
    let text = character.to_string();
    canonical_combining_class(character) != 0
        || is_nfkc_quick(once(character)) != IsNormalized::Yes
        || !character.nfd().eq([character])
        || CaseMapper::new().fold_string(&text) != text
}
