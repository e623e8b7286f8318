//! The notebook: entries and what may be done with them. This module is pure: its storage, clock and randomness are
//! passed in, and it knows nothing of protocols, credentials or the network.
//!
//! | rule of the contract | module |
//! | --- | --- |
//! | limits | [`limits`] |
//! | arguments of the four tools | [`arguments`], checked by [`shape`] |
//! | entries, as stored and returned | [`entry`] |
//! | save, get, search, update | `save`, `get`, `search`, `update` |
//! | which entries a search need examine | [`index`] |
//! | cursors | `cursor` |
//! | which texts match, and excerpts | [`text`] |
//! | failures | [`failure`] |
//! | how large a codex may become | [`quota`] |
//! | tables and migrations | [`tables`] |

pub mod arguments;
mod cursor;
pub mod entry;
pub mod failure;
mod get;
pub mod index;
pub mod limits;
pub mod list;
pub mod quota;
mod row;
mod save;
mod search;
pub mod shape;
pub mod storage;
pub mod tables;
pub mod text;
pub mod time;
mod update;

use arguments::Call;
use failure::Error;
use quota::Quota;
use storage::Storage;
use time::Timestamp;

/// What a call takes from the world besides its storage.
pub struct Surroundings<'w> {
    /// Now.
    pub now: Timestamp,
    /// How large the codex may become.
    pub quota: &'w Quota,
    /// Fills bytes with cryptographic randomness.
    pub randomness: &'w mut dyn FnMut(&mut [u8]),
}

impl Surroundings<'_> {
    /// Random bytes.
    pub fn random<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        (self.randomness)(&mut bytes);
        bytes
    }
}

/// Executes a call on the notebook in `storage`, whose tables are up to date, and gives the JSON of its result: the
/// tool's `structuredContent`.
///
/// # Errors
/// The caller's mistake, or what broke in the storage; nothing has changed then.
pub fn execute(storage: &impl Storage, call: &Call, surroundings: &mut Surroundings<'_>) -> Result<String, Error> {
    let entry = match call {
        Call::Save(save) => save::save(storage, save, surroundings)?,
        Call::Get(id) => get::get(storage, *id)?,
        Call::Search(search) => return search::search(storage, search, surroundings),
        Call::Update(update) => update::update(storage, update, surroundings)?,
    };
    Ok(format!("{{\"entry\":{}}}", entry.to_json()))
}
