//! Asking again, as a job.

use crate::Recipients;
use async_trait::async_trait;
use gateway_domain::ids::InvoiceId;
use gateway_jobs::{Attempt, Job, Outcome};
use jiff::SignedDuration;

/// How long a job waits that the database refused.
const RETRY: SignedDuration = SignedDuration::from_secs(30);

/// Asks the register again about the recipient of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckRecipientAgain(pub(crate) InvoiceId);

#[async_trait]
impl Job for CheckRecipientAgain {
    const NAME: &'static str = "recipient_check";
    // The register bears few who ask at once.
    const AT_ONCE: usize = 2;
    type Context = Recipients;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, recipients: &Recipients, attempt: Attempt) -> Outcome {
        let Self(document) = self;
        recipients.check_again(document, attempt.number).await.unwrap_or_else(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error, document.id = %document,
                "The recipient of {document} could not be checked and is checked again: {error}"
            );
            Outcome::Again(recipients.after(RETRY))
        })
    }
}

/// Asks the delivery network again about the recipient of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LookUpParticipantAgain(pub(crate) InvoiceId);

#[async_trait]
impl Job for LookUpParticipantAgain {
    const NAME: &'static str = "participant_check";
    const AT_ONCE: usize = 2;
    type Context = Recipients;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, recipients: &Recipients, attempt: Attempt) -> Outcome {
        let Self(document) = self;
        recipients.check_participant_again(document, attempt.number).await.unwrap_or_else(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error, document.id = %document,
                "The recipient of {document} could not be looked up and is looked up again: {error}"
            );
            Outcome::Again(recipients.after(RETRY))
        })
    }
}
