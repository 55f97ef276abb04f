//! The three calls by which finance moves a document: issuing, issue, reject. Each is carried out once for an
//! `Idempotency-Key`.

use super::{acting, document_id, expected_version, gone};
use crate::errors::ApiError;
use crate::errors::refuse;
use crate::proof;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use gateway_access::{Requests, Tokens};
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, Invoice, InvoiceNumber};
use gateway_domain::ports::Clock;
use gateway_domain::regime::Remark;
use gateway_http::Authenticated;
use gateway_http::idempotency::{self, Once};
use gateway_http::json::{self, OptionalJson};
use gateway_http::time::Rfc3339;
use gateway_invoicing::{DocumentView, Documents, Invoicing, Issue};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

/// Longest reason of a rejection, characters.
const REASON_CHARS_MAX: usize = 2_000;
/// How far the caller's clock may be ahead of the gateway's.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);
/// What is wrong with a time that lies ahead.
const FUTURE: &str = "lies in the future: give the time of the call";
/// The reason of a rejection that gives none.
const REASON_DEFAULT: &str = "rejected";

/// A call that its client may make: about which document, and what it says.
pub(super) struct Call<F> {
    caller: Authenticated,
    document: InvoiceId,
    headers: HeaderMap,
    /// What `form` was read from.
    body: Value,
    form: F,
}

impl<S, F> FromRequest<S> for Call<F>
where
    S: Send + Sync,
    F: DeserializeOwned + Default,
    Arc<Tokens>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let caller = Authenticated::from_request_parts(&mut parts, state).await?;
        let named = Path::<String>::from_request_parts(&mut parts, state).await;
        let headers = parts.headers.clone();
        let OptionalJson(body) = OptionalJson::from_request(Request::from_parts(parts, body), state).await?;
        acting(&caller)?;
        // A path that is no text names no document either.
        let document = document_id(&named.map(|Path(uuid)| uuid).unwrap_or_default())?;
        let form = form(&body)?;
        Ok(Self { caller, document, headers, body, form })
    }
}

/// The members of a call; an empty body has none.
fn form<F: DeserializeOwned + Default>(body: &Value) -> Result<F, ApiError> {
    if body.is_null() {
        return Ok(F::default());
    }
    Ok(json::form(body)?)
}

impl<F> Call<F> {
    /// Carries the call out, once for its key; `answer` is what it tells of the document when it was carried out.
    async fn once(
        self,
        requests: &Requests,
        documents: &Documents,
        name: &str,
        step: impl AsyncFnOnce(&Acting, InvoiceId, F) -> Result<Invoice, ApiError>,
        answer: fn(&DocumentView<'_>) -> Value,
    ) -> Result<Response, ApiError> {
        let id = self.document;
        let content = idempotency::content(&format!("PUT {name} {id}"), &self.body);
        let acting = match idempotency::begin(requests, &self.caller, &self.headers, &content).await? {
            Once::Go(acting) => acting,
            Once::Answer(answer) => return Ok(answer),
            Once::CarriedOut => {
                let found = documents.find(&Acting::from(&self.caller.0), id).await?.ok_or_else(gone)?;
                return Ok(idempotency::shown(&stands(&found)));
            }
        };
        match step(&acting, id, self.form).await {
            Ok(moved) => Ok(idempotency::end(requests, &acting, &answer(&DocumentView::from(&moved))).await),
            Err(error) => idempotency::refused(requests, &acting, error).await,
        }
    }
}

/// How a document stands, after a call whose answer was lost.
fn stands(invoice: &Invoice) -> Value {
    let view = DocumentView::from(invoice);
    json!({
        "uuid": view.uuid,
        "display_invoice_number": view.display_invoice_number,
        "status": view.status,
        "issued_at": view.issued_at,
        "rejected_by_tax_authority_at": view.rejected_by_tax_authority_at,
        "rejection_reason": view.rejection_reason,
    })
}

/// The caller's own time of a step, which may be ahead of the gateway's only as far as clocks differ.
fn not_in_the_future(clock: &dyn Clock, at: Option<Rfc3339>) -> Result<Option<Timestamp>, ApiError> {
    let at = at.map(|Rfc3339(at)| at);
    if at.is_some_and(|at| at > latest(clock)) {
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "at", ErrorCode::InTheFuture, FUTURE));
    }
    Ok(at)
}

fn latest(clock: &dyn Clock) -> Timestamp {
    clock.now().checked_add(CLOCK_SKEW).unwrap_or(Timestamp::MAX)
}

/// What finance says when it moves a document to issuing.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct IssuingForm {
    /// Whether finance submits the document.
    send_to_tax_authority: bool,
    /// Finance's own time of it.
    at: Option<Rfc3339>,
}

