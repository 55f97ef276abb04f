//! The first step: the invoice data service moves the document to issuing and reserves its number.

use super::{AdvanceError, Also, Step};
use crate::finance::CommandError;
use crate::invoice_data::{BeginError, is_issuing};
use crate::{Gateway, ReadError};
use gateway_domain::access::{Acting, Actor};
use gateway_domain::finance::{FinanceEvent, Stage, Submission};
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::InvoiceDataError;
use jiff::Timestamp;

impl Gateway {
    /// The step, taken by the request that recorded the intent. What the issuing call refuses is the caller's error.
    pub(crate) async fn request_step(
        &self,
        intent: Submission,
        acting: &Acting,
        at: Option<Timestamp>,
        seen: Option<i64>,
    ) -> Result<Submission, CommandError> {
        let (version, document) = (intent.version, intent.document);
        let (found, refused) = match self.send_to_issuing(acting, document, at, seen).await {
            Ok(found) => (Some(found), None),
            Err(BeginError::Read(error)) => return Err(error.into()),
            Err(error) => (self.invoice(acting, document).await?, Some(CommandError::from(error))),
        };
        let step = match found {
            Some(found) if refused.is_none() => numbered(intent, found),
            // Refused because the background was faster: the document is issuing under this very intent.
            Some(found) if is_issuing(&found) => numbered(intent, found),
            _ => Step::to(intent, Stage::Withdrawn),
        };
        let after = step.submission.clone();
        let stored = self.store(step.also(Also::Wake), version, &acting.actor).await?;
        match refused {
            Some(error) if after.stage == Stage::Withdrawn && stored => Err(error),
            _ => Ok(after),
        }
    }

    /// The step, taken by the background after a crash of the request that recorded the intent.
    pub(super) async fn request(
        &self,
        submission: Submission,
        acting: &Acting,
    ) -> Result<Step, AdvanceError> {
        let by = Acting { actor: Actor(submission.actor.clone()), ..acting.clone() };
        match self.send_to_issuing(&by, submission.document, None, None).await {
            Ok(found) => Ok(numbered(submission, found)),
            Err(BeginError::Read(error)) => Err(error.into()),
            Err(BeginError::Gone) => Ok(Step::to(submission, Stage::Withdrawn)),
            // The answer of an earlier call was lost, or the document cannot be issued any more: its state tells.
            Err(BeginError::Issue(_) | BeginError::Stale { .. }) => {
                match self.invoice(acting, submission.document).await? {
                    Some(found) if is_issuing(&found) => Ok(numbered(submission, found)),
                    _ => Ok(Step::to(submission, Stage::Withdrawn)),
                }
            }
        }
    }

    /// The document of a submission behind the first step, if it is still issuing under the submission's number. A
    /// document that is gone is no document that went another way: issuing documents are not deleted, so the invoice
    /// data service is another one than before.
    pub(super) async fn current(&self, submission: &Submission) -> Result<Option<Invoice>, ReadError> {
        let found = self.invoice(&Acting::gateway(), submission.document).await?;
        let found = found.ok_or(InvoiceDataError::Gone)?;
        let ours = is_issuing(&found) && found.state.number() == submission.number.as_ref();
        Ok(ours.then_some(found))
    }
}

/// The number is known: finance tells that the document is issuing, and converts it next.
fn numbered(mut submission: Submission, document: Invoice) -> Step {
    submission.number = document.state.number().cloned();
    Step::to(submission, Stage::Converting).also(Also::Event(FinanceEvent::Issuing, Box::new(document)))
}
