//! Why the rules refuse a command.

use super::Refusal;
use gateway_domain::invoicing::{IssueError, NotCreditable, NotEditable, NotRefundable};
use gateway_domain::{ErrorCode, FieldError};

/// Why a command is refused by the rules. Nothing changed, and no number was used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandRefused {
    /// The state of the document does not take the command.
    #[error("{}", .0.message())]
    State(Refusal),
    /// The document cannot be issued.
    #[error(transparent)]
    Issue(#[from] IssueError),
    /// What the command says has mistakes.
    #[error("the command has mistakes")]
    Invalid(Vec<FieldError>),
    /// A rule of the command, by its failure code.
    #[error("{}", .0.message)]
    Rule(FieldError),
    /// The document changed since the caller read it.
    #[error("the document is at version {current}: read it again and repeat the command")]
    Stale {
        /// As stored; the caller expected another one.
        current: i64,
    },
}

impl From<NotEditable> for CommandRefused {
    fn from(error: NotEditable) -> Self {
        Self::Rule(FieldError::new("base", ErrorCode::DocumentLocked, error.to_string()))
    }
}

impl From<NotCreditable> for CommandRefused {
    fn from(error: NotCreditable) -> Self {
        let field = match error {
            NotCreditable::BeforeIssue(_) => "at".to_owned(),
            NotCreditable::WrongDocument { .. }
            | NotCreditable::OtherCurrency { .. }
            | NotCreditable::CreditedAlready { .. } => "base".to_owned(),
            NotCreditable::UnknownTax { line } => format!("lines[{line}].tax"),
            NotCreditable::Negative { .. }
            | NotCreditable::Exceeds { .. }
            | NotCreditable::NoLines
            | NotCreditable::Totals(_) => "lines".to_owned(),
        };
        Self::Rule(FieldError::new(field, ErrorCode::CreditRefused, error.to_string()))
    }
}

impl From<NotRefundable> for CommandRefused {
    fn from(error: NotRefundable) -> Self {
        let field = match error {
            NotRefundable::BeforeIssue(_) => "at",
            NotRefundable::NotPositive
            | NotRefundable::TooFine
            | NotRefundable::Exceeds { .. }
            | NotRefundable::TooLarge(_) => "amount",
        };
        Self::Rule(FieldError::new(field, ErrorCode::RefundRefused, error.to_string()))
    }
}
