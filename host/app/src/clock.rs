//! The real clock and the real source of identifiers.

use gateway_domain::ports::{Clock, Ids};
use jiff::Timestamp;
use uuid::Uuid;

/// The system's clock, to the microsecond, as the databases keep it.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the system's time is read")]
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }
}

/// Time-ordered identifiers from the system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "the one place where identifiers are made")]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}
