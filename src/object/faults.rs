//! Faults for the endpoint tests, in builds with the feature `faults` alone: a save whose request id asks for one fails
//! in the middle of its transaction, after the entry is inserted.

use crate::notebook::storage::{Param, StorageError};

#[allow(clippy::panic)]
pub(super) fn inject(sql: &str, params: &[Param<'_>]) -> Result<(), StorageError> {
    match params.first() {
        Some(Param::Text("fault: panic")) if sql.starts_with("INSERT INTO requests") => panic!("a fault for the tests"),
        Some(Param::Text("fault: sql")) if sql.starts_with("INSERT INTO requests") => {
            Err(StorageError::new("a fault for the tests"))
        }
        _ => Ok(()),
    }
}
