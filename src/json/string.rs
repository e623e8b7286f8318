//! Strings: decoding their escapes and writing them again (RFC 8259, section 7).
//!
//! Decoding trusts the scanner: what it is given is a string of the grammar, so each escape is complete.
//! Writing is ECMAScript's `QuoteJSONString`, which RFC 8785 (section 3.2.2.2) prescribes too.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A decoded string.
pub(super) struct Decoded<'t> {
    /// The characters, with U+FFFD for each lone surrogate.
    pub(super) text: Cow<'t, str>,
    pub(super) has_lone_surrogate: bool,
}

/// Decodes a string that the scanner has accepted, given with its quotes.
pub(super) fn decode(quoted: &str) -> Decoded<'_> {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inner = inner.unwrap_or_default();
    if !inner.contains('\\') {
        return Decoded { text: Cow::Borrowed(inner), has_lone_surrogate: false };
    }
    let mut text = String::with_capacity(inner.len());
    let mut has_lone_surrogate = false;
    let mut rest = inner;
    while let Some((plain, escape)) = rest.split_once('\\') {
        let (character, after) = decode_escape(escape);
        text.push_str(plain);
        text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        has_lone_surrogate |= character.is_none();
        rest = after;
    }
    text.push_str(rest);
    Decoded { text: Cow::Owned(text), has_lone_surrogate }
}

/// Decodes what follows a backslash: the character, or nothing for a lone surrogate, and the rest.
fn decode_escape(escape: &str) -> (Option<char>, &str) {
    if let Some((unit, rest)) = decode_unit(escape) {
        return decode_surrogates(unit, rest);
    }
    let mut characters = escape.chars();
    let character = characters.next().map(|letter| match letter {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        itself => itself,
    });
    (character, characters.as_str())
}

/// Joins a UTF-16 code unit with the one escaped right after it, if they are a pair.
fn decode_surrogates(unit: u16, rest: &str) -> (Option<char>, &str) {
    if let Some(character) = char::from_u32(u32::from(unit)) {
        return (Some(character), rest);
    }
    if let Some((second, after)) = rest.strip_prefix('\\').and_then(decode_unit)
        && let Some(Ok(character)) = char::decode_utf16([unit, second]).next()
    {
        return (Some(character), after);
    }
    (None, rest)
}

/// Decodes `uXXXX`.
fn decode_unit(escape: &str) -> Option<(u16, &str)> {
    let (digits, rest) = escape.strip_prefix('u')?.split_at_checked(4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}

/// Appends a string in quotes, escaping what must be and nothing else, exactly as ECMAScript's
/// `JSON.stringify` does (ECMA-262, `QuoteJSONString`).
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    // Byte by byte: no byte of a longer character is one of these.
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        let (plain, special) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut characters = special.chars();
        if let Some(character) = characters.next() {
            write_escape(out, character);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn write_escape(out: &mut String, character: char) {
    let letter = match character {
        '\u{8}' => 'b',
        '\u{c}' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '"' | '\\' => character,
        control => {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(control));
            return;
        }
    };
    out.push('\\');
    out.push(letter);
}
