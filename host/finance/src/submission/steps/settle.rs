//! The last step: the invoice data service is told the verdict, and finance records it.

use super::{AdvanceError, Run, SubmissionSteps};
use crate::CommandError;
use crate::invoice_data::LastStep;
use crate::record::{Step, UnstoredVerdict};
use gateway_domain::StoreError;
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{AlertCode, ExpectedVersion, Open, Settling, Submission, backoff_s};
use gateway_jobs::Outcome;
use jiff::SignedDuration;

/// How long a command on the document that is on its way is waited for.
const BY_HAND: SignedDuration = SignedDuration::from_secs(1);
/// Longest wait between two calls of the invoice data service: it is one of ours, and down for moments.
const WAIT_MAX_S: u32 = 30;

impl SubmissionSteps {
    /// The step to a verdict, settled in the transaction that stores it where documents are kept here. None: the verdict is to be
    /// stored by itself first, and settled then.
    pub(super) async fn settle_at_once(
        &self,
        step: &Step,
        expected: &ExpectedVersion,
        run: &Run,
    ) -> Option<Outcome> {
        if step.next != Outcome::Continue || !self.finance.invoice_data.settles_at_once() {
            return None;
        }
        let settling = step.submission.clone().into_settling()?;
        let (expected, effects) = (expected.clone(), step.effects.clone());
        let unstored = UnstoredVerdict { settling: settling.clone(), expected, effects };
        let settled = self.settle(settling, Some(unstored), run).await.inspect_err(|error| {
            let document = step.submission.document;
            tracing::warn!(document.id = %document, "The verdict on {document} is stored before it is settled: {error}");
        });
        settled.ok().filter(|outcome| *outcome == Outcome::Done)
    }

    /// The step: the verdict is told as one that is given by hand.
    pub(super) async fn settle(
        &self,
        submission: Submission<Open<Settling>>,
        unstored: Option<UnstoredVerdict>,
        run: &Run,
    ) -> Result<Outcome, AdvanceError> {
        let last = LastStep { lease: run.lease.as_ref(), unstored };
        match self.finance.invoice_data.settle(&submission, last).await {
            Ok(()) => Ok(Outcome::Done),
            // A command on the document is on its way, or moved it.
            Err(CommandError::InProgress | CommandError::Store(StoreError::Moved { .. })) => {
                Ok(Outcome::Again(self.context.after(BY_HAND)))
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
            InvoiceDataError::Unavailable { .. } if retries < self.context.settings().retries_max => {
                let wait = backoff_s(retries).min(WAIT_MAX_S);
                tracing::warn!(
                    document.id = %submission.document,
                    "The submission of {} is repeated in {wait} s: {error}", submission.document
                );
                let submission = submission.repeated_remotely().into();
                let next = Outcome::Again(self.context.after(SignedDuration::from_secs(i64::from(wait))));
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
