//! Cryptographic randomness of the runtime.

/// Fills `bytes`. Nothing that wants randomness can go on without, so that there is none is a panic, which is answered as
/// an internal error; the runtime's `crypto.getRandomValues` is not known to fail.
#[allow(clippy::panic)]
pub(crate) fn fill(bytes: &mut [u8]) {
    if let Err(error) = getrandom::fill(bytes) {
        panic!("no randomness: {error}");
    }
}

/// So many bytes.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill(&mut bytes);
    bytes
}
