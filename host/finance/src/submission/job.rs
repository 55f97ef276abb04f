//! The jobs that move submissions, and that ask how attempts ended which count no more.

use super::AdvanceError;
use crate::Finance;
use async_trait::async_trait;
use gateway_domain::ids::InvoiceId;
use gateway_jobs::{Attempt, Job, Outcome};
use jiff::SignedDuration;

/// Wait of a job whose step could not be taken.
const AGAIN_AFTER: SignedDuration = SignedDuration::from_secs(2);
/// Steps of one submission taken in a row, before others get their turn.
const STEPS_IN_A_ROW: usize = 16;

/// Moves the submission of a document until it has to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SubmitDocument(pub(crate) InvoiceId);

#[async_trait]
impl Job for SubmitDocument {
    const NAME: &'static str = "submission";
    const AT_ONCE: usize = 32;
    type Context = Finance;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, finance: &Finance, attempt: Attempt) -> Outcome {
        let Self(document) = self;
        for _ in 0..STEPS_IN_A_ROW {
            if attempt.shutdown.is_cancelled() {
                return Outcome::Continue;
            }
            match Box::pin(finance.advance(document)).await {
                Ok(Outcome::Continue) => {}
                Ok(outcome) => return outcome,
                Err(error) => return repeated(finance, document, &error),
            }
        }
        Outcome::Continue
    }
}

/// Asks how the attempts of a document ended that count no more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchAttempts(pub(crate) InvoiceId);

#[async_trait]
impl Job for WatchAttempts {
    const NAME: &'static str = "attempt_watch";
    const AT_ONCE: usize = 8;
    type Context = Finance;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, finance: &Finance, attempt: Attempt) -> Outcome {
        let checked = Box::pin(finance.check_ended_attempts(self.0, attempt.number)).await;
        checked.unwrap_or_else(|error| repeated(finance, self.0, &error))
    }
}

fn repeated(finance: &Finance, document: InvoiceId, error: &AdvanceError) -> Outcome {
    tracing::error!(
        error = error as &dyn std::error::Error, document.id = %document,
        "The step of {document} is repeated in a moment: {error}"
    );
    let now = finance.now();
    Outcome::Again(now.checked_add(AGAIN_AFTER).unwrap_or(now))
}
