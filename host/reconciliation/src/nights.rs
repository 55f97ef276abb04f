//! When nightly runs begin.

use crate::Reconciliations;
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_storage::reconciliations;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// How far ahead the job looks again at most: what is due later than submissions ever wait is taken for put off by a clock that
/// was ahead, and made due now.
const LOOK_EVERY: SignedDuration = SignedDuration::from_mins(30);
/// How late a night may begin that nobody was there for.
const LATE_MAX: SignedDuration = SignedDuration::from_hours(1);
/// What is younger may be on its way, or not listed yet: it is looked at in the next night.
const SETTLED_AFTER: SignedDuration = SignedDuration::from_hours(1);
/// Newest runs of a workspace among which that of this night is.
const NEWEST: i64 = 10;

impl Reconciliations {
    /// When the job looks whether it is time; none where runs begin only when somebody asks.
    pub(crate) fn next_look(&self) -> Option<Timestamp> {
        let now = self.0.clock.now();
        let next = nights(self.0.settings.nightly_at?, now).1;
        Some(next.min(now.checked_add(LOOK_EVERY).unwrap_or(next)))
    }

    /// Begins a run of every workspace that sends something to a provider, where it is time and none has begun.
    pub(crate) async fn begin_night(&self) -> Result<(), StoreError> {
        let (now, actor) = (self.0.clock.now(), Actor::gateway());
        let Some(at) = self.0.settings.nightly_at else { return Ok(()) };
        let night = nights(at, now).0;
        if now.duration_since(night) > LATE_MAX {
            return Ok(());
        }
        let until = now.checked_sub(SETTLED_AFTER).unwrap_or(now);
        for workspace in self.0.workspaces.regimes().await?.into_keys() {
            if !self.has_begun_since(workspace, &actor, night).await? {
                self.begin(&actor, workspace, self.usual_start(now), until).await?;
            }
        }
        Ok(())
    }

    async fn has_begun_since(
        &self,
        workspace: WorkspaceId,
        by: &Actor,
        night: Timestamp,
    ) -> Result<bool, StoreError> {
        let newest = reconciliations::newest(&self.0.db, Some(workspace), NEWEST).await?;
        Ok(newest.iter().any(|run| run.requested_by == by.0 && run.started_at >= night))
    }
}

/// The last time that the clock showed this time of the day in UTC, now included, and the next time.
fn nights(at: Time, now: Timestamp) -> (Timestamp, Timestamp) {
    let today = now.to_zoned(TimeZone::UTC).date().to_datetime(at).to_zoned(TimeZone::UTC);
    let today = today.map_or(now, |today| today.timestamp());
    let day = SignedDuration::from_hours(24);
    if today > now {
        (today.checked_sub(day).unwrap_or(Timestamp::MIN), today)
    } else {
        (today, today.checked_add(day).unwrap_or(Timestamp::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::time;

    #[test]
    fn a_night_begins_at_its_time_and_ends_at_the_next() {
        let of = |now: &str| {
            let (last, next) = nights(time(3, 30, 0, 0), now.parse().unwrap());
            (last.to_string(), next.to_string())
        };
        let night = |last: &str, next: &str| (last.to_owned(), next.to_owned());
        assert_eq!(of("2026-11-20T03:30:00Z"), night("2026-11-20T03:30:00Z", "2026-11-21T03:30:00Z"));
        assert_eq!(of("2026-11-20T03:29:59Z"), night("2026-11-19T03:30:00Z", "2026-11-20T03:30:00Z"));
        assert_eq!(of("2026-12-31T23:59:59Z"), night("2026-12-31T03:30:00Z", "2027-01-01T03:30:00Z"));
    }
}
