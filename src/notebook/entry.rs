//! Entries: what is saved, what is stored and what is returned.
//!
//! An [`EntryInput`] is made by the check of a call's arguments alone, so whoever holds one need not check it again. The
//! members besides the content are kept as the compact JSON in which they are stored and returned; only the values that
//! searches need are read out of it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::time::Timestamp;
use crate::json::{Node, write_string};

/// An entry's id: a lower-case `UUIDv4` (RFC 9562, section 5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(Uuid);

impl EntryId {
    /// An id made of these random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The id that `text` spells in the one form in which ids are returned.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let id = Uuid::try_parse(text).ok().filter(|id| id.get_version_num() == 4)?;
        let id = Self(id);
        (id.0.get_variant() == uuid::Variant::RFC4122 && id.to_string() == text).then_some(id)
    }

    /// The id's first 53 random bits, the key under which its entry is stored: ids in ascending order have keys in
    /// ascending order, and a key is an integer that a double holds exactly. Two ids share a key once in 2^53; a save
    /// that meets a taken key takes another id.
    #[must_use]
    pub fn key(self) -> i64 {
        let bits = self.0.as_u128();
        // 48 bits before the version's 4, and the first 5 after them. Both shifts leave less than 64 bits.
        let before = (bits >> 80) as u64;
        let after = ((bits >> 71) & 0b1_1111) as u64;
        ((before << 5) | after).cast_signed()
    }
}

impl std::fmt::Display for EntryId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.hyphenated().fmt(formatter)
    }
}

/// What a save or an update stores, valid by the contract's limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryInput {
    content: String,
    title: Option<String>,
    tags: Vec<String>,
    /// The members besides the content, as a compact JSON object in the contract's order.
    meta: String,
}

impl EntryInput {
    /// The input that a checked argument holds: never `None`, as long as shapes and types agree.
    pub(super) fn from_checked(entry: Node<'_>) -> Option<Self> {
        let text = |node: Node<'_>| node.as_str().map(Cow::into_owned);
        let mut meta = String::from("{");
        for member in super::arguments::ENTRY.members.iter().filter(|member| member.name != "content") {
            if let Some(value) = entry.member(member.name) {
                if meta.len() > 1 {
                    meta.push(',');
                }
                write_string(&mut meta, member.name);
                meta.push(':');
                value.write_compact(&mut meta);
            }
        }
        meta.push('}');
        Some(Self {
            content: entry.member("content").and_then(text)?,
            title: entry.member("title").and_then(text),
            tags: entry.member("tags").map(|tags| tags.elements().filter_map(text).collect()).unwrap_or_default(),
            meta,
        })
    }

    /// The content, exactly as sent.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The members besides the content, as a compact JSON object.
    #[must_use]
    pub fn meta(&self) -> &str {
        &self.meta
    }

    /// The texts that a query is looked for in: the content, the title, each tag.
    pub fn searched_texts(&self) -> impl Iterator<Item = &str> {
        let more = self.title.iter().chain(&self.tags).map(String::as_str);
        std::iter::once(self.content.as_str()).chain(more)
    }
}

/// What an entry and its summary have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The entry's id.
    pub id: String,
    /// Its revision: 1 at save, one more at each update.
    pub revision: i64,
    /// When it was saved.
    pub created_at: Timestamp,
    /// When it was last updated, or saved.
    pub updated_at: Timestamp,
    /// Its members besides the content, as a compact JSON object.
    pub meta: String,
}

impl Head {
    /// The members that the server gives, without the closing brace.
    fn open_json(&self) -> String {
        format!(
            "{{\"id\":\"{}\",\"revision\":{},\"createdAt\":\"{}\",\"updatedAt\":\"{}\"",
            self.id, self.revision, self.created_at, self.updated_at
        )
    }

    /// Appends the stored members, each with a comma before it.
    fn push_meta(&self, json: &mut String) {
        let members = self.meta.strip_prefix('{').and_then(|meta| meta.strip_suffix('}')).unwrap_or_default();
        if !members.is_empty() {
            json.push(',');
            json.push_str(members);
        }
    }
}

/// An entry as save, get and update return it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// All but the content.
    pub head: Head,
    /// The content, exactly as sent.
    pub content: String,
}

impl Entry {
    /// The entry as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = self.head.open_json();
        json.push_str(",\"content\":");
        write_string(&mut json, &self.content);
        self.head.push_meta(&mut json);
        json.push('}');
        json
    }
}

/// An entry as search returns it: with an excerpt instead of the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary<'c> {
    /// All but the content.
    pub head: Head,
    /// At most [`super::limits::EXCERPT`] characters of the content.
    pub excerpt: &'c str,
}

impl Summary<'_> {
    /// The summary as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = self.head.open_json();
        self.head.push_meta(&mut json);
        json.push_str(",\"excerpt\":");
        write_string(&mut json, self.excerpt);
        json.push('}');
        json
    }
}
