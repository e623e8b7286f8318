//! The storage trait over rusqlite, with the limits and the quirks of a Durable Object's SQL: integers are bound as
//! doubles, and a transaction is undone by an error and by a panic.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use agent_codex::notebook::storage::{Param, Row, Storage, StorageError, Value};
use rusqlite::backup::Backup;
use rusqlite::limits::Limit;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, StatementStatus, ToSql, params_from_iter};

/// A database in memory.
pub struct Sqlite {
    connection: Connection,
    in_transaction: Cell<bool>,
    /// Every statement that was run, where that is asked for.
    pub log: RefCell<Option<Vec<String>>>,
    /// The statements that SQLite had to prepare again, since a value was bound on which the plan depends.
    pub prepared_again: RefCell<BTreeSet<String>>,
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
        Self {
            connection,
            in_transaction: Cell::new(false),
            log: RefCell::new(None),
            prepared_again: RefCell::default(),
        }
    }

    /// Another database that holds the same.
    pub fn copy(&self) -> Self {
        let mut copy = Self::new();
        Backup::new(&self.connection, &mut copy.connection)
            .and_then(|backup| backup.run_to_completion(1_000_000, Duration::ZERO, None))
            .unwrap();
        copy
    }

    /// Runs statements as they are, past the trait.
    pub fn run(&self, sql: &str) {
        self.connection.execute_batch(sql).unwrap();
    }

    /// All that the database holds: the statements that made it, and every row of every table.
    pub fn dump(&self) -> Vec<String> {
        let mut dump =
            self.strings("SELECT name || ': ' || sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name");
        for table in self.strings("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
            let mut statement = self.connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1")).unwrap();
            let names: Vec<_> = statement.column_names().map(str::to_owned).collect();
            let mut rows = statement.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let columns = names.iter().zip(0..).map(|(name, at)| format!("{name}={:?}", row.get_ref(at).unwrap()));
                dump.push(format!("{table}: {}", columns.collect::<Vec<_>>().join(", ")));
            }
        }
        dump
    }

    fn strings(&self, sql: &str) -> Vec<String> {
        let mut statement = self.connection.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// How SQLite would go about a statement, step by step.
    pub fn plan(&self, sql: &str) -> Vec<String> {
        let mut statement = self.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let mut rows = statement.raw_query();
        let mut steps = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            steps.push(row.get(3).unwrap());
        }
        steps
    }

    /// The database's size in pages.
    pub fn pages(&self) -> i64 {
        self.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap()
    }

    /// Lets the database grow to so many pages and no further: a statement that wants more finds the disk full.
    pub fn limit_pages(&self, pages: i64) {
        let mut statement = self.connection.prepare(&format!("PRAGMA max_page_count = {pages}")).unwrap();
        statement.query_row([], |row| row.get::<_, i64>(0)).unwrap();
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
        drop(rows);
        if statement.reset_status(StatementStatus::RePrepare) > 0 {
            self.prepared_again.borrow_mut().insert(sql.to_owned());
        }
        Ok(found)
    }

    fn size(&self) -> Result<i64, StorageError> {
        let size = "SELECT ((SELECT * FROM pragma_page_count) - (SELECT * FROM pragma_freelist_count)) * (SELECT * FROM pragma_page_size)";
        self.connection.query_row(size, [], |row| row.get(0)).map_err(storage_error)
    }

    fn transaction<T, E: From<StorageError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        assert!(!self.in_transaction.replace(true), "transactions are not nested");
        self.run("BEGIN IMMEDIATE");
        let outcome = catch_unwind(AssertUnwindSafe(body));
        let committed = match outcome {
            Ok(Ok(_)) => self.connection.execute_batch("COMMIT").map_err(storage_error),
            _ => Ok(()),
        };
        // SQLite rolls back by itself when the disk is full.
        if !self.connection.is_autocommit() {
            self.run("ROLLBACK");
        }
        self.in_transaction.set(false);
        match outcome {
            Ok(Ok(value)) => committed.map(|()| value).map_err(E::from),
            Ok(Err(error)) => Err(error),
            Err(panic) => resume_unwind(panic),
        }
    }
}
