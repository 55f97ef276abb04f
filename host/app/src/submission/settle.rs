//! The last step: the invoice data service is told the verdict, and finance records it.

use super::{AdvanceError, Also, Step};
use crate::Gateway;
use crate::invoicing::{RejectError, StepError};
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::finance::{AttemptOutcome, FinanceEvent, Settlement, Stage, Submission};
use gateway_domain::invoicing::{Invoice, State};

impl Gateway {
    pub(super) async fn settle(&self, submission: Submission) -> Result<Step, AdvanceError> {
        match submission.settlement.clone() {
            Some(Settlement::Accept { acceptance }) => {
                let acting = Acting::gateway();
                let told = self.issue_document(&acting, submission.document, Some(acceptance), None).await;
                match told {
                    Ok(issued) => Ok(accepted(submission, issued)),
                    Err(StepError::Store(error)) => Err(error.into()),
                    Err(StepError::Gone) => Ok(superseded(submission)),
                    // Told before and the answer was lost, or somebody else moved the document.
                    Err(StepError::Issue(_)) => match self.document(&acting, submission.document).await? {
                        Some(found) if is_issued_as(&found, &submission) => Ok(accepted(submission, found)),
                        _ => Ok(superseded(submission)),
                    },
                }
            }
            Some(Settlement::Reject { reason, faults }) => {
                self.settle_rejection(submission, reason, faults).await
            }
            None => Ok(Step::to(submission, Stage::Waiting)),
        }
    }

    async fn settle_rejection(
        &self,
        submission: Submission,
        reason: String,
        faults: Vec<Fault>,
    ) -> Result<Step, AdvanceError> {
        match self.reject_document(&Acting::gateway(), submission.document, reason).await {
            Ok(found) if found.state.number() == submission.number.as_ref() => {
                let job = submission.job;
                let event = Also::Event(FinanceEvent::RejectedByTaxAuthority, Box::new(found));
                let step = Step::to(submission, Stage::Rejected).also(event);
                Ok(ended(step, job, AttemptOutcome::Rejected, faults))
            }
            Ok(_) | Err(RejectError::Gone | RejectError::NotRejectable(_)) => Ok(superseded(submission)),
            Err(RejectError::Store(error)) => Err(error.into()),
        }
    }
}

fn accepted(submission: Submission, issued: Invoice) -> Step {
    let job = submission.job;
    let issued = Box::new(issued);
    let step = Step::to(submission, Stage::Accepted)
        .also(Also::Event(FinanceEvent::AcceptedByTaxAuthority, issued.clone()))
        .also(Also::Event(FinanceEvent::Issued, issued));
    ended(step, job, AttemptOutcome::Accepted, Vec::new())
}

fn superseded(submission: Submission) -> Step {
    let job = submission.job;
    ended(Step::to(submission, Stage::Superseded), job, AttemptOutcome::Superseded, Vec::new())
}

fn ended(
    step: Step,
    job: Option<gateway_domain::ids::JobId>,
    outcome: AttemptOutcome,
    faults: Vec<Fault>,
) -> Step {
    match job {
        Some(job) => step.also(Also::EndAttempt(job, outcome, faults)),
        None => step,
    }
}

fn is_issued_as(found: &Invoice, submission: &Submission) -> bool {
    matches!(found.state, State::Issued { .. }) && found.state.number() == submission.number.as_ref()
}
