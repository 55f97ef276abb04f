//! A call to the provider: everything it needs, and the breaker in front of it.

use super::{AdvanceError, Run, SubmissionSteps};
use crate::record::Step;
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain::workspace::EInvoicing;
use gateway_domain_deadline::OutageCall;
use gateway_domain_finance::ports::{Entry, Job, Provider, ProviderAccess, ProviderError};
use gateway_domain_finance::{
    AlertCode, AuthorityMessage, Breaker, BreakerState, EntryFile, MESSAGE_BYTES_MAX, Open, OpenStage,
    Permit, Submission, media_type, message_of,
};
use gateway_jobs::Outcome;
use jiff::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Everything a call to the provider about one document needs. What came of a call is told to the breaker.
pub(super) struct ProviderCall<'a> {
    steps: &'a SubmissionSteps,
    provider: &'a dyn Provider,
    document: InvoiceId,
    access: ProviderAccess,
    pub(super) configuration: EInvoicing,
}

/// In front of the provider: one breaker for all calls of a process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProviderGate(Arc<Mutex<Breaker>>);

impl ProviderGate {
    /// Never held across anything slow.
    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the breaker stands, and how often it opened.
    pub(crate) fn state(&self) -> (BreakerState, u64) {
        let breaker = self.breaker();
        (breaker.state(), breaker.opened())
    }
}

/// What a job about a document sent to the authority, among the files of its entry; none where the provider does not have it or
/// does not give it out. A verdict is settled with it or without it.
pub async fn authority_message(
    (provider, access): (&dyn Provider, &ProviderAccess),
    document: InvoiceId,
    entry: EntryId,
    (job, files): (&Job, &[EntryFile]),
) -> Option<AuthorityMessage> {
    let file = message_of(files, job.created_at)?;
    match provider.get_file(access, entry, file.id, MESSAGE_BYTES_MAX).await {
        // No database keeps such a text, and no authority takes it.
        Ok(body) if body.contains('\0') => None,
        Ok(body) => Some(AuthorityMessage { media_type: media_type(&file.media_type), body }),
        Err(error) => {
            tracing::warn!(
                document.id = %document, error = &error as &dyn std::error::Error,
                "The message to the tax authority about {document} is not kept: {error}"
            );
            None
        }
    }
}

/// Why no call is made at this moment.
#[derive(Debug, Clone, Copy)]
pub(super) enum NoCallReason {
    /// Somebody has to configure something.
    NotConfigured(AlertCode, &'static str),
    /// The provider answers nobody: it waits with the others.
    Held(Timestamp),
}

impl ProviderCall<'_> {
    pub(super) async fn put_entry(
        &self,
        entry: EntryId,
        key: &str,
        document: &str,
    ) -> Result<Entry, ProviderError> {
        self.noted(OutageCall::PutEntry, self.provider.put_entry(&self.access, entry, key, document).await)
            .await
    }

    pub(super) async fn get_entry(&self, entry: EntryId) -> Result<Entry, ProviderError> {
        self.noted(OutageCall::GetEntry, self.provider.get_entry(&self.access, entry).await).await
    }

    /// What the job sent to the authority, if the provider has it. The breaker does not hear of it: a verdict is
    /// settled with it or without it.
    pub(super) async fn message(
        &self,
        entry: EntryId,
        job: &Job,
        files: &[EntryFile],
    ) -> Option<AuthorityMessage> {
        authority_message((self.provider, &self.access), self.document, entry, (job, files)).await
    }

    pub(super) async fn put_job(
        &self,
        job: ProviderJobId,
        entry: EntryId,
        key: &str,
    ) -> Result<Job, ProviderError> {
        let workflow = self.configuration.workflow_id;
        self.noted(OutageCall::PutJob, self.provider.put_job(&self.access, job, workflow, entry, key).await)
            .await
    }

    pub(super) async fn get_job(&self, job: ProviderJobId) -> Result<Job, ProviderError> {
        self.noted(OutageCall::GetJob, self.provider.get_job(&self.access, job).await).await
    }

