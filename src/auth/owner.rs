//! The owner of the deployment, who makes, lists and revokes grants, and shows it by the owner key.

use hmac::Mac as _;

use super::seal::parse_key;
use crate::mac::{Key, mac};

/// The owner key: 32 random bytes. It is never shown, in a log or elsewhere.
#[derive(Clone)]
pub struct OwnerKey(Key);

impl OwnerKey {
    /// The key whose base64url `setting` is.
    #[must_use]
    pub fn parse(setting: &str) -> Option<Self> {
        parse_key(setting.trim()).map(Self)
    }

    /// Whether `presented` is this key, told in a time that does not depend on where they differ.
    #[must_use]
    pub fn matches(&self, presented: &str) -> bool {
        let purpose = b"agent-codex owner";
        parse_key(presented).is_some_and(|presented| {
            mac(&self.0, purpose).verify(&mac(&presented, purpose).finalize().into_bytes()).is_ok()
        })
    }
}

impl std::fmt::Debug for OwnerKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OwnerKey")
    }
}
