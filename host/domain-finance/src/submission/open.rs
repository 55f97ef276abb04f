//! The stages of a submission that has something left to do, and the steps from each of them.

use super::{CurrentAttempt, EndedStage, EntryDocument, FailedAttempt, Superseded};
use crate::{AcceptedVerdict, AuthorityRecord, CallError, RejectedVerdict, Settlement};
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain::regime::PluginRef;
use jiff::Timestamp;

/// A stage with something left to do, and how the calls of it went so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open<S = OpenStage> {
    /// What is to be done.
    pub stage: S,
    /// How the calls of this stage went so far.
    pub calls: CallHistory,
}

/// How the calls of a stage went so far; every stage begins with none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallHistory {
    /// Failed tries of the current call.
    pub retries: u32,
    /// How the last of them failed.
    pub last_error: Option<CallError>,
    /// The call waits until then, because the provider answered nobody.
    pub held_until: Option<Timestamp>,
}

/// What is left to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenStage {
    /// The document is moved to issuing.
    Requested(Requested),
    /// The document is converted.
    Converting(Converting),
    /// The structured document is stored at the provider.
    Uploading(Uploading),
    /// The provider's workflow is started.
    Starting(Starting),
    /// The provider runs the job; its webhook or the poll ends this.
    Waiting(Waiting),
    /// The provider's job ended and had sent nothing. Shown as waiting: it waits for the operator's retry.
    Unsent(Unsent),
    /// The invoice data service is told the verdict.
    Settling(Settling),
}

/// The intent is recorded; the invoice data service has to move the document to issuing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requested {
    /// Whether attempts before the next one have still to be looked at: the authority may have accepted one.
    pub check_earlier_attempts: bool,
}

/// The number is known; the plugin has to convert the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converting {
    /// The number of the document.
    pub number: InvoiceNumber,
    /// Whether attempts before the next one have still to be looked at.
    pub check_earlier_attempts: bool,
    /// The last attempt under this number, if there was one.
    pub failed: Option<FailedAttempt>,
}

/// The structured document has to be stored at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uploading {
    /// The number of the document.
    pub number: InvoiceNumber,
    /// Whether attempts before this one have still to be looked at. Nothing is sent before that.
    pub check_earlier_attempts: bool,
    /// What is to be stored.
    pub document: EntryDocument,
    /// Which plugin made it.
    pub plugin: PluginRef,
    /// The job that will be started.
    pub job: ProviderJobId,
}

/// The provider's workflow has to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starting {
    /// The number of the document.
    pub number: InvoiceNumber,
    /// What the provider stored.
    pub document: EntryDocument,
    /// Which plugin made it.
    pub plugin: PluginRef,
    /// The gateway chose its id when the document was converted.
    pub job: ProviderJobId,
    /// The provider took that job then, and does not know it any more; none: it was not started yet.
    pub taken_at: Option<Timestamp>,
}

/// The provider works; its webhook or the poll ends this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The number of the document.
    pub number: InvoiceNumber,
    /// What the provider stored.
    pub document: EntryDocument,
    /// Which plugin made it.
    pub plugin: PluginRef,
    /// The provider's job.
    pub job: ProviderJobId,
    /// The provider took that job then.
    pub taken_at: Timestamp,
}

/// The provider's job ended before anything was sent to the authority, and stays so: the operator's retry begins another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsent {
    /// The number of the document.
    pub number: InvoiceNumber,
    /// The attempt whose job ended.
    pub failed: FailedAttempt,
}

/// The verdict is known; the invoice data service has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settling {
    /// What the verdict is about.
    pub attempt: CurrentAttempt,
    /// The invoice data service is told by its [`Settlement::call`].
    pub verdict: Settlement,
}

impl<S> Open<S> {
    /// None of its calls was tried yet.
    pub fn new(stage: S) -> Self {
        Self { stage, calls: CallHistory::default() }
    }
}

impl Requested {
    /// The invoice data service moved the document to issuing under `number`.
    pub const fn numbered(self, number: InvoiceNumber) -> Converting {
        Converting { number, check_earlier_attempts: self.check_earlier_attempts, failed: None }
    }

