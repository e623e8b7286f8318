//! The entries of the tape: what is kept of each value.
//!
//! An entry is plain data of a fixed size, so dropping a document is freeing one vector, however deeply
//! its values nest.

/// A stretch of the text, in bytes.
///
/// Every span begins and ends next to an ASCII character, so it never splits a character.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    /// No text at all. No value and no name (which has its quotes) is ever this short.
    pub(super) const EMPTY: Self = Self { start: 0, end: 0 };

    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The six kinds of JSON values (RFC 8259, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The name of this kind in JSON Schema: `"null"`, `"boolean"`, `"number"`, `"string"`, `"array"` or
    /// `"object"`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// One value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) value: Span,
    /// The name with its quotes, or empty if the value is not a member of an object.
    pub(super) name: Span,
    /// The position on the tape just after this value and everything in it.
    pub(super) after: usize,
}

impl Entry {
    /// Stands in for an entry that does not exist; no position that a node holds is without an entry.
    pub(super) const ABSENT: Self = Self { kind: Kind::Null, value: Span::EMPTY, name: Span::EMPTY, after: 0 };
}
