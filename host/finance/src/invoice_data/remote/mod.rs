//! Documents of a remote invoice data service: no lock holds a document there, so a plan is committed as an intent, which
//! is also the lock of its document ([`locks`]), before its call is made ([`intent`]).

mod call;
mod follow;
mod intent;
mod job;
mod locks;
mod settle;
mod submit;

use super::InvoiceData;
use crate::context::Context;
use crate::error::{CommandError, ReadError};
use crate::invoice_data::{Execution, LastStep, Outcome, RecordUnderLock, events_so_far};
use crate::record::Recorder;
use crate::regime::TaxRegimes;
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{CreditNoteTotals, DocumentFilter, DocumentPageKey, Invoice};
use gateway_domain_finance::ports::{InvoiceDataError, InvoicingClient};
use gateway_domain_finance::{CreditNotes, Facts, InvoiceDataCall, Open, Plan, Record, Settling, Submission};
use gateway_invoicing::DocumentView;
use gateway_jobs::Outcome as JobOutcome;
use gateway_read_models::as_document;
use gateway_storage::correctives::REMOTE;
use gateway_storage::finance_documents::{self, ListedCopy};
use gateway_storage::intents::{self, Intent};
use gateway_storage::{Tx, submissions};
use std::sync::Arc;
use tokio::time::Instant;

/// Finance beside a remote invoice data service.
#[derive(Debug)]
pub(super) struct RemoteInvoiceData {
    context: Context,
    recorder: Recorder,
    regimes: TaxRegimes,
    client: Arc<dyn InvoicingClient>,
}

#[async_trait]
impl InvoiceData for RemoteInvoiceData {
    async fn document(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, ReadError> {
        let found = self.client.document(&acting.actor, id).await?;
        let Some(mut found) = found.filter(|found| acting.workspaces.contain(found.workspace)) else {
            return Ok(None);
        };
        self.add_submission(&mut found).await?;
        Ok(Some(found))
    }

    async fn by_ids(&self, acting: &Acting, ids: &[InvoiceId]) -> Result<Vec<Invoice>, StoreError> {
        let copies = finance_documents::by_ids(self.context.db(), &acting.workspaces, ids).await?;
        self.listed(&copies).await
    }

    async fn page(
        &self,
        acting: &Acting,
        filter: &DocumentFilter,
        mut after: Option<DocumentPageKey>,
        limit: usize,
    ) -> Result<Vec<Invoice>, StoreError> {
        let mut page = Vec::new();
        loop {
            let left = limit.saturating_sub(page.len());
            let part = i64::try_from(left).unwrap_or(i64::MAX);
            let copies =
                finance_documents::page(self.context.db(), &acting.workspaces, filter, after, part).await?;
            page.extend(self.listed(&copies).await?);
            // Copies that are no documents are passed over, and others take their places.
            after = copies.last().map(|copy| copy.key);
            if page.len() >= limit || copies.len() < left {
                return Ok(page);
            }
        }
    }

    async fn count(&self, acting: &Acting, filter: &DocumentFilter) -> Result<i64, StoreError> {
        finance_documents::count(self.context.db(), &acting.workspaces, filter).await
    }

    async fn last_numbered(&self, workspace: WorkspaceId, limit: i64) -> Result<Vec<Invoice>, StoreError> {
        let copies = finance_documents::numbered(self.context.db(), workspace, limit).await?;
        Ok(copies.iter().filter_map(|copy| as_document(copy)).collect())
    }

    async fn completed(&self, copy: String) -> Result<String, StoreError> {
        let Some(mut document) = as_document(&copy) else { return Ok(copy) };
        let copied = document.clone();
        self.add_submission(&mut document).await?;
        if document == copied { Ok(copy) } else { StoreError::json(&DocumentView::from(&document)) }
    }

    /// A credit note that is on its way to the service cannot be read there yet and is not taken for nothing: its command has
    /// the lock. One that sets out later is not among those counted, so the intent is refused.
    async fn credit_notes(&self, acting: &Acting, document: &Invoice) -> Result<CreditNotes, CommandError> {
        let notes = intents::notes(self.context.db(), document.id, document.workspace).await?;
        if intents::find(self.context.db(), document.id).await?.is_some() {
            return Err(CommandError::InProgress);
        }
        let credited = self.credited(acting, &notes).await?;
        Ok(CreditNotes { notes, credited })
    }

    async fn is_blocked(&self, document: InvoiceId) -> Result<bool, StoreError> {
        REMOTE.is_blocked(self.context.db(), document).await
    }

    /// An issue to the tax authority and a verdict have their submission for an intent, every other plan that calls the
    /// service gets one.
    async fn execute(
        &self,
        acting: &Acting,
        facts: &Facts,
        plan: Plan,
        execution: Execution,
    ) -> Result<Outcome, CommandError> {
        if plan.call.is_none() || execution == Execution::DryRun {
            Box::pin(self.record_only(acting, facts, plan, execution)).await
        } else if plan.record == Record::Submitted {
            Box::pin(self.submit(acting, facts, plan)).await
        } else {
            Box::pin(self.execute_intended(acting, facts, plan)).await
        }
    }

    /// The service is called before the settlement is recorded, and the verdict is stored before that.
    fn settles_at_once(&self) -> bool {
        false
    }

    async fn settle(
        &self,
        settling: &Submission<Open<Settling>>,
        _: LastStep<'_>,
    ) -> Result<(), CommandError> {
        let document = self.document(&Acting::gateway(), settling.document).await?;
        let document = document.ok_or(CommandError::InvoiceData(InvoiceDataError::Gone))?;
        let plan = Plan::settlement(document, settling.open_stage(), self.context.now())?;
        Box::pin(self.settled(plan)).await
    }

    async fn record_under_lock(
        &self,
        _: &Acting,
        _: &Invoice,
        _: &dyn RecordUnderLock,
        _: Execution,
    ) -> Result<bool, CommandError> {
        Ok(false)
    }

    async fn is_free(&self, document: InvoiceId, since: Instant) -> Result<bool, StoreError> {
        self.is_unlocked(document, since).await
    }

    async fn resume(&self, document: InvoiceId) -> JobOutcome {
        self.resume_intent(document).await
    }
}

impl RemoteInvoiceData {
    pub(super) fn new(recorder: Recorder, regimes: TaxRegimes, client: Arc<dyn InvoicingClient>) -> Self {
        Self { context: recorder.context.clone(), recorder, regimes, client }
    }

