//! What is read of an answer: little.

use crate::sender::WebhookResponse;
use gateway_outbound::retry_after_s;
use reqwest::Response;
use reqwest::header::LOCATION;
use std::time::Duration;

/// Bytes of the body that are kept.
const EXCERPT_BYTES_MAX: usize = 1024;
/// Bytes of the body that are read; a longer one ends the connection.
const READ_BYTES_MAX: usize = 4 * 1024;
/// Longest address of a redirect that is kept, characters.
const LOCATION_CHARS_MAX: usize = 512;
/// How long the body may take: the head has said what became of the event.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) async fn read(mut response: Response) -> WebhookResponse {
    let status = response.status().as_u16();
    let retry_after_s = retry_after_s(response.headers());
    let location = response
        .headers()
        .get(LOCATION)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).chars().take(LOCATION_CHARS_MAX).collect());
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > READ_BYTES_MAX {
                break;
            }
        }
    };
    // A body that breaks off or takes long changes nothing.
    let _ = tokio::time::timeout(READ_TIMEOUT, reading).await;
    body.truncate(EXCERPT_BYTES_MAX);
    WebhookResponse { status, retry_after_s, location, body: String::from_utf8_lossy(&body).into_owned() }
}
