//! Codes and refresh tokens, as the sealed strings that clients hold.
//!
//! The payload of a code is `1 | code id (16) | codex name`; that of a refresh token is `1 | grant id (16) |
//! generation (4) | codex name`, big-endian. Both seal to the same string each time, so that a repeated refresh can be
//! answered with the very tokens that the first was.

use super::ACCESS_LIFETIME;
use super::family::Issued;
use crate::auth::credential::{CodexName, Credential, Issue, Resource};
use crate::auth::grant::GrantId;
use crate::auth::seal::{Purpose, SealKeys};
use crate::json::Object;
use crate::notebook::time::{SECOND, Timestamp};

const CODE: Purpose = Purpose { prefix: "acc_", name: "agent-codex authorization code", characters: 512 };
const REFRESH: Purpose = Purpose { prefix: "acr_", name: "agent-codex refresh token", characters: 512 };
const VERSION: u8 = 1;

/// A code's id: random bytes.
pub type CodeId = [u8; 16];

/// An authorization code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// Its id.
    pub id: CodeId,
    /// The codex that keeps it.
    pub codex: CodexName,
}

impl Code {
    /// The code as a string.
    #[must_use]
    pub fn seal(&self, keys: &SealKeys) -> String {
        keys.seal(CODE, [&[VERSION], self.id.as_slice(), self.codex.as_str().as_bytes()].concat())
    }

    /// The code that a string is, if this server sealed it.
    #[must_use]
    pub fn open(keys: &SealKeys, sealed: &str) -> Option<Self> {
        let payload = keys.open(CODE, sealed)?;
        let (&[VERSION], rest) = payload.split_first_chunk()? else { return None };
        let (id, codex) = rest.split_first_chunk()?;
        Some(Self { id: *id, codex: CodexName::parse(std::str::from_utf8(codex).ok()?)? })
    }
}

/// A refresh token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshToken {
    /// The grant whose tokens it refreshes.
    pub grant: GrantId,
    /// Which of the grant's refresh tokens it is, counted from 1.
    pub generation: u32,
    /// The codex that keeps the grant.
    pub codex: CodexName,
}

impl RefreshToken {
    /// The token as a string.
    #[must_use]
    pub fn seal(&self, keys: &SealKeys) -> String {
        let generation = self.generation.to_be_bytes();
        keys.seal(
            REFRESH,
            [&[VERSION], self.grant.as_bytes().as_slice(), &generation, self.codex.as_str().as_bytes()].concat(),
        )
    }

    /// The token that a string is, if this server sealed it.
    #[must_use]
    pub fn open(keys: &SealKeys, sealed: &str) -> Option<Self> {
        let payload = keys.open(REFRESH, sealed)?;
        let (&[VERSION], rest) = payload.split_first_chunk()? else { return None };
        let (grant, rest) = rest.split_first_chunk()?;
        let (generation, codex) = rest.split_first_chunk()?;
        Some(Self {
            grant: GrantId::from_bytes(*grant),
            generation: u32::from_be_bytes(*generation),
            codex: CodexName::parse(std::str::from_utf8(codex).ok()?)?,
        })
    }
}

/// What the token endpoint answers, JSON (RFC 6749, section 5.1) when a codex has issued tokens. It depends on nothing else, so the
/// same issue is answered with the same tokens.
#[must_use]
pub fn answer(keys: &SealKeys, codex: &CodexName, issued: &Issued, resource: Resource, now: Timestamp) -> String {
    let Issued { grant, scopes, generation, issued_at } = *issued;
    let expires_at = Timestamp::from_milliseconds(issued_at).plus(ACCESS_LIFETIME);
    let issue = Issue { generation, expires_at, resource };
    let access = Credential { codex: codex.clone(), grant, scopes, issue: Some(issue) };
    let refresh = RefreshToken { grant, generation, codex: codex.clone() };
    let left = expires_at.milliseconds().saturating_sub(now.milliseconds());
    Object::new()
        .text("access_token", &access.seal(keys))
        .text("token_type", "Bearer")
        .integer("expires_in", left.max(0) / SECOND)
        .text("refresh_token", &refresh.seal(keys))
        .text("scope", &scopes.to_string())
        .finish()
}
