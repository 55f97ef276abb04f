//! What an intent says: a call to the invoice data service elsewhere, and what finance records afterwards.

use super::{issue_error, shown};
use crate::finance::CommandError;
use gateway_domain::finance::FinanceEvent;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, Content, Invoice, InvoiceNumber, Status};
use gateway_domain::ports::{InvoiceDataError, InvoicingClient};
use gateway_storage::intents::Intent;
use gateway_storage::{Corrupt, StoreError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is asked of the invoice data service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
pub(super) enum Call {
    /// Makes a draft, or replaces the content of a document at version `seen`.
    Save { content: Box<Content>, seen: Option<i64> },
    /// Deletes a draft at version `seen`.
    Delete { seen: i64 },
    /// Makes a document final, if it is still at version `seen`.
    Issue {
        acceptance: Option<Acceptance>,
        at: Option<Timestamp>,
        #[serde(default)]
        seen: Option<i64>,
    },
    /// Makes a document final under an earlier number, which the authority accepted.
    IssueEarlier { number: InvoiceNumber, acceptance: Acceptance },
    /// Moves an issuing document to rejected.
    Reject { reason: String },
}

/// What finance records once the call is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", content = "of", rename_all = "snake_case")]
pub(super) enum Record {
    /// This happened to the document.
    Event(FinanceEvent),
    /// A credit note was drafted for the document.
    Credited,
    /// A credit note for all of the document was drafted, and is issued next; `at` is the caller's own time of that.
    Reversed { at: Option<Timestamp> },
    /// A corrective was drafted beside the rejected document.
    Corrective,
    /// A verdict was given by hand.
    Verdict,
}

/// An intent in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The document of the call.
    pub(super) target: InvoiceId,
    pub(super) call: Call,
    pub(super) record: Record,
    /// The document of the command, as it was when the command was decided.
    pub(super) before: Value,
    /// The request's key: scope and key.
    pub(super) request: Option<(String, String)>,
    /// The credit notes that were counted when another one was decided; the intent is refused when there are more.
    #[serde(skip)]
    pub(super) counted: Option<Vec<InvoiceId>>,
}

impl Plan {
    pub(super) fn new(document: &Invoice, target: InvoiceId, call: Call, record: Record) -> Self {
        Self { target, call, record, before: shown(document), request: None, counted: None }
    }

    /// The document of the command, as it was.
    pub(super) fn document(&self) -> Result<Invoice, StoreError> {
        Invoice::from_shown(&self.before)
            .map_err(|error| Corrupt::new("finance_intent", self.target, "body", error).into())
    }

    pub(super) const fn makes_a_document(&self) -> bool {
        matches!(self.call, Call::Save { seen: None, .. })
    }

    /// Whether the document shows that the call was carried out.
    pub(super) fn is_carried_out(&self, found: Option<&Invoice>) -> bool {
        match (&self.call, found) {
            (Call::Save { seen: None, .. }, found) => found.is_some(),
            (Call::Save { content, seen: Some(seen) }, Some(found)) => {
                found.version > *seen && found.content == **content
            }
            (Call::Delete { .. }, found) => found.is_none(),
            (Call::Issue { .. } | Call::IssueEarlier { .. }, Some(found)) => {
                found.state.status() == Status::Issued
            }
            (Call::Reject { .. }, Some(found)) => found.state.status() == Status::Rejected,
            (
                Call::Save { .. } | Call::Issue { .. } | Call::IssueEarlier { .. } | Call::Reject { .. },
                None,
            ) => false,
        }
    }

    pub(super) async fn call(
        &self,
        service: &dyn InvoicingClient,
        intent: &Intent,
    ) -> Result<(), InvoiceDataError> {
        let (by, id, key) = (&intent.actor, self.target, intent.id.to_string());
        match &self.call {
            Call::Save { content, seen } => service.save(by, id, intent.workspace, content, *seen).await,
            Call::Delete { seen } => service.delete(by, id, *seen).await,
            Call::Issue { acceptance, at, seen } => {
                service.issue(by, id, acceptance.as_ref(), *at, *seen, &key).await
            }
            Call::IssueEarlier { number, acceptance } => {
                service.issue_earlier(by, id, number, acceptance, &key).await
            }
            Call::Reject { reason } => service.reject(by, id, reason, &key).await,
        }
    }

    /// What a refusal says, in the terms of the commands.
    pub(super) fn refused(&self, error: InvoiceDataError, found: Option<&Invoice>) -> CommandError {
        match (error, found) {
            // A document that was to be made is not there because it was refused.
            (InvoiceDataError::Refused(errors), None)
                if matches!(self.call, Call::Save { seen: None, .. }) =>
            {
                CommandError::Invalid(errors)
            }
            (InvoiceDataError::Gone, _) | (InvoiceDataError::Refused(_), None) => CommandError::Gone,
            (InvoiceDataError::Stale, found) => {
                CommandError::Stale { current: found.map_or(0, |found| found.version) }
            }
            (InvoiceDataError::Refused(errors), Some(found)) => match &self.call {
                Call::Issue { .. } | Call::IssueEarlier { .. } => issue_error(&errors, found)
                    .map_or_else(|| CommandError::Invalid(errors), CommandError::Issue),
                Call::Save { .. } | Call::Delete { .. } | Call::Reject { .. } => {
                    CommandError::Invalid(errors)
                }
            },
            (error, _) => CommandError::InvoiceData(error),
        }
    }
}
