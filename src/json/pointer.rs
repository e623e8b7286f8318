//! JSON Pointers (RFC 6901): saying where in a document a flaw is.
//!
//! The way down is found by asking each child, in order, whether the flaw lies in it, which takes constant
//! time; so a pointer costs no more than a walk over the nodes before the flaw.

use std::borrow::Cow;

use super::document::Node;
use super::flaws::Flaw;
use super::string;
use super::tape::Kind;

impl Node<'_> {
    /// The JSON Pointer (RFC 6901) from this node to the node that has the flaw, or nothing if this node
    /// does not [hold](Node::holds) it. The pointer to this node itself is empty.
    ///
    /// A pointer cannot tell members of the same name apart.
    #[must_use]
    pub fn pointer_to(self, flaw: &Flaw) -> Option<String> {
        if !self.holds(flaw) {
            return None;
        }
        let mut pointer = String::new();
        let mut node = self;
        while node.index() != flaw.node.0 {
            let (position, child) = node.children().enumerate().find(|(_, child)| child.holds(flaw))?;
            pointer.push('/');
            if node.kind() == Kind::Object {
                pointer.push_str(&escape_pointer_token(&string::decode(child.quoted_name()).text));
            } else {
                pointer.push_str(&position.to_string());
            }
            node = child;
        }
        Some(pointer)
    }
}

/// Escapes a member name for use in a JSON Pointer: `~` as `~0` and `/` as `~1` (RFC 6901, section 3).
#[must_use]
pub fn escape_pointer_token(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) {
        Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(token)
    }
}
