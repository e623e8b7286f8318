//! A storage that fails at a chosen step. Its steps are its statements and the commits of its transactions, in the order
//! in which they are taken.

use std::cell::Cell;

use agent_codex::notebook::storage::{Param, Row, Storage, StorageError};

use super::sqlite::Sqlite;

/// How a step fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It gives an error.
    Error,
    /// It panics, as code around it might.
    Panic,
}

/// What every fault says, so that no other failure is taken for it.
pub const SAID: &str = "the fault that was asked for: SELECT secret FROM cursor_keys";

/// A database of which one step fails. After it, everything works again.
pub struct Faulty<'s> {
    inner: &'s Sqlite,
    fault: Fault,
    left: Cell<usize>,
    failed: Cell<bool>,
}

impl<'s> Faulty<'s> {
    /// Fails after `steps` steps that succeed.
    pub fn after(inner: &'s Sqlite, fault: Fault, steps: usize) -> Self {
        Self { inner, fault, left: Cell::new(steps), failed: Cell::new(false) }
    }

    /// Whether the step was reached.
    pub fn has_failed(&self) -> bool {
        self.failed.get()
    }

    fn step(&self) -> Result<(), StorageError> {
        if self.failed.get() {
            return Ok(());
        }
        if let Some(left) = self.left.get().checked_sub(1) {
            self.left.set(left);
            return Ok(());
        }
        self.failed.set(true);
        match self.fault {
            Fault::Error => Err(StorageError::new(SAID)),
            Fault::Panic => panic!("{SAID}"),
        }
    }
}

impl Storage for Faulty<'_> {
    fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StorageError> {
        self.step()?;
        self.inner.query(sql, params)
    }

    fn size(&self) -> Result<i64, StorageError> {
        self.step()?;
        self.inner.size()
    }

    fn transaction<T, E: From<StorageError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.inner.transaction(|| {
            let value = body()?;
            self.step()?;
            Ok(value)
        })
    }
}
