//! What the domain asks of a SQLite database: a query, a statement and a transaction.
//!
//! There are two implementations: a Durable Object's SQL storage, and rusqlite in the tests. The SQL itself is written
//! once, in the modules that use it. Integers must lie within ±(2^53 − 1), since a Durable Object binds them as doubles.

use std::fmt;

use super::list;

/// A value bound to a statement's `?`.
#[derive(Clone, Copy, Debug)]
pub enum Param<'a> {
    /// NULL.
    Null,
    /// An integer within ±(2^53 − 1).
    Integer(i64),
    /// Text, which may hold NUL.
    Text(&'a str),
    /// Bytes.
    Blob(&'a [u8]),
}

impl<'a> Param<'a> {
    /// Text, or NULL for `None`.
    #[must_use]
    pub fn text_or_null(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }

    /// An integer, or NULL for `None`.
    #[must_use]
    pub fn integer_or_null(integer: Option<i64>) -> Self {
        integer.map_or(Self::Null, Self::Integer)
    }
}

/// A value read from a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// An integer within ±(2^53 − 1).
    Integer(i64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// The values of a row, taken from left to right.
#[derive(Debug)]
pub struct Row(std::vec::IntoIter<Value>);

impl Row {
    /// A row of these values.
    #[must_use]
    pub fn new(values: Vec<Value>) -> Self {
        Self(values.into_iter())
    }

    /// The next value, text.
    ///
    /// # Errors
    /// When the next value is another kind, which means that the database is not ours.
    pub fn text(&mut self) -> Result<String, StorageError> {
        match self.0.next() {
            Some(Value::Text(text)) => Ok(text),
            other => Err(unexpected("text", other.as_ref())),
        }
    }

    /// The next value, text or NULL.
    ///
    /// # Errors
    /// As for [`Row::text`].
    pub fn optional_text(&mut self) -> Result<Option<String>, StorageError> {
        match self.0.next() {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            other => Err(unexpected("text or NULL", other.as_ref())),
        }
    }

    /// The next value, an integer.
    ///
    /// # Errors
    /// As for [`Row::text`].
    pub fn integer(&mut self) -> Result<i64, StorageError> {
        match self.0.next() {
            Some(Value::Integer(integer)) => Ok(integer),
            other => Err(unexpected("an integer", other.as_ref())),
        }
    }

    /// The next value, an integer or NULL.
    ///
    /// # Errors
    /// As for [`Row::text`].
    pub fn optional_integer(&mut self) -> Result<Option<i64>, StorageError> {
        match self.0.next() {
            Some(Value::Integer(integer)) => Ok(Some(integer)),
            Some(Value::Null) => Ok(None),
            other => Err(unexpected("an integer or NULL", other.as_ref())),
        }
    }

    /// The next value, bytes.
    ///
    /// # Errors
    /// As for [`Row::text`].
    pub fn blob(&mut self) -> Result<Vec<u8>, StorageError> {
        match self.0.next() {
            Some(Value::Blob(bytes)) => Ok(bytes),
            other => Err(unexpected("bytes", other.as_ref())),
        }
    }
}

fn unexpected(wanted: &str, found: Option<&Value>) -> StorageError {
    let kind = match found {
        None => "no column",
        Some(Value::Null) => "NULL",
        Some(Value::Integer(_)) => "an integer",
        Some(Value::Text(_)) => "text",
        Some(Value::Blob(_)) => "bytes",
    };
    StorageError::new(format!("a row holds {kind} where {wanted} belongs"))
}

/// The place of a row of a list among the others: its first value, where that is an integer.
pub(super) fn place(row: &Row) -> Option<i64> {
    match row.0.as_slice().first() {
        Some(Value::Integer(integer)) => Some(*integer),
        _ => None,
    }
}

/// What broke in the database. Its text is for the log alone: it can hold SQL, and never reaches a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageError(String);

impl StorageError {
    /// An error with the engine's own words.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for StorageError {}

/// One SQLite database that only this turn of the codex uses.
pub trait Storage {
    /// The rows of a statement.
    ///
    /// # Errors
    /// What the engine says; nothing of the statement has happened then.
    fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StorageError>;

    /// The rows of a statement whose only value is a [`list`] of them, or NULL for none.
    ///
    /// # Errors
    /// As for [`Storage::query`].
    fn list(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StorageError> {
        let value = self.query(sql, params)?.pop().map(|mut row| row.optional_text()).transpose()?;
        value.flatten().map_or_else(|| Ok(Vec::new()), |text| list::rows(text.as_bytes()))
    }

    /// Runs a statement that gives no rows.
    ///
    /// # Errors
    /// As for [`Storage::query`].
    fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<(), StorageError> {
        self.query(sql, params).map(drop)
    }

    /// Bytes of the database, without what is free in it; within a transaction, with what it has written, but for what FTS5
    /// writes when it commits.
    ///
    /// # Errors
    /// What the engine says.
    fn size(&self) -> Result<i64, StorageError>;

    /// Runs `body` in a transaction, which commits when it returns `Ok` and rolls back on `Err` and on a panic.
    ///
    /// # Errors
    /// The body's own, or that the commit failed; nothing has changed then.
    fn transaction<T, E: From<StorageError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E>;
}
