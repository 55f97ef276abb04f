//! What routes and workers share.

use crate::authority::Authority;
use crate::chains::Chains;
use gateway_domain::ports::{Clock, Ids};
use gateway_storage::Db;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;

/// How long a worker sleeps with nothing to do; news wakes it.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a worker sleeps before it looks at the clock again: clocks jump.
const TICK: Duration = Duration::from_millis(200);

/// How fast the stand-in is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delays {
    /// From taking a job to running it.
    pub job: Duration,
    /// The first wait before a notification is repeated; it doubles.
    pub webhook_retry: Duration,
    /// How long the receiver of a notification may take.
    pub webhook_timeout: Duration,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            job: Duration::from_millis(300),
            webhook_retry: Duration::from_secs(5),
            webhook_timeout: Duration::from_secs(10),
        }
    }
}

/// What routes and workers share.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) db: Db,
    pub(crate) authority: Arc<dyn Authority>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) time_zone: TimeZone,
    pub(crate) delays: Delays,
    /// The chains of records that jobs are at.
    pub(crate) chains: Chains,
    /// Whether anybody wants notifications.
    pub(crate) notifies: bool,
    /// The digest of the bearer token callers must show; any non-empty token when there is none.
    pub(crate) token_digest: Option<Vec<u8>>,
}

impl Context {
    /// The moment `wait` from now.
    pub(crate) fn after(&self, wait: Duration) -> Timestamp {
        let now = self.clock.now();
        SignedDuration::try_from(wait)
            .ok()
            .and_then(|wait| now.checked_add(wait).ok())
            .unwrap_or(Timestamp::MAX)
    }

    /// How long a worker sleeps that waits for `due`.
    pub(crate) fn until(&self, due: Timestamp) -> Duration {
        let wait = Duration::try_from(due.duration_since(self.clock.now())).unwrap_or_default();
        wait.clamp(Duration::from_millis(1), TICK)
    }

    /// Whether a caller with this bearer token may pass.
    pub(crate) fn admits(&self, token: &str) -> bool {
        // Digests are compared, so that the time taken says nothing about the token.
        !token.is_empty() && self.token_digest.as_ref().is_none_or(|digest| token_digest(token) == *digest)
    }
}

/// The digest of a bearer token, for comparing.
pub(crate) fn token_digest(token: &str) -> Vec<u8> {
    Sha256::digest(token).to_vec()
}
