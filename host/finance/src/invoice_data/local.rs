//! Documents in this process: a plan is executed under the document's lock, and everything it does is one transaction.

use super::InvoiceData;
use crate::context::Context;
use crate::error::{CommandError, ReadError};
use crate::follow_up::{FollowUpFacts, follow_up_of, follow_up_plan, release_correctives};
use crate::invoice_data::{Execution, LastStep, Outcome, RecordUnderLock};
use crate::record::Recorder;
use crate::regime::TaxRegimes;
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Balance, DocumentFilter, DocumentPageKey, Invoice, Status};
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{
    CreditNotes, Facts, FinanceEvent, FollowUpDraft, InvoiceDataCall, NextStep, Open, Plan, Record, Route,
    Settling, Submission, released_by,
};
use gateway_invoicing::{FollowUps, StepError};
use gateway_jobs::{JobLease, Outcome as JobOutcome};
use gateway_storage::correctives::LOCAL;
use gateway_storage::{Executor, Tx, credits, events, invoices, workspaces};
use jiff::SignedDuration;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long a command is decided anew while others change what it is decided from.
const CHANGES_MAX: Duration = Duration::from_secs(3);
/// How often a call is looked at that no service is configured for.
const RESUME_AFTER: SignedDuration = SignedDuration::from_secs(30);

/// Finance beside the invoice data service in this process.
#[derive(Debug)]
pub(super) struct LocalInvoiceData {
    context: Context,
    recorder: Recorder,
    regimes: TaxRegimes,
}

#[async_trait]
impl InvoiceData for LocalInvoiceData {
    async fn document(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, ReadError> {
        Ok(self.context.documents().find(acting, id).await?)
    }

    async fn by_ids(&self, acting: &Acting, ids: &[InvoiceId]) -> Result<Vec<Invoice>, StoreError> {
        self.context.documents().by_ids(acting, ids).await
    }

    async fn page(
        &self,
        acting: &Acting,
        filter: &DocumentFilter,
        after: Option<DocumentPageKey>,
        limit: usize,
    ) -> Result<Vec<Invoice>, StoreError> {
        self.context.documents().listed(acting, filter, after, limit).await
    }

    async fn count(&self, acting: &Acting, filter: &DocumentFilter) -> Result<i64, StoreError> {
        self.context.documents().count(acting, filter).await
    }

    async fn last_numbered(&self, workspace: WorkspaceId, limit: i64) -> Result<Vec<Invoice>, StoreError> {
        self.context.documents().last_numbered(workspace, limit).await
    }

    async fn balances(&self, documents: &[Invoice]) -> Result<HashMap<InvoiceId, Balance>, StoreError> {
        self.context.documents().balances(documents).await
    }

    async fn completed(&self, copy: String) -> Result<String, StoreError> {
        Ok(copy)
    }

    async fn credit_notes(&self, _: &Acting, document: &Invoice) -> Result<CreditNotes, CommandError> {
        Ok(credit_notes(self.context.db(), document).await?)
    }

    async fn is_blocked(&self, document: InvoiceId) -> Result<bool, StoreError> {
        LOCAL.is_blocked(self.context.db(), document).await
    }

    async fn execute(
        &self,
        acting: &Acting,
        facts: &Facts,
        plan: Plan,
        execution: Execution,
    ) -> Result<Outcome, CommandError> {
        let point = plan.commit_point();
        let (tx, outcome) = self.executed(acting, facts, plan).await?;
        execution.end(tx, point).await?;
        Ok(outcome)
    }

    fn settles_at_once(&self) -> bool {
        true
    }

    async fn settle(
        &self,
        settling: &Submission<Open<Settling>>,
        last: LastStep<'_>,
    ) -> Result<(), CommandError> {
        let by = Acting::gateway();
        let mut tx = self.context.db().begin().await?;
        let held = invoices::lock(&mut tx, settling.document, &by.workspaces).await?;
        let held = held.ok_or(CommandError::InvoiceData(InvoiceDataError::Gone))?;
        let plan = Plan::settlement(held, settling.open_stage(), self.context.now())?;
        let point = plan.commit_point();
        events::write_later(&mut tx);
        if let Some(verdict) = last.unstored {
            tx.remember(verdict);
        }
        Box::pin(self.run(&mut tx, &by, plan)).await?;
        let ending = JobLease::end_any(last.lease, &mut tx, JobOutcome::Done).await?;
        tx.commit_at(point).await?;
        ending.committed();
        Ok(())
    }

    async fn record_under_lock(
        &self,
        acting: &Acting,
        document: &Invoice,
        record: &dyn RecordUnderLock,
        execution: Execution,
    ) -> Result<bool, CommandError> {
        let (mut tx, held) = self.held(acting, document).await?;
        self.context.claim_request(&mut tx, acting).await?;
        record.record(&mut tx, &held).await?;
        execution.end(tx, record.commit_point()).await?;
        Ok(true)
    }

    async fn is_free(&self, _: InvoiceId, since: Instant) -> Result<bool, StoreError> {
        // Whoever has the document has its lock, on which the next try waits.
        Ok(since.elapsed() < CHANGES_MAX)
    }

    async fn resume(&self, document: InvoiceId) -> JobOutcome {
        tracing::error!(document.id = %document, "A call for {document} waits: set finance.invoicing_url again");
        JobOutcome::Again(self.context.after(RESUME_AFTER))
    }
}

impl LocalInvoiceData {
    pub(super) fn new(recorder: Recorder, regimes: TaxRegimes) -> Self {
        Self { context: recorder.context.clone(), recorder, regimes }
    }

