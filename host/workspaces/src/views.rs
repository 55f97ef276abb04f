//! Workspaces as operators see them, on the command line and over HTTP alike.

use crate::EInvoicingView;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::workspace::Workspace;
use serde_json::{Value, json};

/// A workspace.
pub fn workspace(workspace: &Workspace) -> Value {
    let supplier = &workspace.supplier;
    let mut shown = json!({
        "id": workspace.id,
        "name": workspace.name,
        "legal_name": supplier.legal_name,
        "tax_id": supplier.tax_id,
        "country": supplier.country,
        "address": supplier.address,
        "time_zone": workspace.time_zone.iana_name().unwrap_or("UTC"),
        "invoice_pattern": workspace.invoice_pattern.to_string(),
        "credit_pattern": workspace.credit_pattern.to_string(),
        "rejection_strategy": workspace.rejection_strategy,
    });
    if let (Some(email), Value::Object(members)) = (&supplier.email, &mut shown) {
        members.insert("email".to_owned(), json!(email));
    }
    shown
}

/// An e-invoicing configuration; of the tokens only whether they are set.
pub fn e_invoicing(workspace: WorkspaceId, view: &EInvoicingView) -> Value {
    let shown = &view.configuration;
    let mut json = json!({
        "workspace_id": workspace,
        "regime": shown.regime,
        "company_id": shown.company_id,
        "workflow_id": shown.workflow_id,
        "token": "set",
        "webhook_token": view.has_webhook_token.then_some("set"),
        "settings": shown.settings,
    });
    if let (Value::Object(members), false) = (&mut json, view.missing.is_empty()) {
        members.insert("missing_workspace_fields".to_owned(), json!(view.missing));
    }
    json
}
