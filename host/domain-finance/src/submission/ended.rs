//! The stages in which a submission ends.

use super::{CurrentAttempt, EntryDocument, FailedAttempt, Progress, Submission};
use crate::{AcceptedVerdict, RejectedVerdict, Settlement};
use gateway_domain::ids::ProviderJobId;
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain::regime::{PluginRef, Stamp};
use jiff::Timestamp;

/// How a submission ended, with what existed then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndedStage {
    /// The document became issued by the verdict.
    Accepted {
        /// What the verdict is about.
        attempt: CurrentAttempt,
        /// As the invoice data service was told.
        verdict: AcceptedVerdict,
    },
    /// The document became rejected by the verdict.
    Rejected {
        /// What the verdict is about.
        attempt: CurrentAttempt,
        /// As the invoice data service was told.
        verdict: RejectedVerdict,
    },
    /// A verdict was given by hand, or the document moved without this submission.
    Superseded(Superseded),
    /// The document could not be moved to issuing.
    Withdrawn {
        /// Whether attempts before the next one have still to be looked at.
        check_earlier_attempts: bool,
    },
}

/// How far a submission was when its document went another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Superseded {
    /// It knew no number yet.
    Requested {
        /// Whether attempts before the next one have still to be looked at.
        check_earlier_attempts: bool,
    },
    /// It was between two attempts, or before the first one.
    Numbered {
        /// The number of the document.
        number: InvoiceNumber,
        /// Whether attempts before the next one have still to be looked at.
        check_earlier_attempts: bool,
        /// The last attempt under this number, if there was one.
        failed: Option<FailedAttempt>,
    },
    /// It was in an attempt.
    Attempted {
        /// What was under way then; the authority may answer it yet.
        attempt: CurrentAttempt,
        /// The provider's verdict, where it came too late to count.
        late: Option<Settlement>,
    },
}

/// What another record that the authority accepted under the document's number was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterAttempt {
    /// The provider's job.
    pub job: ProviderJobId,
    /// Which plugin made the document.
    pub plugin: PluginRef,
    /// The structured document, in the entry of the accepted one.
    pub document: EntryDocument,
}

impl Submission {
    /// The accepted submission as if it were about another attempt under its number, for what is kept of that one.
    pub fn under(self, by: LaterAttempt) -> Option<Self> {
        let Progress::Ended(EndedStage::Accepted { attempt, verdict }) = self.progress else { return None };
        let LaterAttempt { job, plugin, document } = by;
        let attempt =
            CurrentAttempt { job, plugin: Some(plugin), document: Some(document), taken_at: None, ..attempt };
        Some(Self { progress: Progress::Ended(EndedStage::Accepted { attempt, verdict }), ..self })
    }

    /// The accepted submission once an amendment replaced its record: what it is about from now on. None where it did not end
    /// accepted.
    pub fn amended(
        self,
        by: LaterAttempt,
        taken_at: Option<Timestamp>,
        verdict: AcceptedVerdict,
        stamps: Vec<Stamp>,
        now: Timestamp,
    ) -> Option<Self> {
        let Progress::Ended(EndedStage::Accepted { attempt, .. }) = self.progress else { return None };
        let LaterAttempt { job, plugin, mut document } = by;
        document.is_renewed = attempt.document.is_some_and(|document| document.is_renewed);
        let attempt = CurrentAttempt {
            number: attempt.number,
            job,
            plugin: Some(plugin),
            document: Some(document),
            taken_at,
        };
        let alert = Settlement::Accept(verdict.clone()).alert();
        let progress = Progress::Ended(EndedStage::Accepted { attempt, verdict });
        Some(Self { progress, stamps, alert, updated_at: now, ..self })
    }
}