    /// Copies as documents, each with what finance alone may know of it.
    async fn listed(&self, copies: &[ListedCopy]) -> Result<Vec<Invoice>, StoreError> {
        let mut documents: Vec<Invoice> = copies.iter().filter_map(|copy| as_document(&copy.data)).collect();
        let ids: Vec<InvoiceId> = documents.iter().map(|document| document.id).collect();
        let submissions = submissions::of_documents(self.context.db(), &ids, &Workspaces::All).await?;
        for submission in submissions {
            if let Some(document) = documents.iter_mut().find(|document| document.id == submission.document) {
                submission.add_to(document);
            }
        }
        Ok(documents)
    }

    /// Adds to a document what finance alone may know of it.
    async fn add_submission(&self, document: &mut Invoice) -> Result<(), StoreError> {
        if let Some(submission) = submissions::find(self.context.db(), document.id, &Workspaces::All).await? {
            submission.add_to(document);
        }
        Ok(())
    }

    /// The credit notes that finance wrote for a document, as they are now; one that was deleted is left out. Credit notes
    /// that others write at the service are not among them: it refuses to issue more than the original itself.
    async fn credited(
        &self,
        acting: &Acting,
        notes: &[InvoiceId],
    ) -> Result<Vec<CreditNoteTotals>, ReadError> {
        let by = Acting { actor: acting.actor.clone(), ..Acting::gateway() };
        let mut credited = Vec::new();
        for &id in notes {
            let note = self.document(&by, id).await?;
            credited.extend(note.map(|note| CreditNoteTotals {
                id,
                status: note.state.status(),
                totals: note.totals,
            }));
        }
        Ok(credited)
    }

    /// Commits a plan as an intent, and carries it out.
    async fn execute_intended(
        &self,
        acting: &Acting,
        facts: &Facts,
        plan: Plan,
    ) -> Result<Outcome, CommandError> {
        let id = facts.document.id;
        let mut tx = self.context.db().begin().await?;
        let mut lock = self.begin_command(&mut tx, acting, facts).await?;
        // Behind those who had the lock.
        let before = events_so_far(&mut tx, id).await?;
        let predicted = plan.result.clone();
        self.write_intent(&mut tx, acting, &mut lock, plan).await?;
        tx.commit_at("intended").await?;
        let ended = Box::pin(self.resume_with(lock)).await?;
        Ok(Outcome::read(self.context.db(), acting, ended.unwrap_or(predicted), id, before).await?)
    }

    /// Records a plan without a call: one that has none, or a dry run, which is taken back. Which number the service would give
    /// is not tried out.
    async fn record_only(
        &self,
        acting: &Acting,
        facts: &Facts,
        plan: Plan,
        execution: Execution,
    ) -> Result<Outcome, CommandError> {
        let id = facts.document.id;
        let mut tx = self.context.db().begin().await?;
        if plan.record != Record::Submitted {
            let lock = self.begin_command(&mut tx, acting, facts).await?;
            self.release_lock(&mut tx, &lock).await?;
            self.recorder.record(&mut tx, acting, &plan.document, &plan.record, &after(&plan)).await?;
        }
        let outcome = Outcome::recorded(&tx, acting, plan.result, id);
        execution.end(tx, "command").await?;
        Ok(outcome)
    }

    /// Takes the lock of a command's document, if what the command was decided from is still so.
    async fn begin_command(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        facts: &Facts,
    ) -> Result<Intent, CommandError> {
        let lock = self.take_lock(tx, acting, &facts.document).await?;
        if !self.is_unchanged(tx, facts).await? {
            return Err(CommandError::InProgress);
        }
        self.context.claim_request(tx, acting).await?;
        Ok(lock)
    }

    /// Whether a plan may be executed as it was decided, with the document locked: the service itself compares its version.
    async fn is_unchanged(&self, tx: &mut Tx, facts: &Facts) -> Result<bool, StoreError> {
        let document = &facts.document;
        if let Some(counted) = facts.command.credit_notes()
            && intents::notes(&mut *tx, document.id, document.workspace).await? != counted.notes
        {
            return Ok(false);
        }
        Ok(self.is_on_route(tx, facts).await? && self.recorder.is_unchanged(tx, facts).await?)
    }

    /// Whether a document goes the way that it was decided for.
    async fn is_on_route(&self, tx: &mut Tx, facts: &Facts) -> Result<bool, StoreError> {
        match facts.command.route() {
            Some(route) => Ok(self.regimes.route(tx, &facts.document).await? == route),
            None => Ok(true),
        }
    }
}

/// The document of a plan's call as it would be recorded.
fn after(plan: &Plan) -> Invoice {
    match plan.call {
        // What is told of a deleted document is a version later.
        Some(InvoiceDataCall::Delete { .. }) => {
            Invoice { version: plan.result.version.saturating_add(1), ..plan.result.clone() }
        }
        Some(_) | None => plan.result.clone(),
    }
}
