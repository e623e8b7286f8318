//! The arguments of the four tools: their shapes, and the typed call that checked arguments become.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::entry::{EntryId, EntryInput};
use super::limits;
use super::shape::{Member, ObjectShape, Shape, Violations, check};
use crate::json::{Flaw, Node};

const fn required(name: &'static str, description: &'static str, shape: Shape) -> Member {
    Member { name, required: true, description, shape }
}

const fn optional(name: &'static str, description: &'static str, shape: Shape) -> Member {
    Member { name, required: false, description, shape }
}

const fn closed(members: &'static [Member]) -> ObjectShape {
    ObjectShape { members, open: false, max_bytes: None, max_depth: None }
}

const fn text(min: usize, max: usize) -> Shape {
    Shape::Text { min, max, blank: true }
}

const TAG: Shape = text(1, limits::TAG_CHARACTERS);
const AGENT_ID: Shape = text(1, limits::AGENT_ID_CHARACTERS);

/// An entry input.
pub const ENTRY: ObjectShape = ObjectShape {
    max_bytes: Some(limits::ENTRY_BYTES),
    ..closed(&[
        required(
            "content",
            "Not only white space.",
            Shape::Text { min: 1, max: limits::CONTENT_CHARACTERS, blank: false },
        ),
        optional("title", "", text(1, limits::TITLE_CHARACTERS)),
        optional("tags", "", Shape::List { items: &TAG, max: limits::TAGS }),
        optional(
            "relatedAgentIds",
            "Agents it is about; gives no access.",
            Shape::List { items: &AGENT_ID, max: limits::RELATED_AGENTS },
        ),
        optional("provenance", "Its origin: any JSON, 8 levels, 16 KiB.", Shape::Object(PROVENANCE)),
    ])
};

const PROVENANCE: ObjectShape = ObjectShape {
    members: &[optional("source", "", text(1, limits::SOURCE_CHARACTERS))],
    open: true,
    max_bytes: Some(limits::PROVENANCE_BYTES),
    max_depth: Some(limits::PROVENANCE_DEPTH),
};

/// The arguments of `field_notes_save`.
pub const SAVE: ObjectShape = closed(&[
    required(
        "requestId",
        "A new id for each new note; reuse it only to retry.",
        text(1, limits::REQUEST_ID_CHARACTERS),
    ),
    required("entry", "", Shape::Object(ENTRY)),
]);

/// The arguments of `field_notes_get`.
pub const GET: ObjectShape = closed(&[required("id", "", Shape::EntryId)]);

/// The arguments of `field_notes_search`.
pub const SEARCH: ObjectShape = closed(&[
    optional("query", "Found in content, title or a tag.", text(0, limits::QUERY_CHARACTERS)),
    optional("tag", "A whole tag, case-sensitive.", TAG),
    optional("relatedAgentId", "A whole related agent id.", AGENT_ID),
    optional(
        "limit",
        "",
        Shape::Integer { min: 1, max: limits::PAGE_ENTRIES, default: Some(limits::DEFAULT_PAGE_ENTRIES) },
    ),
    optional("cursor", "The nextCursor of the page before, filters unchanged.", text(0, limits::CURSOR_CHARACTERS)),
]);

/// The arguments of `field_notes_update`.
pub const UPDATE: ObjectShape = closed(&[
    required("id", "", Shape::EntryId),
    required(
        "expectedRevision",
        "The revision you read.",
        Shape::Integer { min: 1, max: limits::MAX_SAFE_INTEGER, default: None },
    ),
    required("entry", "The complete replacement.", Shape::Object(ENTRY)),
]);

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// `field_notes_save`
    Save,
    /// `field_notes_get`
    Get,
    /// `field_notes_search`
    Search,
    /// `field_notes_update`
    Update,
}

impl Tool {
    /// The tools, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::Save, Self::Get, Self::Search, Self::Update];

    /// The tool's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Save => "field_notes_save",
            Self::Get => "field_notes_get",
            Self::Search => "field_notes_search",
            Self::Update => "field_notes_update",
        }
    }

    /// The tool of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Whether the tool changes anything.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Save | Self::Update)
    }

    /// The shape of its arguments.
    #[must_use]
    pub const fn arguments(self) -> &'static ObjectShape {
        match self {
            Self::Save => &SAVE,
            Self::Get => &GET,
            Self::Search => &SEARCH,
            Self::Update => &UPDATE,
        }
    }
}

/// A call of one of the tools, valid by the contract's limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Call {
    /// Saves an entry.
    Save(Save),
    /// Gets the entry of this id.
    Get(EntryId),
    /// Finds a page of entries.
    Search(Search),
    /// Replaces an entry.
    Update(Update),
}

/// A save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Save {
    /// The caller's key for this save: 1 to 128 characters.
    pub request_id: String,
    /// The SHA-256 of the entry input's canonical JSON (RFC 8785).
    pub digest: [u8; 32],
    /// What to save.
    pub entry: EntryInput,
}

/// A search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Literal text to find; empty is no filter.
    pub query: String,
    /// The tag that an entry must have.
    pub tag: Option<String>,
    /// The related agent that an entry must have.
    pub related_agent_id: Option<String>,
    /// The most entries to return, 1 to 50.
    pub limit: usize,
    /// Where to go on, as the page before said.
    pub cursor: Option<String>,
}

/// An update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Update {
    /// The entry to replace.
    pub id: EntryId,
    /// The revision that it must be at, 1 to 2^53 − 1.
    pub expected_revision: i64,
    /// What replaces it.
    pub entry: EntryInput,
}

impl Call {
    /// The call that `arguments` ask of `tool`; `flaws` are those of the document that they stand in.
    ///
    /// # Errors
    /// Everything that is wrong with the arguments.
    pub fn parse(tool: Tool, arguments: Node<'_>, flaws: &[Flaw]) -> Result<Self, Violations> {
        check(tool.arguments(), arguments, flaws)?;
        Self::from_checked(tool, arguments).ok_or_else(Violations::unreadable)
    }

    /// The call that checked arguments ask for: never `None`, as long as shapes and types agree.
    fn from_checked(tool: Tool, arguments: Node<'_>) -> Option<Self> {
        let text = |name| Some(arguments.member(name)?.as_str()?.into_owned());
        let integer = |name| arguments.member(name)?.as_number()?.as_integer();
        let id = || EntryId::parse(&arguments.member("id")?.as_str()?);
        Some(match tool {
            Tool::Save => {
                let entry = arguments.member("entry")?;
                Self::Save(Save {
                    request_id: text("requestId")?,
                    digest: Sha256::digest(entry.canonical()).into(),
                    entry: EntryInput::from_checked(entry)?,
                })
            }
            Tool::Get => Self::Get(id()?),
            Tool::Search => Self::Search(Search {
                query: text("query").unwrap_or_default(),
                tag: text("tag"),
                related_agent_id: text("relatedAgentId"),
                limit: usize::try_from(integer("limit").unwrap_or(limits::DEFAULT_PAGE_ENTRIES)).ok()?,
                cursor: text("cursor"),
            }),
            Tool::Update => Self::Update(Update {
                id: id()?,
                expected_revision: integer("expectedRevision")?,
                entry: EntryInput::from_checked(arguments.member("entry")?)?,
            }),
        })
    }
}
