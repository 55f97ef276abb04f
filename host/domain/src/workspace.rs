//! A workspace: the tenant, the supplier of its invoices, and how it sends them.

use crate::ids::WorkspaceId;
use crate::invoicing::{DocumentKind, NumberPattern};
use crate::regime::{RegimeKey, Supplier};
use crate::tax_id::Issuer;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// What happens to an invoice the authority refused (specification, Rules 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RejectionStrategy {
    /// It is edited in place and resubmitted under a new number.
    A,
    /// A corrective draft is made beside it.
    B,
}

/// A workspace.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// A whole number from 1, see [`WorkspaceId::is_possible`].
    pub id: WorkspaceId,
    /// For people.
    pub name: String,
    /// Who issues its invoices.
    pub supplier: Supplier,
    /// Where "today" is decided.
    pub time_zone: TimeZone,
    /// How invoice numbers look.
    pub invoice_pattern: NumberPattern,
    /// How credit note numbers look.
    pub credit_pattern: NumberPattern,
    /// What happens after a rejection.
    pub rejection_strategy: RejectionStrategy,
}

impl Workspace {
    /// Among whose numbers those of this workspace may not be repeated.
    pub fn issuer(&self) -> Issuer {
        Issuer::of(&self.supplier, self.id)
    }

    /// How the numbers of a kind of document look.
    pub const fn pattern(&self, kind: DocumentKind) -> &NumberPattern {
        match kind {
            DocumentKind::CreditNote => &self.credit_pattern,
            DocumentKind::Invoice | DocumentKind::Proforma | DocumentKind::Receipt => &self.invoice_pattern,
        }
    }
}

/// How the documents of a workspace look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printing {
    /// A PNG.
    pub logo: Option<Vec<u8>>,
    /// Its own settings of the renderer.
    pub template: Option<Map<String, Value>>,
    /// Whether the record that the tax authority received lies in the file; none: it does not. What a provider sends may tell more
    /// than the document does.
    pub attach_record: Option<bool>,
}

/// How a workspace sends its invoices to a tax authority. The token is kept apart, encrypted.
#[derive(Debug, Clone, PartialEq)]
pub struct EInvoicing {
    /// Picks the plugin that converts its documents.
    pub regime: RegimeKey,
    /// The supplier's UUID at the provider.
    pub company_id: Uuid,
    /// Which processing pipeline of the provider.
    pub workflow_id: Uuid,
    /// Settings of the regime, a JSON object.
    pub settings: Value,
}
