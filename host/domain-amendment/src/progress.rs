//! The way of an amendment to the authority and back, in steps that each commit on their own.

use crate::{Amendment, AmendmentProgress};
use gateway_domain::fault::Fault;
use gateway_domain::regime::Stamp;
use gateway_domain_finance::{AcceptedVerdict, AttemptEnd, AttemptOutcome, AuthorityRecord, RejectedVerdict};
use jiff::Timestamp;

/// What somebody does about an amendment that waits for them.
pub const SETTLED_BY_HAND: &str = "look at the entry at the provider, then withdraw the amendment with 'gateway invoice withdraw-amendment'";

/// The next thing to do for an amendment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmendmentStage {
    /// The structured document has to take the place of the accepted one in the provider's entry.
    Uploading,
    /// The provider's workflow has to be started.
    Starting,
    /// The provider works.
    Waiting {
        /// It took the job then.
        taken_at: Timestamp,
    },
}

/// What is left to do for an amendment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAmendment {
    /// The next thing to do.
    pub stage: AmendmentStage,
    /// Failed tries of it.
    pub retries: u32,
    /// Why it does not go on, one sentence.
    pub problem: Option<String>,
}

impl OpenAmendment {
    /// At the beginning of a stage.
    pub const fn at(stage: AmendmentStage) -> Self {
        Self { stage, retries: 0, problem: None }
    }
}

impl Amendment {
    /// The amendment at its next stage.
    #[must_use]
    pub fn reached(self, stage: AmendmentStage, now: Timestamp) -> Self {
        Self { progress: AmendmentProgress::Open(OpenAmendment::at(stage)), updated_at: now, ..self }
    }

    /// The provider's entry holds it.
    #[must_use]
    pub fn uploaded(mut self, digest: String, now: Timestamp) -> Self {
        self.filing.digest = Some(digest);
        self.reached(AmendmentStage::Starting, now)
    }

    /// A step that could not be taken; it is taken again.
    #[must_use]
    pub fn delayed(mut self, problem: String, now: Timestamp) -> Self {
        if let AmendmentProgress::Open(open) = &mut self.progress {
            open.retries = open.retries.saturating_add(1);
            open.problem = Some(problem);
        }
        self.updated_at = now;
        self
    }

    /// The authority accepted it.
    #[must_use]
    pub fn accepted(self, verdict: &AcceptedVerdict, stamps: Vec<Stamp>, now: Timestamp) -> Self {
        let acceptance = verdict.acceptance.clone();
        Self {
            progress: AmendmentProgress::Accepted { acceptance, stamps, at: now },
            updated_at: now,
            ..self
        }
    }

    /// It was refused: the accepted record is in force.
    #[must_use]
    pub fn refused(self, verdict: RejectedVerdict, now: Timestamp) -> Self {
        let RejectedVerdict { reason, faults, .. } = verdict;
        Self { progress: AmendmentProgress::Refused { reason, faults, at: now }, updated_at: now, ..self }
    }

    /// Gives it up, where it waits for somebody or nothing of it left the gateway; none where it is on its way, or ended.
    pub fn withdrawn(self, now: Timestamp) -> Option<Self> {
        let open = self.open()?;
        let reason = match (&open.problem, open.stage) {
            (Some(problem), _) => problem.clone(),
            (None, AmendmentStage::Uploading) => "it was withdrawn before it was sent".to_owned(),
            (None, AmendmentStage::Starting | AmendmentStage::Waiting { .. }) => return None,
        };
        Some(Self { progress: AmendmentProgress::Withdrawn { reason, at: now }, updated_at: now, ..self })
    }

    /// How its attempt ends; none while it is under way.
    pub fn attempt_end(&self) -> Option<AttemptEnd> {
        let end = |outcome, faults: &[Fault], record| AttemptEnd {
            job: self.filing.job,
            outcome,
            faults: faults.to_vec(),
            record: Some(record),
        };
        match &self.progress {
            AmendmentProgress::Open(_) => None,
            AmendmentProgress::Accepted { .. } => {
                Some(end(AttemptOutcome::Accepted, &[], AuthorityRecord::Accepted))
            }
            AmendmentProgress::Refused { faults, .. } => {
                Some(end(AttemptOutcome::Rejected, faults, AuthorityRecord::Refused))
            }
            // What the authority holds under the number is the record that it accepted before, as far as anybody knows.
            AmendmentProgress::Withdrawn { .. } => {
                Some(end(AttemptOutcome::Superseded, &[], AuthorityRecord::Nothing))
            }
        }
    }
}
