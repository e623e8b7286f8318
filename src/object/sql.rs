//! The binding of the storage trait to a Durable Object's SQL.
//!
//! A statement and its rows cross to JavaScript and back in one call (`src/bridge.js`), the rows as JSON. `transactionSync`,
//! which the `worker` crate lacks, is bound here by hand; what its closure does is undone when the closure throws, so an
//! error and a panic both leave it by throwing.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use wasm_bindgen::prelude::*;
use worker::Storage as DurableStorage;

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
        #[cfg(feature = "faults")]
        super::faults::inject(sql, params)?;
        let bindings = params.iter().map(to_js).collect();
        let rows = query(&self.sql, sql, bindings).map_err(|error| StorageError::new(reason(&error)))?;
        let Some(rows) = rows else { return Ok(Vec::new()) };
        let rows: Vec<Vec<Cell>> = serde_json::from_str(&rows)
            .map_err(|error| StorageError::new(format!("rows can't be read at column {}", error.column())))?;
        Ok(rows.into_iter().map(|row| Row::new(row.into_iter().map(|Cell(value)| value).collect())).collect())
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
struct Cell(Value);

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor).map(Self)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("null, a safe integer, text or bytes")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<Value, E> {
        Ok(Value::Integer(integer))
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<Value, E> {
        i64::try_from(integer).map(Value::Integer).map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = sequence.next_element()? {
            bytes.push(byte);
        }
        Ok(Value::Blob(bytes))
    }
}
