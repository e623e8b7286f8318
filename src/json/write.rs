//! Writing values again: compactly, or canonically (RFC 8785).
//!
//! Both forms are one walk; they differ in the order of an object's members and in how they write numbers.
//! The walk keeps a stack of the containers it is in, so nesting never costs the machine's stack.

use std::{mem, vec};

use super::document::Node;
use super::number::Number;
use super::string::{self, write_string};
use super::tape::Kind;

impl<'d> Node<'d> {
    /// Appends the compact form of this value: no white space, strings escaped as [`write_string`] does,
    /// members in the order sent, duplicates included, and numbers as sent. Lone surrogates become U+FFFD.
    ///
    /// Takes time linear in the text of the value.
    pub fn write_compact(self, out: &mut String) {
        let as_sent = |out: &mut String, number: Number<'d>| out.push_str(number.source());
        write(self, out, Node::children, as_sent);
    }

    /// The canonical form of this value, by the JSON Canonicalization Scheme (RFC 8785): like the compact
    /// form, but with members sorted by the UTF-16 code units of their names, and numbers as ECMAScript
    /// writes them.
    ///
    /// The scheme is for values without flaws. With them, members of the same name stay in the order sent,
    /// and a number that no double can hold stays as sent.
    #[must_use]
    pub fn canonical(self) -> String {
        let mut out = String::new();
        write(self, &mut out, sorted_children, |out, number| {
            if number.as_f64().is_finite() {
                out.push_str(&number.ecmascript());
            } else {
                out.push_str(number.source());
            }
        });
        out
    }
}

fn sorted_children(node: Node<'_>) -> vec::IntoIter<Node<'_>> {
    if node.kind() != Kind::Object {
        return node.children().collect::<Vec<_>>().into_iter();
    }
    let mut members: Vec<_> = node.members().collect();
    members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    members.into_iter().map(|(_, member)| member).collect::<Vec<_>>().into_iter()
}

/// A container that is being written.
struct Open<C> {
    children: C,
    is_first: bool,
    closer: char,
}

fn write<'d, C: Iterator<Item = Node<'d>>>(
    root: Node<'d>,
    out: &mut String,
    children: impl Fn(Node<'d>) -> C,
    write_number: impl Fn(&mut String, Number<'d>),
) {
    let mut open = Vec::new();
    let mut next = Some(root);
    while let Some(node) = next {
        if let Some((opener, closer)) = brackets(node.kind()) {
            out.push(opener);
            open.push(Open { children: children(node), is_first: true, closer });
        } else if let Some(number) = node.as_number() {
            write_number(out, number);
        } else if let Some(text) = node.as_str() {
            write_string(out, &text);
        } else {
            out.push_str(node.source());
        }
        next = next_value(&mut open, out);
    }
}

fn brackets(kind: Kind) -> Option<(char, char)> {
    match kind {
        Kind::Array => Some(('[', ']')),
        Kind::Object => Some(('{', '}')),
        _ => None,
    }
}

/// Writes what stands between the last value and the next: closing brackets, then a comma and a name.
fn next_value<'d, C: Iterator<Item = Node<'d>>>(open: &mut Vec<Open<C>>, out: &mut String) -> Option<Node<'d>> {
    while let Some(container) = open.last_mut() {
        if let Some(child) = container.children.next() {
            if !mem::replace(&mut container.is_first, false) {
                out.push(',');
            }
            if !child.quoted_name().is_empty() {
                write_string(out, &string::decode(child.quoted_name()).text);
                out.push(':');
            }
            return Some(child);
        }
        out.push(container.closer);
        open.pop();
    }
    None
}