pub(super) async fn issuing(
    State(invoicing): State<Invoicing>,
    State(requests): State<Requests>,
    State(clock): State<Arc<dyn Clock>>,
    call: Call<IssuingForm>,
) -> Result<Response, ApiError> {
    let seen = expected_version(&call.headers)?;
    let step = async |acting: &Acting, id, form: IssuingForm| {
        let at = not_in_the_future(clock.as_ref(), form.at)?;
        Ok(invoicing.begin_issuing(acting, id, form.send_to_tax_authority, at, seen).await?)
    };
    let answer = |view: &DocumentView<'_>| {
        json!({
            "uuid": view.uuid,
            "display_invoice_number": view.display_invoice_number,
            "status": view.status,
        })
    };
    call.once(&requests, invoicing.documents(), "issuing", step, answer).await
}

/// The authority's proof, when finance issues an accepted document.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct IssueForm {
    acceptance: Option<AcceptanceForm>,
    /// The earlier number of the document that the authority accepted; its present one when there is none.
    number: Option<String>,
    /// Finance's own time of the standard issue.
    at: Option<Rfc3339>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AcceptanceForm {
    qr_url: Option<String>,
    tax_system_hash: Option<String>,
    accepted_at: Option<Rfc3339>,
    warnings: Vec<Remark>,
    sandbox: bool,
}

impl AcceptanceForm {
    fn check(self, clock: &dyn Clock) -> Result<Acceptance, ApiError> {
        let mistake = |field: &str, code: ErrorCode, message: String| {
            refuse(StatusCode::UNPROCESSABLE_ENTITY, &format!("acceptance.{field}"), code, message)
        };
        for (field, text, mistaken) in [
            ("qr_url", &self.qr_url, proof::wrong_address as fn(&str) -> Option<String>),
            ("tax_system_hash", &self.tax_system_hash, proof::wrong_hash),
        ] {
            if let Some(message) = text.as_deref().and_then(mistaken) {
                return Err(mistake(field, ErrorCode::InvalidFormat, message));
            }
        }
        let accepted_at = self.accepted_at.map_or_else(|| clock.now(), |Rfc3339(at)| at);
        if accepted_at > latest(clock) {
            return Err(mistake("accepted_at", ErrorCode::InTheFuture, FUTURE.to_owned()));
        }
        let Self { qr_url, tax_system_hash, warnings, sandbox, .. } = self;
        Ok(Acceptance { qr_url, tax_system_hash, accepted_at, warnings, sandbox })
    }
}

pub(super) async fn issue(
    State(invoicing): State<Invoicing>,
    State(requests): State<Requests>,
    State(clock): State<Arc<dyn Clock>>,
    call: Call<IssueForm>,
) -> Result<Response, ApiError> {
    let seen = expected_version(&call.headers)?;
    let step = async |acting: &Acting, id, form: IssueForm| {
        let acceptance = form.acceptance.map(|form| form.check(clock.as_ref())).transpose()?;
        let at = not_in_the_future(clock.as_ref(), form.at)?;
        if let Some(number) = form.number {
            let needed = "is required beside a number: give what the tax authority gave";
            let acceptance = acceptance.ok_or_else(|| {
                refuse(StatusCode::UNPROCESSABLE_ENTITY, "acceptance", ErrorCode::Required, needed)
            })?;
            return Ok(invoicing.issue_earlier(acting, id, &InvoiceNumber(number), acceptance).await?);
        }
        Ok(invoicing.issue(acting, id, Issue { acceptance, at, expected_version: seen }).await?)
    };
    let answer = |view: &DocumentView<'_>| {
        json!({
            "uuid": view.uuid,
            "display_invoice_number": view.display_invoice_number,
            "status": view.status,
            "issued_at": view.issued_at,
        })
    };
    call.once(&requests, invoicing.documents(), "issue", step, answer).await
}

/// Why a document is rejected.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RejectForm {
    reason: Option<String>,
}

pub(super) async fn reject(
    State(invoicing): State<Invoicing>,
    State(requests): State<Requests>,
    call: Call<RejectForm>,
) -> Result<Response, ApiError> {
    let step = async |acting: &Acting, id, form: RejectForm| {
        let said = form.reason.filter(|reason| !reason.trim().is_empty());
        let reason = said.unwrap_or_else(|| REASON_DEFAULT.to_owned());
        if reason.chars().count() > REASON_CHARS_MAX || reason.contains('\0') {
            let message = format!("may have at most {REASON_CHARS_MAX} characters and no NUL");
            return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "reason", ErrorCode::TooLong, message));
        }
        Ok(invoicing.reject(acting, id, reason).await?)
    };
    let answer = |view: &DocumentView<'_>| {
        json!({
            "uuid": view.uuid,
            "display_invoice_number": view.display_invoice_number,
            "status": view.status,
            "rejected_by_tax_authority_at": view.rejected_by_tax_authority_at,
            "rejection_reason": view.rejection_reason,
        })
    };
    call.once(&requests, invoicing.documents(), "reject", step, answer).await
}
