//! The invoice data service as finance works with it: in this process, or a remote one over its RPC.
//!
//! [`LocalInvoiceData`] joins the invoice data service's transaction: document, events and submission commit together, and
//! nobody sees one without the others. [`RemoteInvoiceData`] has no such transaction: it commits a plan as an intent first
//! (a submission keeps its own), makes the call, reads the document, and records what follows from it. Whoever finds an intent
//! after a crash or a lost answer does the same again: the document tells whether the call was carried out.
//!
//! Nothing outside of this folder asks which one it is. What is finance's own (workspaces with their e-invoicing,
//! submissions, refunds, finance's events, which credit notes and correctives it wrote) is in finance's own database either
//! way.

mod local;
mod remote;

use crate::error::{CommandError, ReadError};
use crate::record::{Recorder, UnstoredVerdict};
use crate::regime::TaxRegimes;
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Balance, DocumentFilter, DocumentPageKey, Invoice};
use gateway_domain::regime::IdentityMapping;
use gateway_domain_events::StoredEvent;
use gateway_domain_finance::{CreditNotes, Facts, Open, Plan, Route, Settling, Submission};
use gateway_events::Source;
use gateway_invoicing::FollowUps;
use gateway_jobs::{JobLease, Outcome as JobOutcome};
use gateway_storage::{Db, Executor, Tx, events};
use local::LocalInvoiceData;
use remote::RemoteInvoiceData;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use tokio::time::Instant;

/// Whether a command is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// Everything it does is kept.
    Commit,
    /// Everything it does is taken back. It is done all the same, because only the locks, the number series and the constraints of
    /// the database know all that would refuse it.
    DryRun,
}

impl Execution {
    /// Keeps what a transaction did, or takes it back.
    async fn end(self, tx: Tx, commit_point: &'static str) -> Result<(), StoreError> {
        match self {
            Self::Commit => tx.commit_at(commit_point).await,
            Self::DryRun => tx.rollback().await,
        }
    }
}

/// What a command did, or would do.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The document as it is now.
    pub document: Invoice,
    /// The finance events of the command, in order.
    pub events: Vec<StoredEvent>,
    /// What the pre-flight check warns of, and did not stop the command.
    pub warnings: Vec<Fault>,
    /// What an issue would do; none for what was done, and for every other command.
    pub dry_run: Option<DryRun>,
}

/// What an issue would do.
#[derive(Debug, Clone)]
pub struct DryRun {
    /// Unchanged: it has got no number.
    pub document: Invoice,
    /// Which way it would go.
    pub route: Route,
    /// What the pre-flight check says; warnings included.
    pub faults: Vec<Fault>,
    /// How the tax authority would know the recipient; none for a document that it does not hear of.
    pub identity: Option<IdentityMapping>,
}

/// What a command writes beside its document, which it leaves as it is. Commands of services above finance are executed by it.
#[async_trait]
pub trait RecordUnderLock: Send + Sync {
    /// The failpoint at its commit.
    fn commit_point(&self) -> &'static str;

    /// Writes it down in the transaction that holds the document.
    ///
    /// # Errors
    /// [`CommandError::InProgress`] when what the command was decided from besides the document is not so any more.
    async fn record(&self, tx: &mut Tx, held: &Invoice) -> Result<(), CommandError>;
}

/// How many events finance has recorded of a document: those behind them are the command's own.
pub(crate) async fn events_so_far(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<usize, StoreError> {
    let events = events::count_of_subject(on, Source::Finance.as_str(), document).await?;
    Ok(usize::try_from(events).unwrap_or_default())
}

impl Outcome {
    /// A document, and what a command of one transaction recorded of its `subject` and of the document.
    pub(crate) fn recorded(tx: &Tx, acting: &Acting, document: Invoice, subject: InvoiceId) -> Self {
        let recorded = |subject| events::appended(tx, Source::Finance.as_str(), subject);
        let of_document = (subject != document.id).then(|| recorded(document.id));
        let events = recorded(subject).chain(of_document.into_iter().flatten());
        let visible = events.filter(|event| acting.workspaces.contain(event.workspace));
        Self { events: visible.cloned().collect(), document, warnings: Vec::new(), dry_run: None }
    }

    /// A document, and what happened to the `subject` of a command of several transactions since `before`.
    pub(crate) async fn read(
        db: &Db,
        acting: &Acting,
        document: Invoice,
        subject: InvoiceId,
        before: usize,
    ) -> Result<Self, StoreError> {
        let (source, visible) = (Source::Finance.as_str(), &acting.workspaces);
        let recorded = events::of_subject(db, visible, source, subject).await?;
        let mut events: Vec<_> = recorded.into_iter().skip(before).collect();
        if subject != document.id {
            events.extend(events::of_subject(db, visible, source, document.id).await?);
        }
        Ok(Self { document, events, warnings: Vec::new(), dry_run: None })
    }
}

/// What a job leaves to the settlement of its verdict.
#[derive(Debug)]
pub(crate) struct LastStep<'a> {
    /// Ends with it where one transaction does both, else the queue ends it.
    pub(crate) lease: Option<&'a JobLease>,
    /// The verdict, unless it is stored.
    pub(crate) unstored: Option<UnstoredVerdict>,
}

