//! A listener that answers while the process still starts: what needs the plugins waits for them, and is told to come again
//! where that takes long.

use crate::errors::ApiErrors;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long a request waits for the plugins.
const WAIT_TIMEOUT: Duration = Duration::from_secs(20);
/// After which it may come again, seconds.
const RETRY_AFTER_S: &str = "2";

/// Whether the plugins in force are loaded. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Startup {
    loaded: Arc<watch::Sender<bool>>,
    wait_timeout: Duration,
}

impl Default for Startup {
    fn default() -> Self {
        Self::with_timeout(WAIT_TIMEOUT)
    }
}

impl Startup {
    /// Not yet; a request waits for them at most so long.
    pub fn with_timeout(wait_timeout: Duration) -> Self {
        Self { loaded: Arc::new(watch::channel(false).0), wait_timeout }
    }

    /// They are loaded: whoever waits goes on.
    pub fn finish(&self) {
        self.loaded.send_replace(true);
    }

    /// Whether they are.
    pub fn is_finished(&self) -> bool {
        *self.loaded.borrow()
    }

    async fn finished(&self) -> bool {
        let mut loaded = self.loaded.subscribe();
        timeout(self.wait_timeout, loaded.wait_for(|loaded| *loaded)).await.is_ok_and(|waited| waited.is_ok())
    }
}

/// Lets a request in once the plugins are loaded.
pub async fn wait_for_plugins(State(startup): State<Startup>, request: Request, next: Next) -> Response {
    if startup.finished().await {
        return next.run(request).await;
    }
    let message = "the gateway starts and still compiles its plugins: try again in a moment";
    ApiErrors::base(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable, message)
        .with_header(RETRY_AFTER, RETRY_AFTER_S)
        .into_response()
}
