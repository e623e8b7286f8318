//! The binding of the storage trait to a Durable Object's SQL.
//!
//! A statement and its rows cross to JavaScript and back in one call (`src/bridge.js`), the rows as JSON. `transactionSync`,
//! which the `worker` crate lacks, is bound here by hand; what its closure does is undone when the closure throws, so an
//! error and a panic both leave it by throwing.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use wasm_bindgen::prelude::*;
use worker::Storage as DurableStorage;

use crate::json::{self, Kind, Node};
use crate::notebook::storage::{Param, Row, Storage, StorageError, Value};

#[wasm_bindgen]
extern "C" {
    type TransactionalStorage;

    #[wasm_bindgen(method, getter)]
    fn sql(this: &TransactionalStorage) -> JsValue;
    #[wasm_bindgen(method, catch, js_name = transactionSync)]
    fn transaction_sync(
        this: &TransactionalStorage,
        body: &mut dyn FnMut() -> Result<JsValue, JsValue>,
    ) -> Result<JsValue, JsValue>;
}

#[wasm_bindgen(module = "/src/bridge.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = databaseSize)]
    fn database_size(sql: &JsValue) -> Result<f64, JsValue>;
    #[wasm_bindgen(catch)]
    fn query(sql: &JsValue, statement: &str, bindings: Vec<JsValue>) -> Result<Option<String>, JsValue>;
}

/// The SQL of a Durable Object.
pub(super) struct DurableSql {
    sql: JsValue,
    storage: TransactionalStorage,
}

impl DurableSql {
    pub(super) fn new(storage: &DurableStorage) -> Self {
        let raw: &JsValue = storage.as_raw().as_ref();
        let storage: TransactionalStorage = raw.clone().unchecked_into();
        Self { sql: storage.sql(), storage }
    }
}

impl Storage for DurableSql {
    fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StorageError> {
        let bindings = params.iter().map(to_js).collect();
        let rows = query(&self.sql, sql, bindings).map_err(|error| StorageError::new(reason(&error)))?;
        #[cfg(feature = "faults")]
        super::faults::inject(sql, params)?;
        let Some(rows) = rows else { return Ok(Vec::new()) };
        let rows = json::parse(rows.as_bytes()).map_err(|error| StorageError::new(format!("rows: {error}")))?;
        let row = |row: Node<'_>| row.elements().map(value).collect::<Option<_>>().map(Row::new);
        let rows: Option<_> = rows.root().elements().map(row).collect();
        rows.ok_or_else(|| StorageError::new("a row holds what is neither NULL, a safe integer, text nor bytes"))
    }

    fn size(&self) -> Result<i64, StorageError> {
        let size = database_size(&self.sql).map_err(|error| StorageError::new(reason(&error)))?;
        // Exact: a database has at most 10 GB.
        #[allow(clippy::cast_possible_truncation)]
        Ok(size as i64)
    }

    fn transaction<T, E: From<StorageError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut run = (Some(body), None);
        // What a panic leaves in `run` is only looked at to pass the panic on.
        let mut state = AssertUnwindSafe(&mut run);
        let committed = self.storage.transaction_sync(&mut move || {
            let (body, outcome) = &mut **state;
            let result = catch_unwind(AssertUnwindSafe(|| body.take().map(|body| body())));
            let commit = matches!(result, Ok(Some(Ok(_))));
            *outcome = Some(result);
            if commit { Ok(JsValue::UNDEFINED) } else { Err(JsValue::from_str("rolled back")) }
        });
        match (run.1, committed) {
            (Some(Ok(Some(Ok(value)))), Ok(_)) => Ok(value),
            (Some(Ok(Some(Err(error)))), _) => Err(error),
            (Some(Err(panic)), _) => resume_unwind(panic),
            (_, Err(error)) => Err(StorageError::new(format!("a transaction failed: {error:?}")).into()),
            (_, Ok(_)) => Err(StorageError::new("a transaction did not run").into()),
        }
    }
}

fn to_js(param: &Param<'_>) -> JsValue {
    match *param {
        Param::Null => JsValue::NULL,
        // Exact: the trait's integers lie within ±(2^53 − 1).
        #[allow(clippy::cast_precision_loss)]
        Param::Integer(integer) => JsValue::from_f64(integer as f64),
        Param::Text(text) => JsValue::from_str(text),
        Param::Blob(bytes) => js_sys::Uint8Array::from(bytes).into(),
    }
}

/// The engine's own words.
fn reason(error: &JsValue) -> String {
    error.dyn_ref::<worker::js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| error.message().into())
}

/// A value as `query` of `src/bridge.js` writes it.
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
