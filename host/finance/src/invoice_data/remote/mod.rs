//! Documents of a remote invoice data service: no lock holds a document there, so a plan is committed as an intent, which
//! is also the lock of its document ([`locks`]), before its call is made ([`intent`]).

mod call;
pub(super) mod feed;
mod follow;
mod intent;
pub(super) mod job;
mod locks;
mod settle;

use super::InvoiceData;
use crate::Finance;
use crate::commands::Outcome;
use crate::consumers::as_document;
use crate::error::{BeginError, CommandError, ReadError};
use crate::submission::AdvanceError;
use async_trait::async_trait;
use call::issue_error;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Credited, Invoice, IssueError, Status};
use gateway_domain_finance::ports::{InvoiceDataError, InvoicingClient};
use gateway_domain_finance::{
    Command, CommandForm, InvoiceDataCall, Open, Plan, Refusal, Route, Settling, Stage, Submission,
    ensure_taken,
};
use gateway_invoicing::DocumentView;
use gateway_jobs::Outcome as JobOutcome;
use gateway_storage::correctives::REMOTE;
use gateway_storage::{Tx, finance_documents, intents, submissions};
use jiff::Timestamp;

/// Finance beside a remote invoice data service.
#[derive(Clone, Copy)]
pub(super) struct RemoteInvoiceData<'a> {
    pub(super) finance: &'a Finance,
    pub(super) client: &'a dyn InvoicingClient,
}

/// The credit notes that finance wrote for a document, as they are now.
#[derive(Debug, Default)]
struct CreditNotes {
    /// All of them, also one that was deleted or is not written yet.
    notes: Vec<InvoiceId>,
    /// What those that can be read take of the document.
    credited: Vec<Credited>,
}

