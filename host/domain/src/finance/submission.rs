//! A submission: the way of one document to the tax authority and back, in steps that each commit on their own.

use super::{Alert, AlertCode};
use crate::fault::Fault;
use crate::ids::{EntryId, InvoiceId, JobId, WorkspaceId};
use crate::invoicing::{Acceptance, Invoice, InvoiceNumber, State, Status};
use crate::regime::{PluginRef, Stamp};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// First wait after a failed call, seconds; doubled with every further failure.
pub const RETRY_BASE_S: u32 = 2;
/// Longest wait between two tries of a call, seconds.
const RETRY_MAX_S: u32 = 600;

/// The next thing to do for a submission, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The intent is recorded; the invoice data service has to move the document to issuing.
    Requested,
    /// The number is known; the plugin has to convert the document.
    Converting,
    /// The structured document has to be stored at the provider.
    Uploading,
    /// The provider's workflow has to be started.
    Starting,
    /// The provider works; its webhook or the poll ends this.
    Waiting,
    /// The verdict is known; the invoice data service has to be told.
    Settling,
    /// Ended: accepted.
    Accepted,
    /// Ended: rejected.
    Rejected,
    /// Ended: a verdict was given by hand, or the document moved without this submission.
    Superseded,
    /// Ended: the document could not be moved to issuing.
    Withdrawn,
}

impl Stage {
    /// Every stage.
    pub const ALL: [Self; 10] = [
        Self::Requested,
        Self::Converting,
        Self::Uploading,
        Self::Starting,
        Self::Waiting,
        Self::Settling,
        Self::Accepted,
        Self::Rejected,
        Self::Superseded,
        Self::Withdrawn,
    ];

    /// As written in JSON and storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Converting => "converting",
            Self::Uploading => "uploading",
            Self::Starting => "starting",
            Self::Waiting => "waiting",
            Self::Settling => "settling",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Superseded => "superseded",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Whether no call that starts a job was ever made: it is made in the stage [`Stage::Starting`].
    pub const fn precedes_start(self) -> bool {
        match self {
            Self::Requested | Self::Converting | Self::Uploading => true,
            Self::Starting
            | Self::Waiting
            | Self::Settling
            | Self::Accepted
            | Self::Rejected
            | Self::Superseded
            | Self::Withdrawn => false,
        }
    }

    /// The stage of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == text)
    }

    /// Whether nothing is left to do.
    pub const fn ended(self) -> bool {
        match self {
            Self::Requested
            | Self::Converting
            | Self::Uploading
            | Self::Starting
            | Self::Waiting
            | Self::Settling => false,
            Self::Accepted | Self::Rejected | Self::Superseded | Self::Withdrawn => true,
        }
    }
}

/// What kind of failure a call to the provider ended in, by what is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallFailure {
    /// No answer, or one that says later: repeated.
    Unavailable,
    /// The token is wrong.
    Unauthorised,
    /// The id or key was used before.
    Conflict,
    /// The provider does not know what was asked for.
    NotFound,
    /// The content was refused.
    Refused,
    /// The answer was not understood.
    Protocol,
}

/// The last call to the provider that failed in the present stage; for operators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallError {
    /// What kind.
    pub class: CallFailure,
    /// One sentence, without secrets.
    pub message: String,
    /// When.
    pub at: Timestamp,
}

/// The verdict, between learning it and telling the invoice data service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "settlement", rename_all = "snake_case")]
pub enum Settlement {
    /// The authority accepted.
    Accept {
        /// Its proof.
        acceptance: Acceptance,
        /// What came with the verdict and was left out or cut.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left_out: Vec<String>,
    },
    /// The document is refused.
    Reject {
        /// Names the source and keeps code and path.
        reason: String,
        /// The single complaints.
        faults: Vec<Fault>,
        /// What came with the verdict and was left out or cut.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left_out: Vec<String>,
    },
}

