//! The last step: the invoice data service is told the verdict, and finance records it.

use super::{AdvanceError, Effect, Step};
use crate::Finance;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{
    AlertCode, AttemptOutcome, Ending, FinanceEvent, Open, Settling, Submission, backoff_s,
};
use gateway_jobs::Outcome;
use jiff::SignedDuration;

/// Longest wait between two calls of the invoice data service: it is one of ours, and down for moments.
const WAIT_MAX_S: u32 = 30;

impl Finance {
    /// The invoice data service did not do its part of a step: again later, and somebody has to look when that lasts.
    pub(super) fn unreached(&self, submission: Submission<Open>, error: &InvoiceDataError) -> Step {
        let retries = submission.progress.calls.retries;
        let code = match error {
            InvoiceDataError::Unavailable { .. } if retries < self.settings().retries_max => {
                let wait = backoff_s(retries).min(WAIT_MAX_S);
                tracing::warn!(
                    document.id = %submission.document,
                    "The submission of {} is repeated in {wait} s: {error}", submission.document
                );
                let submission = submission.repeated_remotely().into();
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

/// Whether the document is under the number of the verdict: one about one number says nothing about another.
pub(crate) fn is_ours(found: &Invoice, submission: &Submission<Open<Settling>>) -> bool {
    found.state.number() == Some(&submission.open_stage().attempt.number)
}

/// What the document shows after the verdict was told.
pub(crate) fn settled(
    submission: Submission<Open<Settling>>,
    answer: Result<(), InvoiceDataError>,
    found: Option<&Invoice>,
) -> Result<Step, AdvanceError> {
    // An issuing document cannot be deleted: this is another service, or another database of it.
    let found = found.ok_or(AdvanceError::InvoiceData(InvoiceDataError::Gone))?;
    if !is_ours(found, &submission) {
        return Ok(ended(submission.superseded(), &[], found));
    }
    let status = found.state.status();
    if status == submission.open_stage().verdict.status() {
        return Ok(ended(submission.settled(), FinanceEvent::of_verdict(status), found));
    }
    match (status, answer) {
        (Status::Issuing, Err(error)) => Err(AdvanceError::InvoiceData(error)),
        (Status::Issuing, Ok(())) => {
            let detail = "it took the verdict, and the document does not show it".to_owned();
            Err(AdvanceError::InvoiceData(InvoiceDataError::Protocol { detail }))
        }
        (Status::Draft | Status::Issued | Status::Rejected, _) => {
            Ok(ended(submission.superseded(), &[], found))
        }
    }
}

/// The last step of a submission, whoever gave the verdict: its attempt ends, `events` tell what the document shows, and what
/// the authority does with an attempt that counts no more is watched all the same.
pub(crate) fn ended(ending: Ending, events: &[FinanceEvent], document: &Invoice) -> Step {
    let Ending { submission, attempt } = ending;
    let mut step = Step::to(submission);
    for event in events {
        step = step.with(Effect::Event(*event, Box::new(document.clone())));
    }
    match attempt {
        Some(end) if end.outcome == AttemptOutcome::Superseded => {
            step.with(Effect::WatchAttempts).with(Effect::EndAttempt(end))
        }
        Some(end) => step.with(Effect::EndAttempt(end)),
        None => step,
    }
}
