//! What the form of a workspace changes.

use gateway_domain::workspace::{RejectionStrategy, Workspace};
use gateway_presentation::TypedWorkspace;
use gateway_workspaces::WorkspaceChange;

/// What is asked for of a workspace; a tax id that was not touched is spelled as before.
pub(super) fn change(typed: &TypedWorkspace, before: &Workspace) -> WorkspaceChange {
    let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    WorkspaceChange {
        name: given(&typed.name),
        legal_name: given(&typed.legal_name),
        tax_id: given(&typed.tax_id).filter(|tax_id| *tax_id != before.supplier.tax_id),
        country: given(&typed.country),
        time_zone: given(&typed.time_zone),
        address: Some(typed.address()),
        email: Some(typed.email.clone()),
        rejection_strategy: match typed.rejection_strategy.as_str() {
            "a" => Some(RejectionStrategy::A),
            "b" => Some(RejectionStrategy::B),
            _ => None,
        },
        invoice_pattern: given(&typed.invoice_pattern),
        credit_pattern: given(&typed.credit_pattern),
        ..WorkspaceChange::default()
    }
}
