//! The tokens of RFC 8259: white space, literals, numbers (section 6) and strings (section 7).
//!
//! Each function either moves past exactly the token it is named after or reports the first byte that
//! does not belong to it. The position only moves forward, so scanning is linear. Nothing is decoded:
//! that a token is well-formed is what lets the decoders be simple later.

use super::syntax_error::SyntaxError;
use super::tape::{Kind, Span};

/// A position in a text.
pub(super) struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Moves past one byte.
    pub(super) fn advance(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    /// An error at the present position.
    pub(super) fn error(&self, reason: &'static str) -> SyntaxError {
        SyntaxError { offset: self.at, reason }
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.advance();
        }
    }

    /// A string, a number or a literal.
    pub(super) fn scalar(&mut self) -> Result<(Kind, Span), SyntaxError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'"') => {
                self.string()?;
                Kind::String
            }
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Kind::Number
            }
            Some(b't') => self.literal(b"true", Kind::Bool)?,
            Some(b'f') => self.literal(b"false", Kind::Bool)?,
            Some(b'n') => self.literal(b"null", Kind::Null)?,
            _ => return Err(self.error("a value was expected")),
        };
        Ok((kind, Span { start, end: self.at }))
    }

    /// The name of a member.
    pub(super) fn name(&mut self) -> Result<Span, SyntaxError> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.error("a member name was expected"));
        }
        self.string()?;
        Ok(Span { start, end: self.at })
    }

    fn literal(&mut self, word: &[u8], kind: Kind) -> Result<Kind, SyntaxError> {
        for &byte in word {
            if !self.take(byte) {
                return Err(self.error("a value was expected"));
            }
        }
        Ok(kind)
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        self.take(b'-');
        if self.take(b'0') {
            if let Some(b'0'..=b'9') = self.peek() {
                return Err(self.error("a number must not begin with a zero"));
            }
        } else {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.advance();
        }
        if self.at == start {
            return Err(self.error("a digit was expected"));
        }
        Ok(())
    }

    /// A string, from its opening quote, which the caller has seen, to its closing one.
    fn string(&mut self) -> Result<(), SyntaxError> {
        self.advance();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.advance();
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..=0x1f) => {
                    return Err(self.error("a control character in a string must be escaped"));
                }
                Some(_) => self.advance(),
                None => return Err(self.error("a string must end with a quotation mark")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        self.advance();
        if self.take(b'u') {
            for _ in 0..4 {
                let Some(b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') = self.peek() else {
                    return Err(self.error("a hexadecimal digit was expected"));
                };
                self.advance();
            }
            return Ok(());
        }
        let Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') = self.peek() else {
            return Err(self.error("no such escape exists"));
        };
        self.advance();
        Ok(())
    }

    /// Moves past the byte if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.advance();
        }
        found
    }
}