    /// Only silence counts against the provider, and as an outage; a refusal is an answer.
    async fn noted<T>(&self, call: OutageCall, answer: Result<T, ProviderError>) -> Result<T, ProviderError> {
        self.tell_breaker(&answer);
        let deadlines = self.steps.context.deadlines();
        match &answer {
            Err(error @ ProviderError::Unavailable { .. }) => {
                deadlines.call_failed(call, &error.to_string()).await;
            }
            Ok(_)
            | Err(
                ProviderError::Unauthorised { .. }
                | ProviderError::Conflict
                | ProviderError::NotFound
                | ProviderError::Refused { .. }
                | ProviderError::Protocol { .. },
            ) => deadlines.call_answered(call).await,
        }
        answer
    }

    fn tell_breaker<T>(&self, answer: &Result<T, ProviderError>) {
        let now = self.steps.context.now();
        let mut breaker = self.steps.gate.breaker();
        let before = breaker.state();
        match answer {
            Err(ProviderError::Unavailable { .. }) => breaker.unavailable(self.document, now),
            Ok(_)
            | Err(
                ProviderError::Unauthorised { .. }
                | ProviderError::Conflict
                | ProviderError::NotFound
                | ProviderError::Refused { .. }
                | ProviderError::Protocol { .. },
            ) => breaker.answered(),
        }
        match (before, breaker.state()) {
            (BreakerState::Closed | BreakerState::HalfOpen, BreakerState::Open) => {
                tracing::error!(
                    "The provider answers nobody: calls are held back for a while, then one tries"
                );
            }
            (BreakerState::Open | BreakerState::HalfOpen, BreakerState::Closed) => {
                tracing::info!("The provider answers again: calls are made as usual");
            }
            (
                BreakerState::Closed | BreakerState::HalfOpen | BreakerState::Open,
                BreakerState::Closed | BreakerState::HalfOpen | BreakerState::Open,
            ) => {}
        }
    }
}

impl SubmissionSteps {
    /// What a call about a document needs, or why none is made.
    pub(super) async fn call(
        &self,
        document: InvoiceId,
        workspace: WorkspaceId,
        run: &mut Run,
    ) -> Result<Result<ProviderCall<'_>, NoCallReason>, AdvanceError> {
        let Some(provider) = self.context.provider() else {
            let message = "no provider is configured: set GATEWAY_PROVIDER__BASE_URL and restart";
            return Ok(Err(NoCallReason::NotConfigured(AlertCode::ProviderNotConfigured, message)));
        };
        let found = run.workspace(&self.context, workspace).await?;
        let Some((configuration, access)) = found.and_then(|found| found.e_invoicing.clone()) else {
            let message = "the workspace has no e-invoicing configuration: set it with 'gateway workspace e-invoicing set'";
            return Ok(Err(NoCallReason::NotConfigured(AlertCode::WorkspaceNotConfigured, message)));
        };
        let permit = self.gate.breaker().ask(document, self.context.now());
        match permit {
            Permit::Go => Ok(Ok(ProviderCall { steps: self, provider, document, access, configuration })),
            Permit::HoldUntil(until) => Ok(Err(NoCallReason::Held(until))),
        }
    }

    /// The step that waits for what a call needs; no try of this document is used up.
    pub(super) fn no_call<S: Into<OpenStage>>(
        &self,
        submission: Submission<Open<S>>,
        why: NoCallReason,
    ) -> Step {
        match why {
            NoCallReason::NotConfigured(code, message) => self.alert(submission, code, message),
            NoCallReason::Held(until) => {
                let next = self.after_hold(until);
                Step { submission: submission.hold_until(until).into(), next, effects: Vec::new() }
            }
        }
    }

    /// When a call is made that was held back.
    pub(super) fn after_hold(&self, until: Timestamp) -> Outcome {
        let wait = until.duration_since(self.context.now());
        Outcome::Again(self.context.after(wait.saturating_add(self.jitter(wait))))
    }
}
