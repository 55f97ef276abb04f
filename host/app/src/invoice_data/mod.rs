//! The invoice data service as finance reaches it: in this process, or elsewhere over its RPC.
//!
//! In this process finance joins the invoice data service's transaction: document, events and submission commit together,
//! and nobody sees one without the others. Elsewhere there is no such transaction. Finance then commits its intent first
//! ([`intent`]), makes the call, reads the document, and records what follows from it. Whoever finds an intent after a
//! crash or a lost answer does the same again: the document tells whether the call was carried out.
//!
//! What is finance's own (workspaces with their e-invoicing, submissions, refunds, finance's events, which credit notes
//! and correctives it wrote) is in finance's own database either way.

mod commands;
mod feed;
mod follow_up;
mod intent;
mod job;
mod plan;
mod turns;

pub(crate) use commands::Earlier;
pub use feed::follow;
pub(crate) use follow_up::Followed;
pub(crate) use job::ResumeIntent;

use crate::Gateway;
use crate::finance::CommandError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{FieldError, Invoice, IssueError, State};
use gateway_domain::ports::{InvoiceDataError, InvoicingClient};
use gateway_invoicing::{DocumentView, StepError};
use gateway_storage::{StoreError, correctives, submissions};
use jiff::Timestamp;
use serde_json::Value;

/// Why a document could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The invoice data service elsewhere.
    #[error(transparent)]
    InvoiceData(#[from] InvoiceDataError),
}

/// Why a document did not begin issuing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BeginError {
    /// There is none.
    #[error("there is no such document")]
    Gone,
    /// It cannot be issued.
    #[error(transparent)]
    Issue(IssueError),
    /// It changed since it was found fit to be issued.
    #[error("the document is at version {current}")]
    Stale {
        /// Its version.
        current: i64,
    },
    /// Whether it did is not known.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl From<StepError> for BeginError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Gone => Self::Gone,
            StepError::Issue(error) => Self::Issue(error),
            StepError::Stale { current } => Self::Stale { current },
            StepError::Store(error) => Self::Read(error.into()),
        }
    }
}

impl From<StoreError> for BeginError {
    fn from(error: StoreError) -> Self {
        Self::Read(error.into())
    }
}

impl From<ReadError> for CommandError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => Self::Store(error),
            ReadError::InvoiceData(error) => Self::InvoiceData(error),
        }
    }
}

impl From<BeginError> for CommandError {
    fn from(error: BeginError) -> Self {
        match error {
            BeginError::Gone => Self::Gone,
            BeginError::Issue(error) => Self::Issue(error),
            BeginError::Stale { current } => Self::Stale { current },
            BeginError::Read(error) => error.into(),
        }
    }
}

impl Gateway {
    /// The invoice data service, when it is not in this process.
    pub(crate) fn elsewhere(&self) -> Option<&dyn InvoicingClient> {
        self.0.parts.invoice_data.as_deref()
    }

    /// A document of the invoice data service that finance works with, wherever that is, if the caller may see it.
    pub async fn invoice(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, ReadError> {
        let Some(service) = self.elsewhere() else { return Ok(self.documents().find(acting, id).await?) };
        let found = service.document(&acting.actor, id).await?;
        let Some(mut found) = found.filter(|found| acting.workspaces.contain(found.workspace)) else {
            return Ok(None);
        };
        self.tell_of_submission(&mut found).await?;
        Ok(Some(found))
    }

    /// Adds to a document of a service elsewhere what finance alone may know of it.
    pub(crate) async fn tell_of_submission(&self, document: &mut Invoice) -> Result<(), StoreError> {
        if let Some(submission) = submissions::find(self.db(), document.id, &Workspaces::All).await? {
            submission.tell(document);
        }
        Ok(())
    }

    /// Moves a document to issuing, to be sent to the tax authority, if it is still at the version that was `seen`.
    pub(crate) async fn send_to_issuing(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
        seen: Option<i64>,
    ) -> Result<Invoice, BeginError> {
        let Some(service) = self.elsewhere() else {
            return Ok(self.documents().begin_issuing(acting, id, true, at, seen).await?);
        };
        if correctives::ELSEWHERE.is_blocked(self.db(), id).await? {
            return Err(BeginError::Issue(IssueError::Blocked));
        }
        let answer = service.issuing(&acting.actor, id, at, seen).await;
        let found = self.invoice(acting, id).await?;
        match (answer, found) {
            (Ok(()), Some(found)) => Ok(found),
            // The answer was lost, and the call was carried out.
            (Err(error), Some(found)) if error.is_open() && is_issuing(&found) => Ok(found),
            (Ok(()) | Err(InvoiceDataError::Gone), None) => Err(BeginError::Gone),
            (Err(InvoiceDataError::Stale), Some(found)) => Err(BeginError::Stale { current: found.version }),
            (Err(InvoiceDataError::Refused(errors)), Some(found)) => match issue_error(&errors, &found) {
                Some(error) => Err(BeginError::Issue(error)),
                None => Err(BeginError::Read(InvoiceDataError::Refused(errors).into())),
            },
            (Err(error), _) => Err(BeginError::Read(error.into())),
        }
    }
}

/// Whether a document waits for the tax authority.
pub(crate) const fn is_issuing(document: &Invoice) -> bool {
    matches!(document.state, State::Issuing { .. })
}

/// The document as the contract shows it.
fn shown(document: &Invoice) -> Value {
    serde_json::to_value(DocumentView::from(document)).unwrap_or_default()
}

/// What the refusal of an issue says, in the terms of the invoice data service in this process.
fn issue_error(errors: &[FieldError], found: &Invoice) -> Option<IssueError> {
    let says = |error: &IssueError| errors.iter().any(|told| told.message == error.to_string());
    let known = [
        IssueError::WrongKind,
        IssueError::Blocked,
        IssueError::NoLines,
        IssueError::ExceedsOriginal,
        IssueError::WrongOriginal,
        IssueError::NumberGiven,
        IssueError::NumberUnknown,
        IssueError::SeriesMovedOn,
    ];
    known.into_iter().find(says).or_else(|| {
        let about_state = errors.iter().any(|told| told.field == "status");
        let wanted = if found.content.lines.is_empty() { "draft" } else { "draft or issuing" };
        about_state.then(|| IssueError::WrongState { found: found.state.status(), wanted })
    })
}
