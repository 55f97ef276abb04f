//! What documents are found by of whom they are for: terms, of the documents kept here and of finance's copies.

use crate::Tx;
use gateway_database::error::StoreError;
use gateway_database::select::Condition;
use gateway_database::sql::{ids, json_rows, params, statements};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::RecipientSearch;
use serde::Serialize;
use std::collections::BTreeSet;
use uuid::Uuid;

statements! {
    FORGET = "DELETE FROM invoice_recipient_term WHERE document_id = $1";
    KEEP = each ["INSERT INTO invoice_recipient_term (document_id, workspace_id, term) SELECT $1, $2, t.value FROM ", (words "$3"), " AS t"];
    FORGET_OF_COPIES = each ["DELETE FROM finance_document_recipient_term WHERE ", (among "document_id", "$1")];
    KEEP_OF_COPIES = each ["INSERT INTO finance_document_recipient_term (document_id, workspace_id, term)
        SELECT document_id, workspace_id, term FROM ", (rows "$1" as kept: document_id UUID, workspace_id BIGINT, term TEXT)];
}

/// Whose terms they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A document that is kept here.
    Document,
    /// Finance's copy of one.
    Copy,
}

impl Owner {
    const fn key(self) -> &'static str {
        match self {
            Self::Document => "id",
            Self::Copy => "document_id",
        }
    }

    const fn of_workspace(self) -> &'static str {
        match self {
            Self::Document => {
                "SELECT t.document_id FROM invoice_recipient_term t WHERE t.workspace_id = ? AND t.term >= ? AND t.term < ?"
            }
            Self::Copy => {
                "SELECT t.document_id FROM finance_document_recipient_term t WHERE t.workspace_id = ? AND t.term >= ? AND t.term < ?"
            }
        }
    }

    const fn of_all(self) -> &'static str {
        match self {
            Self::Document => {
                "SELECT t.document_id FROM invoice_recipient_term t WHERE t.term >= ? AND t.term < ?"
            }
            Self::Copy => {
                "SELECT t.document_id FROM finance_document_recipient_term t WHERE t.term >= ? AND t.term < ?"
            }
        }
    }
}

/// Sets what a document is found by; of a new one there is nothing to forget.
pub(crate) async fn set(
    tx: &mut Tx,
    document: InvoiceId,
    workspace: WorkspaceId,
    terms: &BTreeSet<String>,
    is_new: bool,
) -> Result<(), StoreError> {
    if !is_new {
        tx.execute(&FORGET, params![document]).await?;
    }
    if !terms.is_empty() {
        tx.execute(&KEEP, params![document, workspace, StoreError::json(terms)?]).await?;
    }
    Ok(())
}

/// A term of a copy as `KEEP_OF_COPIES` reads it.
#[derive(Serialize)]
struct CopyTerm<'a> {
    document_id: Uuid,
    workspace_id: i64,
    term: &'a str,
}

/// Sets what copies of documents are found by.
pub(crate) async fn set_of_copies(
    tx: &mut Tx,
    copies: &[(InvoiceId, WorkspaceId, &BTreeSet<String>)],
) -> Result<(), StoreError> {
    if copies.is_empty() {
        return Ok(());
    }
    let documents: Vec<_> = copies.iter().map(|(document, ..)| *document).collect();
    tx.execute(&FORGET_OF_COPIES, vec![ids(&documents)]).await?;
    let mut terms = Vec::new();
    for (document, workspace, own) in copies {
        terms.extend(own.iter().map(|term| CopyTerm {
            document_id: document.0,
            workspace_id: workspace.0,
            term,
        }));
    }
    if !terms.is_empty() {
        tx.execute(&KEEP_OF_COPIES, vec![json_rows(&terms)?]).await?;
    }
    Ok(())
}

/// That a document has a term for each word of a search. `workspace` is the only one that is asked for, if it is one.
pub(crate) fn conditions(
    owner: Owner,
    search: Option<&RecipientSearch>,
    workspace: Option<WorkspaceId>,
) -> Vec<Condition> {
    let condition = |(from, to): (String, String)| match workspace {
        Some(workspace) => {
            Condition::among_selected(owner.key(), owner.of_workspace(), params![workspace, from, to])
        }
        None => Condition::among_selected(owner.key(), owner.of_all(), params![from, to]),
    };
    search.into_iter().flat_map(RecipientSearch::ranges).map(condition).collect()
}
