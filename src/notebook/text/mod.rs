//! Text: how the notebook compares it, and which part of it a search hit shows.
//!
//! Two texts match when they are a compatibility caseless match (Unicode definition D146), and a
//! query matches wherever its folded form is a substring of the folded content. [`fold`] is that
//! folding, `segment` is what makes it local, so that `locate` can lead a match back to the
//! original characters and [`excerpt`] can show them.
//!
//! Case folding comes from `icu_casemap` rather than `caseless`: the Unicode Consortium keeps its
//! data at the version of the normalisation crate (18, where `caseless` 0.2.2 stays at 16), for
//! about 3 kB more of compressed code and tables.

mod excerpt;
mod fold;
mod locate;
mod segment;
#[cfg(test)]
mod strategies;

pub use excerpt::{EXCERPT_CHARACTERS, excerpt, head};
pub use fold::{UNICODE_VERSION, fold};

/// Whether the text holds nothing but white space, by Unicode's `White_Space` property.
///
/// The empty text is blank; U+200B ZERO WIDTH SPACE is not white space.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn white_space_of_any_script_is_blank() {
        assert!(is_blank(""));
        assert!(is_blank(" \t\r\n\u{b}\u{c}\u{85}\u{a0}\u{1680}\u{2003}\u{2028}\u{2029}\u{3000}"));
    }

    #[test]
    fn anything_else_is_not_blank() {
        for text in ["a", " . ", "\u{0}", "\u{200b}", "\u{feff}", "\u{2800}"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }
}
