//! HMAC-SHA-256 (RFC 2104) with keys of 32 bytes, as cursors and credentials use it.
//!
//! Each use names its purpose, which is authenticated first, so that a tag made for one purpose never passes for another.

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;
/// A key.
pub type Key = [u8; KEY_BYTES];

/// A MAC that has been fed the purpose, and takes the message next.
#[must_use]
pub fn mac(key: &Key, purpose: &[u8]) -> Hmac<Sha256> {
    // A key shorter than a block of the hash is padded with zeros, by the definition of HMAC.
    let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
    for (padded, byte) in block.iter_mut().zip(key) {
        *padded = *byte;
    }
    let mut mac = Hmac::<Sha256>::new(&block);
    mac.update(purpose);
    mac.update(&[0]);
    mac
}
