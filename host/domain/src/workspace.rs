//! A workspace: the tenant, the supplier of its invoices, and how it sends them.

use crate::ids::WorkspaceId;
use crate::invoicing::{DocumentKind, NumberPattern};
use crate::regime::{RegimeKey, Supplier};
use crate::tax_id::Issuer;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
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
    /// Its id.
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

/// How a workspace sends its invoices to a tax authority. The token is kept apart, encrypted.
#[derive(Debug, Clone, PartialEq)]
pub struct EInvoicing {
    /// The tax regime.
    pub regime: RegimeKey,
    /// The supplier's UUID at the provider.
    pub company_id: Uuid,
    /// Which processing pipeline of the provider.
    pub workflow_id: Uuid,
    /// Settings of the regime, a JSON object.
    pub settings: serde_json::Value,
}

words! {
    /// Whether a workspace is in use.
    WorkspaceStatus {
        /// It is.
        Active = "ACTIVE",
        /// It is not.
        Inactive = "INACTIVE",
    }
}

/// What integrators see of a workspace (`awc.workspace`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Its id.
    pub id: WorkspaceId,
    /// For people.
    pub name: String,
    /// For addresses: made from the name unless it was given.
    pub slug: String,
    /// Whether it is in use.
    pub status: WorkspaceStatus,
    /// Where its logo is.
    pub logo_url: Option<String>,
}

/// A name as it stands in addresses: lower-case letters and digits, hyphens between. Never empty.
pub fn slug(name: &str, id: WorkspaceId) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
    if slug.is_empty() { format!("workspace-{id}") } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_made_of_the_words_of_a_name() {
        assert_eq!(slug("Casa Azul, S.L.", WorkspaceId(1)), "casa-azul-s-l");
        assert_eq!(slug("—", WorkspaceId(7)), "workspace-7");
    }
}
