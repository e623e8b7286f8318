//! Credentials: bearer tokens that this Worker sealed.
//!
//! The payload of a personal token is `1 | scopes (1) | grant id (16) | codex name`. That of an access token, which the
//! authorization server gives out, is `2 | scopes (1) | grant id (16) | generation (4) | expiry in ms (8) | resource (8) |
//! codex name`, big-endian, where the resource is the start of the SHA-256 of the resource server's URL: a token for
//! another one is refused. What a token says can be read by its holder; it holds nothing else.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::external::PREFIX;
use super::grant::GrantId;
use super::scope::Scopes;
use super::seal::{Purpose, SealKeys};
use crate::notebook::time::Timestamp;

const TOKEN: Purpose = Purpose { prefix: "acx_", name: "agent-codex bearer token", characters: 512 };
const PERSONAL: u8 = 1;
const ISSUED: u8 = 2;

/// The name of a codex: 1 to 128 of `A–Z a–z 0–9 . _ @ -`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CodexName(String);

impl CodexName {
    /// Characters of a name, at most.
    pub const CHARACTERS: usize = 128;

    /// The name that `text` is.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
        ((1..=Self::CHARACTERS).contains(&text.len()) && text.bytes().all(allowed)).then(|| Self(text.to_owned()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is how the codex of another issuer's subject is named.
    #[must_use]
    pub fn is_of_a_subject(&self) -> bool {
        self.0.starts_with(PREFIX)
    }
}

/// A resource server, by the start of its URL's SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Resource([u8; 8]);

impl Resource {
    /// The resource server of this URL.
    #[must_use]
    pub fn of(url: &str) -> Self {
        let digest: [u8; 32] = Sha256::digest(url).into();
        Self(digest.first_chunk().copied().unwrap_or_default())
    }

    /// The bytes by which it is kept.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The codex that it opens.
    pub codex: CodexName,
    /// The grant, by which the codex knows whether it still does.
    pub grant: GrantId,
    /// The scopes, which the grant has too.
    pub scopes: Scopes,
    /// What more an access token says; a personal token does not.
    pub issue: Option<Issue>,
}

/// What an access token says beside what every token does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issue {
    /// Which of its grant's tokens it is, counted from 1.
    pub generation: u32,
    /// From when on it opens nothing.
    pub expires_at: Timestamp,
    /// The resource server that it is for.
    pub resource: Resource,
}

impl Credential {
    /// The credential as a token.
    #[must_use]
    pub fn seal(&self, keys: &SealKeys) -> String {
        let kind = if self.issue.is_some() { ISSUED } else { PERSONAL };
        let mut payload = vec![kind, self.scopes.to_byte()];
        payload.extend(self.grant.as_bytes());
        if let Some(issue) = self.issue {
            payload.extend(issue.generation.to_be_bytes());
            payload.extend(issue.expires_at.milliseconds().to_be_bytes());
            payload.extend(issue.resource.0);
        }
        payload.extend(self.codex.as_str().as_bytes());
        keys.seal(TOKEN, payload)
    }

    /// What a token says, if one of these keys sealed it.
    #[must_use]
    pub fn open(keys: &SealKeys, token: &str) -> Option<Self> {
        let payload = keys.open(TOKEN, token)?;
        let (&[kind, scopes], rest) = payload.split_first_chunk()?;
        let (grant, rest) = rest.split_first_chunk()?;
        let (issue, codex) = match kind {
            PERSONAL => (None, rest),
            ISSUED => Issue::open(rest).map(|(issue, rest)| (Some(issue), rest))?,
            _ => return None,
        };
        Some(Self {
            codex: CodexName::parse(std::str::from_utf8(codex).ok()?)?,
            grant: GrantId::from_bytes(*grant),
            scopes: Scopes::from_byte(scopes)?,
            issue,
        })
    }

    /// Whether the token opens anything at the resource server of this URL now, as far as the token itself can tell.
    #[must_use]
    pub fn is_for(&self, url: &str, now: Timestamp) -> bool {
        self.issue.is_none_or(|issue| now < issue.expires_at && issue.resource == Resource::of(url))
    }
}

impl Issue {
    fn open(payload: &[u8]) -> Option<(Self, &[u8])> {
        let (generation, rest) = payload.split_first_chunk()?;
        let (expiry, rest) = rest.split_first_chunk()?;
        let (resource, rest) = rest.split_first_chunk()?;
        let issue = Self {
            generation: u32::from_be_bytes(*generation),
            expires_at: Timestamp::from_milliseconds(i64::from_be_bytes(*expiry)),
            resource: Resource(*resource),
        };
        Some((issue, rest))
    }
}
