//! What loops in the background have in common: a wait after each claim, and an end with the tasks that they started.

use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long what waits is left alone at most when nothing says that there is something; other processes cannot say so.
const IDLE_MAX: Duration = Duration::from_secs(1);
/// How long it is left alone at least: what is due already may be what another process takes at this moment.
const IDLE_MIN: Duration = Duration::from_millis(20);
/// How long to wait after the database failed.
pub(crate) const RETRY_DELAY: Duration = Duration::from_secs(1);

/// How long to wait after a claim that took nothing: until the next work is due, if that is soon.
pub(crate) fn idle_for(next_due_after: Option<Duration>) -> Duration {
    next_due_after.map_or(IDLE_MAX, |after| after.clamp(IDLE_MIN, IDLE_MAX))
}

/// Sleeps until `wakeups` or `shutdown` says so, or for a while.
pub(crate) async fn sleep_until_woken(wait: Duration, wakeups: &Notify, shutdown: &CancellationToken) {
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = wakeups.notified() => {}
        () = tokio::time::sleep(wait) => {}
    }
}

/// Waits for tasks that end by themselves.
pub(crate) async fn ended(mut tasks: JoinSet<()>) {
    while let Some(task) = tasks.join_next().await {
        if let Err(error) = task {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "A background task ended badly: {error}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_soon_is_waited_for_and_everything_else_is_looked_for_each_second() {
        let idle = |millis: Option<u64>| idle_for(millis.map(Duration::from_millis));
        assert_eq!(idle(None), IDLE_MAX);
        assert_eq!(idle(Some(0)), IDLE_MIN, "somebody else may have it by now");
        assert_eq!(idle(Some(300)), Duration::from_millis(300));
        assert_eq!(idle(Some(3_600_000)), IDLE_MAX);
    }
}
