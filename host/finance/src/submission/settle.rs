//! The last step: the invoice data service is told the verdict, and finance records it.

use super::{AdvanceError, Effect, Step};
use crate::{CommandError, Finance};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{
    AlertCode, AttemptOutcome, Ending, FinanceEvent, Open, Plan, Settling, Submission, backoff_s,
};
use gateway_jobs::Outcome;
use jiff::SignedDuration;

/// How long a command on the document that is on its way is waited for.
const BY_HAND: SignedDuration = SignedDuration::from_secs(1);
/// Longest wait between two calls of the invoice data service: it is one of ours, and down for moments.
const WAIT_MAX_S: u32 = 30;

impl Finance {
    /// The step: the verdict is told as one that is given by hand.
    pub(super) async fn settle(
        &self,
        submission: Submission<Open<Settling>>,
    ) -> Result<Outcome, AdvanceError> {
        let by = Acting::gateway();
        let document = self.invoice(&by, submission.document).await?;
        // An issuing document cannot be deleted: this is another service, or another database of it.
        let document = document.ok_or(AdvanceError::InvoiceData(InvoiceDataError::Gone))?;
        let plan = Plan::settle(document.clone(), submission.open_stage());
        match self.invoice_data().execute(&by, &self.facts_of(document), plan).await {
            Ok(_) => Ok(Outcome::Done),
            // A command on the document is on its way, or moved it.
            Err(CommandError::OnItsWay | CommandError::Store(StoreError::Moved { .. })) => {
                Ok(Outcome::Again(self.after(BY_HAND)))
            }
            Err(CommandError::InvoiceData(error)) => Err(AdvanceError::InvoiceData(error)),
            Err(CommandError::Store(error)) => Err(AdvanceError::Store(error)),
            Err(error) => Err(AdvanceError::Settle(Box::new(error))),
        }
    }

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

/// How a submission ends whose verdict was told, by what the document shows then: a verdict about one number says nothing about
/// another. None while the document still waits for it.
pub(crate) fn settled(submission: Submission<Open<Settling>>, shown: &Invoice) -> Option<Step> {
    let Settling { attempt, verdict } = submission.open_stage();
    let (status, is_ours) = (shown.state.status(), shown.state.number() == Some(&attempt.number));
    if is_ours && status == verdict.status() {
        return Some(ended(submission.settled(), FinanceEvent::of_verdict(status), shown));
    }
    if is_ours && status == Status::Issuing {
        return None;
    }
    Some(ended(submission.superseded(), &[], shown))
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
