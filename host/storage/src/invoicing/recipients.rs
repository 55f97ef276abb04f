//! What documents are found by of whom they are for: terms, of the documents kept here and of finance's copies.

use super::match_count::MatchCount;
use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::select::Condition;
use gateway_database::sql::{Sql, ids, json_rows, params, statements};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::RecipientSearch;
use serde::Serialize;
use std::collections::BTreeSet;
use std::iter;
use uuid::Uuid;

statements! {
    BEYOND = "SELECT document_id FROM invoice_recipient_term WHERE term >= $1 AND term < $2 ORDER BY term LIMIT 1 OFFSET $3";
    BEYOND_OF_WORKSPACE = "SELECT document_id FROM invoice_recipient_term WHERE workspace_id = $4 AND term >= $1 AND term < $2
        ORDER BY term LIMIT 1 OFFSET $3";
    COPIES_BEYOND = "SELECT document_id FROM finance_document_recipient_term WHERE term >= $1 AND term < $2
        ORDER BY term LIMIT 1 OFFSET $3";
    COPIES_BEYOND_OF_WORKSPACE = "SELECT document_id FROM finance_document_recipient_term
        WHERE workspace_id = $4 AND term >= $1 AND term < $2 ORDER BY term LIMIT 1 OFFSET $3";
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

    /// For each row of the list. PostgreSQL believes that half of the rows fulfil a CASE, and reads the list in its order; it would read
    /// every match for an EXISTS.
    const fn of_each(self) -> &'static str {
        match self {
            Self::Document => {
                "CASE WHEN (SELECT TRUE FROM invoice_recipient_term t WHERE t.document_id = invoice.id AND t.term >= ? AND t.term < ? \
                 LIMIT 1) THEN TRUE ELSE FALSE END"
            }
            Self::Copy => {
                "CASE WHEN (SELECT TRUE FROM finance_document_recipient_term t WHERE t.document_id = finance_document.document_id \
                 AND t.term >= ? AND t.term < ? LIMIT 1) THEN TRUE ELSE FALSE END"
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

impl Owner {
    /// Whether there are more than so many terms within a range, of one workspace or of all.
    pub(crate) async fn has_beyond(
        self,
        on: Executor<'_>,
        workspace: Option<WorkspaceId>,
        (from, to): (String, String),
        count: i64,
    ) -> Result<bool, StoreError> {
        let (of_all, of_one): (&Sql, &Sql) = match self {
            Self::Document => (&BEYOND, &BEYOND_OF_WORKSPACE),
            Self::Copy => (&COPIES_BEYOND, &COPIES_BEYOND_OF_WORKSPACE),
        };
        match workspace {
            Some(workspace) => on.exists(of_one, params![from, to, count, workspace]).await,
            None => on.exists(of_all, params![from, to, count]).await,
        }
    }
}

/// Sets what a document is found by; of a new one there is nothing to forget.
pub(crate) fn set(
    tx: &mut Tx,
    document: InvoiceId,
    workspace: WorkspaceId,
    terms: &BTreeSet<String>,
    is_new: bool,
) -> Result<(), StoreError> {
    if !is_new {
        tx.execute_later(&FORGET, params![document]);
    }
    if !terms.is_empty() {
        tx.execute_later(&KEEP, params![document, workspace, StoreError::json(terms)?]);
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
pub(crate) fn set_of_copies(
    tx: &mut Tx,
    copies: &[(InvoiceId, WorkspaceId, &BTreeSet<String>)],
) -> Result<(), StoreError> {
    if copies.is_empty() {
        return Ok(());
    }
    let documents: Vec<_> = copies.iter().map(|(document, ..)| *document).collect();
    tx.execute_later(&FORGET_OF_COPIES, vec![ids(&documents)]);
    let mut terms = Vec::new();
    for (document, workspace, own) in copies {
        terms.extend(own.iter().map(|term| CopyTerm {
            document_id: document.0,
            workspace_id: workspace.0,
            term,
        }));
    }
    if !terms.is_empty() {
        tx.execute_later(&KEEP_OF_COPIES, vec![json_rows(&terms)?]);
    }
    Ok(())
}

/// That a document has a term for each word of a search. `workspace` is the only one that is asked for, if it is one.
/// `matches`: how many documents have a term for each word.
pub(crate) fn conditions(
    owner: Owner,
    search: Option<&RecipientSearch>,
    workspace: Option<WorkspaceId>,
    matches: &[MatchCount],
) -> Vec<Condition> {
    let matches = matches.iter().copied().chain(iter::repeat(MatchCount::Few));
    let condition = |((from, to), count): ((String, String), MatchCount)| match (count, workspace) {
        (MatchCount::Many, _) => Condition::new(owner.of_each(), params![from, to]).filtering(),
        (MatchCount::Few, Some(workspace)) => {
            Condition::among_selected(owner.key(), owner.of_workspace(), params![workspace, from, to])
        }
        (MatchCount::Few, None) => Condition::among_selected(owner.key(), owner.of_all(), params![from, to]),
    };
    search.into_iter().flat_map(RecipientSearch::ranges).zip(matches).map(condition).collect()
}