impl Settlement {
    /// What somebody has to know of a verdict that is kept: the provider sent something with it that is not trusted.
    pub fn alert(&self) -> Option<Alert> {
        let (Self::Accept { left_out, .. } | Self::Reject { left_out, .. }) = self;
        (!left_out.is_empty()).then(|| Alert {
            code: AlertCode::UntrustedContent,
            message: format!(
                "the verdict counts, and not all that came with it was kept ({}): look at the entry at the provider, then \
                 acknowledge the alert with 'gateway submission acknowledge'",
                left_out.join("; ")
            ),
        })
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// The authority accepted.
    Accepted,
    /// The document was refused.
    Rejected,
    /// The provider's job failed without a reason; another attempt may follow.
    Failed,
    /// A verdict was given by hand.
    Superseded,
}

impl AttemptOutcome {
    /// As written in JSON and storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Failed => "failed",
            Self::Superseded => "superseded",
        }
    }
}

/// What finance records of a document (specification, Events 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FinanceEvent {
    /// It goes to the tax authority; takes the place of `Issued`.
    Issuing,
    /// It is final.
    Issued,
    /// The authority accepted it.
    AcceptedByTaxAuthority,
    /// The authority refused it.
    RejectedByTaxAuthority,
    /// A credit note was written for it.
    Credited,
    /// It was cancelled by a full credit note.
    Reversed,
    /// A corrective draft was made beside the rejected document (rejection strategy B).
    CorrectiveDrafted,
    /// The corrective draft may be issued: the document it corrects is credited.
    CorrectiveReleased,
    /// Money was returned.
    Refunded,
    /// The draft was deleted.
    Deleted,
    /// It is for somebody else now.
    RecipientUpdated,
    /// It bills one transaction more.
    TransactionAdded,
    /// It bills a transaction otherwise.
    TransactionUpdated,
    /// It bills one transaction less.
    TransactionRemoved,
}

impl FinanceEvent {
    /// The name of the specification, and the CloudEvents type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Issuing => "Issuing",
            Self::Issued => "Issued",
            Self::AcceptedByTaxAuthority => "AcceptedByTaxAuthority",
            Self::RejectedByTaxAuthority => "RejectedByTaxAuthority",
            Self::Credited => "Credited",
            Self::Reversed => "Reversed",
            Self::CorrectiveDrafted => "CorrectiveDrafted",
            Self::CorrectiveReleased => "CorrectiveReleased",
            Self::Refunded => "Refunded",
            Self::Deleted => "Deleted",
            Self::RecipientUpdated => "RecipientUpdated",
            Self::TransactionAdded => "TransactionAdded",
            Self::TransactionUpdated => "TransactionUpdated",
            Self::TransactionRemoved => "TransactionRemoved",
        }
    }
}

/// The submission of one document. Its job ids and faults are kept per attempt beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// Which document.
    pub document: InvoiceId,
    /// Whose.
    pub workspace: WorkspaceId,
    /// What comes next.
    pub stage: Stage,
    /// The number of the current attempt.
    pub number: Option<InvoiceNumber>,
    /// The provider's entry; minted once per number, so that a late upload of an earlier attempt reaches only its own.
    pub entry: Option<EntryId>,
    /// Whether the entry id was renewed for the current number; it is renewed once at most.
    pub entry_renewed: bool,
    /// SHA-256 of the canonical document that the provider showed when it stored the entry, lower-case hex.
    pub entry_digest: Option<String>,
    /// Whether the attempts before the current one have still to be looked at: the authority may have accepted one.
    pub check_earlier_attempts: bool,
    /// The provider's job of the current attempt.
    pub job: Option<JobId>,
    /// The provider took that job then.
    pub job_taken_at: Option<Timestamp>,
    /// The structured document as sent.
    pub structured: Option<String>,
    /// Which plugin made it.
    pub plugin: Option<PluginRef>,
    /// What provider and authority attached to the document, by the last report on it.
    pub stamps: Vec<Stamp>,
    /// The verdict on its way to the invoice data service.
    pub settlement: Option<Settlement>,
    /// Why somebody has to look.
    pub alert: Option<Alert>,
    /// Failed tries of the current call.
    pub retries: u32,
    /// How the last of them failed.
    pub last_error: Option<CallError>,
    /// The call waits until then, because the provider answered nobody.
    pub held_until: Option<Timestamp>,
    /// Grows by one with every change; a step that finds another version has lost the race.
    pub version: i64,
    /// Who asked for it.
    pub actor: String,
    /// First requested.
    pub created_at: Timestamp,
    /// Last changed.
    pub updated_at: Timestamp,
}

