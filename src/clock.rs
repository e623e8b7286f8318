//! The runtime's clock.

use worker::Date;

use crate::notebook::time::Timestamp;

/// The time now, which stands still while a request computes.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_milliseconds(i64::try_from(Date::now().as_millis()).unwrap_or_default())
}
