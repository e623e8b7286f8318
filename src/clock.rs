//! The runtime's clock.

use js_sys::Date;

use crate::notebook::time::Timestamp;

/// The time now, which stands still while a request computes.
pub(crate) fn now() -> Timestamp {
    // Whole milliseconds, which a double holds exactly.
    #[allow(clippy::cast_possible_truncation)]
    Timestamp::from_milliseconds(Date::now() as i64)
}
