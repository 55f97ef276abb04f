//! Submissions as operators see them, and as the contract shows them.

use crate::{Alert, Attempt, AttemptOutcome, AuthorityRecord, CallError, Stage, Submission};
use gateway_domain::access::Actor;
use gateway_domain::fault::Fault;
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain::invoicing::{Acceptance, InvoiceNumber};
use gateway_domain::regime::FilingMark;
use gateway_domain_deadline::{FilingDeadline, time_left};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// A submission with its attempts and its next step.
#[derive(Debug, Clone)]
pub struct SubmissionView {
    /// How far it is.
    pub submission: Submission,
    /// When the gateway does something next; none when it ended or waits for somebody.
    pub next_step_at: Option<Timestamp>,
    /// Failed tries of one call until somebody has to look.
    pub retries_max: u32,
    /// Every attempt, first one first.
    pub attempts: Vec<Attempt>,
    /// What the plugin said of its filing; none where it keeps no legal clock.
    pub filing: Option<FilingDeadline>,
    /// When all that was read.
    pub read_at: Timestamp,
}

impl SubmissionView {
    /// How much time is left for the filing, whole seconds, below nought of what is overdue; none of what ended, or without limit.
    pub fn due_in_s(&self) -> Option<i64> {
        let open = self.filing.as_ref().filter(|_| !self.submission.has_ended());
        open.and_then(|filing| filing.due_in_s(self.read_at))
    }

    /// The same for people: `3 d`.
    pub fn due_in(&self) -> Option<String> {
        self.due_in_s().map(time_left)
    }

    /// Until when it has to be filed, for people: `3 d (2026-11-26T22:59:59Z)`; none without a limit.
    pub fn due_sentence(&self) -> Option<String> {
        let limit = self.filing.as_ref().and_then(|filing| filing.file_by)?;
        Some(match self.due_in() {
            Some(left) => format!("{left} ({limit:.0})"),
            None => format!("ended; the limit was {limit:.0}"),
        })
    }

    /// Whether the gateway does something next, or nothing is to be done.
    pub fn has_a_next_step(&self) -> bool {
        self.next_step_at.is_some() || self.submission.has_ended() || self.submission.alert.is_some()
    }
}

/// The way of a document to the tax authority and back.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Submission)]
pub struct SubmissionBody<'a> {
    /// The document.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    pub document_id: InvoiceId,
    /// Whose document it is.
    #[schema(value_type = i64, examples(1))]
    pub workspace_id: WorkspaceId,
    /// What is done next, or how it ended.
    pub state: Stage,
    /// The number that it is about.
    #[schema(required, value_type = Option<String>, examples("F-2026-000001"))]
    pub number: Option<&'a InvoiceNumber>,
    /// When the gateway does something next; null when it ended or waits for somebody.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub next_step_at: Option<Timestamp>,
    /// Whether somebody has to look.
    #[schema(required, value_type = Option<Alert>)]
    pub alert: Option<&'a Alert>,
    /// Failed tries of the present call.
    #[schema(examples(0))]
    pub retries: u32,
    /// Failed tries of one call until somebody has to look.
    #[schema(examples(3))]
    pub retries_max: u32,
    /// The last call to the provider that failed in the present state.
    #[schema(required, value_type = Option<CallError>)]
    pub last_error: Option<&'a CallError>,
    /// Until when the provider takes no calls.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub held_back_until: Option<Timestamp>,
    /// The provider's entry.
    #[schema(required, value_type = Option<Uuid>)]
    pub entry_id: Option<EntryId>,
    /// Until when the law wants it filed; null when it sets no limit, or before the plugin was asked.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-26T22:59:59Z"))]
    pub file_by: Option<Timestamp>,
    /// How much time is left until then, seconds; below nought when it is overdue, null when the submission has ended.
    #[schema(required, examples(86_400))]
    pub due_in_s: Option<i64>,
    /// What the filing carries because it is late or an outage held it up, by the plugin's name of it.
    #[schema(required, value_type = Option<String>, examples("incidencia"))]
    pub filing_mark: Option<&'a FilingMark>,
    /// One sentence of the plugin about the limit.
    #[schema(required)]
    pub filing_note: Option<&'a str>,
    /// Who asked for it.
    #[schema(value_type = String, examples("gateway"))]
    pub actor: Actor,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub created_at: Timestamp,
    /// Last changed.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:05Z"))]
    pub updated_at: Timestamp,
    /// Every attempt, the first one first; one is one job of the provider, transport retries stay inside it.
    pub attempts: Vec<AttemptBody<'a>>,
}

