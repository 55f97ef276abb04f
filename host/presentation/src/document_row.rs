//! A document in a list.

use crate::document_parts::reason;
use crate::format;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Invoice, Recipient};
use std::collections::BTreeMap;

/// A document in a list.
#[derive(Debug)]
pub struct DocumentRow {
    pub id: String,
    pub number: String,
    pub status: &'static str,
    pub kind: String,
    pub recipient: String,
    pub issued: String,
    pub gross: String,
    pub workspace: String,
    /// Why it was rejected; empty for every other document.
    pub reason: String,
}

impl DocumentRow {
    /// A document; `workspaces` says how workspaces are called.
    pub fn of(document: &Invoice, workspaces: &BTreeMap<WorkspaceId, String>) -> Self {
        let (content, state) = (&document.content, &document.state);
        Self {
            id: document.id.to_string(),
            number: format::number(document),
            status: state.status().as_str(),
            kind: format::title(content.document_type.as_str()),
            recipient: content.recipient.as_ref().map_or(format::NONE, Recipient::name).to_owned(),
            issued: content.issue_date.map_or_else(|| format::NONE.to_owned(), |day| day.to_string()),
            gross: format::money(document.totals.gross, &content.currency),
            workspace: workspaces
                .get(&document.workspace)
                .cloned()
                .unwrap_or_else(|| document.workspace.to_string()),
            reason: reason(document).unwrap_or_default().to_owned(),
        }
    }
}
