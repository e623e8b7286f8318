//! The quota of a codex: how large its database may become. It stands well below the 10 GB at which SQLite itself would
//! fail, so that a full codex still reads, replays, shrinks, and revokes grants.
//!
//! The size is looked at in the transaction of the write, which an error undoes; not at each write, as long as so many writes
//! of the largest entries would still fit.

use std::cell::Cell;

use super::failure::{Error, Failure};
use super::storage::{Storage, StorageError};

/// Bytes of a MiB.
const MEBIBYTE: i64 = 1_048_576;
/// More bytes than any one entry takes, with its folded text and its index.
const MARGIN: i64 = 16 * MEBIBYTE;

/// How large the database of a codex may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    mebibytes: i64,
    /// Writes that fit for certain, since the size was looked at.
    unlooked: Cell<i64>,
}

impl Default for Quota {
    fn default() -> Self {
        Self::of(1_024)
    }
}

impl Quota {
    const fn of(mebibytes: i64) -> Self {
        Self { mebibytes, unlooked: Cell::new(0) }
    }

    /// The quota that a setting says, in MiB: 1 to 9,000.
    #[must_use]
    pub fn parse(setting: &str) -> Option<Self> {
        setting.parse().ok().filter(|mebibytes| (1..=9_000).contains(mebibytes)).map(Self::of)
    }

    const fn bytes(&self) -> i64 {
        self.mebibytes.saturating_mul(MEBIBYTE)
    }

    /// Runs the writes of a transaction; where they leave the codex larger than the quota they fail, unless they replace an
    /// entry of which `bytes` tells the size, and have not made it larger. That is asked of the entry, since the index grows
    /// before it shrinks.
    pub(super) fn keep<T>(
        &self,
        storage: &impl Storage,
        bytes: impl Fn() -> Result<Option<i64>, StorageError>,
        write: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.unlooked.get() > 0 {
            self.unlooked.set(self.unlooked.get().saturating_sub(1));
            return write();
        }
        let fitting = self.bytes().saturating_sub(storage.size()?) / MARGIN;
        if fitting > 0 {
            let written = write()?;
            self.unlooked.set(fitting.saturating_sub(1));
            return Ok(written);
        }
        let before = bytes()?;
        let written = write()?;
        let shrinks = before.is_some() && bytes()? <= before;
        if storage.size()? > self.bytes() && !shrinks {
            return Err(Failure::LimitExceeded { mebibytes: self.mebibytes }.into());
        }
        Ok(written)
    }
}