/// The invoice data service: where documents are read, and where plans are executed.
#[async_trait]
pub(crate) trait InvoiceData: Debug + Send + Sync {
    /// A document, if the caller may see it.
    async fn document(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, ReadError>;

    /// Documents by their ids, without asking a remote service: finance's copies may be late. Those that do not exist for
    /// the caller are absent.
    async fn by_ids(&self, acting: &Acting, ids: &[InvoiceId]) -> Result<Vec<Invoice>, StoreError>;

    /// At most `limit` documents after a place, the oldest first, as [`InvoiceData::by_ids`].
    async fn page(
        &self,
        acting: &Acting,
        filter: &DocumentFilter,
        after: Option<DocumentPageKey>,
        limit: usize,
    ) -> Result<Vec<Invoice>, StoreError>;

    /// How many documents all pages have together.
    async fn count(&self, acting: &Acting, filter: &DocumentFilter) -> Result<i64, StoreError>;

    /// The last documents of a workspace that got a number, the newest first, as [`InvoiceData::by_ids`].
    async fn last_numbered(&self, workspace: WorkspaceId, limit: i64) -> Result<Vec<Invoice>, StoreError>;

    /// Finance's copy of a document, JSON, with what finance alone knows of it.
    async fn completed(&self, copy: String) -> Result<String, StoreError>;

    /// What was given back of documents, as far as it is known here: a remote service tells it of its own documents itself.
    async fn balances(&self, _: &[Invoice]) -> Result<HashMap<InvoiceId, Balance>, StoreError> {
        Ok(HashMap::new())
    }

    /// The credit notes of a document.
    ///
    /// # Errors
    /// [`CommandError::InProgress`] while one is written.
    async fn credit_notes(&self, acting: &Acting, document: &Invoice) -> Result<CreditNotes, CommandError>;

    /// The documents that one refers to, of its own workspace.
    async fn referenced(&self, document: &Invoice) -> Result<Vec<Invoice>, ReadError> {
        let mut referenced = Vec::new();
        for id in &document.content.referenced_document_ids {
            referenced.extend(self.document(&reader_of(document), *id).await?);
        }
        Ok(referenced)
    }

    /// [`InvoiceData::referenced`] without asking a remote service.
    async fn referenced_at_hand(&self, document: &Invoice) -> Result<Vec<Invoice>, StoreError> {
        let ids = &document.content.referenced_document_ids;
        let mut referenced = self.by_ids(&reader_of(document), ids).await?;
        referenced.sort_by_key(|found| ids.iter().position(|id| *id == found.id));
        Ok(referenced)
    }

    /// Whether a document is a corrective draft that waits for the invoice it corrects.
    async fn is_blocked(&self, document: InvoiceId) -> Result<bool, StoreError>;

    /// Makes the call of a plan and records it, with what follows, if what the plan was decided from is still so; a dry run
    /// takes all of it back.
    ///
    /// # Errors
    /// [`CommandError::InProgress`] when it is not so any more, or is about to change: the command is decided anew.
    async fn execute(
        &self,
        acting: &Acting,
        facts: &Facts,
        plan: Plan,
        execution: Execution,
    ) -> Result<Outcome, CommandError>;

    /// Whether [`InvoiceData::settle`] takes verdicts that are not stored yet.
    fn settles_at_once(&self) -> bool;

    /// Tells a document the verdict of its submission, and records that: the last that a job does.
    ///
    /// # Errors
    /// [`CommandError::InProgress`] while a command on the document is on its way.
    async fn settle(
        &self,
        settling: &Submission<Open<Settling>>,
        last: LastStep<'_>,
    ) -> Result<(), CommandError>;

    /// See [`crate::Finance::record_under_lock`].
    async fn record_under_lock(
        &self,
        acting: &Acting,
        document: &Invoice,
        record: &dyn RecordUnderLock,
        execution: Execution,
    ) -> Result<bool, CommandError>;

    /// Waits until a command on the document may be decided anew, which was first held up at `since`; `false` when that lasts
    /// too long.
    async fn is_free(&self, document: InvoiceId, since: Instant) -> Result<bool, StoreError>;

    /// Goes on with what a request or a process left of a command on a document.
    async fn resume(&self, document: InvoiceId) -> JobOutcome;
}

/// The invoice data service that finance works with.
pub(crate) fn of(recorder: &Recorder, regimes: &TaxRegimes) -> Arc<dyn InvoiceData> {
    let (recorder, regimes) = (recorder.clone(), regimes.clone());
    match recorder.context.invoicing() {
        Some(client) => Arc::new(RemoteInvoiceData::new(recorder, regimes, client)),
        None => Arc::new(LocalInvoiceData::new(recorder, regimes)),
    }
}

/// What an issue or a rejection leads to where the invoice data service is in this process, whoever calls it.
pub(crate) fn follow_ups(recorder: Recorder, regimes: TaxRegimes) -> Arc<dyn FollowUps> {
    Arc::new(LocalInvoiceData::new(recorder, regimes))
}

/// The gateway in the workspace of a document, whose other documents it may refer to.
fn reader_of(document: &Invoice) -> Acting {
    Acting { workspaces: Workspaces::Only(vec![document.workspace]), ..Acting::gateway() }
}
