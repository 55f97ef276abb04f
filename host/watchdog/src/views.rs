//! Documents that nobody submits, as the contract shows them.

use crate::{ISSUING_WITHOUT_SUBMISSION, Unsubmitted, sentence};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Type};

/// A document that is issuing and that nobody submits.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Unsubmitted)]
pub struct UnsubmittedBody {
    /// Which document.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    pub document_id: InvoiceId,
    /// Whose.
    #[schema(value_type = i64, examples(1))]
    pub workspace_id: WorkspaceId,
    /// Its number.
    #[schema(value_type = String, examples("F-2026-000001"))]
    pub number: InvoiceNumber,
    /// Since when it is issuing.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub issuing_at: Timestamp,
    /// What is the matter.
    pub alert: UnsubmittedAlert,
}

/// What is the matter with such a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnsubmittedAlert {
    /// What a program tells it by.
    #[schema(schema_with = without_submission)]
    pub code: &'static str,
    /// What is wrong, and what to do.
    #[schema(examples("it is issuing since 2026-11-20T09:00:00Z and nobody submits it"))]
    pub message: String,
}

fn without_submission() -> ObjectBuilder {
    let code = ISSUING_WITHOUT_SUBMISSION;
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some([code]))
}

impl From<&Unsubmitted> for UnsubmittedBody {
    fn from(found: &Unsubmitted) -> Self {
        let code = ISSUING_WITHOUT_SUBMISSION;
        let alert = UnsubmittedAlert { code, message: sentence(found) };
        Self {
            document_id: found.document,
            workspace_id: found.workspace,
            number: found.number.clone(),
            issuing_at: found.issuing_at,
            alert,
        }
    }
}
