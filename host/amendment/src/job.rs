//! The steps of an amendment as a job.

use crate::Amendments;
use async_trait::async_trait;
use gateway_domain::ids::InvoiceId;
use gateway_finance::AMENDMENT_JOB;
use gateway_jobs::{Attempt, Job, Outcome};
use jiff::SignedDuration;

/// Wait of a job whose step could not be taken.
const AGAIN_AFTER: SignedDuration = SignedDuration::from_secs(2);
/// Steps of one amendment taken in a row, before others get their turn.
const STEPS_IN_A_ROW: usize = 8;

/// Moves the amendment of a document until it has to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AmendDocument(pub(crate) InvoiceId);

#[async_trait]
impl Job for AmendDocument {
    const NAME: &'static str = AMENDMENT_JOB;
    const AT_ONCE: usize = 8;
    type Context = Amendments;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, amendments: &Amendments, attempt: Attempt) -> Outcome {
        let Self(document) = self;
        for _ in 0..STEPS_IN_A_ROW {
            if attempt.shutdown.is_cancelled() {
                return Outcome::Continue;
            }
            match Box::pin(amendments.advance(document)).await {
                Ok(Outcome::Continue) => {}
                Ok(outcome) => return outcome,
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error, document.id = %document,
                        "The step of the amendment of {document} is repeated in a moment: {error}"
                    );
                    return Outcome::Again(amendments.after(AGAIN_AFTER));
                }
            }
        }
        Outcome::Continue
    }
}
