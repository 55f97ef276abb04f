//! Messages about bookings.

use super::paths::{self, BookingPath};
use super::{ApiError, LegacyCaller, Reference};
use crate::PublicState;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_domain::ids::{BookingId, MessageId};
use gateway_http::openapi::{BodyRefusals, Conflict, NotFound};
use gateway_http::{Json, Params};
use gateway_platform::Conversations;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(send_message))
}

/// Through what a message came, unless it says its own.
const SOURCE: &str = "legacy_api";

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LegacyMessageForm)]
struct MessageForm {
    #[schema(
        min_length = 1,
        max_length = 10_000,
        pattern = r"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$",
        examples("The keys are at the desk.")
    )]
    body: String,
    /// `text/plain` unless given.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    content_type: Option<String>,
    /// Through what it came; `legacy_api` unless given.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    source: Option<String>,
}

/// What was written about a booking.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LegacyMessage)]
struct MessageView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000d3"))]
    id: MessageId,
    #[schema(examples("The keys are at the desk."))]
    body: String,
    #[schema(examples("text/plain"))]
    content_type: String,
    #[schema(required, examples("legacy_api"))]
    source: Option<String>,
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    sent_at: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
struct MessageSent {
    message: MessageView,
    conversation: Reference,
}

/// Write a message about a booking
///
/// Its conversation is made when there is none yet.
#[utoipa::path(
    post,
    path = "/api/dev/bookings/{id}/messages",
    operation_id = "sendMessage",
    params(BookingPath),
    request_body = MessageForm,
    responses(
        (status = 201, description = "The message.", body = MessageSent),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn send_message(
    State(conversations): State<Conversations>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<MessageForm>,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let MessageForm { body, content_type, source } = form;
    let booking: BookingId = paths::id("booking_id", &id)?;
    let source = source.as_deref().unwrap_or(SOURCE);
    let sent = conversations
        .write_about_booking(&caller.acting, booking, &body, content_type.as_deref(), source)
        .await?;
    let answer = MessageSent {
        message: MessageView {
            id: sent.id,
            body: sent.body.clone(),
            content_type: sent.content_type.clone(),
            source: sent.source.clone(),
            sent_at: sent.sent_at,
        },
        conversation: Reference::to(sent.conversation),
    };
    Ok((StatusCode::CREATED, axum::Json(answer)).into_response())
}