    /// Holds the document of a command, which is as it was `read`.
    async fn held(&self, acting: &Acting, read: &Invoice) -> Result<(Tx, Invoice), CommandError> {
        let mut tx = self.context.db().begin().await?;
        let held = invoices::lock(&mut tx, read.id, &acting.workspaces).await?.ok_or(CommandError::Gone)?;
        let age = |document: &Invoice| (document.created_at, document.version);
        if age(&held) == age(read) { Ok((tx, held)) } else { Err(CommandError::InProgress) }
    }

    /// Executes a plan in a transaction that nobody ended yet.
    async fn executed(
        &self,
        acting: &Acting,
        facts: &Facts,
        plan: Plan,
    ) -> Result<(Tx, Outcome), CommandError> {
        let (mut tx, held) = self.held(acting, &facts.document).await?;
        if !self.is_unchanged(&mut tx, facts, &held).await? {
            return Err(CommandError::InProgress);
        }
        self.context.claim_request(&mut tx, acting).await?;
        // The key of the request is kept with the command, not with each of its steps.
        let by = Acting { request: None, ..acting.clone() };
        let document = Box::pin(self.run(&mut tx, &by, plan)).await?;
        let outcome = Outcome::recorded(&tx, acting, document, held.id);
        Ok((tx, outcome))
    }

    /// Whether a plan may be executed as it was decided, with the document held.
    async fn is_unchanged(&self, tx: &mut Tx, facts: &Facts, held: &Invoice) -> Result<bool, StoreError> {
        if let Some(before) = facts.command.credit_notes()
            && credit_notes(&mut *tx, held).await? != *before
        {
            return Ok(false);
        }
        if let Some(route) = facts.command.route() {
            let found = workspaces::configured(&mut *tx, held.workspace).await?;
            let configuration = found.as_ref().and_then(|found| found.e_invoicing.as_ref());
            if self.regimes.route_under(configuration.map(|sealed| &sealed.configuration), held) != route {
                return Ok(false);
            }
            if let Some(found) = found {
                workspaces::remember(tx, found.workspace);
            }
        }
        self.recorder.is_unchanged(tx, facts).await
    }

    /// Makes the call of a plan about a document that the transaction holds, records it, and goes on with what follows; gives
    /// the document of the command.
    async fn run(&self, tx: &mut Tx, acting: &Acting, plan: Plan) -> Result<Invoice, CommandError> {
        let Plan { document: before, call, record, then, result } = plan;
        let follows = call.as_ref().is_some_and(InvoiceDataCall::is_a_verdict_or_an_issue);
        // What is shown of a deleted document is the draft as it was.
        let deleted = matches!(call, Some(InvoiceDataCall::Delete { .. })).then(|| before.clone());
        // A verdict that the document shows already was told by somebody else.
        let is_told = record == Record::Settled && before.state.status() != Status::Issuing;
        let now = match call.filter(|_| !is_told) {
            Some(call) => self.call(tx, acting, call, &before, result).await?,
            None => result,
        };
        Box::pin(self.recorder.record(tx, acting, &before, &record, &now)).await?;
        if follows {
            Box::pin(self.follow(tx, &now)).await?;
        }
        match then {
            Some(NextStep::Issue { at }) => {
                let route = self.regimes.route(&mut *tx, &now).await?;
                Box::pin(self.run(tx, acting, Plan::issue(now, route, at, None))).await
            }
            None => Ok(deleted.unwrap_or(now)),
        }
    }

    async fn call(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        call: InvoiceDataCall,
        held: &Invoice,
        mut result: Invoice,
    ) -> Result<Invoice, CommandError> {
        let (documents, held) = (self.context.documents(), held.clone());
        Ok(match call {
            InvoiceDataCall::Save { expected_version: None, .. } => {
                documents.insert_in(tx, &mut result, &acting.actor).await?;
                result
            }
            InvoiceDataCall::Save { expected_version: Some(expected_version), .. } => {
                documents.update_in(tx, &result, expected_version, &acting.actor).await?;
                result
            }
            InvoiceDataCall::Delete { .. } => documents.delete_in(tx, acting, held).await?,
            InvoiceDataCall::BeginIssuing { at, .. } => {
                documents.begin_issuing_in(tx, acting, held, true, at).await?
            }
            InvoiceDataCall::Issue { acceptance, at, .. } => {
                documents.issue_in(tx, acting, held, acceptance, at).await?
            }
            InvoiceDataCall::IssueEarlier { number, acceptance } => {
                documents.issue_earlier_in(tx, acting, held, &number, acceptance).await?
            }
            InvoiceDataCall::Reject { reason } => documents.reject_in(tx, acting, held, reason).await?,
        })
    }

