//! What is asked of webhooks, on both APIs that manage them.

use axum::http::StatusCode;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_platform::webhooks::NoticeAccess;
use gateway_http::ApiErrors;
use gateway_http::query;
use gateway_webhooks::views::EventName;
use gateway_webhooks::{ReplayScope, WebhookChange, WebhookError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Members that are not sent stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookChangeForm)]
pub(crate) struct ChangeForm {
    #[serde(default)]
    #[schema(value_type = Option<Vec<EventName>>)]
    events: Option<Vec<String>>,
    #[serde(default)]
    #[schema(examples(true))]
    enabled: Option<bool>,
}

impl ChangeForm {
    /// What is meant, by somebody who may or may not have webhooks told notices.
    pub(crate) fn change(self, notices: NoticeAccess) -> WebhookChange {
        WebhookChange { events: self.events, notices, enabled: self.enabled }
    }
}

/// One delivery, or what happened from one instant to another, which is now unless given.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookReplayForm)]
pub(crate) struct ReplayForm {
    #[serde(default)]
    #[schema(format = Uuid)]
    delivery_id: Option<String>,
    /// ISO 8601; a day counts from midnight UTC.
    #[serde(default)]
    #[schema(examples("2026-11-20T00:00:00Z"))]
    from: Option<String>,
    /// Now unless given.
    #[serde(default)]
    to: Option<String>,
}

impl ReplayForm {
    /// What is meant.
    ///
    /// # Errors
    /// The member that is missing, wrong or too much.
    pub(crate) fn scope(self) -> Result<ReplayScope, FieldError> {
        let instant = |field: &str, text: &str| {
            query::instant(text)
                .ok_or_else(|| FieldError::new(field, ErrorCode::InvalidFormat, query::INSTANT))
        };
        match ReplayScope::of(self.delivery_id, self.from, self.to)? {
            ReplayScope::Delivery(delivery) => match query::uuid(&delivery) {
                Some(id) => Ok(ReplayScope::Delivery(id.into())),
                None => Err(FieldError::new("delivery_id", ErrorCode::InvalidFormat, query::ID)),
            },
            ReplayScope::Range(from, to) => {
                let from = instant("from", &from)?;
                Ok(ReplayScope::Range(from, to.map(|to| instant("to", &to)).transpose()?))
            }
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplayedAnswer {
    /// How many.
    #[schema(examples(3))]
    pub(crate) replayed: usize,
}

/// Why an operation on webhooks was not carried out, as both APIs answer it.
pub(crate) fn webhook_errors(error: WebhookError) -> ApiErrors {
    match error {
        WebhookError::Invalid(faults) => ApiErrors::new(StatusCode::UNPROCESSABLE_ENTITY, faults),
        WebhookError::NotFound { field, .. } => {
            let message = error.to_string();
            ApiErrors::new(StatusCode::NOT_FOUND, vec![FieldError::new(field, ErrorCode::NotFound, message)])
        }
        WebhookError::Sealing(cause) => ApiErrors::internal(cause),
        WebhookError::Store(cause) => ApiErrors::internal(cause),
    }
}