    /// The document could not be moved to issuing.
    pub const fn withdrawn(self) -> EndedStage {
        EndedStage::Withdrawn { check_earlier_attempts: self.check_earlier_attempts }
    }

    /// The document went another way.
    pub const fn superseded(self) -> EndedStage {
        EndedStage::Superseded(Superseded::Requested { check_earlier_attempts: self.check_earlier_attempts })
    }
}

impl Converting {
    /// The entry of this number, if it has one: there is one for each number.
    pub fn entry(&self) -> Option<EntryId> {
        self.failed.as_ref().map(|failed| failed.document.entry)
    }

    /// The plugin converted the document; it is stored under `entry`, and `job` is to be started.
    pub fn converted(
        self,
        entry: EntryId,
        structured: String,
        plugin: PluginRef,
        job: ProviderJobId,
    ) -> Uploading {
        let stored = self.failed.map(|failed| failed.document).filter(|stored| stored.entry == entry);
        let document = match stored {
            Some(stored) => EntryDocument { structured: structured.into(), ..stored },
            None => EntryDocument { entry, is_renewed: false, digest: None, structured: structured.into() },
        };
        let check_earlier_attempts = self.check_earlier_attempts;
        Uploading { number: self.number, check_earlier_attempts, document, plugin, job }
    }

    /// The document cannot be converted: an attempt, known as `job`, that ended before the provider heard of it.
    pub fn unconvertible(
        self,
        plugin: Option<PluginRef>,
        job: ProviderJobId,
        verdict: RejectedVerdict,
    ) -> Settling {
        let document = self.failed.map(|failed| failed.document);
        let attempt = CurrentAttempt { number: self.number, job, plugin, document, taken_at: None };
        Settling { attempt, verdict: Settlement::Reject(verdict) }
    }

    /// The document went another way.
    pub fn superseded(self) -> EndedStage {
        let Self { number, check_earlier_attempts, failed } = self;
        EndedStage::Superseded(Superseded::Numbered { number, check_earlier_attempts, failed })
    }
}

impl Uploading {
    /// The attempts before this one have ended, and the authority holds none of them.
    #[must_use]
    pub fn earlier_attempts_checked(self) -> Self {
        Self { check_earlier_attempts: false, ..self }
    }

    /// The provider keeps another document under the entry: it is stored under `entry`.
    #[must_use]
    pub fn renewed(self, entry: EntryId) -> Self {
        let document = EntryDocument { entry, is_renewed: true, digest: None, ..self.document };
        Self { document, ..self }
    }

    /// The provider stored the document, and showed one with this `digest`.
    pub fn uploaded(self, digest: String) -> Starting {
        let document = EntryDocument { digest: Some(digest), ..self.document };
        Starting { number: self.number, document, plugin: self.plugin, job: self.job, taken_at: None }
    }

    /// The document is refused before a job was started.
    pub fn refused(self, verdict: RejectedVerdict) -> Settling {
        Settling { verdict: Settlement::Reject(verdict), attempt: self.into() }
    }

    /// The authority accepted the very document when `job` sent it before: the job of this attempt is not needed.
    pub fn accepted_before(self, job: ProviderJobId, verdict: AcceptedVerdict) -> Settling {
        let attempt = CurrentAttempt { job, ..self.into() };
        Settling { verdict: Settlement::Accept(verdict), attempt }
    }
}

impl Starting {
    /// The provider has the job, `since` then.
    pub fn started(self, since: Timestamp) -> Waiting {
        let Self { number, document, plugin, job, taken_at: _ } = self;
        Waiting { number, document, plugin, job, taken_at: since }
    }
}

impl Waiting {
    /// The provider still has the job, `since` then.
    #[must_use]
    pub fn running_since(self, since: Timestamp) -> Self {
        Self { taken_at: since, ..self }
    }

    /// The provider does not know the job any more: the same call starts it again.
    pub fn lost(self) -> Starting {
        let Self { number, document, plugin, job, taken_at } = self;
        Starting { number, document, plugin, job, taken_at: Some(taken_at) }
    }

