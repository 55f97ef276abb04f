//! How submissions and their attempts end.

use super::{CurrentAttempt, EndedStage, Open, OpenStage, Settling, Submission, Superseded};
use crate::{AttemptOutcome, AuthorityRecord, RejectedVerdict, Settlement};
use gateway_domain::fault::Fault;
use gateway_domain::ids::ProviderJobId;

/// How an attempt ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptEnd {
    /// Tells which attempt ends: each has a job of its own.
    pub job: ProviderJobId,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// Of a rejection; empty for every other outcome.
    pub faults: Vec<Fault>,
    /// What the authority holds of it; none while nobody knows.
    pub record: Option<AuthorityRecord>,
}

/// How a submission ends, whoever gave the verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// In its last stage, which replaces the open one.
    pub submission: Submission<EndedStage>,
    /// Its attempt, if it was in one.
    pub attempt: Option<AttemptEnd>,
}

impl AttemptEnd {
    /// The document went another way. What the authority does with the attempt is watched, unless `record` says it.
    pub const fn superseded(job: ProviderJobId, record: Option<AuthorityRecord>) -> Self {
        Self { job, outcome: AttemptOutcome::Superseded, faults: Vec::new(), record }
    }

    /// The provider's job ended without a verdict, and another attempt may follow.
    pub const fn failed(job: ProviderJobId, record: Option<AuthorityRecord>) -> Self {
        Self { job, outcome: AttemptOutcome::Failed, faults: Vec::new(), record }
    }
}

impl Settling {
    /// How the attempt ends when the document shows the verdict.
    fn attempt_end(&self) -> AttemptEnd {
        let CurrentAttempt { job, taken_at, .. } = self.attempt;
        match &self.verdict {
            Settlement::Accept(_) => AttemptEnd {
                job,
                outcome: AttemptOutcome::Accepted,
                faults: Vec::new(),
                record: Some(AuthorityRecord::Accepted),
            },
            Settlement::Reject(RejectedVerdict { faults, .. }) => AttemptEnd {
                job,
                outcome: AttemptOutcome::Rejected,
                faults: faults.clone(),
                // Without a job at the provider the authority never heard of it.
                record: Some(match taken_at {
                    Some(_) => AuthorityRecord::Refused,
                    None => AuthorityRecord::Nothing,
                }),
            },
        }
    }
}

impl Submission<Open<Settling>> {
    /// The document shows the verdict; what somebody has to know of it stays.
    pub fn settled(self) -> Ending {
        let (attempt, alert) = (self.open_stage().attempt_end(), self.open_stage().verdict.alert());
        let ended = self.end(|Settling { attempt, verdict }| match verdict {
            Settlement::Accept(verdict) => EndedStage::Accepted { attempt, verdict },
            Settlement::Reject(verdict) => EndedStage::Rejected { attempt, verdict },
        });
        Ending { submission: Submission { alert, ..ended }, attempt: Some(attempt) }
    }

    /// The document went another way, so that the verdict comes too late to count.
    pub fn superseded(self) -> Ending {
        let attempt = AttemptEnd::superseded(self.open_stage().attempt.job, None);
        let submission = self.end(|Settling { attempt, verdict }| {
            EndedStage::Superseded(Superseded::Attempted { attempt, late: Some(verdict) })
        });
        Ending { submission, attempt: Some(attempt) }
    }
}

impl Submission<Open> {
    /// A verdict was given by hand: whatever was under way counts no more.
    pub fn superseded_by_hand(self) -> Ending {
        let attempt = self.open_stage().job().map(|(job, record)| AttemptEnd::superseded(job, record));
        Ending { submission: self.end(OpenStage::superseded_by_hand), attempt }
    }
}
