//! Faults for the endpoint tests, in builds with the feature `faults` alone: a save whose request id asks for one fails at
//! the end of its transaction, when its request is recorded and its entry inserted.

use std::cell::Cell;

use crate::notebook::storage::{Param, StorageError};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Panic,
    Sql,
}

thread_local! {
    /// The fault that the save has asked for whose entry comes next.
    static DUE: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Called when a statement has run.
#[allow(clippy::panic)]
pub(super) fn inject(sql: &str, params: &[Param<'_>]) -> Result<(), StorageError> {
    if sql.starts_with("INSERT INTO requests") {
        DUE.set(match params.first() {
            Some(Param::Text("fault: panic")) => Some(Fault::Panic),
            Some(Param::Text("fault: sql")) => Some(Fault::Sql),
            _ => None,
        });
    } else if sql.starts_with("INSERT INTO entries") {
        match DUE.take() {
            Some(Fault::Panic) => panic!("a fault for the tests"),
            Some(Fault::Sql) => return Err(StorageError::new("a fault for the tests")),
            None => {}
        }
    }
    Ok(())
}
