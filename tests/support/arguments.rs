//! Arguments as text, made at random: valid for a shape, at its limits, and then changed in one place or two.

use agent_codex::notebook::shape::{Member, ObjectShape, Shape};
use serde_json::Value;

use super::random::Random;

/// JSON as it is written, so that it can hold what JSON values can't: names twice, lone surrogates, digits to spare.
#[derive(Debug, Clone)]
pub enum Written {
    /// A literal, a number or a string, as it stands in the text.
    Scalar(String),
    Array(Vec<Written>),
    /// Names stand as they do in the text.
    Object(Vec<(String, Written)>),
}

impl Written {
    pub fn string(text: &str) -> Self {
        Self::Scalar(quoted(text))
    }

    pub fn text(&self) -> String {
        let joined = |parts: Vec<String>| parts.join(",");
        match self {
            Self::Scalar(text) => text.clone(),
            Self::Array(items) => format!("[{}]", joined(items.iter().map(Self::text).collect())),
            Self::Object(members) => {
                let parts = members.iter().map(|(name, value)| format!("{name}:{}", value.text()));
                format!("{{{}}}", joined(parts.collect()))
            }
        }
    }

    pub fn children(&self) -> Vec<&Self> {
        match self {
            Self::Scalar(_) => Vec::new(),
            Self::Array(items) => items.iter().collect(),
            Self::Object(members) => members.iter().map(|(_, value)| value).collect(),
        }
    }

