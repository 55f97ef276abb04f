//! The provider's webhook: the entry id is noted, the answer is 204 before any work is done.

use crate::PublicState;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway_access::network;
use gateway_domain::ErrorCode;
use gateway_finance::Submissions;
use gateway_finance::submission::NotificationOutcome;
use gateway_http::limits::Limits;
use gateway_http::openapi::{Listener, Surface, TooLarge, TooSlow, retry_after, www_authenticate};
use gateway_http::{ApiErrors, Peer, json};
use gateway_workspaces::{WebhookBearer, Workspaces};
use serde::Serialize;
use serde_json::Value;
use std::net::IpAddr;
use std::sync::Arc;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

/// Notifications that each address may send a second. A provider sends two of a document, and repeats what it was refused.
pub const NOTIFICATIONS_PER_S: u32 = 500;

/// The route of the provider.
pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(notified))
}

/// What it is described by.
pub(super) fn surface() -> Surface {
    let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(
        "The webhook token of a workspace's e-invoicing configuration; not asked for while no workspace has one.",
    ));
    let none: [&str; 0] = [];
    let about = "What the e-invoicing provider calls.";
    Surface::new(Listener::Public, "Provider", about, router().into_openapi())
        .scheme("webhookToken", SecurityScheme::Http(token.build()))
        .security([SecurityRequirement::new("webhookToken", none), SecurityRequirement::default()])
        .refusal::<WebhookTokenRefused>()
        .refusal::<TooManyNotifications>()
        .body("providerNotified", "example", &Notification::example())
        .fails()
}

/// What is read of a notification.
#[derive(Debug, Serialize)]
struct Notification {
    id: Uuid,
    silo_entry_id: Uuid,
}

impl Notification {
    const fn example() -> Self {
        let entry = 0x0197_f4f2_0000_7000_8000_0000_0000_00e1;
        Self { id: Uuid::from_u128(entry), silo_entry_id: Uuid::from_u128(entry + 1) }
    }
}

gateway_http::refusals! {
    /// A workspace has a webhook token, and the bearer is missing or another one.
    WebhookTokenRefused: ("base", Unauthenticated, "the webhook token is missing or wrong"), "WWW-Authenticate" = www_authenticate();
    /// The address sends more than its share. Whoever repeats the notification later misses nothing.
    TooManyNotifications: ("base", RateLimited, "too many notifications: wait as the header Retry-After says"), "Retry-After" = retry_after();
}

/// A stored entry has news
///
/// The notification names the entry and nothing else of it is read or trusted: the entry id is `silo_entry_id` if present, else
/// `id`. The answer comes before any work is done, and is the same for an entry that nobody knows; a body without a usable id
/// is counted and dropped. The result is fetched from the provider.
#[utoipa::path(
    post,
    path = "/webhooks/provider",
    operation_id = "providerNotified",
    request_body(content = Option<Value>, description = "Any JSON; only these members are read: `silo_entry_id`, `id`."),
    responses(
        (status = 204, description = "Noted."),
        (status = 401, response = WebhookTokenRefused),
        (status = 408, response = TooSlow),
        (status = 413, response = TooLarge),
        (status = 429, response = TooManyNotifications),
    )
)]
async fn notified(
    Peer(address): Peer,
    State(limits): State<Arc<Limits<IpAddr>>>,
    State(workspaces): State<Workspaces>,
    State(submissions): State<Submissions>,
    request: Request,
) -> Result<Response, ApiErrors> {
    let verdict = limits.take(&network(address));
    if !verdict.allowed {
        let message = "too many notifications: wait as the header Retry-After says";
        let refused = ApiErrors::base(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, message);
        let mut refused = refused.into_response();
        verdict.write(refused.headers_mut());
        return Ok(refused);
    }
    let authorization = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = authorization.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let workspaces = match workspaces.webhook_bearer(bearer).await.map_err(ApiErrors::internal)? {
        WebhookBearer::NotNeeded => None,
        WebhookBearer::Workspaces(list) => Some(list),
        WebhookBearer::Refused => {
            let refused = ApiErrors::base(
                StatusCode::UNAUTHORIZED,
                ErrorCode::Unauthenticated,
                "the webhook token is missing or wrong",
            );
            return Ok(([(header::WWW_AUTHENTICATE, "Bearer")], refused).into_response());
        }
    };
    let (_, body) = json::whole(request, &()).await?;
    match entry_id(&body) {
        None => tracing::warn!("A provider notification without a usable entry id was answered and dropped"),
        Some(entry) => match submissions.provider_notified(entry, workspaces.as_deref()).await {
            Ok(NotificationOutcome::Known) => {
                tracing::debug!(entry.id = %entry, "The provider has news of entry {entry}");
            }
            Ok(NotificationOutcome::Unknown) => {
                tracing::warn!(entry.id = %entry, "The provider has news of {entry}, which no document has");
            }
            // The provider repeats its call, and the poll finds the news anyway.
            Err(cause) => return Err(ApiErrors::internal(cause)),
        },
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Which entry the notification is about: `silo_entry_id` if present, else `id`. Nothing else is read or trusted.
fn entry_id(body: &[u8]) -> Option<Uuid> {
    // None is logged: whoever sent it is answered and not believed.
    let value: Value = serde_json::from_slice(body).ok()?;
    let member = |name: &str| value.get(name).filter(|value| !value.is_null());
    member("silo_entry_id").or_else(|| member("id"))?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_is_silo_entry_id_or_else_id_and_nothing_else_counts() {
        let (a, b) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let id = |body: String| entry_id(body.as_bytes());
        assert_eq!(id(format!(r#"{{"silo_entry_id":"{a}","id":"{b}","faults":[]}}"#)), Some(a));
        assert_eq!(id(format!(r#"{{"id":"{b}"}}"#)), Some(b));
        for useless in ["", "[]", "{}", r#"{"id":7}"#, r#"{"id":"x"}"#, "\u{0}"] {
            assert_eq!(id(useless.to_owned()), None);
        }
    }
}
