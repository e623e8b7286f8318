//! The object's alarm: the runtime calls an object that set it, even when nobody else does. `worker` can only await that it is
//! set, which a turn does not; the runtime holds the turn's answer back until it is.

use wasm_bindgen::prelude::*;

use crate::notebook::storage::StorageError;
use crate::notebook::time::Timestamp;

#[wasm_bindgen]
extern "C" {
    type AlarmStorage;

    #[wasm_bindgen(method, catch, js_name = setAlarm)]
    fn set_alarm(this: &AlarmStorage, time: f64) -> Result<JsValue, JsValue>;
}

/// The alarm of a Durable Object.
pub(super) struct Alarm(AlarmStorage);

impl Alarm {
    pub(super) fn new(storage: &JsValue) -> Self {
        Self(storage.clone().unchecked_into())
    }

    /// Sets the alarm to this moment, in place of any other.
    pub(super) fn set(&self, time: Timestamp) -> Result<(), StorageError> {
        // Exact: milliseconds since 1970 are far below 2^53.
        #[allow(clippy::cast_precision_loss)]
        let time = time.milliseconds() as f64;
        let set = self.0.set_alarm(time);
        set.map(drop).map_err(|error| StorageError::new(format!("the alarm can't be set: {error:?}")))
    }
}
