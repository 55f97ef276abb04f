//! Documents in this process: a command is decided under the document's lock, and everything it does is one transaction.

use super::{InvoiceData, NoteSubmission};
use crate::Finance;
use crate::commands::Outcome;
use crate::error::{BeginError, CommandError, ReadError};
use crate::follow_up::{FollowUpDraft, released_by};
use crate::submission::{AdvanceError, is_ours, settled, step_point};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Credited, Invoice, Status};
use gateway_domain_finance::{
    Command, CommandForm, FinanceEvent, InvoiceDataCall, NextStep, Open, Plan, Record, Route, Settling,
    Stage, Submission, ensure_taken,
};
use gateway_invoicing::{FollowUps, Issue, StepError};
use gateway_jobs::Outcome as JobOutcome;
use gateway_storage::correctives::LOCAL;
use gateway_storage::{Tx, credits, invoices, submissions};
use jiff::Timestamp;

/// Finance beside the invoice data service in this process.
pub(super) struct LocalInvoiceData<'a>(pub(super) &'a Finance);

#[async_trait]
impl InvoiceData for LocalInvoiceData<'_> {
    async fn document(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, ReadError> {
        Ok(self.0.documents().find(acting, id).await?)
    }

    async fn at_hand(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        self.0.documents().find(acting, id).await
    }

    async fn last_numbered(&self, workspace: WorkspaceId, limit: i64) -> Result<Vec<Invoice>, StoreError> {
        self.0.documents().last_numbered(workspace, limit).await
    }

    async fn completed(&self, copy: String) -> Result<String, StoreError> {
        Ok(copy)
    }

    async fn ensure_issuable(
        &self,
        document: &Invoice,
        route: Route,
        at: Option<Timestamp>,
    ) -> Result<(), CommandError> {
        Ok(self.0.documents().ensure_issuable(document, route == Route::TaxAuthority, at).await?)
    }

    async fn hold(
        &self,
        acting: &Acting,
        document: &Invoice,
    ) -> Result<(Tx, Option<Submission>), CommandError> {
        let mut tx = self.0.db().begin().await?;
        let existing = submissions::find(&mut tx, document.id, &acting.workspaces).await?;
        // Read after the submission: a document that another request moved meanwhile is seen issuing.
        let current = invoices::find(&mut tx, document.id, &acting.workspaces).await?;
        let current = current.ok_or(CommandError::Gone)?;
        ensure_taken(&current, Command::Issue)?;
        if current.version != document.version {
            return Err(CommandError::Stale { current: current.version });
        }
        Ok((tx, existing))
    }

    async fn begin_issuing(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<Invoice, BeginError> {
        Ok(self.0.documents().begin_issuing(acting, id, true, at, expected_version).await?)
    }

    async fn carry_out(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        expected_version: Option<i64>,
        _: Option<&Invoice>,
    ) -> Result<Outcome, CommandError> {
        let finance = self.0;
        if form.issues_what_it_makes() {
            // Decided twice: nothing is held while a plugin checks.
            let mut tx = finance.db().begin().await?;
            let plan = self.decide(&mut tx, acting, id, form.clone(), expected_version).await?;
            tx.rollback().await?;
            finance.check_plan(&plan).await?;
        }
        let mut tx = finance.db().begin().await?;
        let plan = self.decide(&mut tx, acting, id, form, expected_version).await?;
        let before = finance.events_so_far(&mut tx, id).await?;
        finance.claim_request(&mut tx, acting).await?;
        // The key of the request is kept with the command, not with each of its steps.
        let by = Acting { request: None, ..acting.clone() };
        let (point, goes_on) = (commit_point(&plan), plan.record.lets_a_submission_go_on());
        let (document, submit) = Box::pin(self.apply(&mut tx, &by, plan)).await?;
        let outcome = finance.outcome(&mut tx, acting, document, id, before).await?;
        if acting.trial {
            tx.rollback().await?;
            return Ok(outcome);
        }
        tx.commit_at(point).await?;
        if goes_on {
            finance.wake();
        }
        let Some(NoteSubmission { submission, at }) = submit else { return Ok(outcome) };
        finance.request_step(submission, &by, at, None, None).await?;
        finance.wake();
        let document = self.document(&by, outcome.document.id).await?.ok_or(CommandError::Gone)?;
        Ok(finance.outcome(finance.db(), acting, document, id, before).await?)
    }

    /// Nobody sees a document that is final while its submission is not.
    async fn settle(
        &self,
        submission: Submission<Open<Settling>>,
    ) -> Result<Option<JobOutcome>, AdvanceError> {
        let finance = self.0;
        let (version, document) = (submission.version, submission.document);
        let mut tx = finance.db().begin().await?;
        // Held until the transaction ends.
        let held = invoices::lock(&mut tx, document, &Workspaces::All).await?;
        let found = match held {
            Some(held) if is_ours(&held, &submission) => {
                Some(self.carry_out_verdict(&mut tx, &submission, held).await?)
            }
            // A verdict about one number says nothing about another, so it is not told.
            other => other,
        };
        let step = settled(submission, Ok(()), found.as_ref())?;
        let (next, stage) = (step.next, step.submission.stage());
        if !finance.store_in(&mut tx, step, version, &Actor::gateway()).await? {
            return Ok(None);
        }
        if let (Stage::Accepted | Stage::Rejected, Some(found)) = (stage, &found) {
            self.follow(&mut tx, found).await.map_err(AdvanceError::FollowUp)?;
        }
        tx.commit_at(step_point(stage)).await?;
        Ok(Some(next))
    }

    async fn resume(&self, document: InvoiceId) -> JobOutcome {
        tracing::error!(document.id = %document, "A call for {document} waits: set finance.invoicing_url again");
        JobOutcome::Again(self.0.soon(RESUME_APART_S))
    }
}

/// How often a call is looked at that no service is configured for.
const RESUME_APART_S: u32 = 30;

/// The failpoint at the commit of a command.
const fn commit_point(plan: &Plan) -> &'static str {
    match plan.call {
        Some(InvoiceDataCall::Issue { acceptance: None, .. }) => "standard",
        Some(_) | None => "command",
    }
}

