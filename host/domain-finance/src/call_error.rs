//! How calls fail, and when they are repeated.

use crate::verdict_timeouts::RETRY_WAIT_MAX;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// First wait after a failed call, seconds; doubled with every further failure.
pub const RETRY_BASE_S: u32 = 2;
/// Longest wait between two tries of a call, seconds.
const RETRY_MAX_S: u32 = 600;

/// What kind of failure a call to the provider ended in, by what is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallFailure {
    /// No answer, or one that says later: repeated.
    Unavailable,
    /// The token is wrong.
    Unauthorised,
    /// The id or key was used before.
    Conflict,
    /// The provider does not know what was asked for.
    NotFound,
    /// The content was refused.
    Refused,
    /// The answer was not understood.
    Protocol,
}

/// The last call to the provider that failed in the present stage; for operators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallError {
    /// What kind.
    pub class: CallFailure,
    /// One sentence, without secrets.
    #[schema(examples("connection reset"))]
    pub message: String,
    /// When.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:02Z"))]
    pub at: Timestamp,
}

/// Seconds to wait before try `retries` + 1 of a call, before jitter.
pub fn backoff_s(retries: u32) -> u32 {
    RETRY_BASE_S.saturating_mul(1_u32.checked_shl(retries.min(16)).unwrap_or(u32::MAX)).min(RETRY_MAX_S)
}

/// How long a call waits that found nobody, before jitter: as the provider asks for it (`Retry-After`, seconds), where that is
/// longer than the usual wait before try `retries` + 1; never longer than [`RETRY_WAIT_MAX`].
pub fn retry_wait(retry_after_s: Option<u64>, retries: u32) -> SignedDuration {
    let wait_s = retry_after_s.unwrap_or(0).max(u64::from(backoff_s(retries)));
    SignedDuration::from_secs(i64::try_from(wait_s).unwrap_or(i64::MAX)).min(RETRY_WAIT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_ten_minutes() {
        assert_eq!((0..5).map(backoff_s).collect::<Vec<_>>(), [2, 4, 8, 16, 32]);
        assert_eq!(backoff_s(40), 600);
    }

    #[test]
    fn a_provider_that_says_when_is_waited_for_as_long_as_that_up_to_an_hour() {
        let wait_s = |retry_after_s, retries| retry_wait(retry_after_s, retries).as_secs();
        assert_eq!([wait_s(None, 1), wait_s(Some(3), 1), wait_s(Some(30), 1)], [4, 4, 30]);
        assert_eq!([wait_s(Some(u64::MAX), 0), wait_s(Some(3_601), 0)], [3_600, 3_600]);
    }
}
