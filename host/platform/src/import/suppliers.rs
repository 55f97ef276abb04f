//! Suppliers that an import names, checked as when they are set by hand: a tax id that the country cannot have given is
//! refused by the plugin of the workspace, and not at the next invoice.

use super::Importer;
use super::outcome::{LineOutcome, Outcome};
use super::record::{Parsed, Record};
use super::workspace::WorkspaceLine;
use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::tax_id::tax_id;
use gateway_domain::workspace::Workspace;
use gateway_domain_input::sentence;
use gateway_storage::workspaces;
use std::collections::HashMap;

/// Takes the lines out of a batch whose supplier is refused. Plugins are asked before the batch has its transaction: nobody
/// waits for them.
pub(super) async fn remove_refused(
    importer: &Importer,
    batch: &mut Vec<Parsed>,
) -> Result<Vec<LineOutcome>, StoreError> {
    let mut edited = HashMap::new();
    let mut refused = Vec::new();
    for parsed in std::mem::take(batch) {
        let message = match &parsed.record {
            Record::Workspace(line) => refusal(importer, line, &mut edited).await?,
            _ => None,
        };
        match message {
            None => batch.push(parsed),
            Some(message) => {
                let (line, kind) = (parsed.line, parsed.record.kind());
                refused.push(LineOutcome { line, kind, outcome: Outcome::Refused(message), remark: None });
            }
        }
    }
    Ok(refused)
}

/// Why a line is refused; `edited` are the workspaces as the lines before it leave them. A line that changes something else
/// is not held up by what is stored, and a workspace that is new has no regime yet.
async fn refusal(
    importer: &Importer,
    line: &WorkspaceLine,
    edited: &mut HashMap<WorkspaceId, Workspace>,
) -> Result<Option<String>, StoreError> {
    let stored = match edited.get(&line.id) {
        Some(workspace) => Some(workspace.clone()),
        None => workspaces::find(importer.context.db(), line.id).await?,
    };
    let Some(stored) = stored else { return Ok(None) };
    let workspace = line.over(&stored);
    if taxpayer(&workspace) != taxpayer(&stored) {
        let objections = importer.workspaces.supplier_objections(&workspace).await?;
        if !objections.is_empty() {
            return Ok(Some(sentence(&objections)));
        }
    }
    edited.insert(line.id, workspace);
    Ok(None)
}

/// Country and tax id, however it is spelled.
fn taxpayer(workspace: &Workspace) -> (&str, String) {
    let supplier = &workspace.supplier;
    (&supplier.country, tax_id(&supplier.tax_id, &supplier.country))
}
