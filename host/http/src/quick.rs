//! What must be answered quickly, whatever the database does: readiness, tokens and metrics, by which others decide whether this
//! process is well.

use crate::errors::ApiErrors;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use gateway_domain::ErrorCode;
use std::time::Duration;
use tokio::time::timeout;

/// How long the database may take with what must be answered within two seconds.
pub const DATABASE_TIMEOUT: Duration = Duration::from_millis(1_800);

/// `work`, if it ends in time.
///
/// # Errors
/// 503 with `Retry-After`, when it does not; the log says so.
pub async fn in_time<T>(work: impl Future<Output = T>) -> Result<T, ApiErrors> {
    timeout(DATABASE_TIMEOUT, work).await.map_err(|_| {
        tracing::error!("The database did not answer within {} ms", DATABASE_TIMEOUT.as_millis());
        let message = "the gateway cannot answer at this moment: try again";
        ApiErrors::base(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable, message)
            .with_header(RETRY_AFTER, "1")
    })
}
