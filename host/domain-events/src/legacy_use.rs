//! Who still uses the legacy API, and for what.

use jiff::Timestamp;

/// How a client used a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegacyUse {
    /// Method and pattern: `GET /api/dev/properties/{id}`.
    pub route: String,
    /// How often.
    pub requests: i64,
    /// Since when.
    pub first_at: Timestamp,
    /// When the newest of these requests came.
    pub last_at: Timestamp,
}
