//! Runs, and the nightly beginning of them, as jobs.

use crate::Reconciliations;
use async_trait::async_trait;
use gateway_domain::ids::ReconciliationId;
use gateway_jobs::{Attempt, Job, Outcome};
use jiff::SignedDuration;

/// How long a step waits that the database refused.
const RETRY: SignedDuration = SignedDuration::from_secs(30);
const NIGHTLY: &str = "nightly";

/// Takes the next step of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReconcileWorkspace(pub(crate) ReconciliationId);

/// Begins a run of every workspace that sends something to a provider, when it is time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReconcileNightly;

#[async_trait]
impl Job for ReconcileWorkspace {
    const NAME: &'static str = "reconciliation";
    const AT_ONCE: usize = 2;
    type Context = Reconciliations;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, reconciliations: &Reconciliations, _: Attempt) -> Outcome {
        reconciliations.step(self.0).await.unwrap_or_else(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "A step of the reconciliation {} failed and is taken again: {error}",
                self.0
            );
            Outcome::Again(reconciliations.after(RETRY))
        })
    }
}

#[async_trait]
impl Job for ReconcileNightly {
    const NAME: &'static str = "reconciliation_nightly";
    const AT_ONCE: usize = 1;
    type Context = Reconciliations;

    fn subject(&self) -> String {
        NIGHTLY.to_owned()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        (subject == NIGHTLY).then_some(Self)
    }

    async fn run(self, reconciliations: &Reconciliations, _: Attempt) -> Outcome {
        match reconciliations.begin_night().await {
            Ok(()) => reconciliations.next_look().map_or(Outcome::Done, Outcome::Again),
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "The nightly reconciliation could not begin and is tried again: {error}"
                );
                Outcome::Again(reconciliations.after(RETRY))
            }
        }
    }
}
