//! The jobs that move submissions, and that ask how attempts ended which count no more.

use super::{AdvanceError, Run, SubmissionSteps};
use crate::jobs::{SubmitDocument, WatchAttempts};
use async_trait::async_trait;
use gateway_domain::ids::InvoiceId;
use gateway_jobs::{Attempt, Job, Outcome};
use jiff::SignedDuration;

/// Wait of a job whose step could not be taken.
const AGAIN_AFTER: SignedDuration = SignedDuration::from_secs(2);
/// Steps of one submission taken in a row, before others get their turn.
const STEPS_IN_A_ROW: usize = 16;

#[async_trait]
impl Job for SubmitDocument {
    const NAME: &'static str = "submission";
    const AT_ONCE: usize = 32;
    type Context = SubmissionSteps;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, steps: &SubmissionSteps, attempt: Attempt) -> Outcome {
        let Self(document) = self;
        let mut run = Run::of(&attempt);
        for _ in 0..STEPS_IN_A_ROW {
            if attempt.shutdown.is_cancelled() {
                return Outcome::Continue;
            }
            match Box::pin(steps.advance(document, &mut run)).await {
                Ok(Outcome::Continue) => {}
                Ok(outcome) => return outcome,
                Err(error) => return repeated(steps, document, &error),
            }
        }
        Outcome::Continue
    }
}

#[async_trait]
impl Job for WatchAttempts {
    const NAME: &'static str = "attempt_watch";
    const AT_ONCE: usize = 8;
    type Context = SubmissionSteps;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, steps: &SubmissionSteps, attempt: Attempt) -> Outcome {
        let checked = Box::pin(steps.check_ended_attempts(self.0, attempt.number)).await;
        checked.unwrap_or_else(|error| repeated(steps, self.0, &error))
    }
}

fn repeated(steps: &SubmissionSteps, document: InvoiceId, error: &AdvanceError) -> Outcome {
    tracing::error!(
        error = error as &dyn std::error::Error, document.id = %document,
        "The step of {document} is repeated in a moment: {error}"
    );
    let now = steps.context.now();
    Outcome::Again(now.checked_add(AGAIN_AFTER).unwrap_or(now))
}
