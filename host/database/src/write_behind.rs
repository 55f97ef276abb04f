//! What is counted in memory, and written down from time to time.

use gateway_domain::StoreError;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Calls `flush` every so often until `shutdown`, and once more then. What cannot be written is for `flush` to keep; `unwritten`
/// says in the log that it is not written yet.
pub async fn write_behind<F>(
    every: Duration,
    shutdown: CancellationToken,
    unwritten: &str,
    flush: impl Fn() -> F,
) where
    F: Future<Output = Result<(), StoreError>>,
{
    loop {
        let ending = tokio::time::timeout(every, shutdown.cancelled()).await.is_ok();
        if let Err(error) = flush().await {
            tracing::warn!("{unwritten}: {error}");
        }
        if ending {
            return;
        }
    }
}
