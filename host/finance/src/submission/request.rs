//! The wish to submit a document, and the first step: the invoice data service moves the document to issuing and reserves its number.

use super::{AdvanceError, Effect, Step};
use crate::commands::Outcome;
use crate::error::{BeginError, CommandError};
use crate::{Finance, ReadError};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, RequestKey};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, InvoiceNumber, Status};
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{
    AttemptEnd, Command, FinanceEvent, Open, Refusal, Requested, Stage, Submission, ensure_taken,
};
use gateway_jobs::Outcome as JobOutcome;
use gateway_storage::{Tx, attempts, issue_times, submissions};
use jiff::{SignedDuration, Timestamp};

/// How soon a document that was edited elsewhere is read again.
const STALE: SignedDuration = SignedDuration::from_secs(1);

impl Finance {
    /// Commits the wish to submit, so that no crash forgets it, before anything else is done; then takes the first step.
    pub(crate) async fn submit(
        &self,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Outcome, CommandError> {
        let before = self.finance_events(acting, document.id).await?.len();
        let (mut tx, existing) = self.invoice_data().hold(acting, document).await?;
        let requested = match existing {
            None => {
                let first = self.requested_in(&mut tx, acting, document, at, self.grace()).await?;
                first.ok_or(CommandError::Refused(Refusal::LockedWhileIssuing))?
            }
            Some(existing) => self.requested_again_in(&mut tx, acting, existing, at).await?,
        };
        self.claim_request(&mut tx, acting).await?;
        tx.commit_at("requested").await?;
        // The same step the background takes after a crash; whoever comes first does it.
        let by = Acting { request: None, ..acting.clone() };
        let (expected_version, key) = (Some(document.version), acting.request.as_ref());
        let after = self.request_step(requested, &by, at, expected_version, key).await?;
        self.wake();
        let document = self.find_visible(acting, document.id).await?;
        if after.stage() == Stage::Withdrawn && document.state.status() != Status::Issuing {
            document.ensure_billable()?;
            ensure_taken(&document, Command::Issue)?;
        }
        let subject = document.id;
        Ok(self.outcome(self.db(), acting, document, subject, before).await?)
    }

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

    /// Another wish to submit a document that was submitted before.
    async fn requested_again_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        existing: Submission,
        at: Option<Timestamp>,
    ) -> Result<Submission<Open<Requested>>, CommandError> {
        let locked = || CommandError::Refused(Refusal::LockedWhileIssuing);
        // Another request is moving the document at this moment, or died and the background goes on for it.
        if existing.stage() == Stage::Requested {
            return Err(locked());
        }
        let (now, document) = (self.now(), existing.document);
        // Still open although the document is not issuing: it was moved without finance.
        if let Some(job) = existing.job().filter(|_| !existing.has_ended()) {
            attempts::end(tx, &AttemptEnd::superseded(job, None), now).await?;
        }
        let again = existing.requested_again(acting.actor.0.clone(), now);
        if !submissions::update(tx, &again.clone().into()).await? {
            return Err(locked());
        }
        issue_times::keep(tx, document, at).await?;
        self.schedule(tx, document, self.grace()).await?;
        Ok(Submission { version: again.version.saturating_add(1), ..again })
    }

    /// The step, taken by the request that recorded the intent. What the issuing call refuses is the caller's error, and
    /// frees the request's key, `kept` with the intent: the request may be repeated once what was wrong is mended.
    pub(crate) async fn request_step(
        &self,
        intent: Submission<Open<Requested>>,
        acting: &Acting,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
        kept: Option<&RequestKey>,
    ) -> Result<Submission, CommandError> {
        let (version, document) = (intent.version, intent.document);
        let (found, refused) =
            match self.invoice_data().begin_issuing(acting, document, at, expected_version).await {
                Ok(found) => (Some(found), None),
                Err(BeginError::Read(error)) => return Err(error.into()),
                Err(error) => (self.invoice(acting, document).await?, Some(CommandError::from(error))),
            };
        let step = match found {
            Some(found) if refused.is_none() => numbered(intent, found),
            // Refused because the background was faster: the document is issuing under this very intent.
            Some(found) if found.state.status() == Status::Issuing => numbered(intent, found),
            _ => Step::to(intent.end(Requested::withdrawn)),
        };
        let after = step.submission.clone();
        let mut step = step.with(Effect::Wake);
        if let (Some(key), Stage::Withdrawn) = (kept, after.stage()) {
            step = step.with(Effect::FreeKey(key.clone()));
        }
        let stored = self.store(step, version, &acting.actor).await?;
        match refused {
            Some(error) if after.stage() == Stage::Withdrawn && stored => Err(error),
            _ => Ok(after),
        }
    }

    /// The step, taken by the background after a crash of the request that recorded the intent.
    pub(super) async fn request(
        &self,
        submission: Submission<Open<Requested>>,
        acting: &Acting,
    ) -> Result<Step, AdvanceError> {
        let by = Acting { actor: Actor(submission.actor.clone()), ..acting.clone() };
        let at = self.asked_at(submission.document).await?;
        let found = self
            .invoice(acting, submission.document)
            .await?
            .filter(|found| found.state.status() != Status::Issuing);
        // Whoever recorded the intent checked the document; it may have been edited since. What the gateway submits of
        // its own accord nobody checked, and nobody waits for an answer: its faults become a rejection, which is told.
        if let Some(document) = found.as_ref().filter(|_| by.actor != Actor::gateway()) {
            let faults = self.faults_of(document, at).await;
            if !faults.is_empty() {
                tracing::warn!(
                    document.id = %document.id,
                    "{} is not submitted: it was edited, and the tax authority would refuse it now ({})",
                    document.id, faults.join(", ")
                );
                return Ok(Step::to(submission.end(Requested::withdrawn)));
            }
        }
        let expected_version = found.map(|document| document.version);
        match self.invoice_data().begin_issuing(&by, submission.document, at, expected_version).await {
            Ok(found) => Ok(numbered(submission, found)),
            Err(BeginError::Read(error)) => Err(error.into()),
            Err(BeginError::Gone) => Ok(Step::to(submission.end(Requested::withdrawn))),
            // The answer of an earlier call was lost, or the document cannot be issued any more: its state tells.
            Err(error @ (BeginError::Issue(_) | BeginError::Stale { .. })) => {
                match self.invoice(acting, submission.document).await? {
                    Some(found) if found.state.status() == Status::Issuing => Ok(numbered(submission, found)),
                    // What goes out is what was checked.
                    Some(_) if matches!(error, BeginError::Stale { .. }) => {
                        // Not at once: a remote service may say so of whatever it is asked.
                        let next = JobOutcome::Again(self.after(STALE));
                        Ok(Step { submission: submission.into(), next, effects: Vec::new() })
                    }
                    _ => Ok(Step::to(submission.end(Requested::withdrawn))),
                }
            }
        }
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
fn numbered(submission: Submission<Open<Requested>>, document: Invoice) -> Step {
    let step = match document.state.number().cloned() {
        Some(number) => Step::to(submission.step(|requested| requested.numbered(number))),
        // A remote service said that it moved the document, and shows a draft.
        None => Step::to(submission.end(Requested::superseded)),
    };
    step.with(Effect::Event(FinanceEvent::Issuing, Box::new(document)))
}
