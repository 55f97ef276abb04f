//! An edit may send back what an answer showed: the members that only the gateway sets are passed over as long as they
//! are how the document stands.

use crate::errors::ApiError;
use axum::http::StatusCode;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::{ErrorCode, FieldError};
use gateway_invoicing::{BALANCE_MEMBERS, DocumentView, SaveError};
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType};
use utoipa::{PartialSchema, ToSchema};

/// The members of a document that are shown and not sent (contract: "Returned in addition").
const READ_ONLY: [&str; 14] = [
    "uuid",
    "status",
    "display_document_number",
    "display_invoice_number",
    "send_to_tax_authority",
    "totals",
    "issuing_at",
    "issued_at",
    "rejected_by_tax_authority_at",
    "rejection_reason",
    "acceptance",
    "version",
    "created_at",
    "updated_at",
];

/// What a body sends back of an answer.
pub(super) struct ReadOnlyMembers(Map<String, Value>);

impl ReadOnlyMembers {
    /// Taken out of the body, which is then as a client would have written it.
    pub(super) fn take(body: &mut Map<String, Value>) -> Self {
        // What others gave back of it meanwhile changes these, and not the document.
        for name in BALANCE_MEMBERS {
            body.shift_remove(name);
        }
        Self(READ_ONLY.iter().filter_map(|name| body.shift_remove_entry(*name)).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The version that the client read, which is as good as `If-Match`.
    pub(super) fn version(&self) -> Option<i64> {
        self.0.get("version").and_then(Value::as_i64)
    }

    /// Whether it is how the document stands, if there is one. A `version` before the present one is a stale edit.
    pub(super) fn check(&self, id: InvoiceId, found: Option<&Invoice>) -> Result<(), ApiError> {
        if let (Some(sent), Some(found)) = (self.version(), found)
            && sent < found.version
        {
            return Err(SaveError::Stale { current: found.version }.into());
        }
        let current_members = current_members(id, found).map_err(ApiError::internal)?;
        let wrong: Vec<_> = self
            .0
            .iter()
            .filter(|(name, sent)| current_members.get(name) != Some(sent))
            .map(|(name, _)| {
                let sentence = "is set by the gateway: leave it out, or send what the document shows";
                FieldError::new(name, ErrorCode::ReadOnly, sentence)
            })
            .collect();
        if wrong.is_empty() { Ok(()) } else { Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, wrong)) }
    }
}

/// What a document that is there shows; of one that is not, only its id is known.
fn current_members(id: InvoiceId, found: Option<&Invoice>) -> Result<Value, serde_json::Error> {
    match found {
        Some(found) => serde_json::to_value(DocumentView::from(found)),
        None => Ok(Value::Object(Map::from_iter([("uuid".to_owned(), serde_json::to_value(id)?)]))),
    }
}

impl PartialSchema for ReadOnlyMembers {
    fn schema() -> RefOr<Schema> {
        let member = || ObjectBuilder::new().schema_type(SchemaType::AnyValue).read_only(true);
        READ_ONLY
            .iter()
            .chain(&BALANCE_MEMBERS)
            .fold(ObjectBuilder::new(), |object, name| object.property(*name, member()))
            .into()
    }
}

impl ToSchema for ReadOnlyMembers {}
