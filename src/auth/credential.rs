//! Credentials: bearer tokens sealed with the Worker's keys.
//!
//! A token is `acx_` and the base64url of `version (1) | scopes (1) | grant id (16) | codex name | tag (32)`. The tag is
//! an HMAC-SHA-256 (RFC 2104) of all before it, so nobody without a key can make or change a token, and opening one
//! needs no look-up. What a token says can be read by its holder; it holds nothing else.
//!
//! Keys rotate: the first of the configured keys seals, and each opens.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::grant::GrantId;
use super::scope::Scopes;
use crate::mac::{Key, mac};

/// What every token begins with, by which scanners for leaked secrets know it.
pub const PREFIX: &str = "acx_";
/// Characters of the longest token that is looked at.
pub const TOKEN_CHARACTERS: usize = 512;
/// The most keys that are configured at once.
pub const KEYS: usize = 2;

const VERSION: u8 = 1;
const TAG: usize = 32;

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
}

/// The keys by which this Worker knows its own tokens. They are never shown, in a log or elsewhere.
#[derive(Clone)]
pub struct SealKeys(Vec<Key>);

impl fmt::Debug for SealKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SealKeys({})", self.0.len())
    }
}

impl SealKeys {
    /// The keys that a setting of one or two base64url keys of 32 bytes, with a comma between them, holds.
    ///
    /// # Errors
    /// What is wrong with the setting, without repeating any of it.
    pub fn parse(setting: &str) -> Result<Self, &'static str> {
        let keys: Option<Vec<_>> = setting.split(',').map(|key| parse_key(key.trim())).collect();
        match keys {
            None => Err("each key must be the base64url of 32 bytes"),
            Some(keys) if keys.len() > KEYS => Err("at most two keys are used at once"),
            Some(keys) => Ok(Self(keys)),
        }
    }

    /// The token of a credential.
    #[must_use]
    pub fn seal(&self, credential: &Credential) -> String {
        let mut token = vec![VERSION, credential.scopes.to_byte()];
        token.extend(credential.grant.as_bytes());
        token.extend(credential.codex.as_str().as_bytes());
        if let Some(key) = self.0.first() {
            token.extend(authenticate(key, &token).finalize().into_bytes());
        }
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(token))
    }

    /// What a token says, if one of these keys sealed it.
    #[must_use]
    pub fn open(&self, token: &str) -> Option<Credential> {
        if token.len() > TOKEN_CHARACTERS {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(token.strip_prefix(PREFIX)?).ok()?;
        let (sealed, tag) = bytes.split_last_chunk::<TAG>()?;
        if !self.0.iter().any(|key| authenticate(key, sealed).verify_slice(tag).is_ok()) {
            return None;
        }
        let (&[version, scopes], rest) = sealed.split_first_chunk()?;
        let (grant, codex) = rest.split_first_chunk()?;
        if version != VERSION {
            return None;
        }
        Some(Credential {
            codex: CodexName::parse(std::str::from_utf8(codex).ok()?)?,
            grant: GrantId::from_bytes(*grant),
            scopes: Scopes::from_byte(scopes)?,
        })
    }
}

/// The key of 32 bytes whose base64url `text` is.
#[must_use]
pub fn parse_key(text: &str) -> Option<Key> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?.try_into().ok()
}

fn authenticate(key: &Key, sealed: &[u8]) -> Hmac<Sha256> {
    let mut mac = mac(key, b"agent-codex bearer token");
    mac.update(sealed);
    mac
}
