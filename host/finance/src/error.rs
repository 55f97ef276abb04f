//! Why finance did not do what it was asked.

use gateway_domain::FieldError;
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::ids::NotVersion7;
use gateway_domain::invoicing::IssueError;
use gateway_domain::ports::ConverterError;
use gateway_domain_amendment::AmendmentRefused;
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{CommandRefused, Refusal};
use gateway_invoicing::{DeleteError, RejectError, StepError};

/// Why a document could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The remote invoice data service.
    #[error(transparent)]
    InvoiceData(#[from] InvoiceDataError),
}

/// Why a command was not carried out. Nothing changed, and no number was used.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is no such document.
    #[error("there is no such document")]
    Gone,
    /// The state of the document does not take the command.
    #[error("{}", .0.message())]
    Refused(Refusal),
    /// The document cannot be issued: wrong state, wrong kind, or empty.
    #[error(transparent)]
    Issue(#[from] IssueError),
    /// The pre-flight check found faults the tax authority would refuse.
    #[error("the tax authority would refuse the document: mend the faults and issue it again")]
    Preflight(Vec<Fault>),
    /// The plugin failed in the pre-flight check, which says nothing about the document.
    #[error(
        "the plugin of the tax regime failed on the document: activate a version that does not, and issue it again"
    )]
    PluginBroken(Fault),
    /// The command's body has mistakes.
    #[error("the command has mistakes")]
    Invalid(Vec<FieldError>),
    /// A rule of the command, by its failure code.
    #[error("{}", .0.message)]
    Rule(FieldError),
    /// The document is not amended like this.
    #[error(transparent)]
    Amendment(AmendmentRefused),
    /// The document changed since the caller read it.
    #[error("the document is at version {current}: read it again and repeat the command")]
    Stale {
        /// As stored; the caller expected another one.
        current: i64,
    },
    /// Another command on the document is on its way, and took longer than this one waited for its turn.
    #[error("another command on this document is on its way: repeat this one in a moment")]
    InProgress,
    /// The regime gave no answer for a reason that is not the document's.
    #[error(transparent)]
    Converter(ConverterError),
    /// The remote invoice data service gave no usable answer. What was asked may be carried out all the same.
    #[error(transparent)]
    InvoiceData(InvoiceDataError),
    /// Identifiers are made that the provider does not take.
    #[error(transparent)]
    Ids(#[from] NotVersion7),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CommandError {
    /// Whether the command may be carried out all the same, or is by a repetition: nothing is known of its effect.
    pub const fn leaves_it_open(&self) -> bool {
        match self {
            Self::InvoiceData(_) | Self::Converter(_) => true,
            Self::Store(cause) => !matches!(cause, StoreError::Repeated),
            Self::Gone
            | Self::Refused(_)
            | Self::Issue(_)
            | Self::Preflight(_)
            | Self::PluginBroken(_)
            | Self::Invalid(_)
            | Self::Rule(..)
            | Self::Amendment(_)
            | Self::Ids(_)
            | Self::InProgress
            | Self::Stale { .. } => false,
        }
    }
}

impl From<CommandRefused> for CommandError {
    fn from(refused: CommandRefused) -> Self {
        match refused {
            CommandRefused::State(refusal) => Self::Refused(refusal),
            CommandRefused::Issue(error) => Self::Issue(error),
            CommandRefused::Invalid(errors) => Self::Invalid(errors),
            CommandRefused::Rule(error) => Self::Rule(error),
            CommandRefused::Stale { current } => Self::Stale { current },
        }
    }
}

impl From<AmendmentRefused> for CommandError {
    fn from(refused: AmendmentRefused) -> Self {
        match refused {
            AmendmentRefused::State(refusal) => Self::Refused(refusal),
            refused @ (AmendmentRefused::NoRecord
            | AmendmentRefused::NotOffered
            | AmendmentRefused::AcceptedByHand
            | AmendmentRefused::RemoteDocument
            | AmendmentRefused::Faults(_)
            | AmendmentRefused::NotWaiting
            | AmendmentRefused::UnderWay
            | AmendmentRefused::Unchanged
            | AmendmentRefused::Paths(_)) => Self::Amendment(refused),
        }
    }
}

impl From<ReadError> for CommandError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => Self::Store(error),
            ReadError::InvoiceData(error) => Self::InvoiceData(error),
        }
    }
}

impl From<StepError> for CommandError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Gone => Self::Gone,
            StepError::Issue(error) => Self::Issue(error),
            StepError::Stale { current } => Self::Stale { current },
            StepError::Store(error) => Self::Store(error),
        }
    }
}

impl From<RejectError> for CommandError {
    fn from(error: RejectError) -> Self {
        match error {
            RejectError::Gone => Self::Gone,
            RejectError::NotRejectable(_) => Self::Refused(Refusal::NotIssuing),
            RejectError::Store(error) => Self::Store(error),
        }
    }
}

impl From<DeleteError> for CommandError {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::Gone => Self::Gone,
            DeleteError::NotDeletable(_) => Self::Refused(Refusal::NotADraft),
            DeleteError::Stale { current } => Self::Stale { current },
            DeleteError::Store(cause) => Self::Store(cause),
        }
    }
}
