//! Documents and their nodes: how callers walk the tape.
//!
//! A node is a position on the tape, and its subtree is the stretch from there to the position that its
//! entry names. Children are found by stepping from one subtree to the next, so nothing here recurses.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::flaws::{self, Flaw};
use super::number::Number;
use super::parser;
use super::string;
use super::syntax_error::SyntaxError;
use super::tape::{Entry, Kind};

/// Parses a JSON text (RFC 8259), strictly.
///
/// # Errors
///
/// Whatever the grammar does not allow: a byte-order mark, text that is not UTF-8, text after the value,
/// control characters in strings, leading zeros, trailing commas, and so on. Limits on size and on depth
/// are the caller's to set: see [`Node::depth`].
pub fn parse(bytes: &[u8]) -> Result<Document<'_>, SyntaxError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| SyntaxError { offset: error.valid_up_to(), reason: "the text is not UTF-8" })?;
    Ok(Document { text, tape: parser::tape(text)?, flaws: OnceCell::new() })
}

/// A parsed text.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t str,
    tape: Vec<Entry>,
    /// Looked for when they are asked for first: what this program wrote itself has none.
    flaws: OnceCell<Vec<Flaw>>,
}

impl Document<'_> {
    /// The value that the text is.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node { document: self, index: 0 }
    }

    /// What is valid and yet ambiguous, in document order; normally nothing.
    #[must_use]
    pub fn flaws(&self) -> &[Flaw] {
        self.flaws.get_or_init(|| flaws::find(self))
    }
}

/// A value in a document.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d> {
    document: &'d Document<'d>,
    index: usize,
}

impl<'d> Node<'d> {
    /// What kind of value this is.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.entry().kind
    }

    /// The value of `true` or `false`.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.source() == "true")
    }

    /// The value of a string, in which U+FFFD stands for each lone surrogate. Borrowed from the text if
    /// the string has no escapes.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        (self.kind() == Kind::String).then(|| string::decode(self.source()).text)
    }

    /// The value of a number.
    #[must_use]
    pub fn as_number(self) -> Option<Number<'d>> {
        (self.kind() == Kind::Number).then(|| Number::new(self.source()))
    }

    /// The elements of an array, in order; nothing if this is no array.
    pub fn elements(self) -> impl Iterator<Item = Node<'d>> {
        self.children_of(Kind::Array)
    }

    /// The members of an object, in order, duplicates included; nothing if this is no object. Names are
    /// decoded as [`Node::as_str`] decodes strings.
    pub fn members(self) -> impl Iterator<Item = (Cow<'d, str>, Node<'d>)> {
        let members = self.children_of(Kind::Object);
        members.map(|member| (string::decode(member.quoted_name()).text, member))
    }

    /// The first member of that name, if this is an object that has one. Takes time linear in the
    /// number of members and the length of their names.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Node<'d>> {
        self.members().find(|(found, _)| found == name).map(|(_, member)| member)
    }

    /// How many array elements and object members are anywhere below this node. Takes constant time.
    #[must_use]
    pub fn count(self) -> usize {
        self.after().saturating_sub(self.index).saturating_sub(1)
    }

    /// The levels of arrays and objects: 0 for a scalar, 1 for `{}`, 2 for `{"a":[]}`. Takes time linear
    /// in [`Node::count`].
    #[must_use]
    pub fn depth(self) -> usize {
        let mut deepest = 0;
        let mut open = Vec::new();
        for node in self.subtree() {
            while open.last().is_some_and(|&after| after <= node.index) {
                open.pop();
            }
            if matches!(node.kind(), Kind::Array | Kind::Object) {
                open.push(node.after());
                deepest = deepest.max(open.len());
            }
        }
        deepest
    }

    /// The exact text of this value, with quotes if it is a string.
    #[must_use]
    pub fn source(self) -> &'d str {
        self.entry().value.of(self.document.text)
    }

    /// Whether the flaw, which must be of the same document, is at this node or anywhere below it.
    #[must_use]
    pub fn holds(self, flaw: &Flaw) -> bool {
        (self.index..self.after()).contains(&flaw.node.0)
    }

    /// The name in the text, with its quotes; empty if this is no member of an object.
    pub(super) fn quoted_name(self) -> &'d str {
        self.entry().name.of(self.document.text)
    }

    /// The position on the tape.
    pub(super) fn index(self) -> usize {
        self.index
    }

    /// This node and all below it, in document order.
    pub(super) fn subtree(self) -> impl Iterator<Item = Node<'d>> {
        let document = self.document;
        (self.index..self.after()).map(move |index| Node { document, index })
    }

    /// The elements of an array or the values of an object's members; nothing if this is a scalar.
    pub(super) fn children(self) -> Children<'d> {
        let document = self.document;
        Children { document, next: self.index.saturating_add(1), after: self.after() }
    }

    fn children_of(self, kind: Kind) -> impl Iterator<Item = Node<'d>> {
        let parent = Some(self).filter(|node| node.kind() == kind);
        parent.into_iter().flat_map(Node::children)
    }

    fn after(self) -> usize {
        self.entry().after
    }

    fn entry(self) -> &'d Entry {
        self.document.tape.get(self.index).unwrap_or(&Entry::ABSENT)
    }
}

/// The children of one node, in document order.
pub(super) struct Children<'d> {
    document: &'d Document<'d>,
    next: usize,
    after: usize,
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        if self.next >= self.after {
            return None;
        }
        let child = Node { document: self.document, index: self.next };
        self.next = child.after();
        Some(child)
    }
}
