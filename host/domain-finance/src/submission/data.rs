//! What exists in a stage, side by side.

use super::{
    Converting, CurrentAttempt, EndedStage, EntryDocument, FailedAttempt, Open, OpenStage, Progress,
    Requested, Settling, Starting, Submission, Superseded, Unsent, Uploading, Waiting,
};
use crate::{AcceptedVerdict, CallHistory, RejectedVerdict, Settlement, Stage};
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain::regime::PluginRef;
use jiff::Timestamp;
use serde::Serialize;

/// What exists in a stage, side by side: for views, and for who keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageData<'a> {
    /// As storage and surfaces name it; [`Unsent`] is named as [`Waiting`].
    pub stage: Stage,
    /// The number of the document.
    pub number: Option<&'a InvoiceNumber>,
    /// Whether attempts before the next one have still to be looked at.
    pub check_earlier_attempts: bool,
    /// The structured document with its entry.
    pub document: Option<&'a EntryDocument>,
    /// Which plugin converted, or refused to.
    pub plugin: Option<&'a PluginRef>,
    /// The provider's job of the current attempt.
    pub job: Option<ProviderJobId>,
    /// The provider took the job of the last attempt then.
    pub taken_at: Option<Timestamp>,
    /// None before one is known; of a superseded submission, one that came too late to count.
    pub verdict: Option<VerdictRef<'a>>,
}

/// A verdict, borrowed; written as [`Settlement`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "settlement", rename_all = "snake_case")]
pub enum VerdictRef<'a> {
    /// Borrowed from [`Settlement::Accept`], or from the stage that it ended in.
    Accept(&'a AcceptedVerdict),
    /// Borrowed from [`Settlement::Reject`], or from the stage that it ended in.
    Reject(&'a RejectedVerdict),
}

impl<'a> From<&'a Settlement> for VerdictRef<'a> {
    fn from(verdict: &'a Settlement) -> Self {
        match verdict {
            Settlement::Accept(verdict) => Self::Accept(verdict),
            Settlement::Reject(verdict) => Self::Reject(verdict),
        }
    }
}

impl<'a> StageData<'a> {
    const fn of(stage: Stage) -> Self {
        Self {
            stage,
            number: None,
            check_earlier_attempts: false,
            document: None,
            plugin: None,
            job: None,
            taken_at: None,
            verdict: None,
        }
    }

    const fn numbered(stage: Stage, number: &'a InvoiceNumber, failed: Option<&'a FailedAttempt>) -> Self {
        let Some(FailedAttempt { document, plugin, taken_at }) = failed else {
            return Self { number: Some(number), ..Self::of(stage) };
        };
        Self {
            number: Some(number),
            document: Some(document),
            plugin: Some(plugin),
            taken_at: *taken_at,
            ..Self::of(stage)
        }
    }

    fn attempted(stage: Stage, attempt: &'a CurrentAttempt, verdict: Option<VerdictRef<'a>>) -> Self {
        let CurrentAttempt { number, job, plugin, document, taken_at } = attempt;
        Self {
            number: Some(number),
            document: document.as_ref(),
            plugin: plugin.as_ref(),
            job: Some(*job),
            taken_at: *taken_at,
            verdict,
            ..Self::of(stage)
        }
    }
}

