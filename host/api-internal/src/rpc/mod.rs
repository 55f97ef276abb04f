//! The invoice data service over HTTP.

mod annotations;
mod attachments;
mod document_stream;
mod documents;
mod events;
pub(crate) mod examples;
mod export;
mod pdf;
mod refused;
mod reports;
mod transitions;

pub use attachments::body_bytes_max;
pub(crate) use refused::{gone, issue_mistake};

use crate::InternalState;
use crate::described::{answer_with, etag};
use crate::errors::{ApiError, refuse};
use axum::http::{HeaderMap, StatusCode, header};
use gateway_domain::ErrorCode;
use gateway_domain::ids::InvoiceId;
use gateway_events::CloudEvent;
use gateway_http::openapi::{Forbidden, Listener, Surface, Unauthorised, idempotency_replayed};
use gateway_invoicing::DocumentView;
use utoipa_axum::router::OpenApiRouter;

/// The routes of the invoice data service.
pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new()
        .merge(documents::routes())
        .merge(pdf::routes())
        .merge(annotations::routes())
        .merge(attachments::routes())
        .merge(reports::routes())
        .merge(transitions::routes())
        .merge(events::routes())
}

/// What they are described by.
pub(super) fn surface() -> Surface {
    let about = "The invoice data service: documents, their states and numbers, and the feed of their changes. A document of a \
                 workspace that the client may not see does not exist for it.";
    Surface::new(Listener::Internal, "Invoice documents", about, routes().into_openapi())
        .behind_a_token(Some("invoicing.rpc"))
        .answers::<Unauthorised>(401)
        .answers::<Forbidden>(403)
        .fails()
        .refusal::<document_stream::NoSuchList>()
        .refusal::<pdf::NoRenderer>()
        .refusal::<attachments::NoAttachment>()
        .refusal::<attachments::IdTaken>()
        .refusal::<attachments::TooLarge>()
        .example::<DocumentView<'_>>(&examples::document())
        .example::<CloudEvent<'_>>(&examples::event())
        .body("putDocument", "individual", &examples::individual())
        .body("putDocument", "company", &examples::company())
        .each(|_, operation| match operation.operation_id.as_deref() {
            Some("getDocument") => answer_with(operation, "200", "ETag", etag()),
            Some("putDocument") => {
                for status in ["200", "201"] {
                    answer_with(operation, status, "ETag", etag());
                }
            }
            Some("issuing" | "issue" | "reject") => {
                answer_with(operation, "200", "Idempotency-Replayed", idempotency_replayed());
            }
            _ => {}
        })
}

/// The document that a path names, in the one spelling that answers use.
pub(super) fn document_id(text: &str) -> Result<InvoiceId, ApiError> {
    const HYPHENATED_CHARS: usize = "00000000-0000-0000-0000-000000000000".len();
    let id = if text.len() == HYPHENATED_CHARS { text.parse().ok() } else { None };
    id.ok_or_else(|| refuse(StatusCode::BAD_REQUEST, "uuid", ErrorCode::InvalidFormat, "is no UUID"))
}

/// The version an edit expects (`If-Match`).
pub(super) fn expected_version(headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version = text.trim_start_matches("W/").trim_matches('"').parse();
    let message = "If-Match takes the version of the document, such as \"3\"";
    version
        .map(Some)
        .map_err(|_| refuse(StatusCode::BAD_REQUEST, "version", ErrorCode::InvalidFormat, message))
}

#[cfg(test)]
mod tests {
    use super::document_id;

    #[test]
    fn a_document_is_named_in_one_spelling() {
        assert!(document_id("01900000-0000-7000-8000-0000000000aB").is_ok());
        for text in [
            "",
            "x",
            "01900000000070008000000000000001",
            "{01900000-0000-7000-8000-000000000001}",
            "urn:uuid:01900000-0000-7000-8000-000000000001",
            "01900000-0000-7000-8000-00000000000g",
        ] {
            assert!(document_id(text).is_err(), "{text}");
        }
    }
}
