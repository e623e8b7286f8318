//! The grants that a codex's object has read, kept in its memory, so that most calls need not read theirs.
//!
//! What is kept is what is stored: the object alone writes its grants, a turn at a time. A turn that is not a call may write
//! any of them, and forgets all that is kept before it does anything else; a call writes nothing of a grant but the records
//! of its use, which are kept when they are stored. If the object ends, so does its memory.

use super::grant::{self, Grant, GrantId};
use super::oauth::family;
use crate::notebook::storage::{Storage, StorageError};

/// Grants that are kept, at most.
const GRANTS: usize = 32;

/// The grants that an object has read.
#[derive(Debug, Default)]
pub struct KnownGrants(Vec<Known>);

/// A grant, and which of its access tokens was recorded as used, if one was.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) grant: Grant,
    confirmed: Option<u32>,
}

impl KnownGrants {
    /// Forgets all.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// The grant of an id, if there is one.
    pub(super) fn find(&mut self, storage: &impl Storage, id: GrantId) -> Result<Option<&mut Known>, StorageError> {
        if let Some(position) = self.0.iter().position(|known| known.grant.id == id) {
            return Ok(self.0.get_mut(position));
        }
        let Some(grant) = grant::find(storage, id)? else { return Ok(None) };
        if self.0.len() >= GRANTS {
            self.forget();
        }
        self.0.push(Known { grant, confirmed: None });
        Ok(self.0.last_mut())
    }
}

impl Known {
    /// Records that the grant's access token of this generation was used, unless that is recorded.
    pub(super) fn confirm(&mut self, storage: &impl Storage, generation: u32) {
        if self.confirmed != Some(generation) && family::confirm(storage, self.grant.id, generation).is_ok() {
            self.confirmed = Some(generation);
        }
    }
}
