//! The first step of a submission: the invoice data service moves the document to issuing and reserves its number.

use super::{AdvanceError, Effect, Step};
use crate::error::CommandError;
use crate::{Finance, ReadError};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, InvoiceNumber, Status};
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{AttemptEnd, FinanceEvent, Open, Plan, Requested, Route, Stage, Submission};
use gateway_jobs::Outcome;
use gateway_storage::{Tx, attempts, issue_times, submissions};
use jiff::{SignedDuration, Timestamp};

/// How soon a document that was edited meanwhile is read again.
const STALE: SignedDuration = SignedDuration::from_secs(1);

impl Finance {
    /// The first wish to submit a document at the caller's own time `at`; the background takes it up when it is `due`. None
    /// when another request was faster.
    pub(crate) async fn requested_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
        due: Timestamp,
    ) -> Result<Option<Submission<Open<Requested>>>, StoreError> {
        let actor = acting.actor.0.clone();
        let first = Submission::intent(document.id, document.workspace, actor, self.now());
        if !submissions::insert(tx, &first.clone().into()).await? {
            return Ok(None);
        }
        issue_times::keep(tx, document.id, at).await?;
        self.schedule(tx, document.id, due).await?;
        Ok(Some(first))
    }

    /// Another wish to submit a document that was submitted before. None when another request was faster.
    pub(crate) async fn requested_again_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        existing: &Submission,
        at: Option<Timestamp>,
    ) -> Result<Option<Submission<Open<Requested>>>, StoreError> {
        // Another request is moving the document at this moment, or died and the background goes on for it.
        if existing.stage() == Stage::Requested {
            return Ok(None);
        }
        let again = self.again(tx, acting, existing).await?;
        if !submissions::update(tx, &again.clone().into()).await? {
            return Ok(None);
        }
        issue_times::keep(tx, existing.document, at).await?;
        self.schedule(tx, existing.document, self.grace()).await?;
        Ok(Some(Submission { version: again.version.saturating_add(1), ..again }))
    }

    /// A submission that starts afresh.
    async fn again(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        existing: &Submission,
    ) -> Result<Submission<Open<Requested>>, StoreError> {
        let now = self.now();
        // Still open although the document is not issuing: it was moved without finance.
        if let Some(job) = existing.job().filter(|_| !existing.has_ended()) {
            attempts::end(tx, &AttemptEnd::superseded(job, None), now).await?;
        }
        Ok(existing.requested_again(acting.actor.0.clone(), now))
    }

    /// Records that a document was moved to issuing, in the transaction that moved it: its submission has its number, and the
    /// background takes the next step at once.
    pub(crate) async fn record_submitted(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        issuing: &Invoice,
    ) -> Result<(), StoreError> {
        let existing = submissions::lock(tx, issuing.id, &Workspaces::All).await?;
        let requested = if let Some(existing) = &existing {
            self.again(tx, acting, existing).await?
        } else {
            Submission::intent(issuing.id, issuing.workspace, acting.actor.0.clone(), self.now())
        };
        let version = requested.version;
        let step = numbered(requested, issuing.clone()).with(Effect::Wake);
        let stored = match existing {
            Some(_) => self.store_in(tx, step, version, &acting.actor).await?,
            None => self.insert_in(tx, step, &acting.actor).await?,
        };
        if stored { Ok(()) } else { Err(StoreError::Moved { table: "submission" }) }
    }

    /// The step, taken by the background for a wish whose command died, or that nobody waits for.
    pub(super) async fn request(
        &self,
        submission: Submission<Open<Requested>>,
    ) -> Result<Outcome, AdvanceError> {
        let (id, version) = (submission.document, submission.version);
        let by = Acting { actor: Actor(submission.actor.clone()), ..Acting::gateway() };
        let at = self.asked_at(id).await?;
        let document = match self.invoice(&by, id).await? {
            Some(document) if document.state.status() == Status::Issuing => {
                // The answer of an earlier call was lost.
                return self.end_step(numbered(submission, document), version, &by.actor).await;
            }
            Some(document) => document,
            None => return self.withdraw(submission).await,
        };
        // Whoever recorded the wish checked the document; it may have been edited since. What the gateway submits of its own
        // accord nobody checked, and nobody waits for an answer: its faults become a rejection, which is told.
        if by.actor != Actor::gateway() {
            let faults = self.faults_of(&document, at).await;
            if !faults.is_empty() {
                tracing::warn!(
                    document.id = %id,
                    "{id} is not submitted: it was edited, and the tax authority would refuse it now ({})",
                    faults.join(", ")
                );
                return self.withdraw(submission).await;
            }
        }
        let expected_version = Some(document.version);
        let plan = Plan::issue(document.clone(), Route::TaxAuthority, at, expected_version);
        let facts = self.facts_of(document).with_submission(submission.clone().into());
        match self.invoice_data().execute(&by, &facts, plan).await {
            Ok(_) => Ok(Outcome::Continue),
            Err(CommandError::InvoiceData(error)) => Err(AdvanceError::InvoiceData(error)),
            Err(CommandError::Store(error)) => Err(AdvanceError::Store(error)),
            // What goes out is what was checked. Not at once: a remote service may say so of whatever it is asked.
            Err(CommandError::Stale { .. } | CommandError::OnItsWay) => Ok(Outcome::Again(self.after(STALE))),
            Err(
                CommandError::Gone
                | CommandError::Refused(_)
                | CommandError::Issue(_)
                | CommandError::Preflight(_)
                | CommandError::Invalid(_)
                | CommandError::Rule(_)
                | CommandError::Converter(_),
            ) => self.withdraw(submission).await,
        }
    }

    /// The document cannot be issued any more.
    async fn withdraw(&self, submission: Submission<Open<Requested>>) -> Result<Outcome, AdvanceError> {
        let (version, actor) = (submission.version, Actor(submission.actor.clone()));
        self.end_step(Step::to(submission.end(Requested::withdrawn)), version, &actor).await
    }

    /// The caller's own time of the command that died, which decides the issue date. A clock that stepped back since is
    /// no reason to wait.
    async fn asked_at(&self, document: InvoiceId) -> Result<Option<Timestamp>, StoreError> {
        let at = issue_times::find(self.db(), document).await?;
        Ok(at.map(|at| at.min(self.now())))
    }

    /// The codes of the faults that the regime finds in the document itself. A plugin that fails, or is away, says
    /// nothing about it.
    async fn faults_of(&self, document: &Invoice, at: Option<Timestamp>) -> Vec<String> {
        let faults = self.preflight(document, at).await.unwrap_or_default().into_iter();
        let own = faults.filter(|fault| fault.stops() && !fault.code.starts_with("PLUGIN-"));
        own.map(|fault| fault.code).collect()
    }

    /// The document of a submission behind the first step, if it is still issuing under the submission's `number`. A
    /// document that is gone is no document that went another way: issuing documents are not deleted, so the invoice
    /// data service is another one than before.
    pub(super) async fn current(
        &self,
        document: InvoiceId,
        number: &InvoiceNumber,
    ) -> Result<Option<Invoice>, ReadError> {
        let found = self.invoice(&Acting::gateway(), document).await?;
        let found = found.ok_or(InvoiceDataError::Gone)?;
        let ours = found.state.status() == Status::Issuing && found.state.number() == Some(number);
        Ok(ours.then_some(found))
    }
}

/// The number is known: finance tells that the document is issuing, and converts it next.
pub(crate) fn numbered(submission: Submission<Open<Requested>>, document: Invoice) -> Step {
    let step = match document.state.number().cloned() {
        Some(number) => Step::to(submission.step(|requested| requested.numbered(number))),
        // A remote service said that it moved the document, and shows a draft.
        None => Step::to(submission.end(Requested::superseded)),
    };
    step.with(Effect::Event(FinanceEvent::Issuing, Box::new(document)))
}