impl LocalInvoiceData<'_> {
    /// The decision, with the document held from here on.
    async fn decide(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        expected_version: Option<i64>,
    ) -> Result<Plan, CommandError> {
        let document = invoices::lock(tx, id, &acting.workspaces).await?.ok_or(CommandError::Gone)?;
        let credited =
            if form.counts_credit_notes() { credit_notes(tx, &document).await? } else { Vec::new() };
        self.0.decide(tx, acting, document, credited, form, expected_version).await
    }

    /// Makes the call of a plan, records it, and goes on with what follows; gives the document of the command, and the
    /// submission that is to be taken further after the commit.
    async fn apply(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        plan: Plan,
    ) -> Result<(Invoice, Option<NoteSubmission>), CommandError> {
        let Plan { document: before, call, record, then, result } = plan;
        let follows = call.as_ref().is_some_and(InvoiceDataCall::is_a_verdict_or_an_issue);
        let deletes = matches!(call, Some(InvoiceDataCall::Delete { .. }));
        let shown = result.clone();
        let now = match call {
            Some(call) => self.call(tx, acting, call, result).await?,
            None => result,
        };
        Box::pin(self.0.record(tx, acting, &before, &record, &now)).await?;
        if follows {
            Box::pin(self.follow(tx, &now)).await?;
        }
        match then {
            Some(NextStep::Issue { at }) => {
                let due = self.0.grace();
                Ok(self.issue_note(tx, acting, now, at, due).await?)
            }
            // What is shown of a deleted document is the draft as it was.
            None => Ok((if deletes { shown } else { now }, None)),
        }
    }

    async fn call(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        call: InvoiceDataCall,
        mut result: Invoice,
    ) -> Result<Invoice, CommandError> {
        let (documents, id) = (self.0.documents(), result.id);
        Ok(match call {
            InvoiceDataCall::Save { expected_version: None, .. } => {
                documents.insert_in(tx, &mut result, &acting.actor).await?;
                result
            }
            InvoiceDataCall::Save { expected_version: Some(expected_version), .. } => {
                documents.update_in(tx, &result, expected_version, &acting.actor).await?;
                result
            }
            InvoiceDataCall::Delete { expected_version } => {
                documents.delete_in(tx, acting, id, Some(expected_version)).await?
            }
            InvoiceDataCall::Issue { acceptance, at, expected_version } => {
                documents.issue_in(tx, acting, id, Issue { acceptance, at, expected_version }).await?
            }
            InvoiceDataCall::IssueEarlier { number, acceptance } => {
                documents.issue_earlier_in(tx, acting, id, &number, acceptance).await?
            }
            InvoiceDataCall::Reject { reason } => documents.reject_in(tx, acting, id, reason).await?,
        })
    }

    /// A credit note that was just written goes on its way: issued at once, or submitted not before `due`.
    async fn issue_note(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        note: Invoice,
        at: Option<Timestamp>,
        due: Timestamp,
    ) -> Result<(Invoice, Option<NoteSubmission>), StepError> {
        match self.0.route(&mut *tx, &note).await? {
            Route::TaxAuthority => {
                let submission = self.0.requested_in(tx, acting, &note, at, due).await?;
                let submission = submission.ok_or(StoreError::Moved { table: "submission" })?;
                Ok((note, Some(NoteSubmission { submission, at })))
            }
            Route::Standard => {
                let issue = Issue { at, ..Issue::default() };
                let issued = self.0.documents().issue_in(tx, acting, note.id, issue).await?;
                self.0.append_finance(tx, FinanceEvent::Issued, &issued, &acting.actor).await?;
                Box::pin(self.follow(tx, &issued)).await?;
                Ok((issued, None))
            }
        }
    }

    /// What follows from a document that has just become issued or rejected.
    async fn follow(&self, tx: &mut Tx, moved: &Invoice) -> Result<(), StepError> {
        let finance = self.0;
        let by = Acting::gateway();
        match moved.state.status() {
            Status::Draft | Status::Issuing => return Ok(()),
            Status::Issued | Status::Rejected => {}
        }
        for original in released_by(moved) {
            let Some(corrective) = LOCAL.of(&mut *tx, *original).await? else { continue };
            let visible = Workspaces::Only(vec![moved.workspace]);
            let draft = invoices::find(&mut *tx, corrective.document, &visible).await?;
            finance.release(tx, LOCAL, *original, draft.as_ref()).await?;
        }
        let Some(wanted) = finance.follow_up_of(&mut *tx, LOCAL, moved).await? else { return Ok(()) };
        let credited = match wanted {
            FollowUpDraft::CreditNote => credit_notes(tx, moved).await?,
            FollowUpDraft::Corrective => Vec::new(),
        };
        let Some(mut plan) = finance.follow_up_plan(&mut *tx, moved, wanted, &credited).await? else {
            return Ok(());
        };
        if plan.then.is_some() && !self.can_be_issued(tx, &plan.result).await? {
            plan.then = None;
        }
        let Plan { document, record, then, result: mut draft, .. } = plan;
        finance.documents().insert_in(tx, &mut draft, &by.actor).await?;
        if record == Record::Corrective {
            LOCAL.keep(tx, draft.id, document.id).await?;
        }
        Box::pin(finance.record(tx, &by, &document, &record, &draft)).await?;
        if let Some(NextStep::Issue { at }) = then {
            self.issue_note(tx, &by, draft, at, finance.now()).await?;
        }
        Ok(())
    }

    /// Whether a credit note that follows can be issued. If not, the invoice is final all the same: whoever mends the
    /// number pattern issues the note.
    async fn can_be_issued(&self, tx: &mut Tx, note: &Invoice) -> Result<bool, StepError> {
        if self.0.route(&mut *tx, note).await? == Route::TaxAuthority {
            return Ok(true);
        }
        match self.0.documents().ensure_number_is_free(tx, note).await {
            Ok(()) => Ok(true),
            Err(StepError::Issue(error)) => {
                tracing::warn!(document.id = %note.id, "{} stays a draft: {error}", note.id);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Tells the verdict, by the call that a command makes too; gives the document as it is then.
    async fn carry_out_verdict(
        &self,
        tx: &mut Tx,
        submission: &Submission<Open<Settling>>,
        held: Invoice,
    ) -> Result<Invoice, AdvanceError> {
        let call = submission.open_stage().verdict.call();
        match self.call(tx, &Acting::gateway(), call, held.clone()).await {
            Ok(now) => Ok(now),
            Err(CommandError::Store(error)) => Err(error.into()),
            // Carried out before, or moved by somebody else: the document tells.
            Err(error) => {
                tracing::info!(document.id = %held.id, "{} has its verdict already: {error}", held.id);
                Ok(held)
            }
        }
    }
}

/// What the credit notes of a document take of it, drafts included.
async fn credit_notes(tx: &mut Tx, document: &Invoice) -> Result<Vec<Credited>, StoreError> {
    let notes = credits::credit_notes(&mut *tx, document.id, document.workspace).await?;
    Ok(notes.into_iter().map(|(_, credited)| credited).collect())
}

#[async_trait]
impl FollowUps for Finance {
    async fn after_issue(&self, tx: &mut Tx, issued: &Invoice) -> Result<(), StepError> {
        LocalInvoiceData(self).follow(tx, issued).await
    }

    async fn after_rejection(&self, tx: &mut Tx, rejected: &Invoice) -> Result<(), StoreError> {
        match LocalInvoiceData(self).follow(tx, rejected).await {
            Ok(()) => Ok(()),
            Err(StepError::Store(error)) => Err(error),
            // Only an issue leads to another one.
            Err(StepError::Gone | StepError::Issue(_) | StepError::Stale { .. }) => {
                Err(StoreError::Moved { table: "invoice" })
            }
        }
    }
}
