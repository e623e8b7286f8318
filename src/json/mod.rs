//! JSON as it was sent: RFC 8259 read strictly, without hiding what other readers hide.
//!
//! [`parse`] turns untrusted bytes into a [`Document`]: a flat tape with one entry for each value, in
//! document order, that knows where its value and its member name stand in the text. Whatever is valid
//! JSON and yet has no single meaning (a duplicate name, a lone surrogate, a number that no double
//! holds) is accepted, and listed as a [`Flaw`] for the caller to judge.
//!
//! Why this is safe on hostile input:
//!
//! * Nothing recurses, not even `Drop`: the parser and the writers keep their own stacks, and the tape
//!   is one vector.
//! * Parsing takes time linear in the text, apart from sorting the names of each object.
//! * The tape is allocated once. It has at most one entry per byte of text (one per two bytes if the
//!   text is valid), of six words: at most 24 bytes per byte of text where a word has 32 bits. The
//!   stack of open containers adds a word for each level of nesting, and finding flaws adds a sorted list
//!   of the names of one object at a time: four words a name.
//! * Strings and numbers stay in the text until they are asked for.

mod decimal;
mod document;
mod flaws;
mod number;
mod object;
mod parser;
mod pointer;
mod scanner;
mod string;
mod syntax_error;
mod tape;
mod write;

#[cfg(test)]
mod tests;

pub use document::{Document, Node, parse};
pub use flaws::{Flaw, FlawKind, NodeIndex};
pub use number::Number;
pub use object::Object;
pub use pointer::escape_pointer_token;
pub use string::write_string;
pub use syntax_error::SyntaxError;
pub use tape::Kind;