#[async_trait]
impl InvoiceData for RemoteInvoiceData<'_> {
    async fn document(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, ReadError> {
        let found = self.client.document(&acting.actor, id).await?;
        let Some(mut found) = found.filter(|found| acting.workspaces.contain(found.workspace)) else {
            return Ok(None);
        };
        self.add_submission(&mut found).await?;
        Ok(Some(found))
    }

    async fn at_hand(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        let copy = finance_documents::find(self.finance.db(), id, &acting.workspaces).await?;
        Ok(copy.and_then(|copy| as_document(&copy.data?)))
    }

    async fn last_numbered(&self, workspace: WorkspaceId, limit: i64) -> Result<Vec<Invoice>, StoreError> {
        let copies = finance_documents::numbered(self.finance.db(), workspace, limit).await?;
        Ok(copies.iter().filter_map(|copy| as_document(copy)).collect())
    }

    async fn completed(&self, copy: String) -> Result<String, StoreError> {
        let Some(mut document) = as_document(&copy) else { return Ok(copy) };
        let told = document.clone();
        self.add_submission(&mut document).await?;
        if document == told { Ok(copy) } else { StoreError::json(&DocumentView::from(&document)) }
    }

    async fn ensure_issuable(
        &self,
        document: &Invoice,
        _: Route,
        _: Option<Timestamp>,
    ) -> Result<(), CommandError> {
        self.ensure_not_blocked(document.id).await
    }

    /// The submission is read before the document and has to be the same afterwards, so a document that another request
    /// moved meanwhile is seen issuing, or its submission is seen moved.
    async fn hold(
        &self,
        acting: &Acting,
        document: &Invoice,
    ) -> Result<(Tx, Option<Submission>), CommandError> {
        let finance = self.finance;
        let before = submissions::find(finance.db(), document.id, &acting.workspaces).await?;
        let found = finance.find_visible(acting, document.id).await?;
        ensure_taken(&found, Command::Issue)?;
        if found.version != document.version {
            return Err(CommandError::Stale { current: found.version });
        }
        let mut tx = finance.db().begin().await?;
        let existing = submissions::find(&mut tx, document.id, &acting.workspaces).await?;
        let version = |submission: &Option<Submission>| submission.as_ref().map(|found| found.version);
        // While it settles, the service was told the verdict, and finance records it in a moment.
        let is_settling = existing.as_ref().is_some_and(|existing| existing.stage() == Stage::Settling);
        if version(&before) != version(&existing) || is_settling {
            return Err(CommandError::Refused(Refusal::LockedWhileIssuing));
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
        if REMOTE.is_blocked(self.finance.db(), id).await? {
            return Err(BeginError::Issue(IssueError::Blocked));
        }
        let answer = self.client.issuing(&acting.actor, id, at, expected_version).await;
        let found = self.document(acting, id).await?;
        match (answer, found) {
            (Ok(()), Some(found)) => Ok(found),
            // The answer was lost, and the call was carried out.
            (Err(error), Some(found)) if error.is_open() && found.state.status() == Status::Issuing => {
                Ok(found)
            }
            (Ok(()) | Err(InvoiceDataError::Gone), None) => Err(BeginError::Gone),
            (Err(InvoiceDataError::Stale), Some(found)) => Err(BeginError::Stale { current: found.version }),
            (Err(InvoiceDataError::Refused(errors)), Some(found)) => match issue_error(&errors, &found) {
                Some(error) => Err(BeginError::Issue(error)),
                None => Err(BeginError::Read(InvoiceDataError::Refused(errors).into())),
            },
            (Err(error), _) => Err(BeginError::Read(error.into())),
        }
    }

    async fn carry_out(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        expected_version: Option<i64>,
        read: Option<&Invoice>,
    ) -> Result<Outcome, CommandError> {
        // A command that had to wait for the lock reads the document again.
        let mut read = read.cloned();
        self.with_lock(id, || self.carry_out_locked(acting, id, form.clone(), expected_version, read.take()))
            .await
    }

    async fn settle(
        &self,
        submission: Submission<Open<Settling>>,
    ) -> Result<Option<JobOutcome>, AdvanceError> {
        Box::pin(self.settle_remotely(submission)).await
    }

    async fn resume(&self, document: InvoiceId) -> JobOutcome {
        self.resume_intent(document).await
    }
}

impl RemoteInvoiceData<'_> {
    /// Adds to a document what finance alone may know of it.
    async fn add_submission(&self, document: &mut Invoice) -> Result<(), StoreError> {
        if let Some(submission) = submissions::find(self.finance.db(), document.id, &Workspaces::All).await? {
            submission.add_to(document);
        }
        Ok(())
    }

    async fn ensure_not_blocked(&self, id: InvoiceId) -> Result<(), CommandError> {
        if REMOTE.is_blocked(self.finance.db(), id).await? {
            return Err(IssueError::Blocked.into());
        }
        Ok(())
    }

    /// The document of a command, and its credit notes where they decide about it. A credit note that is on its way to the
    /// service cannot be read there yet and is not taken for nothing: its command has the lock. One that sets out later is
    /// not among those counted, so the intent is refused.
    async fn read(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: &CommandForm,
    ) -> Result<(Invoice, CreditNotes), CommandError> {
        let document = self.finance.find_visible(acting, id).await?;
        if !form.counts_credit_notes() {
            return Ok((document, CreditNotes::default()));
        }
        ensure_taken(&document, form.command())?;
        let notes = intents::notes(self.finance.db(), id, document.workspace).await?;
        if intents::find(self.finance.db(), id).await?.is_some() {
            return Err(CommandError::OnItsWay);
        }
        let credited = self.credited(acting, &notes).await?;
        Ok((document, CreditNotes { notes, credited }))
    }

    /// The credit notes that finance wrote for a document, as they are now; one that was deleted is left out. Credit notes
    /// that others write at the service are not among them: it refuses to issue more than the original itself.
    async fn credited(&self, acting: &Acting, notes: &[InvoiceId]) -> Result<Vec<Credited>, ReadError> {
        let by = Acting { actor: acting.actor.clone(), ..Acting::gateway() };
        let mut credited = Vec::new();
        for &id in notes {
            let note = self.document(&by, id).await?;
            credited.extend(note.map(|note| Credited { id, totals: note.totals }));
        }
        Ok(credited)
    }

    async fn carry_out_locked(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        expected_version: Option<i64>,
        read: Option<Invoice>,
    ) -> Result<Outcome, CommandError> {
        let finance = self.finance;
        let (document, counted) = match read {
            Some(document) => (document, CreditNotes::default()),
            None => self.read(acting, id, &form).await?,
        };
        if matches!(form, CommandForm::Issue { .. }) {
            self.ensure_not_blocked(id).await?;
        }
        if form.issues_what_it_makes() {
            let (document, credited) = (document.clone(), counted.credited.clone());
            let mut tx = finance.db().begin().await?;
            let plan =
                finance.decide(&mut tx, acting, document, credited, form.clone(), expected_version).await?;
            tx.rollback().await?;
            finance.check_plan(&plan).await?;
        }
        let mut tx = finance.db().begin().await?;
        let mut lock = self.take_lock(&mut tx, acting, &document).await?;
        // Behind those who had the lock before.
        let before = finance.events_so_far(&mut tx, id).await?;
        let plan =
            finance.decide(&mut tx, acting, document, counted.credited, form, expected_version).await?;
        finance.claim_request(&mut tx, acting).await?;
        let predicted = plan.result.clone();
        if acting.trial || plan.call.is_none() {
            self.release_lock(&mut tx, &lock).await?;
            Box::pin(finance.record(&mut tx, acting, &plan.document, &plan.record, &after(&plan))).await?;
            let outcome = finance.outcome(&mut tx, acting, predicted, id, before).await?;
            finance.end(tx, acting).await?;
            if plan.record.lets_a_submission_go_on() {
                finance.wake();
            }
            return Ok(outcome);
        }
        if plan.call.as_ref().is_some_and(InvoiceDataCall::makes_a_document) {
            self.ensure_counted(&mut tx, &plan, &counted.notes).await?;
        }
        self.intend(&mut tx, acting, &mut lock, plan).await?;
        tx.commit_at("intended").await?;
        let ended = Box::pin(self.carry_on(lock)).await?;
        Ok(finance.outcome(finance.db(), acting, ended.unwrap_or(predicted), id, before).await?)
    }

    /// Another credit note was written since they were counted: the command is decided anew.
    async fn ensure_counted(
        &self,
        tx: &mut Tx,
        plan: &Plan,
        counted: &[InvoiceId],
    ) -> Result<(), CommandError> {
        let (id, workspace) = (plan.document.id, plan.document.workspace);
        let written = intents::notes(&mut *tx, id, workspace).await?;
        if written == counted { Ok(()) } else { Err(CommandError::OnItsWay) }
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
