//! A plan's call to the remote invoice data service, as an intent keeps it.

use crate::error::CommandError;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, IssueError, SourceStates, Status};
use gateway_domain_finance::ports::{InvoiceDataError, InvoicingClient};
use gateway_domain_finance::{InvoiceDataCall, NextStep, Plan, Record};
use gateway_domain_input::document::invoice_from_body;
use gateway_invoicing::DocumentView;
use gateway_storage::Corrupt;
use gateway_storage::intents::Intent;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an intent says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct IntentBody {
    /// The document that the call is about: the one of the command, or the one that it makes.
    pub(super) target: InvoiceId,
    pub(super) call: InvoiceDataCall,
    pub(super) record: Record,
    /// What is decided anew afterwards.
    #[serde(default)]
    pub(super) then: Option<NextStep>,
    /// The document of the command, as it was when the command was decided.
    before: Value,
    /// The request's key: scope and key.
    pub(super) request: Option<(String, String)>,
}

impl IntentBody {
    /// The plan as it is kept; none when it calls nobody.
    pub(super) fn of(plan: Plan, acting: &Acting) -> Result<Option<Self>, StoreError> {
        let Plan { document, call, record, then, result } = plan;
        let Some(call) = call else { return Ok(None) };
        let before = StoreError::json_value(&DocumentView::from(&document))?;
        let request = acting.request.as_ref().map(|request| (request.scope.clone(), request.key.clone()));
        Ok(Some(Self { target: result.id, call, record, then, before, request }))
    }

    /// What a stored intent says.
    pub(super) fn read(intent: &Intent) -> Result<Self, StoreError> {
        serde_json::from_str(&intent.body)
            .map_err(|error| Corrupt::new("finance_intent", intent.document, "body", error).into())
    }

    /// The document of the command, as it was.
    pub(super) fn document(&self) -> Result<Invoice, StoreError> {
        invoice_from_body(&self.before)
            .map_err(|error| Corrupt::new("finance_intent", self.target, "body", error).into())
    }

    /// Whether the call was decided from another version of its document than there is.
    pub(super) fn is_outdated(&self, found: Option<&Invoice>) -> Result<bool, StoreError> {
        let before = self.document()?;
        Ok(found.is_some_and(|found| found.id == before.id && found.version != before.version))
    }

    /// Whether the document shows that the call was carried out.
    pub(super) fn is_carried_out(&self, found: Option<&Invoice>) -> bool {
        match (&self.call, found) {
            (InvoiceDataCall::Save { expected_version: None, .. }, found) => found.is_some(),
            (InvoiceDataCall::Save { content, expected_version: Some(expected_version) }, Some(found)) => {
                found.version > *expected_version && found.content == **content
            }
            (InvoiceDataCall::Delete { .. }, found) => found.is_none(),
            (InvoiceDataCall::BeginIssuing { .. }, Some(found)) => found.state.status() == Status::Issuing,
            (InvoiceDataCall::Issue { .. } | InvoiceDataCall::IssueEarlier { .. }, Some(found)) => {
                found.state.status() == Status::Issued
            }
            (InvoiceDataCall::Reject { .. }, Some(found)) => found.state.status() == Status::Rejected,
            (
                InvoiceDataCall::Save { .. }
                | InvoiceDataCall::BeginIssuing { .. }
                | InvoiceDataCall::Issue { .. }
                | InvoiceDataCall::IssueEarlier { .. }
                | InvoiceDataCall::Reject { .. },
                None,
            ) => false,
        }
    }

    pub(super) async fn call(
        &self,
        service: &dyn InvoicingClient,
        intent: &Intent,
    ) -> Result<(), InvoiceDataError> {
        make(service, &self.call, &intent.actor, (intent.workspace, self.target), &intent.id.to_string())
            .await
    }
}

/// What the service's refusal of a call says, in the terms of the commands; `found` is the document as it is.
pub(super) fn refused(
    call: &InvoiceDataCall,
    error: InvoiceDataError,
    found: Option<&Invoice>,
) -> CommandError {
    match (error, found) {
        // A document that was to be made is not there because it was refused.
        (InvoiceDataError::Refused(errors), None) if call.makes_a_document() => CommandError::Invalid(errors),
        (InvoiceDataError::Gone, _) | (InvoiceDataError::Refused(_) | InvoiceDataError::Stale, None) => {
            CommandError::Gone
        }
        (InvoiceDataError::Stale, Some(found)) => CommandError::Stale { current: found.version },
        (InvoiceDataError::Refused(errors), Some(found)) => {
            let expected = match call {
                InvoiceDataCall::BeginIssuing { .. } => SourceStates::ToIssuing,
                InvoiceDataCall::Issue { .. } => SourceStates::ToIssued,
                InvoiceDataCall::IssueEarlier { .. } => SourceStates::ToEarlierIssued,
                InvoiceDataCall::Save { .. }
                | InvoiceDataCall::Delete { .. }
                | InvoiceDataCall::Reject { .. } => return CommandError::Invalid(errors),
            };
            let codes: Vec<_> = errors.iter().map(|error| error.code).collect();
            let known = IssueError::of_codes(&codes, found.state.status(), expected);
            known.map_or_else(|| CommandError::Invalid(errors), CommandError::Issue)
        }
        (error, _) => CommandError::InvoiceData(error),
    }
}

/// Makes a call about a document, a person's and the gateway's own alike. The `key` keeps it one call, however often it is
/// made.
pub(super) async fn make(
    service: &dyn InvoicingClient,
    call: &InvoiceDataCall,
    by: &Actor,
    (workspace, id): (WorkspaceId, InvoiceId),
    key: &str,
) -> Result<(), InvoiceDataError> {
    match call {
        InvoiceDataCall::Save { content, expected_version } => {
            service.save(by, id, workspace, content, *expected_version).await
        }
        InvoiceDataCall::Delete { expected_version } => service.delete(by, id, *expected_version).await,
        InvoiceDataCall::BeginIssuing { at, expected_version } => {
            service.issuing(by, id, *at, *expected_version).await
        }
        InvoiceDataCall::Issue { acceptance, at, expected_version } => {
            service.issue(by, id, acceptance.as_ref(), *at, *expected_version, key).await
        }
        InvoiceDataCall::IssueEarlier { number, acceptance } => {
            service.issue_earlier(by, id, number, acceptance, key).await
        }
        InvoiceDataCall::Reject { reason } => service.reject(by, id, reason, key).await,
    }
}
