//! The binding of the storage trait to a Durable Object's SQL.
//!
//! Of a cursor only `raw()` is used: the other ways to read one are imported without a catch, and an exception in them
//! would take the whole isolate down. `transactionSync`, which the `worker` crate lacks, is bound here by hand; what its
//! closure does is undone when the closure throws, so an error and a panic both leave it by throwing.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use wasm_bindgen::prelude::*;
use worker::{SqlStorage, SqlStorageValue, Storage as DurableStorage};

use crate::notebook::storage::{Param, Row, Storage, StorageError, Value};

#[wasm_bindgen]
extern "C" {
    type TransactionalStorage;

    #[wasm_bindgen(method, catch, js_name = transactionSync)]
    fn transaction_sync(
        this: &TransactionalStorage,
        body: &mut dyn FnMut() -> Result<JsValue, JsValue>,
    ) -> Result<JsValue, JsValue>;
}

/// The SQL of a Durable Object.
pub(super) struct DurableSql {
    sql: SqlStorage,
    storage: TransactionalStorage,
}

impl DurableSql {
    pub(super) fn new(storage: &DurableStorage) -> Self {
        let raw: &JsValue = storage.as_raw().as_ref();
        Self { sql: storage.sql(), storage: raw.clone().unchecked_into() }
    }
}

impl Storage for DurableSql {
    fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StorageError> {
        #[cfg(feature = "faults")]
        super::faults::inject(sql, params)?;
        let bindings: Vec<_> = params.iter().map(to_js).collect();
        let cursor = self.sql.exec_raw(sql, bindings).map_err(|error| StorageError::new(error.to_string()))?;
        cursor.raw().map(|row| row.map_err(|error| StorageError::new(error.to_string())).and_then(from_js)).collect()
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

fn from_js(values: Vec<SqlStorageValue>) -> Result<Row, StorageError> {
    let value = |value| match value {
        SqlStorageValue::Null => Ok(Value::Null),
        SqlStorageValue::Integer(integer) => Ok(Value::Integer(integer)),
        SqlStorageValue::String(text) => Ok(Value::Text(text)),
        SqlStorageValue::Blob(bytes) => Ok(Value::Blob(bytes)),
        SqlStorageValue::Boolean(_) | SqlStorageValue::Float(_) => {
            Err(StorageError::new("a row holds a number that is not a safe integer"))
        }
    };
    values.into_iter().map(value).collect::<Result<_, _>>().map(Row::new)
}