    /// The provider's job ended with this verdict.
    pub fn with_verdict(self, verdict: Settlement) -> Settling {
        Settling { verdict, attempt: self.into() }
    }

    /// The provider's job ended, and had sent nothing to the authority.
    pub fn never_sent(self) -> Unsent {
        let Self { number, document, plugin, taken_at, .. } = self;
        Unsent { number, failed: FailedAttempt { document, plugin, taken_at: Some(taken_at) } }
    }
}

impl Unsent {
    /// Another attempt begins; what became of the others is looked at first.
    pub fn retried(self) -> Converting {
        Converting { number: self.number, check_earlier_attempts: true, failed: Some(self.failed) }
    }
}

impl OpenStage {
    /// The job at hand, and what is known of the authority's part in it: before the stage that starts the job, nothing of
    /// it can reach the authority, however late a call arrives.
    pub const fn job(&self) -> Option<(ProviderJobId, Option<AuthorityRecord>)> {
        match self {
            Self::Requested(_) | Self::Converting(_) | Self::Unsent(_) => None,
            Self::Uploading(Uploading { job, .. }) => Some((*job, Some(AuthorityRecord::Nothing))),
            Self::Starting(Starting { job, .. })
            | Self::Waiting(Waiting { job, .. })
            | Self::Settling(Settling { attempt: CurrentAttempt { job, .. }, .. }) => Some((*job, None)),
        }
    }

    /// A verdict was given by hand: whatever was under way counts no more.
    pub fn superseded_by_hand(self) -> EndedStage {
        let check_earlier_attempts = false;
        EndedStage::Superseded(match self {
            Self::Requested(_) => Superseded::Requested { check_earlier_attempts },
            Self::Converting(Converting { number, failed, .. }) => {
                Superseded::Numbered { number, check_earlier_attempts, failed }
            }
            Self::Unsent(Unsent { number, failed }) => {
                Superseded::Numbered { number, check_earlier_attempts, failed: Some(failed) }
            }
            Self::Uploading(stage) => Superseded::Attempted { attempt: stage.into(), late: None },
            Self::Starting(stage) => Superseded::Attempted { attempt: stage.into(), late: None },
            Self::Waiting(stage) => Superseded::Attempted { attempt: stage.into(), late: None },
            Self::Settling(stage) => Superseded::Attempted { attempt: stage.attempt, late: None },
        })
    }

    /// The operator's retry: the same step again, or, with `new_job`, another attempt in the place of one whose job ended.
    #[must_use]
    pub fn retried(self, new_job: bool) -> Self {
        match self {
            Self::Waiting(waiting) if new_job => waiting.never_sent().retried().into(),
            stage @ (Self::Requested(_)
            | Self::Converting(_)
            | Self::Uploading(_)
            | Self::Starting(_)
            | Self::Waiting(_)
            | Self::Unsent(_)
            | Self::Settling(_)) => stage,
        }
    }
}

/// What a verdict about an attempt keeps of the stage in which it was given.
macro_rules! current_attempts {
    ($($stage:ident: $taken_at:expr;)+) => {$(
        impl From<$stage> for CurrentAttempt {
            fn from(stage: $stage) -> Self {
                let taken_at: fn(&$stage) -> Option<Timestamp> = $taken_at;
                let taken_at = taken_at(&stage);
                let $stage { number, document, plugin, job, .. } = stage;
                Self { number, job, plugin: Some(plugin), document: Some(document), taken_at }
            }
        }
    )+};
}
current_attempts! {
    Uploading: |_| None;
    Starting: |stage| stage.taken_at;
    Waiting: |stage| Some(stage.taken_at);
}

macro_rules! open_stages {
    ($($stage:ident)+) => {$(
        impl From<$stage> for OpenStage {
            fn from(stage: $stage) -> Self {
                Self::$stage(stage)
            }
        }
    )+};
}
open_stages! { Requested Converting Uploading Starting Waiting Unsent Settling }