impl OpenStage {
    /// What exists in the stage.
    pub fn data(&self) -> StageData<'_> {
        match self {
            Self::Requested(Requested { check_earlier_attempts }) => StageData {
                check_earlier_attempts: *check_earlier_attempts,
                ..StageData::of(Stage::Requested)
            },
            Self::Converting(Converting { number, check_earlier_attempts, failed }) => StageData {
                check_earlier_attempts: *check_earlier_attempts,
                ..StageData::numbered(Stage::Converting, number, failed.as_ref())
            },
            Self::Uploading(Uploading { number, check_earlier_attempts, document, plugin, job }) => {
                StageData {
                    number: Some(number),
                    check_earlier_attempts: *check_earlier_attempts,
                    document: Some(document),
                    plugin: Some(plugin),
                    job: Some(*job),
                    ..StageData::of(Stage::Uploading)
                }
            }
            Self::Starting(Starting { number, document, plugin, job, taken_at }) => StageData {
                number: Some(number),
                document: Some(document),
                plugin: Some(plugin),
                job: Some(*job),
                taken_at: *taken_at,
                ..StageData::of(Stage::Starting)
            },
            Self::Waiting(Waiting { number, document, plugin, job, taken_at }) => StageData {
                number: Some(number),
                document: Some(document),
                plugin: Some(plugin),
                job: Some(*job),
                taken_at: Some(*taken_at),
                ..StageData::of(Stage::Waiting)
            },
            Self::Unsent(Unsent { number, failed }) => StageData {
                check_earlier_attempts: true,
                ..StageData::numbered(Stage::Waiting, number, Some(failed))
            },
            Self::Settling(Settling { attempt, verdict }) => {
                StageData::attempted(Stage::Settling, attempt, Some(verdict.into()))
            }
        }
    }
}

impl EndedStage {
    /// What exists in the stage.
    pub fn data(&self) -> StageData<'_> {
        match self {
            Self::Accepted { attempt, verdict } => {
                StageData::attempted(Stage::Accepted, attempt, Some(VerdictRef::Accept(verdict)))
            }
            Self::Rejected { attempt, verdict } => {
                StageData::attempted(Stage::Rejected, attempt, Some(VerdictRef::Reject(verdict)))
            }
            Self::Superseded(Superseded::Requested { check_earlier_attempts }) => StageData {
                check_earlier_attempts: *check_earlier_attempts,
                ..StageData::of(Stage::Superseded)
            },
            Self::Superseded(Superseded::Numbered { number, check_earlier_attempts, failed }) => StageData {
                check_earlier_attempts: *check_earlier_attempts,
                ..StageData::numbered(Stage::Superseded, number, failed.as_ref())
            },
            Self::Superseded(Superseded::Attempted { attempt, late }) => {
                StageData::attempted(Stage::Superseded, attempt, late.as_ref().map(VerdictRef::from))
            }
            Self::Withdrawn { check_earlier_attempts } => StageData {
                check_earlier_attempts: *check_earlier_attempts,
                ..StageData::of(Stage::Withdrawn)
            },
        }
    }
}

impl Submission {
    /// What exists in its stage.
    pub fn data(&self) -> StageData<'_> {
        match &self.progress {
            Progress::Open(Open { stage, .. }) => stage.data(),
            Progress::Ended(stage) => stage.data(),
        }
    }

    /// The word for how far it is.
    pub fn stage(&self) -> Stage {
        self.data().stage
    }

    /// Whether nothing is left to do.
    pub const fn has_ended(&self) -> bool {
        match self.progress {
            Progress::Open(_) => false,
            Progress::Ended(_) => true,
        }
    }

    /// Whether its alert stays until somebody asks for a retry.
    pub fn waits_for_somebody(&self) -> bool {
        self.alert.as_ref().is_some_and(|alert| !alert.code.heals_itself())
    }

    /// The number of the document, once it is known.
    pub fn number(&self) -> Option<&InvoiceNumber> {
        self.data().number
    }

    /// The provider's entry of the present number.
    pub fn entry(&self) -> Option<EntryId> {
        self.data().document.map(|document| document.entry)
    }

    /// The provider's job of the current attempt.
    pub fn job(&self) -> Option<ProviderJobId> {
        self.data().job
    }

    /// How the calls of its stage went so far; none once it ended.
    pub const fn calls(&self) -> Option<&CallHistory> {
        match &self.progress {
            Progress::Open(Open { calls, .. }) => Some(calls),
            Progress::Ended(_) => None,
        }
    }

    /// Failed tries of the current call.
    pub fn retries(&self) -> u32 {
        self.calls().map_or(0, |calls| calls.retries)
    }
}