    /// What follows from a document that has just become issued or rejected.
    async fn follow(&self, tx: &mut Tx, moved: &Invoice) -> Result<(), StepError> {
        let by = Acting::gateway();
        let Some((draft, then)) = self.follow_up_draft(tx, moved).await? else { return Ok(()) };
        let Some(NextStep::Issue { at }) = then else { return Ok(()) };
        match self.regimes.route(&mut *tx, &draft).await? {
            // Nobody checked it, so nothing of it may refuse the document that it follows from.
            Route::TaxAuthority => {
                let now = self.context.now();
                let requested = self.recorder.requested_in(tx, &by, &draft, at, now).await?;
                requested.map(drop).ok_or(StoreError::Moved { table: "submission" }.into())
            }
            Route::Standard if self.has_a_number(tx, &draft).await? => {
                let issued = self.context.documents().issue_in(tx, &by, draft.clone(), None, at).await?;
                let record = Record::Event(FinanceEvent::Issued);
                self.recorder.record(tx, &by, &draft, &record, &issued).await?;
                Box::pin(self.follow(tx, &issued)).await
            }
            Route::Standard => Ok(()),
        }
    }

    /// The document that is written beside one that has just become issued or rejected, with what becomes of it.
    async fn follow_up_draft(
        &self,
        tx: &mut Tx,
        moved: &Invoice,
    ) -> Result<Option<(Invoice, Option<NextStep>)>, StoreError> {
        let by = Acting::gateway();
        let facts = self.follow_up_facts(tx, moved).await?;
        release_correctives(&self.recorder, tx, &LOCAL, &facts.released).await?;
        let plan = follow_up_plan(&self.context, &mut *tx, moved, &facts).await?;
        let Some(Plan { record, then, result: mut draft, .. }) = plan else { return Ok(None) };
        self.context.documents().insert_in(tx, &mut draft, &by.actor).await?;
        self.recorder.record(tx, &by, moved, &record, &draft).await?;
        if record == Record::Corrective {
            LOCAL.keep(tx, draft.id, moved.id).await?;
        }
        Ok(Some((draft, then)))
    }

    async fn follow_up_facts(&self, tx: &mut Tx, moved: &Invoice) -> Result<FollowUpFacts, StoreError> {
        let mut facts = FollowUpFacts::default();
        let visible = Workspaces::Only(vec![moved.workspace]);
        for original in released_by(moved) {
            let Some(corrective) = LOCAL.of(&mut *tx, *original).await? else { continue };
            let draft = invoices::find(&mut *tx, corrective.document, &visible).await?;
            facts.released.push((*original, draft));
        }
        facts.draft = follow_up_of(&mut *tx, &LOCAL, moved).await?;
        if facts.draft == Some(FollowUpDraft::CreditNote) {
            facts.credited = credit_notes(&mut *tx, moved).await?.credited;
        }
        Ok(facts)
    }

    /// Whether there is a number for a credit note that follows. If not, the invoice is final all the same: whoever mends the
    /// number pattern issues the note.
    async fn has_a_number(&self, tx: &mut Tx, note: &Invoice) -> Result<bool, StepError> {
        match self.context.documents().ensure_number_is_free(tx, note).await {
            Ok(()) => Ok(true),
            Err(StepError::Issue(error)) => {
                tracing::warn!(document.id = %note.id, "{} stays a draft: {error}", note.id);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

/// The credit notes of a document, drafts included.
async fn credit_notes(on: impl Into<Executor<'_>>, document: &Invoice) -> Result<CreditNotes, StoreError> {
    let found = credits::credit_notes(on, document.id, document.workspace).await?;
    let credited: Vec<_> = found.into_iter().map(|(_, credited)| credited).collect();
    Ok(CreditNotes { notes: credited.iter().map(|credited| credited.id).collect(), credited })
}

#[async_trait]
impl FollowUps for LocalInvoiceData {
    async fn after_issue(&self, tx: &mut Tx, issued: &Invoice) -> Result<(), StepError> {
        self.follow(tx, issued).await
    }

    async fn after_rejection(&self, tx: &mut Tx, rejected: &Invoice) -> Result<(), StoreError> {
        // A corrective stays a draft.
        self.follow_up_draft(tx, rejected).await.map(drop)
    }
}
