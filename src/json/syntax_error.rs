//! Why a text is not JSON.

use std::fmt;

/// The first place where a text breaks the grammar of RFC 8259.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The offset, in bytes, of the first byte that cannot stand where it does; the length of the text
    /// if it ends too early.
    pub offset: usize,
    /// What is wrong there, as a clause for people to read.
    pub reason: &'static str,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for SyntaxError {}
