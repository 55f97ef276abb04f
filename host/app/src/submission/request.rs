//! The first step: the invoice data service moves the document to issuing and reserves its number.

use super::{AdvanceError, Also, Step};
use crate::Gateway;
use crate::finance::CommandError;
use crate::invoicing::StepError;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::finance::{FinanceEvent, Stage, Submission};
use gateway_domain::invoicing::{Invoice, State};
use gateway_storage::StoreError;
use jiff::Timestamp;

impl Gateway {
    /// The step, taken by the request that recorded the intent. What the issuing call refuses is the caller's error.
    pub(crate) async fn request_step(
        &self,
        intent: Submission,
        acting: &Acting,
        at: Option<Timestamp>,
    ) -> Result<Submission, CommandError> {
        let (version, document) = (intent.version, intent.document);
        let refused = match self.begin_issuing(acting, document, true, at).await {
            Ok(_) => None,
            Err(StepError::Store(error)) => return Err(error.into()),
            Err(StepError::Gone) => Some(CommandError::Gone),
            Err(StepError::Issue(error)) => Some(CommandError::Issue(error)),
        };
        let step = match self.document(acting, document).await? {
            Some(found) if refused.is_none() => numbered(intent, found),
            // Refused because the background was faster: the document is issuing under this very intent.
            Some(found) if matches!(found.state, State::Issuing { .. }) => numbered(intent, found),
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
        match self.begin_issuing(&by, submission.document, true, None).await {
            Ok(found) => Ok(numbered(submission, found)),
            Err(StepError::Store(error)) => Err(error.into()),
            Err(StepError::Gone) => Ok(Step::to(submission, Stage::Withdrawn)),
            // The answer of an earlier call was lost, or the document cannot be issued any more: its state tells.
            Err(StepError::Issue(_)) => match self.document(acting, submission.document).await? {
                Some(found) if matches!(found.state, State::Issuing { .. }) => {
                    Ok(numbered(submission, found))
                }
                _ => Ok(Step::to(submission, Stage::Withdrawn)),
            },
        }
    }

    /// The submission of a document in a stage, for the steps after the first.
    pub(super) async fn current(&self, submission: &Submission) -> Result<Option<Invoice>, StoreError> {
        let found = self.document(&Acting::gateway(), submission.document).await?;
        Ok(found.filter(|invoice| {
            matches!(invoice.state, State::Issuing { .. })
                && invoice.state.number() == submission.number.as_ref()
        }))
    }
}

/// The number is known: finance tells that the document is issuing, and converts it next.
fn numbered(mut submission: Submission, document: Invoice) -> Step {
    submission.number = document.state.number().cloned();
    Step::to(submission, Stage::Converting).also(Also::Event(FinanceEvent::Issuing, Box::new(document)))
}