    fn children_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Scalar(_) => Vec::new(),
            Self::Array(items) => items.iter_mut().collect(),
            Self::Object(members) => members.iter_mut().map(|(_, value)| value).collect(),
        }
    }

    /// The member of this name, of an object.
    pub fn member(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(written, _)| *written == quoted(name)).map(|(_, value)| value)
    }

    /// What a string says; none for another value, and for one that says what no string can.
    pub fn said(&self) -> Option<String> {
        let Self::Scalar(text) = self else { return None };
        serde_json::from_str(text).ok()
    }

    /// Array elements and object members, here and below.
    pub fn count(&self) -> usize {
        self.children().iter().map(|child| 1 + child.count()).sum()
    }

    pub fn depth(&self) -> usize {
        match self {
            Self::Scalar(_) => 0,
            Self::Array(_) | Self::Object(_) => {
                1 + self.children().iter().map(|child| child.depth()).max().unwrap_or(0)
            }
        }
    }

    /// Bytes of the compact form.
    pub fn compact_bytes(&self) -> usize {
        let rewritten = |text: &str| match serde_json::from_str::<Value>(text) {
            Ok(Value::String(said)) => quoted(&said).len(),
            _ => text.len(),
        };
        match self {
            Self::Scalar(text) => rewritten(text),
            Self::Array(items) => {
                2 + items.len().saturating_sub(1) + items.iter().map(Self::compact_bytes).sum::<usize>()
            }
            Self::Object(members) => {
                let bytes = members.iter().map(|(name, value)| rewritten(name) + 1 + value.compact_bytes());
                2 + members.len().saturating_sub(1) + bytes.sum::<usize>()
            }
        }
    }

    /// Whether `test` holds here or anywhere below.
    pub fn any(&self, test: &dyn Fn(&Self) -> bool) -> bool {
        test(self) || self.children().into_iter().any(|child| child.any(test))
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

const CHARACTERS: &[&str] =
    &["a", "Z", " ", "é", "e\\u0301", "\\u0000", "😀", "\\ud83d\\ude00", "東", "\\\"", "\\n", "\u{fdfa}", "/"];

/// A string of so many characters.
fn string_of(random: &mut Random, length: usize) -> Written {
    let unit = if length > 2_000 || random.one_in(3) { *random.pick(&["x", "😀", "é"]) } else { "" };
    let mut text = String::from("\"");
    let mut characters = 0;
    while characters < length {
        let next = if unit.is_empty() { *random.pick(CHARACTERS) } else { unit };
        let counts = if next == "e\\u0301" { 2 } else { 1 };
        if characters + counts <= length {
            text.push_str(next);
            characters += counts;
        }
    }
    text.push('"');
    Written::Scalar(text)
}

/// A length within the limits: often small, often at one of them, and seldom at a large one.
fn length(random: &mut Random, min: usize, max: usize) -> usize {
    let at_most = if max <= 2_048 || random.one_in(60) { max } else { 40 };
    match random.below(6) {
        0 => min,
        1 => at_most,
        2 => at_most.saturating_sub(1).max(min),
        _ => min + random.below((at_most - min).min(20) + 1),
    }
}

/// A value of the shape.
pub fn valid(random: &mut Random, shape: &Shape) -> Written {
    match shape {
        Shape::Text { min, max, blank } => {
            let length = length(random, *min, *max);
            match string_of(random, length) {
                string if *blank || string.said().is_some_and(|said| !said.trim().is_empty()) => string,
                _ => Written::string("x"),
            }
        }
        Shape::EntryId => Written::string(random.pick::<&str>(&[
            "11111111-1111-4111-8111-111111111111",
            "00000000-0000-4000-a000-000000000000",
            "ffffffff-ffff-4fff-bfff-ffffffffffff",
        ])),
        Shape::Integer { min, max, .. } => {
            let value = *random.pick(&[*min, *max, i64::midpoint(*min, *max)]);
            let form = random.below(4);
            Written::Scalar(match form {
                0 => format!("{value}.0"),
                1 if value < 1_000 => format!("{value}e0"),
                _ => value.to_string(),
            })
        }
        Shape::List { items, max } => {
            let count = *random.pick(&[0, 1, 2, *max]);
            Written::Array((0..count).map(|position| distinct(random, items, position)).collect())
        }
        Shape::Object(object) => valid_object(random, object),
    }
}

/// A valid item that differs from those at other positions.
fn distinct(random: &mut Random, shape: &Shape, position: usize) -> Written {
    let Shape::Text { max, .. } = shape else { return valid(random, shape) };
    let length = length(random, 2, *max) - 2;
    let Written::Scalar(rest) = string_of(random, length) else { unreachable!() };
    Written::Scalar(format!("\"{position:02}{}", &rest[1..]))
}

pub fn valid_object(random: &mut Random, shape: &ObjectShape) -> Written {
    let chosen = |random: &mut Random, member: &&Member| member.required || random.one_in(2);
    let members: Vec<_> = shape.members.iter().filter(|member| chosen(random, member)).collect();
    let mut written: Vec<_> =
        members.into_iter().map(|member| (quoted(member.name), valid(random, &member.shape))).collect();
    if shape.open && random.one_in(2) {
        let more = random.pick(&["{}", "[1,[2,{\"a\":null}]]", "1.5", "\"x\"", "[[[[[[[]]]]]]]", "1e3"]);
        written.push((
            random.pick(&["\"other\"", "\"__proto__\"", "\"\""]).to_string(),
            Written::Scalar((*more).to_owned()),
        ));
    }
    random.shuffle(&mut written);
    Written::Object(written.into_iter().map(|(name, value)| (name, expanded(value))).collect())
}

/// What a scalar that stands for a whole tree is.
fn expanded(value: Written) -> Written {
    match value {
        Written::Scalar(text) if text.starts_with(['[', '{']) => from_value(&serde_json::from_str(&text).unwrap()),
        other => other,
    }
}

fn from_value(value: &Value) -> Written {
    match value {
        Value::Array(items) => Written::Array(items.iter().map(from_value).collect()),
        Value::Object(members) => {
            Written::Object(members.iter().map(|(name, value)| (quoted(name), from_value(value))).collect())
        }
        scalar => Written::Scalar(scalar.to_string()),
    }
}

/// Changes the tree in one place.
pub fn mutate(random: &mut Random, root: &mut Written) {
    let mut node = root;
    while !node.children().is_empty() && !random.one_in(4) {
        let mut children = node.children_mut();
        let chosen = random.below(children.len());
        node = children.swap_remove(chosen);
    }
    let text = node.text();
    match random.below(13) {
        0 => *node = Written::Scalar("null".to_owned()),
        1 => *node = Written::Scalar((*random.pick(&["true", "1", "1.5", "\"\"", "\"x\"", "-1", "0"])).to_owned()),
        2 => *node = if random.one_in(2) { Written::Array(vec![]) } else { Written::Object(vec![]) },
        3 => *node = Written::Scalar((*random.pick(INEXACT)).to_owned()),
        4 => *node = Written::Scalar((*random.pick(LONE)).to_owned()),
        5 => *node = string_of_any_limit(random),
        6 => *node = Written::Scalar((*random.pick(INTEGERS)).to_owned()),
        7 => *node = Written::string(random.pick::<&str>(NEAR_IDS)),
        8 => *node = nested(random.below(12)),
        9 => *node = wide(random),
        10 => *node = Written::string(random.pick::<&str>(&[" ", "\t\n ", "\u{a0}\u{3000}", "\u{200b}", "\u{85}"])),
        _ => match node {
            Written::Scalar(_) => *node = Written::Scalar(format!("[{text}]")),
            Written::Array(items) if !items.is_empty() => {
                let item = random.pick(items).clone();
                items.push(item);
            }
            Written::Array(items) => items.push(Written::string("x")),
            Written::Object(members) => change_members(random, members),
        },
    }
    let changed = std::mem::replace(node, Written::Array(vec![]));
    *node = expanded_if_whole(changed);
}

fn expanded_if_whole(value: Written) -> Written {
    match &value {
        Written::Scalar(text) if text.starts_with('[') => match serde_json::from_str(text) {
            Ok(parsed) => from_value(&parsed),
            Err(_) => Written::Array(vec![Written::Scalar(text[1..text.len() - 1].to_owned())]),
        },
        _ => value,
    }
}

fn change_members(random: &mut Random, members: &mut Vec<(String, Written)>) {
    match random.below(4) {
        0 if !members.is_empty() => {
            let gone = random.below(members.len());
            members.remove(gone);
        }
        1 if !members.is_empty() => {
            let (name, value) = random.pick(members).clone();
            members.push((name, value));
        }
        2 => members.push(("\"\\ud800\"".to_owned(), Written::string("x"))),
        _ => {
            let name =
                *random.pick(&["\"extra\"", "\"__proto__\"", "\"constructor\"", "\"Content\"", "\"\"", "\"source\""]);
            members.push((name.to_owned(), Written::string("x")));
        }
    }
}

/// Numbers that no double holds.
pub const INEXACT: &[&str] =
    &["9007199254740993", "1e400", "-1e400", "1e-400", "0.30000000000000001", "12345678901234567890"];
/// Strings that hold half of a pair of surrogates.
pub const LONE: &[&str] = &["\"\\ud800\"", "\"a\\udc00b\"", "\"\\ud83d\\ud83d\"", "\"\\ude00\\ud83d\""];
const INTEGERS: &[&str] = &[
    "0",
    "1",
    "1.0",
    "1e0",
    "10e-1",
    "50",
    "51",
    "50.0",
    "9007199254740991",
    "9007199254740992",
    "-0",
    "0.5",
    "1.0000001",
];
const NEAR_IDS: &[&str] = &[
    "11111111-1111-4111-8111-11111111111A",
    "11111111-1111-1111-8111-111111111111",
    "11111111-1111-4111-c111-111111111111",
    "11111111-1111-4111-8111-111111111111\n",
    " 11111111-1111-4111-8111-111111111111",
    "{11111111-1111-4111-8111-111111111111}",
    "11111111111141118111111111111111",
    "urn:uuid:11111111-1111-4111-8111-111111111111",
    "11111111-1111-4111-8111-11111111111",
];

fn string_of_any_limit(random: &mut Random) -> Written {
    let limit = *random.pick(&[64, 128, 256, 512, 2_048]);
    let length = limit + random.below(3) - 1;
    if random.one_in(40) {
        let length = 65_536 + random.below(2);
        return string_of(random, length);
    }
    string_of(random, length)
}

fn nested(depth: usize) -> Written {
    (0..depth).fold(Written::Scalar("0".to_owned()), |inner, level| {
        if level % 2 == 0 { Written::Array(vec![inner]) } else { Written::Object(vec![("\"a\"".to_owned(), inner)]) }
    })
}

/// A tree with about as many members as may be in all, or a value of about as many bytes.
fn wide(random: &mut Random) -> Written {
    match random.below(3) {
        0 => {
            let groups = 1 + random.below(4);
            let each = 1_990_usize.div_ceil(groups) + random.below(8);
            let group = Written::Array(vec![Written::Scalar("0".to_owned()); each]);
            Written::Object((0..groups).map(|number| (format!("\"g{number}\""), group.clone())).collect())
        }
        1 => {
            let bytes = 16_384 - 8 + random.below(4);
            Written::Object(vec![("\"a\"".to_owned(), Written::string(&"x".repeat(bytes)))])
        }
        _ => Written::Array((0..33).map(|number| Written::string(&number.to_string())).collect()),
    }
}
