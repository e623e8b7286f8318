//! The storage trait over rusqlite, with the limits and the quirks of a Durable Object's SQL: integers are bound as
//! doubles, and a transaction is undone by an error and by a panic.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use agent_codex::notebook::storage::{Param, Row, Storage, StorageError, Value};
use rusqlite::limits::Limit;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

/// A database in memory.
pub struct Sqlite {
    connection: Connection,
    in_transaction: Cell<bool>,
    /// Every statement that was run, where that is asked for.
    pub log: RefCell<Option<Vec<String>>>,
}

impl Sqlite {
    pub fn new() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, 2_097_152).unwrap();
        connection.set_limit(Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100).unwrap();
        connection.set_limit(Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5).unwrap();
        connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50).unwrap();
        connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000).unwrap();
        connection.set_limit(Limit::SQLITE_LIMIT_COLUMN, 100).unwrap();
        connection.set_limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, 100).unwrap();
        Self { connection, in_transaction: Cell::new(false), log: RefCell::new(None) }
    }

    fn run(&self, sql: &str) {
        self.connection.execute_batch(sql).unwrap();
    }
}

struct Bound<'p>(Param<'p>);

impl ToSql for Bound<'_> {
    #[allow(clippy::cast_precision_loss)]
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Param::Null => ValueRef::Null,
            Param::Integer(integer) => ValueRef::Real(integer as f64),
            Param::Text(text) => ValueRef::Text(text.as_bytes()),
            Param::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

#[allow(clippy::cast_possible_truncation)]
fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => Value::Integer(integer),
        ValueRef::Real(real) if real.fract() == 0.0 => Value::Integer(real as i64),
        ValueRef::Real(real) => panic!("a row holds {real}"),
        ValueRef::Text(text) => Value::Text(String::from_utf8(text.to_vec()).unwrap()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

#[allow(clippy::needless_pass_by_value)] // map_err passes it so.
fn storage_error(error: rusqlite::Error) -> StorageError {
    StorageError::new(error.to_string())
}

impl Storage for Sqlite {
    fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StorageError> {
        if let Some(log) = self.log.borrow_mut().as_mut() {
            log.push(sql.to_owned());
        }
        let mut statement = self.connection.prepare_cached(sql).map_err(storage_error)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(params.iter().copied().map(Bound))).map_err(storage_error)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(storage_error)? {
            found.push(Row::new((0..columns).map(|column| value(row.get_ref(column).unwrap())).collect()));
        }
        Ok(found)
    }

    fn transaction<T, E: From<StorageError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        assert!(!self.in_transaction.replace(true), "transactions are not nested");
        self.run("BEGIN IMMEDIATE");
        let outcome = catch_unwind(AssertUnwindSafe(body));
        self.run(if matches!(outcome, Ok(Ok(_))) { "COMMIT" } else { "ROLLBACK" });
        self.in_transaction.set(false);
        outcome.unwrap_or_else(|panic| resume_unwind(panic))
    }
}
