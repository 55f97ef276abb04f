//! What the three calls are sent with.

use crate::errors::{ApiError, refuse};
use axum::http::StatusCode;
use gateway_domain::ErrorCode;
use gateway_domain::invoicing::Acceptance;
use gateway_domain::ports::Clock;
use gateway_domain::regime::Remark;
use gateway_domain_input::acceptance;
use gateway_domain_input::is_in_the_future;
use gateway_http::time::Rfc3339;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest reason of a rejection, characters.
const REASON_CHARS_MAX: usize = 2_000;
/// What is wrong with a time that lies ahead.
const FUTURE: &str = "lies in the future: give the time of the call";
/// The reason of a rejection that gives none.
const REASON_DEFAULT: &str = "rejected";

/// The caller's own time of a step, which may be ahead of the gateway's only as far as clocks differ.
pub(super) fn not_in_the_future(
    clock: &dyn Clock,
    at: Option<Rfc3339>,
) -> Result<Option<Timestamp>, ApiError> {
    let at = at.map(|Rfc3339(at)| at);
    if at.is_some_and(|at| is_in_the_future(at, clock.now())) {
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "at", ErrorCode::InTheFuture, FUTURE));
    }
    Ok(at)
}

/// What finance says when it moves a document to issuing.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct IssuingForm {
    /// Whether finance submits the document.
    #[schema(examples(false))]
    pub(super) send_to_tax_authority: bool,
    /// The caller's own time of it; not in the future.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(super) at: Option<Rfc3339>,
}

/// The authority's proof, when finance issues an accepted document.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct IssueForm {
    /// The tax authority's proof.
    pub(super) acceptance: Option<AcceptanceForm>,
    /// An earlier number of the document, which the tax authority accepted after all: a rejected or issuing document becomes
    /// final under it, with the content that was sent then. Needs `acceptance`.
    pub(super) number: Option<String>,
    /// The caller's own time of it; not in the future.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(super) at: Option<Rfc3339>,
}

/// The tax authority's proof.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AcceptanceForm {
    /// An http(s) address, where anybody verifies the document.
    #[schema(max_length = 2000)]
    qr_url: Option<String>,
    /// The tax system's hash of the record.
    #[schema(min_length = 1, max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    tax_system_hash: Option<String>,
    /// When it was accepted; not in the future.
    #[schema(value_type = Option<String>, format = DateTime)]
    accepted_at: Option<Rfc3339>,
    /// Remarks of the authority.
    warnings: Vec<Remark>,
    /// Whether a stand-in accepted it.
    #[schema(examples(false))]
    sandbox: bool,
}

impl AcceptanceForm {
    /// The proof, when each member is one that a tax authority gives.
    pub(super) fn check(self, clock: &dyn Clock) -> Result<Acceptance, ApiError> {
        let mistake = |field: &str, code: ErrorCode, message: String| {
            refuse(StatusCode::UNPROCESSABLE_ENTITY, &format!("acceptance.{field}"), code, message)
        };
        for (field, text, mistaken) in [
            ("qr_url", &self.qr_url, acceptance::wrong_address as fn(&str) -> Option<String>),
            ("tax_system_hash", &self.tax_system_hash, acceptance::wrong_hash),
        ] {
            if let Some(message) = text.as_deref().and_then(mistaken) {
                return Err(mistake(field, ErrorCode::InvalidFormat, message));
            }
        }
        let accepted_at = self.accepted_at.map_or_else(|| clock.now(), |Rfc3339(at)| at);
        if is_in_the_future(accepted_at, clock.now()) {
            return Err(mistake("accepted_at", ErrorCode::InTheFuture, FUTURE.to_owned()));
        }
        let Self { qr_url, tax_system_hash, warnings, sandbox, .. } = self;
        Ok(Acceptance { qr_url, tax_system_hash, accepted_at, warnings, sandbox })
    }
}

/// Why a document is rejected.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RejectForm {
    /// `rejected` unless given.
    #[schema(max_length = 2000, examples("1239 at /recipient: the NIF is not registered"))]
    reason: Option<String>,
}

impl RejectForm {
    /// The reason, which is never empty.
    pub(super) fn check(self) -> Result<String, ApiError> {
        let said = self.reason.filter(|reason| !reason.trim().is_empty());
        let reason = said.unwrap_or_else(|| REASON_DEFAULT.to_owned());
        if reason.chars().count() > REASON_CHARS_MAX || reason.contains('\0') {
            let message = format!("may have at most {REASON_CHARS_MAX} characters and no NUL");
            return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "reason", ErrorCode::TooLong, message));
        }
        Ok(reason)
    }
}
