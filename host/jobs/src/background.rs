//! What loops in the background have in common: a wait after each claim, and an end with the tasks that they started.

use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long what waits is left alone when nothing says that there is something; other processes cannot say so.
const IDLE: Duration = Duration::from_millis(250);
/// How long to wait after the database failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Sleeps after a claim: not at all when something was claimed, else until `wakeups` or `shutdown` says so, or for a while.
/// `claimed` is none when the database failed.
pub(crate) async fn sleep_until_woken(
    claimed: Option<usize>,
    wakeups: &Notify,
    shutdown: &CancellationToken,
) {
    let wait = match claimed {
        Some(0) => IDLE,
        Some(_) => return,
        None => RETRY_DELAY,
    };
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
