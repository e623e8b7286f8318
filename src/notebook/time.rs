//! Moments, as they are stored (milliseconds since 1970) and as they are told (RFC 3339, UTC, milliseconds).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A moment: milliseconds since 1970-01-01T00:00:00Z, leap seconds apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

/// Milliseconds of a second.
pub const SECOND: i64 = 1_000;
/// Milliseconds of an hour.
pub const HOUR: i64 = 3_600_000;
/// Milliseconds of a day.
pub const DAY: i64 = 86_400_000;

impl Timestamp {
    /// The moment so many milliseconds after 1970 began.
    #[must_use]
    pub const fn from_milliseconds(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// The moment so many milliseconds later.
    #[must_use]
    pub const fn plus(self, milliseconds: i64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }

    /// Milliseconds since 1970 began.
    #[must_use]
    pub const fn milliseconds(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = chrono::DateTime::from_timestamp_millis(self.0).unwrap_or_default();
        formatter.write_str(&time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
    }
}
