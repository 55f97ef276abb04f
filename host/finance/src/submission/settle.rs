//! The last step: the invoice data service is told the verdict, and finance records it.

use super::{AdvanceError, Effect, Step};
use crate::Finance;
use gateway_domain::fault::Fault;
use gateway_domain::finance::{
    AlertCode, AttemptOutcome, AuthorityRecord, FinanceEvent, Settlement, Stage, Submission, backoff_s,
};
use gateway_domain::ids::JobId;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::InvoiceDataError;
use gateway_jobs::Outcome;
use jiff::SignedDuration;

/// Longest wait between two calls of the invoice data service: it is one of ours, and down for moments.
const WAIT_MAX_S: u32 = 30;

impl Finance {
    /// The invoice data service did not do its part of a step: again later, and somebody has to look when that lasts.
    pub(super) fn unreached(&self, mut submission: Submission, error: &InvoiceDataError) -> Step {
        let code = match error {
            InvoiceDataError::Unavailable { .. } if submission.retries < self.settings().retries_max => {
                let wait = backoff_s(submission.retries).min(WAIT_MAX_S);
                tracing::warn!(
                    document.id = %submission.document,
                    "The submission of {} is repeated in {wait} s: {error}", submission.document
                );
                submission.retries = submission.retries.saturating_add(1);
                submission.alert = None;
                let next = Outcome::Again(self.after(SignedDuration::from_secs(i64::from(wait))));
                return Step { submission, next, effects: Vec::new() };
            }
            InvoiceDataError::Unavailable { .. } => AlertCode::InvoicingUnavailable,
            InvoiceDataError::Unauthorised { .. } => AlertCode::InvoicingUnauthorised,
            InvoiceDataError::Gone
            | InvoiceDataError::Stale
            | InvoiceDataError::Refused(_)
            | InvoiceDataError::Protocol { .. } => AlertCode::InvoicingProtocol,
        };
        let message = format!("{error}; look at the invoice data service at finance.invoicing_url");
        self.alert(submission, code, message)
    }
}

/// Whether the document is under this submission's number: a verdict about one number says nothing about another.
pub(crate) fn is_ours(found: &Invoice, submission: &Submission) -> bool {
    found.state.number() == submission.number.as_ref()
}

/// What the document shows after the verdict was told.
pub(crate) fn settled(
    submission: Submission,
    answer: Result<(), InvoiceDataError>,
    found: Option<&Invoice>,
) -> Result<Step, AdvanceError> {
    let ours = found.filter(|found| is_ours(found, &submission));
    let status = ours.map(|found| found.state.status());
    match (submission.settlement.clone(), ours, status) {
        (None, ..) => Ok(Step::to(submission, Stage::Waiting)),
        (Some(Settlement::Accept { .. }), Some(found), Some(Status::Issued)) => {
            Ok(accepted(submission, found.clone()))
        }
        (Some(Settlement::Reject { faults, .. }), Some(found), Some(Status::Rejected)) => {
            Ok(rejected(submission, found.clone(), faults))
        }
        (Some(_), Some(_), Some(Status::Issuing)) => Err(AdvanceError::InvoiceData(match answer {
            Err(error) => error,
            Ok(()) => InvoiceDataError::Protocol {
                detail: "it took the verdict, and the document does not show it".to_owned(),
            },
        })),
        // An issuing document cannot be deleted: this is another service, or another database of it.
        (Some(_), ..) if found.is_none() => Err(AdvanceError::InvoiceData(InvoiceDataError::Gone)),
        (Some(_), ..) => Ok(superseded(submission)),
    }
}

/// The document is rejected, and finance tells so.
fn rejected(submission: Submission, rejected: Invoice, faults: Vec<Fault>) -> Step {
    let job = submission.job;
    // Without a job the authority never heard of it.
    let record =
        if submission.job_taken_at.is_some() { AuthorityRecord::Refused } else { AuthorityRecord::Nothing };
    let event = Effect::Event(FinanceEvent::RejectedByTaxAuthority, Box::new(rejected));
    let step = with_alert(submission, Stage::Rejected).with(event);
    ended(step, job, AttemptOutcome::Rejected, faults, Some(record))
}

/// The document is issued, and finance tells so.
fn accepted(submission: Submission, issued: Invoice) -> Step {
    let job = submission.job;
    let issued = Box::new(issued);
    let step = with_alert(submission, Stage::Accepted)
        .with(Effect::Event(FinanceEvent::AcceptedByTaxAuthority, issued.clone()))
        .with(Effect::Event(FinanceEvent::Issued, issued));
    ended(step, job, AttemptOutcome::Accepted, Vec::new(), Some(AuthorityRecord::Accepted))
}

/// The document went another way without this submission. What the authority does with the attempt is watched all the
/// same.
fn superseded(submission: Submission) -> Step {
    let job = submission.job;
    let step = Step::to(submission, Stage::Superseded).with(Effect::WatchAttempts);
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
        Some(job) => step.with(Effect::EndAttempt(job, outcome, faults, record)),
        None => step,
    }
}
