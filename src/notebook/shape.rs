//! Shapes: what the arguments of a tool may look like, declared once as data.
//!
//! The published JSON Schema, the check of a call's arguments and the documentation are all made from the same shape, so
//! they can't drift apart. What JSON Schema can't say (bytes, depth, white space) stands in the shape too.

use std::fmt::{self, Write as _};

use super::entry::EntryId;
use super::limits::ARGUMENT_MEMBERS;
use super::text::is_blank;
use crate::json::{Flaw, FlawKind, Kind, Node, escape_pointer_token};

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A string of `min` to `max` characters.
    Text {
        /// The fewest characters.
        min: usize,
        /// The most characters.
        max: usize,
        /// Whether it may consist of nothing but white space (Unicode's White_Space property).
        blank: bool,
    },
    /// A lower-case `UUIDv4`.
    EntryId,
    /// An integer from `min` to `max`; `1.0` is one.
    Integer {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
        /// What an absent member means.
        default: Option<i64>,
    },
    /// An array of at most `max` items, no two equal.
    List {
        /// The shape of each item.
        items: &'static Shape,
        /// The most items.
        max: usize,
    },
    /// An object.
    Object(ObjectShape),
}

/// What an object may hold.
#[derive(Debug, Clone, Copy)]
pub struct ObjectShape {
    /// Its known members, in the order in which they are listed and stored.
    pub members: &'static [Member],
    /// Whether it may hold other members too, of any JSON.
    pub open: bool,
    /// The most bytes of its compact UTF-8 JSON.
    pub max_bytes: Option<usize>,
    /// The most levels of arrays and objects, itself being the first.
    pub max_depth: Option<usize>,
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// What a model is told about it; empty where the name says enough.
    pub description: &'static str,
    /// Its value's shape.
    pub shape: Shape,
}

/// The most violations that one answer names.
pub const VIOLATIONS_NAMED: usize = 10;
/// The most characters of the caller's own text (a pointer) that a violation repeats.
const ECHO_CHARACTERS: usize = 80;

/// One thing wrong with a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where: an RFC 6901 JSON Pointer, `""` being the arguments themselves.
    pointer: String,
    /// What is wrong, and the limit.
    problem: String,
}

/// Everything wrong with a call's arguments, of which the first ten are named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Violations {
    named: Vec<Violation>,
    total: usize,
}

impl Violations {
    /// For arguments that pass their check and can't be read all the same: a defect, told to the caller as a refusal.
    pub(super) fn unreadable() -> Self {
        let mut violations = Self::default();
        violations.add("", "can't be read".to_owned());
        violations
    }

    fn add(&mut self, pointer: &str, problem: String) {
        self.total = self.total.saturating_add(1);
        if self.named.len() < VIOLATIONS_NAMED {
            self.named.push(Violation { pointer: pointer.to_owned(), problem });
        }
    }

    fn names(&self, pointer: &str) -> bool {
        self.named.iter().any(|violation| violation.pointer == pointer)
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, violation) in self.named.iter().enumerate() {
            if position > 0 {
                formatter.write_str("; ")?;
            }
            match violation.pointer.as_str() {
                "" => formatter.write_str("the arguments")?,
                pointer => formatter.write_str(&shortened(pointer))?,
            }
            write!(formatter, ": {}", violation.problem)?;
        }
        match self.total.saturating_sub(self.named.len()) {
            0 => formatter.write_str("."),
            more => write!(formatter, "; and {more} more."),
        }
    }
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(ECHO_CHARACTERS).collect();
    if characters.next().is_some() {
        short.pop();
        short.push('…');
    }
    short
}

/// Checks a call's `arguments` against their shape; `flaws` are those of the document that they stand in.
///
/// # Errors
/// Everything that is wrong with them; when they hold more than [`ARGUMENT_MEMBERS`], that alone.
pub fn check(shape: &ObjectShape, arguments: Node<'_>, flaws: &[Flaw]) -> Result<(), Violations> {
    let mut violations = Violations::default();
    if arguments.count() > ARGUMENT_MEMBERS {
        violations.add(
            "",
            format!(
                "hold {} array elements and object members in all; the limit is {ARGUMENT_MEMBERS}",
                arguments.count()
            ),
        );
        return Err(violations);
    }
    let mut check = Check { pointer: String::new(), violations };
    check.object(shape, arguments);
    for flaw in flaws.iter().filter(|flaw| arguments.holds(flaw)) {
        check.flaw(flaw, arguments);
    }
    if check.violations.total == 0 { Ok(()) } else { Err(check.violations) }
}

struct Check {
    pointer: String,
    violations: Violations,
}

