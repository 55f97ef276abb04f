//! The invoice data service as finance works with it: in this process, or elsewhere over its RPC.
//!
//! [`LocalInvoiceData`] joins the invoice data service's transaction: document, events and submission commit together, and nobody sees
//! one without the others. [`RemoteInvoiceData`] has no such transaction: it commits a plan as an intent first, makes the call, reads
//! the document, and records what follows from it. Whoever finds an intent after a crash or a lost answer does the same
//! again: the document tells whether the call was carried out.
//!
//! Nothing outside of this folder asks which one it is. What is finance's own (workspaces with their e-invoicing,
//! submissions, refunds, finance's events, which credit notes and correctives it wrote) is in finance's own database either
//! way.

mod local;
mod remote;

pub use remote::feed::follow;
pub(crate) use remote::job::ResumeIntent;

use crate::Finance;
use crate::commands::Outcome;
use crate::error::{BeginError, CommandError, ReadError};
use crate::submission::AdvanceError;
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::Invoice;
use gateway_domain_finance::{CommandForm, Open, Requested, Route, Settling, Submission};
use gateway_jobs::Outcome as JobOutcome;
use gateway_storage::Tx;
use jiff::Timestamp;
use local::LocalInvoiceData;
use remote::RemoteInvoiceData;

/// A credit note on its way to the tax authority: its submission, and the caller's own time of it.
#[derive(Debug)]
pub(crate) struct NoteSubmission {
    pub(crate) submission: Submission<Open<Requested>>,
    pub(crate) at: Option<Timestamp>,
}

/// The invoice data service: where documents are read, and where plans are carried out.
#[async_trait]
pub(crate) trait InvoiceData: Send + Sync {
    /// A document, if the caller may see it.
    async fn document(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, ReadError>;

    /// A document without asking a remote service: finance's copy of it may be late.
    async fn at_hand(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, StoreError>;

    /// The last documents of a workspace that got a number, the newest first, as [`InvoiceData::at_hand`].
    async fn last_numbered(&self, workspace: WorkspaceId, limit: i64) -> Result<Vec<Invoice>, StoreError>;

    /// Finance's copy of a document, JSON, with what finance alone knows of it.
    async fn completed(&self, copy: String) -> Result<String, StoreError>;

    /// Refuses what the service would refuse of an issue at `at`, as far as that can be known before it is asked.
    async fn ensure_issuable(
        &self,
        document: &Invoice,
        route: Route,
        at: Option<Timestamp>,
    ) -> Result<(), CommandError>;

    /// A transaction in which a document that is to be submitted is still as it was read, with its submission.
    async fn hold(
        &self,
        acting: &Acting,
        document: &Invoice,
    ) -> Result<(Tx, Option<Submission>), CommandError>;

    /// Moves a document to issuing, to be sent to the tax authority, if it is still at `expected_version`.
    async fn begin_issuing(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<Invoice, BeginError>;

    /// Decides a command from the document as it is, has checked what goes to the tax authority, carries the plan out and
    /// records it; a trial takes all of it back. With `expected_version`, only about that version of the document. `read` is the
    /// document where it was just read.
    async fn carry_out(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        expected_version: Option<i64>,
        read: Option<&Invoice>,
    ) -> Result<Outcome, CommandError>;

    /// Tells the verdict of the provider and records it. `None` when somebody else moved the submission meanwhile.
    async fn settle(
        &self,
        submission: Submission<Open<Settling>>,
    ) -> Result<Option<JobOutcome>, AdvanceError>;

    /// Goes on with what a request or a process left of a command on a document.
    async fn resume(&self, document: InvoiceId) -> JobOutcome;
}

impl Finance {
    /// Where documents are.
    pub(crate) fn invoice_data(&self) -> Box<dyn InvoiceData + '_> {
        match self.0.parts.invoicing.as_deref() {
            Some(client) => Box::new(RemoteInvoiceData { finance: self, client }),
            None => Box::new(LocalInvoiceData(self)),
        }
    }

    /// A document of the invoice data service that finance works with, wherever that is, if the caller may see it.
    pub async fn invoice(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, ReadError> {
        self.invoice_data().document(acting, id).await
    }

    /// The last documents of a workspace that got a number, the newest first, without asking a remote service.
    pub async fn last_numbered(
        &self,
        workspace: WorkspaceId,
        limit: i64,
    ) -> Result<Vec<Invoice>, StoreError> {
        self.invoice_data().last_numbered(workspace, limit).await
    }
}
