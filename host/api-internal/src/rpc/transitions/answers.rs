//! What the three calls answer: how the document stands after them.

use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_invoicing::DocumentView;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// What the call made of the document. The answer to a repeated request whose first answer was lost tells how the document
/// stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum TransitionAnswer<T> {
    Done(T),
    Standing(DocumentStanding),
}

/// How a document stands, after a call whose answer was lost.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DocumentStanding {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    uuid: InvoiceId,
    /// Its number.
    #[schema(required, examples("F-2026-000001"))]
    display_invoice_number: Option<String>,
    /// Its state.
    status: Status,
    /// Since when it is final.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    issued_at: Option<Timestamp>,
    /// Since when it is rejected.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    rejected_by_tax_authority_at: Option<Timestamp>,
    /// Why it is rejected.
    #[schema(required)]
    rejection_reason: Option<String>,
}

impl From<&Invoice> for DocumentStanding {
    fn from(invoice: &Invoice) -> Self {
        let view = DocumentView::from(invoice);
        Self {
            uuid: view.uuid,
            display_invoice_number: view.display_invoice_number.map(str::to_owned),
            status: view.status,
            issued_at: view.issued_at,
            rejected_by_tax_authority_at: view.rejected_by_tax_authority_at,
            rejection_reason: view.rejection_reason.map(str::to_owned),
        }
    }
}

fn issuing_alone() -> Object {
    only(Status::Issuing)
}

fn issued_alone() -> Object {
    only(Status::Issued)
}

fn rejected_alone() -> Object {
    only(Status::Rejected)
}

/// The state that a document is in after a step.
fn only(status: Status) -> Object {
    let status = [status.as_str()];
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("Its state."))
        .enum_values(Some(status))
        .build()
}

/// A document that was moved to issuing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IssuingStep)]
pub(super) struct BecameIssuing {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    uuid: InvoiceId,
    /// Its number.
    #[schema(required, examples("F-2026-000001"))]
    display_invoice_number: Option<String>,
    /// Its state.
    #[schema(schema_with = issuing_alone)]
    status: Status,
}

impl From<&DocumentView<'_>> for BecameIssuing {
    fn from(view: &DocumentView<'_>) -> Self {
        let display_invoice_number = view.display_invoice_number.map(str::to_owned);
        Self { uuid: view.uuid, display_invoice_number, status: view.status }
    }
}

/// A document that was issued.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IssueStep)]
pub(super) struct BecameIssued {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    uuid: InvoiceId,
    /// Its number.
    #[schema(required, examples("F-2026-000001"))]
    display_invoice_number: Option<String>,
    /// Its state.
    #[schema(schema_with = issued_alone)]
    status: Status,
    /// Since when it is final.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:05Z"))]
    issued_at: Option<Timestamp>,
}

impl From<&DocumentView<'_>> for BecameIssued {
    fn from(view: &DocumentView<'_>) -> Self {
        let display_invoice_number = view.display_invoice_number.map(str::to_owned);
        Self { uuid: view.uuid, display_invoice_number, status: view.status, issued_at: view.issued_at }
    }
}

/// A document that was rejected.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RejectStep)]
pub(super) struct BecameRejected {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    uuid: InvoiceId,
    /// Its number.
    #[schema(required, examples("F-2026-000001"))]
    display_invoice_number: Option<String>,
    /// Its state.
    #[schema(schema_with = rejected_alone)]
    status: Status,
    /// Since when it is rejected.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:05Z"))]
    rejected_by_tax_authority_at: Option<Timestamp>,
    /// Why it is rejected.
    #[schema(required, examples("1239 at /recipient: the NIF is not registered"))]
    rejection_reason: Option<String>,
}

impl From<&DocumentView<'_>> for BecameRejected {
    fn from(view: &DocumentView<'_>) -> Self {
        Self {
            uuid: view.uuid,
            display_invoice_number: view.display_invoice_number.map(str::to_owned),
            status: view.status,
            rejected_by_tax_authority_at: view.rejected_by_tax_authority_at,
            rejection_reason: view.rejection_reason.map(str::to_owned),
        }
    }
}
