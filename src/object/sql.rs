//! The binding of the storage trait to a Durable Object's SQL.
//!
//! A statement and its rows cross to JavaScript and back in one call (`src/bridge.js`), parameters and rows as JSON. What a
//! transaction has done is undone when it is left by an exception, which an error is made into there, and a panic is one.

use wasm_bindgen::prelude::*;

use crate::json::{self, Kind, Node, write_string};
use crate::notebook::list;
use crate::notebook::storage::{Param, Row, Storage, StorageError, Value};

#[wasm_bindgen]
extern "C" {
    type TransactionalStorage;

    #[wasm_bindgen(method, getter)]
    fn sql(this: &TransactionalStorage) -> JsValue;
}

#[wasm_bindgen(raw_module = "../bridge.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = databaseSize)]
    fn database_size(sql: &JsValue) -> Result<f64, JsValue>;
    fn transaction(storage: &TransactionalStorage, body: &mut dyn FnMut() -> bool) -> JsValue;
    #[wasm_bindgen(catch)]
    fn query(sql: &JsValue, statement: &str, bindings: &str, list: bool) -> Result<Option<Vec<u8>>, JsValue>;
}

/// The SQL of a Durable Object.
pub(super) struct DurableSql {
    sql: JsValue,
    storage: TransactionalStorage,
}

impl DurableSql {
    pub(super) fn new(storage: &JsValue) -> Self {
        let storage: TransactionalStorage = storage.clone().unchecked_into();
        Self { sql: storage.sql(), storage }
    }
}

impl DurableSql {
    /// The rows of a statement; of its only value where that is a `list` of them.
    fn rows(&self, sql: &str, params: &[Param<'_>], list: bool) -> Result<Vec<Row>, StorageError> {
        let rows = query(&self.sql, sql, &bindings(params), list).map_err(|error| StorageError::new(reason(&error)))?;
        #[cfg(feature = "faults")]
        super::faults::inject(sql, params)?;
        match rows {
            None => Ok(Vec::new()),
            Some(rows) if list => list::rows(&rows),
            Some(rows) => rows_of_json(&rows),
        }
    }
}

impl Storage for DurableSql {
    fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StorageError> {
        self.rows(sql, params, false)
    }

    fn list(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StorageError> {
        self.rows(sql, params, true)
    }

    fn size(&self) -> Result<i64, StorageError> {
        let size = database_size(&self.sql).map_err(|error| StorageError::new(reason(&error)))?;
        // Exact: a database has at most 10 GB.
        #[allow(clippy::cast_possible_truncation)]
        Ok(size as i64)
    }

    fn transaction<T, E: From<StorageError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let (mut body, mut outcome) = (Some(body), None);
        let failed = transaction(&self.storage, &mut || {
            outcome = body.take().map(|body| body());
            matches!(outcome, Some(Ok(_)))
        });
        match outcome {
            Some(Ok(value)) if failed.is_undefined() => Ok(value),
            Some(Err(error)) => Err(error),
            _ => Err(StorageError::new(format!("a transaction failed: {}", reason(&failed))).into()),
        }
    }
}

/// Values as `query` of `src/bridge.js` reads them: a JSON array, bytes in it as arrays of numbers.
fn bindings(params: &[Param<'_>]) -> String {
    let mut json = String::from("[");
    for (position, param) in params.iter().enumerate() {
        if position > 0 {
            json.push(',');
        }
        match *param {
            Param::Null => json.push_str("null"),
            // Exact in JavaScript: the trait's integers lie within ±(2^53 − 1).
            Param::Integer(integer) => json.push_str(&integer.to_string()),
            Param::Text(text) => write_string(&mut json, text),
            Param::Blob(bytes) => {
                let bytes: Vec<_> = bytes.iter().map(u8::to_string).collect();
                json.push('[');
                json.push_str(&bytes.join(","));
                json.push(']');
            }
        }
    }
    json.push(']');
    json
}

/// The engine's own words.
fn reason(error: &JsValue) -> String {
    error.dyn_ref::<worker::js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| error.message().into())
}

/// Rows as `query` of `src/bridge.js` writes them.
fn rows_of_json(rows: &[u8]) -> Result<Vec<Row>, StorageError> {
    let rows = json::parse(rows).map_err(|error| StorageError::new(format!("rows: {error}")))?;
    let row = |row: Node<'_>| row.elements().map(value).collect::<Option<_>>().map(Row::new);
    let rows: Option<_> = rows.root().elements().map(row).collect();
    rows.ok_or_else(|| StorageError::new("a row holds what is neither NULL, a safe integer, text nor bytes"))
}

fn value(cell: Node<'_>) -> Option<Value> {
    let byte = |byte: Node<'_>| u8::try_from(byte.as_number()?.as_integer()?).ok();
    Some(match cell.kind() {
        Kind::Null => Value::Null,
        Kind::Number => Value::Integer(cell.as_number()?.as_integer()?),
        Kind::String => Value::Text(cell.as_str()?.into_owned()),
        Kind::Array => Value::Blob(cell.elements().map(byte).collect::<Option<_>>()?),
        Kind::Bool | Kind::Object => return None,
    })
}
