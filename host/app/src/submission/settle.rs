//! The last step: the invoice data service is told the verdict, and finance records it.

use super::{AdvanceError, Also, Step, step_point};
use crate::Gateway;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::finance::{AttemptOutcome, AuthorityRecord, FinanceEvent, Settlement, Stage, Submission};
use gateway_domain::ids::JobId;
use gateway_domain::invoicing::{Acceptance, Invoice, State};
use gateway_invoicing::{FollowUps as _, Issue};
use gateway_invoicing::{RejectError, StepError};
use gateway_jobs::Outcome;
use gateway_storage::{StoreError, Tx, invoices};

impl Gateway {
    /// Tells the verdict and records it, in one transaction: nobody sees a document that is final while its
    /// submission is not. `None` when somebody else moved the submission meanwhile.
    pub(super) async fn settle(&self, submission: Submission) -> Result<Option<Outcome>, AdvanceError> {
        if let Some(service) = self.elsewhere() {
            return Box::pin(self.settle_elsewhere(service, submission)).await;
        }
        let version = submission.version;
        let mut tx = self.db().begin().await?;
        let step = match submission.settlement.clone() {
            Some(Settlement::Accept { acceptance, .. }) => {
                self.settle_acceptance(&mut tx, submission, acceptance).await?
            }
            Some(Settlement::Reject { reason, faults, .. }) => {
                self.settle_rejection(&mut tx, submission, reason, faults).await?
            }
            None => Step::to(submission, Stage::Waiting),
        };
        let (next, stage, document) = (step.next, step.submission.stage, step.submission.document);
        if !self.store_in(&mut tx, step, version, &Actor::gateway()).await? {
            return Ok(None);
        }
        if let Some(settled) = invoices::find(&mut tx, document, &Workspaces::All).await? {
            match stage {
                Stage::Accepted => {
                    self.after_issue(&mut tx, &settled).await.map_err(AdvanceError::FollowUp)?;
                }
                Stage::Rejected => self.after_rejection(&mut tx, &settled).await?,
                Stage::Requested
                | Stage::Converting
                | Stage::Uploading
                | Stage::Starting
                | Stage::Waiting
                | Stage::Settling
                | Stage::Superseded
                | Stage::Withdrawn => {}
            }
        }
        tx.commit_at(step_point(stage)).await?;
        Ok(Some(next))
    }

    async fn settle_acceptance(
        &self,
        tx: &mut Tx,
        submission: Submission,
        acceptance: Acceptance,
    ) -> Result<Step, AdvanceError> {
        let acting = Acting::gateway();
        if moved_on(tx, &submission).await? {
            return Ok(superseded(submission));
        }
        match self
            .documents()
            .issue_in(
                tx,
                &acting,
                submission.document,
                Issue { acceptance: Some(acceptance), ..Issue::default() },
            )
            .await
        {
            Ok(issued) => Ok(accepted(submission, issued)),
            Err(StepError::Store(error)) => Err(error.into()),
            Err(StepError::Gone) => Ok(superseded(submission)),
            // Told before and the answer was lost, or somebody else moved the document.
            Err(StepError::Issue(_) | StepError::Stale { .. }) => {
                let found = invoices::find(tx, submission.document, &acting.workspaces).await?;
                match found {
                    Some(found) if is_issued_as(&found, &submission) => Ok(accepted(submission, found)),
                    _ => Ok(superseded(submission)),
                }
            }
        }
    }

    async fn settle_rejection(
        &self,
        tx: &mut Tx,
        submission: Submission,
        reason: String,
        faults: Vec<Fault>,
    ) -> Result<Step, AdvanceError> {
        if moved_on(tx, &submission).await? {
            return Ok(superseded(submission));
        }
        match self.documents().reject_in(tx, &Acting::gateway(), submission.document, reason).await {
            Ok(found) => Ok(rejected(submission, found, faults)),
            Err(RejectError::Gone | RejectError::NotRejectable(_)) => Ok(superseded(submission)),
            Err(RejectError::Store(error)) => Err(error.into()),
        }
    }
}

/// Whether the document is not under this submission's number any more: a verdict about one number says nothing
/// about another. The document is held until the transaction ends.
async fn moved_on(tx: &mut Tx, submission: &Submission) -> Result<bool, StoreError> {
    let found = invoices::lock(tx, submission.document, &Acting::gateway().workspaces).await?;
    Ok(found.is_none_or(|found| found.state.number() != submission.number.as_ref()))
}

/// The document is rejected, and finance tells so.
pub(super) fn rejected(submission: Submission, rejected: Invoice, faults: Vec<Fault>) -> Step {
    let job = submission.job;
    // Without a job the authority never heard of it.
    let record =
        if submission.job_taken_at.is_some() { AuthorityRecord::Refused } else { AuthorityRecord::Nothing };
    let event = Also::Event(FinanceEvent::RejectedByTaxAuthority, Box::new(rejected));
    let step = with_alert(submission, Stage::Rejected).also(event);
    ended(step, job, AttemptOutcome::Rejected, faults, Some(record))
}

/// The document is issued, and finance tells so.
pub(super) fn accepted(submission: Submission, issued: Invoice) -> Step {
    let job = submission.job;
    let issued = Box::new(issued);
    let step = with_alert(submission, Stage::Accepted)
        .also(Also::Event(FinanceEvent::AcceptedByTaxAuthority, issued.clone()))
        .also(Also::Event(FinanceEvent::Issued, issued));
    ended(step, job, AttemptOutcome::Accepted, Vec::new(), Some(AuthorityRecord::Accepted))
}

/// The document went another way without this submission. What the authority does with the attempt is watched all the
/// same.
pub(super) fn superseded(submission: Submission) -> Step {
    let job = submission.job;
    let step = Step::to(submission, Stage::Superseded).also(Also::WatchAttempts);
    ended(step, job, AttemptOutcome::Superseded, Vec::new(), None)
}

/// The submission ended, with what somebody has to know of the verdict.
fn with_alert(submission: Submission, stage: Stage) -> Step {
    let alert = submission.settlement.as_ref().and_then(Settlement::alert);
    let mut step = Step::to(submission, stage);
    step.submission.alert = alert;
    step
}

fn ended(
    step: Step,
    job: Option<JobId>,
    outcome: AttemptOutcome,
    faults: Vec<Fault>,
    record: Option<AuthorityRecord>,
) -> Step {
    match job {
        Some(job) => step.also(Also::EndAttempt(job, outcome, faults, record)),
        None => step,
    }
}

fn is_issued_as(found: &Invoice, submission: &Submission) -> bool {
    matches!(found.state, State::Issued { .. }) && found.state.number() == submission.number.as_ref()
}
