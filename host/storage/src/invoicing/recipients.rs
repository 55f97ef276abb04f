//! What documents are found by of whom they are for: terms, of the documents kept here and of finance's copies.

use crate::Tx;
use gateway_database::error::StoreError;
use gateway_database::select::Condition;
use gateway_database::sql::{Sql, params, statements};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::RecipientSearch;
use std::collections::BTreeSet;

statements! {
    FORGET = "DELETE FROM invoice_recipient_term WHERE document_id = $1";
    KEEP = each ["INSERT INTO invoice_recipient_term (document_id, workspace_id, term) SELECT $1, $2, t.value FROM ", (words "$3"), " AS t"];
    FORGET_OF_COPY = "DELETE FROM finance_document_recipient_term WHERE document_id = $1";
    KEEP_OF_COPY = each ["INSERT INTO finance_document_recipient_term (document_id, workspace_id, term) SELECT $1, $2, t.value FROM ",
        (words "$3"), " AS t"];
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
    const fn forget(self) -> &'static Sql {
        match self {
            Self::Document => &FORGET,
            Self::Copy => &FORGET_OF_COPY,
        }
    }

    const fn keep(self) -> &'static Sql {
        match self {
            Self::Document => &KEEP,
            Self::Copy => &KEEP_OF_COPY,
        }
    }

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
    owner: Owner,
    document: InvoiceId,
    workspace: WorkspaceId,
    terms: &BTreeSet<String>,
    is_new: bool,
) -> Result<(), StoreError> {
    if !is_new {
        tx.execute(owner.forget(), params![document]).await?;
    }
    if !terms.is_empty() {
        tx.execute(owner.keep(), params![document, workspace, StoreError::json(terms)?]).await?;
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