impl Check {
    fn wrong(&mut self, problem: String) {
        self.violations.add(&self.pointer, problem);
    }

    /// Runs `body` with the pointer lengthened by one token.
    fn at(&mut self, token: &str, body: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&escape_pointer_token(token));
        body(self);
        self.pointer.truncate(length);
    }

    fn value(&mut self, shape: &Shape, value: Node<'_>) {
        match shape {
            Shape::Text { min, max, blank } => self.text(*min, *max, *blank, value),
            Shape::EntryId => self.entry_id(value),
            Shape::Integer { min, max, .. } => self.integer(*min, *max, value),
            Shape::List { items, max } => self.list(items, *max, value),
            Shape::Object(object) => self.object(object, value),
        }
    }

    fn text(&mut self, min: usize, max: usize, blank: bool, value: Node<'_>) {
        let Some(text) = value.as_str() else {
            return self.wrong(format!("must be a string, not {}", article(value.kind())));
        };
        let length = text.chars().count();
        if length < min || length > max {
            self.wrong(format!("must be {min} to {max} characters long, and is {length}"));
        } else if !blank && is_blank(&text) {
            self.wrong("must not be only white space".to_owned());
        }
    }

    fn entry_id(&mut self, value: Node<'_>) {
        if value.as_str().is_none_or(|text| EntryId::parse(&text).is_none()) {
            self.wrong("must be an entry's id, a lower-case UUIDv4 as save and search return it".to_owned());
        }
    }

    fn integer(&mut self, min: i64, max: i64, value: Node<'_>) {
        let integer = value.as_number().and_then(|number| number.as_integer());
        if !integer.is_some_and(|integer| (min..=max).contains(&integer)) {
            self.wrong(format!("must be an integer from {min} to {max}"));
        }
    }

    fn list(&mut self, items: &Shape, max: usize, value: Node<'_>) {
        if value.kind() != Kind::Array {
            return self.wrong(format!("must be an array, not {}", article(value.kind())));
        }
        let length = value.elements().count();
        if length > max {
            self.wrong(format!("must hold at most {max} items, and holds {length}"));
        }
        let mut seen = std::collections::HashSet::new();
        for (position, item) in value.elements().enumerate() {
            self.at(&position.to_string(), |check| {
                check.value(items, item);
                if item.as_str().is_some_and(|text| !seen.insert(text)) {
                    check.wrong("must not equal an earlier item".to_owned());
                }
            });
        }
    }

    fn object(&mut self, shape: &ObjectShape, value: Node<'_>) {
        if value.kind() != Kind::Object {
            return self.wrong(format!("must be an object, not {}", article(value.kind())));
        }
        for member in shape.members {
            self.at(member.name, |check| match value.member(member.name) {
                Some(value) => check.value(&member.shape, value),
                None if member.required => check.wrong("is missing".to_owned()),
                None => {}
            });
        }
        if !shape.open {
            for (name, _) in value.members() {
                if !shape.members.iter().any(|member| member.name == name) {
                    self.at(&name, |check| check.wrong(unknown_member(shape)));
                }
            }
        }
        self.size(shape, value);
    }

    fn size(&mut self, shape: &ObjectShape, value: Node<'_>) {
        if let Some(max) = shape.max_depth
            && value.depth() > max
        {
            self.wrong(format!("must be at most {max} levels deep, and is {}", value.depth()));
        }
        // Compact JSON is never longer than the source it stands for, so most values need no second look.
        if let Some(max) = shape.max_bytes
            && value.source().len() > max
        {
            let mut compact = String::new();
            value.write_compact(&mut compact);
            if compact.len() > max {
                self.wrong(format!("must be at most {max} bytes of compact JSON, and is {}", compact.len()));
            }
        }
    }

    fn flaw(&mut self, flaw: &Flaw, arguments: Node<'_>) {
        let pointer = arguments.pointer_to(flaw).unwrap_or_default();
        if self.violations.names(&pointer) {
            return;
        }
        let problem = match flaw.kind {
            FlawKind::DuplicateName => "stands twice in its object",
            FlawKind::LoneSurrogate => "must not hold a lone surrogate",
            FlawKind::LoneSurrogateInName => "must not hold a lone surrogate in its name",
            FlawKind::InexactNumber => "must be a number that a double keeps unchanged; send it as a string",
        };
        self.violations.add(&pointer, problem.to_owned());
    }
}

fn unknown_member(shape: &ObjectShape) -> String {
    let mut problem = "is not a member here; the members are ".to_owned();
    for (position, member) in shape.members.iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        let _ = write!(problem, "{separator}{}", member.name);
    }
    problem
}

fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}
