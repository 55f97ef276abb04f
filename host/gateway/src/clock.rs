//! The real clock and the real source of identifiers.

use gateway_domain::ports::{Clock, Ids};
use jiff::Timestamp;
use uuid::Uuid;

/// The system's clock, to the microsecond, as the databases keep it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the system's time is read")]
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        let now = Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now);
        #[cfg(feature = "fail-points")]
        let now = stepped::step(now);
        now
    }
}

/// A clock that a test steps while the process runs: `GATEWAY_TEST_CLOCK_FILE` names a file that says by how many seconds
/// the system's time is wrong. Compiled only with the feature `fail-points`.
#[cfg(feature = "fail-points")]
mod stepped {
    use jiff::{SignedDuration, Timestamp};
    use std::path::PathBuf;
    use std::sync::OnceLock;

    const VARIABLE: &str = "GATEWAY_TEST_CLOCK_FILE";

    pub(super) fn step(now: Timestamp) -> Timestamp {
        static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
        let Some(file) = FILE.get_or_init(|| std::env::var_os(VARIABLE).map(PathBuf::from)) else {
            return now;
        };
        // A file that is not there, or is being written, says nothing.
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let offset = SignedDuration::from_secs(text.trim().parse().unwrap_or(0));
        now.checked_add(offset).unwrap_or(now)
    }
}

/// Time-ordered identifiers from the system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SystemIds;

impl Ids for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "the one place where identifiers are made")]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}
