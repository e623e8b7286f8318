//! The grammar of RFC 8259: from a text to its tape.
//!
//! A loop reads one value after another. Between two values stand only closing brackets and a separator,
//! which are checked against the innermost open container; the positions of the open containers are on a
//! stack of their own, so nesting costs one word a level and never the machine's stack.

use super::scanner::Scanner;
use super::syntax_error::SyntaxError;
use super::tape::{Entry, Kind, Span};

/// Reads the one value that a text must be.
pub(super) fn tape(text: &str) -> Result<Vec<Entry>, SyntaxError> {
    if text.starts_with('\u{feff}') {
        return Err(SyntaxError { offset: 0, reason: "a byte-order mark must not be sent" });
    }
    let mut parser =
        Parser { scanner: Scanner::new(text), tape: Vec::with_capacity(most_values(text)), open: Vec::new() };
    let mut next = Some(Span::EMPTY);
    while let Some(name) = next {
        next = parser.value(name)?;
    }
    Ok(parser.tape)
}

/// How many values a text can have: each but the first follows a comma or an opening bracket that no
/// other value follows. Reserving that many entries keeps the vector from doubling past what it needs.
fn most_values(text: &str) -> usize {
    let leads = text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{'));
    leads.count().saturating_add(1)
}

struct Parser<'t> {
    scanner: Scanner<'t>,
    tape: Vec<Entry>,
    /// The positions on the tape of the containers that are not closed yet, outermost first.
    open: Vec<usize>,
}

impl Parser<'_> {
    /// Reads a value, or the beginning of a container, up to where the next value begins. Returns the
    /// name of that next value (empty in an array), or nothing at the end of the text.
    fn value(&mut self, name: Span) -> Result<Option<Span>, SyntaxError> {
        self.scanner.skip_space();
        match self.scanner.peek() {
            Some(b'[') => self.open(Kind::Array, b']', name),
            Some(b'{') => self.open(Kind::Object, b'}', name),
            _ => {
                let (kind, value) = self.scanner.scalar()?;
                let after = self.tape.len().saturating_add(1);
                self.tape.push(Entry { kind, value, name, after });
                self.after_value()
            }
        }
    }

    fn open(&mut self, kind: Kind, closer: u8, name: Span) -> Result<Option<Span>, SyntaxError> {
        // Where it ends is not known before `after_value` finds the closing bracket.
        let start = self.scanner.position();
        let value = Span { start, end: start };
        self.open.push(self.tape.len());
        self.tape.push(Entry { kind, value, name, after: 0 });
        self.scanner.advance();
        self.scanner.skip_space();
        if self.scanner.peek() == Some(closer) { self.after_value() } else { self.child(kind) }
    }

    /// Reads the closing brackets that follow a value, and the separator or the end of the text.
    fn after_value(&mut self) -> Result<Option<Span>, SyntaxError> {
        loop {
            self.scanner.skip_space();
            let after = self.tape.len();
            let innermost = self.open.last();
            let Some(container) = innermost.and_then(|&index| self.tape.get_mut(index)) else {
                return self.end();
            };
            match (self.scanner.peek(), container.kind) {
                (Some(b','), kind) => {
                    self.scanner.advance();
                    return self.child(kind);
                }
                (Some(b']'), Kind::Array) | (Some(b'}'), Kind::Object) => {
                    self.scanner.advance();
                    container.value.end = self.scanner.position();
                    container.after = after;
                    self.open.pop();
                }
                (_, Kind::Array) => return Err(self.scanner.error("a comma or ] was expected")),
                _ => return Err(self.scanner.error("a comma or } was expected")),
            }
        }
    }

    /// Reads what stands before the value of a container's child: in an object, its name and a colon.
    fn child(&mut self, container: Kind) -> Result<Option<Span>, SyntaxError> {
        if container == Kind::Array {
            return Ok(Some(Span::EMPTY));
        }
        self.scanner.skip_space();
        let name = self.scanner.name()?;
        self.scanner.skip_space();
        if self.scanner.peek() != Some(b':') {
            return Err(self.scanner.error("a colon was expected"));
        }
        self.scanner.advance();
        Ok(Some(name))
    }

    fn end(&self) -> Result<Option<Span>, SyntaxError> {
        if self.scanner.peek().is_some() {
            return Err(self.scanner.error("the text must end after its value"));
        }
        Ok(None)
    }
}
