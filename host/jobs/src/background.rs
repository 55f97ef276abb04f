//! What loops in the background have in common: a wait after each claim, and an end with the tasks that they started.

use gateway_domain::StoreError;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long what waits is left alone when nothing says that there is something; other processes cannot say so.
const IDLE: Duration = Duration::from_millis(250);
/// How long to wait after the database failed.
const TROUBLE: Duration = Duration::from_secs(1);

/// Sleeps after a claim: not at all when something was claimed, else until `wake` or `shutdown` says so, or for a while.
/// `trouble` is the sentence for a database that failed.
pub async fn sleep_until_woken(
    claimed: Result<usize, StoreError>,
    trouble: &str,
    wake: &Notify,
    shutdown: &CancellationToken,
) {
    let wait = match claimed {
        Ok(0) => IDLE,
        Ok(_) => return,
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "{trouble}: {error}");
            TROUBLE
        }
    };
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = wake.notified() => {}
        () = tokio::time::sleep(wait) => {}
    }
}

/// Waits for tasks that end by themselves.
pub async fn ended(tasks: impl IntoIterator<Item = JoinHandle<()>>) {
    for task in tasks {
        if let Err(error) = task.await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "A background task ended badly: {error}"
            );
        }
    }
}