/// One job of the provider.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Attempt)]
pub struct AttemptBody<'a> {
    /// The provider's job.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000e1"))]
    pub job_id: ProviderJobId,
    /// The provider's entry; null when the document never got that far.
    #[schema(required, value_type = Option<Uuid>)]
    pub entry_id: Option<EntryId>,
    /// The number it was about.
    #[schema(value_type = String, examples("F-2026-000001"))]
    pub number: Option<&'a InvoiceNumber>,
    /// The key of the plugin that converted.
    #[schema(required, examples("es-verifactu"))]
    pub plugin: Option<&'a str>,
    /// Its version.
    #[schema(required, examples("0.1.0"))]
    pub plugin_version: Option<&'a str>,
    /// SHA-256 of its component.
    #[schema(required)]
    pub plugin_digest: Option<&'a str>,
    /// When it began.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub started_at: Timestamp,
    /// When it ended.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
    /// How it ended.
    #[schema(required)]
    pub outcome: Option<AttemptOutcome>,
    /// The complaints.
    #[schema(value_type = Vec<Fault>)]
    pub faults: &'a [Fault],
    /// What the tax authority holds of an attempt that ended; null while nobody knows.
    #[schema(required)]
    pub authority_record: Option<AuthorityRecord>,
    /// The proof of an acceptance that was learned of after the attempt had ended.
    #[schema(required, value_type = Option<Acceptance>)]
    pub acceptance: Option<&'a Acceptance>,
}

impl<'a> From<&'a SubmissionView> for SubmissionBody<'a> {
    fn from(view: &'a SubmissionView) -> Self {
        let submission = &view.submission;
        let (calls, filing) = (submission.calls(), view.filing.as_ref());
        Self {
            document_id: submission.document,
            workspace_id: submission.workspace,
            state: submission.stage(),
            number: submission.number(),
            next_step_at: view.next_step_at,
            alert: submission.alert.as_ref(),
            retries: submission.retries(),
            retries_max: view.retries_max,
            last_error: calls.and_then(|calls| calls.last_error.as_ref()),
            held_back_until: calls.and_then(|calls| calls.held_until),
            entry_id: submission.entry(),
            file_by: filing.and_then(|filing| filing.file_by),
            due_in_s: view.due_in_s(),
            filing_mark: filing.and_then(|filing| filing.mark.as_ref()),
            filing_note: filing.and_then(|filing| filing.note.as_deref()),
            actor: Actor(submission.actor.clone()),
            created_at: submission.created_at,
            updated_at: submission.updated_at,
            attempts: view.attempts.iter().map(AttemptBody::from).collect(),
        }
    }
}

impl<'a> From<&'a Attempt> for AttemptBody<'a> {
    fn from(attempt: &'a Attempt) -> Self {
        let plugin = attempt.plugin.as_ref();
        Self {
            job_id: attempt.job,
            entry_id: attempt.entry,
            number: attempt.number.as_ref(),
            plugin: plugin.map(|plugin| plugin.key.as_str()),
            plugin_version: plugin.map(|plugin| plugin.version.as_str()),
            plugin_digest: plugin.map(|plugin| plugin.digest.as_str()),
            started_at: attempt.started_at,
            ended_at: attempt.ended_at,
            outcome: attempt.outcome,
            faults: &attempt.faults,
            authority_record: attempt.authority_record,
            acceptance: attempt.acceptance.as_ref(),
        }
    }
}
