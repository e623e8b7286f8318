//! JSON objects that others made (headers, claims, keys, metadata): read so that every reader reads the same.

use crate::json::{self, Document, FlawKind, Kind, Node};

/// A member is missing, or of another kind than it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wrong;

/// The JSON that a text is; `None` where it has a name twice or half of a character.
pub(super) fn unambiguous(text: &[u8]) -> Option<Document<'_>> {
    json::parse(text).ok().filter(|document| document.flaws().iter().all(|flaw| flaw.kind == FlawKind::InexactNumber))
}

/// The JSON object that a text is, unambiguously.
pub(super) fn parse_object(text: &[u8]) -> Option<Document<'_>> {
    unambiguous(text).filter(|document| document.root().kind() == Kind::Object)
}

/// What `read` makes of a member that may be missing.
pub(super) fn optional<T>(
    object: Node<'_>,
    name: &str,
    read: impl FnOnce(Node<'_>) -> Option<T>,
) -> Result<Option<T>, Wrong> {
    object.member(name).map(|value| read(value).ok_or(Wrong)).transpose()
}

/// What `read` makes of a member that must be there.
pub(super) fn required<T>(object: Node<'_>, name: &str, read: impl FnOnce(Node<'_>) -> Option<T>) -> Result<T, Wrong> {
    optional(object, name, read)?.ok_or(Wrong)
}

/// The string that a member is, if there is one.
pub(super) fn optional_text(object: Node<'_>, name: &str) -> Result<Option<String>, Wrong> {
    optional(object, name, text)
}

/// The string that a member must be.
pub(super) fn required_text(object: Node<'_>, name: &str) -> Result<String, Wrong> {
    optional_text(object, name)?.ok_or(Wrong)
}

/// A string.
fn text(value: Node<'_>) -> Option<String> {
    value.as_str().map(std::borrow::Cow::into_owned)
}

/// An array of strings, or a string as a list of one.
pub(super) fn texts(value: Node<'_>) -> Option<Vec<String>> {
    match value.kind() {
        Kind::Array => value.elements().map(text).collect(),
        _ => text(value).map(|text| vec![text]),
    }
}
