//! What is valid JSON and yet means different things to different readers.
//!
//! Flaws are looked for in one pass over a finished tape, so that the parser knows only the grammar. Each
//! string, name and number is decoded at most twice, and the names of each object are sorted once.

use super::document::{Document, Node};
use super::string;
use super::tape::Kind;

/// The place of a node in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(pub(super) usize);

/// One flaw of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flaw {
    /// The node that has it: see [`Node::holds`] and [`Node::pointer_to`].
    pub node: NodeIndex,
    /// What it is.
    pub kind: FlawKind,
}

/// The kinds of flaws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlawKind {
    /// An earlier member of the same object has the same name (RFC 8259, section 4). Names are compared
    /// as [`Node::members`] decodes them.
    DuplicateName,
    /// The name of this member has a surrogate without its partner (RFC 8259, section 8.2).
    LoneSurrogateInName,
    /// This string has a surrogate without its partner (RFC 8259, section 8.2).
    LoneSurrogate,
    /// This number is not [exact](super::Number::is_exact) (RFC 8259, section 6).
    InexactNumber,
}

/// Finds all flaws, in document order.
pub(super) fn find(document: &Document<'_>) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    for node in document.root().subtree() {
        if string::decode(node.quoted_name()).has_lone_surrogate {
            flaws.push(at(node, FlawKind::LoneSurrogateInName));
        }
        match node.kind() {
            Kind::String if string::decode(node.source()).has_lone_surrogate => {
                flaws.push(at(node, FlawKind::LoneSurrogate));
            }
            Kind::Number if node.as_number().is_some_and(|number| !number.is_exact()) => {
                flaws.push(at(node, FlawKind::InexactNumber));
            }
            Kind::Object => find_duplicates(node, &mut flaws),
            _ => {}
        }
    }
    // The duplicates of an object come before the flaws inside it: put them where they belong.
    flaws.sort_unstable();
    flaws
}

fn find_duplicates(object: Node<'_>, flaws: &mut Vec<Flaw>) {
    let mut members: Vec<_> = object.members().map(|(name, member)| (name, member.index())).collect();
    members.sort_unstable();
    for pair in members.windows(2) {
        if let [(earlier, _), (name, index)] = pair
            && earlier == name
        {
            flaws.push(Flaw { node: NodeIndex(*index), kind: FlawKind::DuplicateName });
        }
    }
}

fn at(node: Node<'_>, kind: FlawKind) -> Flaw {
    Flaw { node: NodeIndex(node.index()), kind }
}
