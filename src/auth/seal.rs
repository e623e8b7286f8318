//! Seals: strings that this Worker made, and knows again without a look-up.
//!
//! A sealed string is a prefix and the base64url of `payload | tag (32)`. The tag is an HMAC-SHA-256 (RFC 2104) of the
//! purpose and the payload, so nobody without a key can make or change one, and one made for a purpose never passes for
//! another. What is sealed can be read by whoever holds it.
//!
//! Keys rotate: the first of the configured keys seals, and each opens.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use crate::mac::{Key, mac};

/// The most keys that are configured at once.
pub const KEYS: usize = 2;

const TAG: usize = 32;

/// What a sealed string is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose {
    /// What the string begins with, by which scanners for leaked secrets know it.
    pub prefix: &'static str,
    /// What the tag authenticates before the payload.
    pub name: &'static str,
    /// Characters of the longest string that is looked at.
    pub characters: usize,
}

/// The keys by which this Worker knows what it sealed. They are never shown, in a log or elsewhere.
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

    /// Seals a payload. The same payload gives the same string, as long as the first key stays.
    #[must_use]
    pub fn seal(&self, purpose: Purpose, mut payload: Vec<u8>) -> String {
        if let Some(key) = self.0.first() {
            payload.extend(authenticate(key, purpose, &payload).finalize().into_bytes());
        }
        format!("{}{}", purpose.prefix, URL_SAFE_NO_PAD.encode(payload))
    }

    /// The payload of a string, if one of these keys sealed it for this purpose.
    #[must_use]
    pub fn open(&self, purpose: Purpose, sealed: &str) -> Option<Vec<u8>> {
        if sealed.len() > purpose.characters {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(sealed.strip_prefix(purpose.prefix)?).ok()?;
        let (payload, tag) = bytes.split_last_chunk::<TAG>()?;
        let genuine = self.0.iter().any(|key| authenticate(key, purpose, payload).verify_slice(tag).is_ok());
        genuine.then(|| payload.to_vec())
    }
}

/// The key of 32 bytes whose base64url `text` is.
#[must_use]
pub fn parse_key(text: &str) -> Option<Key> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?.try_into().ok()
}

fn authenticate(key: &Key, purpose: Purpose, payload: &[u8]) -> Hmac<Sha256> {
    let mut mac = mac(key, purpose.name.as_bytes());
    mac.update(payload);
    mac
}