impl Submission {
    /// The intent to submit, before the invoice data service is called.
    pub fn requested(document: InvoiceId, workspace: WorkspaceId, actor: String, now: Timestamp) -> Self {
        Self {
            document,
            workspace,
            stage: Stage::Requested,
            number: None,
            entry: None,
            entry_renewed: false,
            entry_digest: None,
            check_earlier_attempts: false,
            job: None,
            job_taken_at: None,
            structured: None,
            plugin: None,
            stamps: Vec::new(),
            settlement: None,
            alert: None,
            retries: 0,
            last_error: None,
            held_until: None,
            version: 0,
            actor,
            created_at: now,
            updated_at: now,
        }
    }

    /// The same invoice again, after it was rejected: stamps are kept, everything else starts afresh. The entry too: a
    /// request of the attempt before that arrives late overwrites, or starts a job on, an entry that nobody looks at.
    #[must_use]
    pub fn requested_again(&self, actor: String, now: Timestamp) -> Self {
        Self {
            check_earlier_attempts: self.check_earlier_attempts || self.job.is_some(),
            stamps: self.stamps.clone(),
            version: self.version,
            created_at: self.created_at,
            ..Self::requested(self.document, self.workspace, actor, now)
        }
    }

    /// Adds to a document of an invoice data service elsewhere what that may know nothing of: that finance submits it
    /// under its number, and the authority's proof.
    pub fn tell(&self, document: &mut Invoice) {
        let number = document.state.number();
        let asked = self.stage == Stage::Requested && document.state.status() == Status::Issuing;
        if number.is_none() || (number != self.number.as_ref() && !asked) {
            return;
        }
        document.send_to_tax_authority = true;
        if let (State::Issued { acceptance: proof @ None, .. }, Some(Settlement::Accept { acceptance, .. })) =
            (&mut document.state, &self.settlement)
        {
            *proof = Some(acceptance.clone());
        }
    }

    /// Moves on: failures of the last step are forgotten.
    #[must_use]
    pub fn at(mut self, stage: Stage) -> Self {
        self.stage = stage;
        self.retries = 0;
        self.alert = None;
        self.last_error = None;
        self.held_until = None;
        self
    }
}

/// Seconds to wait before try `retries` + 1 of a call, before jitter.
pub fn backoff_s(retries: u32) -> u32 {
    RETRY_BASE_S.saturating_mul(1_u32.checked_shl(retries.min(16)).unwrap_or(u32::MAX)).min(RETRY_MAX_S)
}

/// The reason of a rejection: names the source and keeps code and path of every fault.
pub fn rejection_reason(source: &str, faults: &[Fault]) -> String {
    let complaints: Vec<_> = faults
        .iter()
        .filter(|fault| fault.stops())
        .map(|fault| match fault.path.as_str() {
            "" => format!("{}: {}", fault.code, fault.message),
            path => format!("{} at {path}: {}", fault.code, fault.message),
        })
        .collect();
    format!("{source}: {}", complaints.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_found_by_its_name() {
        for stage in Stage::ALL {
            assert_eq!(Stage::parse(stage.as_str()), Some(stage));
        }
    }

    #[test]
    fn waits_double_up_to_ten_minutes() {
        assert_eq!((0..5).map(backoff_s).collect::<Vec<_>>(), [2, 4, 8, 16, 32]);
        assert_eq!(backoff_s(40), 600);
    }

    #[test]
    fn a_rejection_reason_names_source_code_and_path() {
        let faults = [
            Fault::error("NIF-01", "/recipient/tax_number", "the check letter is wrong"),
            Fault::warning("W-01", "", "a remark"),
            Fault::error("DOC-02", "", "the document is empty"),
        ];
        assert_eq!(
            rejection_reason("es-verifactu", &faults),
            "es-verifactu: NIF-01 at /recipient/tax_number: the check letter is wrong; DOC-02: the document is empty"
        );
    }
}
