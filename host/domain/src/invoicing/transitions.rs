//! What steps a document takes between its states, and why it does not take one (specification, "Invoice document states"). The rules
//! themselves are in `lifecycle`.

use super::Status;
use crate::ErrorCode;

/// What happened to a document at the invoice data service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentEvent {
    /// A draft was made or edited, or a rejected document was edited.
    Saved,
    /// A draft was deleted.
    Deleted,
    /// It went to the tax authority.
    Issuing,
    /// It is final.
    Issued,
    /// It was issued by another system, and is known here from now on.
    Imported,
    /// The authority accepted an amendment of it: other content under the same number.
    Amended,
    /// It left issuing refused; recorded once, however often the refusal is told.
    Rejected,
}

impl DocumentEvent {
    /// The CloudEvents type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Saved => "DocumentSaved",
            Self::Deleted => "DocumentDeleted",
            Self::Issuing => "DocumentIssuing",
            Self::Issued => "DocumentIssued",
            Self::Imported => "DocumentImported",
            Self::Amended => "DocumentAmended",
            Self::Rejected => "DocumentRejected",
        }
    }
}

/// Why a document takes no edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotEditable {
    /// It waits for the tax authority. The specification gives this text, which the RPC shows as it is.
    #[error("documentLockedWhileIssuing")]
    Locked,
    /// It is final.
    #[error("an issued document cannot be changed: correct it with a credit note")]
    Issued,
    /// It is rejected, and would become a document of another kind.
    #[error("a rejected document stays a document of the kind {0}: write another one under a new UUID")]
    KeepsItsKind(&'static str),
}

impl NotEditable {
    /// What a program tells it by.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Locked => ErrorCode::DocumentLockedWhileIssuing,
            Self::Issued => ErrorCode::DocumentAlreadyIssued,
            Self::KeepsItsKind(_) => ErrorCode::ReadOnly,
        }
    }
}

/// Why a document is not deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("only a draft can be deleted, this document is {found}")]
pub struct NotDeletable {
    /// Any but draft.
    pub found: Status,
}

/// Which states a step to a number, or behind it, is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum SourceStates {
    /// To issuing.
    #[strum(to_string = "draft or rejected")]
    ToIssuing,
    /// To issued.
    #[strum(to_string = "draft or issuing")]
    ToIssued,
    /// To issued under a number that the document had before.
    #[strum(to_string = "issuing or rejected")]
    ToEarlierIssued,
    /// To issued with what an amendment says.
    #[strum(to_string = "issued")]
    ToAmended,
}

/// Why a document cannot be issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IssueError {
    /// No such step leads from the state the document is in.
    #[error("the document is {found}: only {expected} documents can take this step")]
    WrongState {
        /// What it is instead of `expected`.
        found: Status,
        /// What it would have to be.
        expected: SourceStates,
    },
    /// Its kind has no number series. The specification gives this text, which the RPC shows as it is.
    #[error("invoiceInvalidDocumentType")]
    WrongKind,
    /// It corrects a rejected invoice that is not credited yet (rejection strategy B). The RPC shows this text like that of a
    /// wrong kind.
    #[error("correctiveBlocked")]
    Blocked,
    /// It gives back more than is left of a document it refers to.
    #[error("the credit note exceeds what is left of a document it refers to: credit less")]
    ExceedsOriginal,
    /// It gives back of what is no issued invoice in its currency.
    #[error(
        "a document that the credit note refers to is no issued invoice in its currency: refer to what it credits"
    )]
    WrongOriginal,
    /// The next number of its series is one that its supplier used before.
    #[error(
        "the next number was given to another document of the same tax id before: choose another number pattern with 'gateway workspace set --invoice-pattern' (credit notes: '--credit-pattern'), and issue it again"
    )]
    NumberGiven,
    /// It was never sent to the tax authority under the number that was named.
    #[error("the document was never sent under this number: name one of its attempts")]
    NumberUnknown,
    /// It would get a number of a past year by the caller's time alone, and a later year of its series has numbers.
    #[error(
        "the time of the command lies in a past year, and a later year of the series has numbers already: give the document an issue_date, or give a later time"
    )]
    SeriesMovedOn,
    /// It bills nothing.
    #[error("a document without lines cannot be issued: add a line")]
    NoLines,
}

impl IssueError {
    /// What a program tells it by.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::WrongState { .. } => ErrorCode::DocumentWrongState,
            Self::WrongKind => ErrorCode::InvoiceInvalidDocumentType,
            Self::Blocked => ErrorCode::CorrectiveBlocked,
            Self::ExceedsOriginal => ErrorCode::CreditExceedsOriginal,
            Self::WrongOriginal => ErrorCode::CreditOriginalInvalid,
            Self::NumberGiven => ErrorCode::InvoiceNumberGiven,
            Self::NumberUnknown => ErrorCode::InvoiceNumberUnknown,
            Self::SeriesMovedOn => ErrorCode::SeriesMovedOn,
            Self::NoLines => ErrorCode::DocumentWithoutLines,
        }
    }

    /// Those that carry no data besides their code.
    const WITHOUT_DATA: [Self; 8] = [
        Self::WrongKind,
        Self::Blocked,
        Self::ExceedsOriginal,
        Self::WrongOriginal,
        Self::NumberGiven,
        Self::NumberUnknown,
        Self::SeriesMovedOn,
        Self::NoLines,
    ];

    /// What a remote invoice data service refused a step for, of a document that is `found`: the codes that it told; none when
    /// none of them is about an issue.
    pub fn of_codes(codes: &[ErrorCode], found: Status, expected: SourceStates) -> Option<Self> {
        let wrong_state = Self::WrongState { found, expected };
        Self::WITHOUT_DATA.into_iter().chain([wrong_state]).find(|error| codes.contains(&error.code()))
    }
}

/// Why a document cannot be rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the document is {found}: only issuing documents can be rejected")]
pub struct NotRejectable {
    /// Draft or issued.
    pub found: Status,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_of_an_issue_is_known_by_its_code() {
        let place = |error: IssueError| match error {
            IssueError::WrongState { .. } => None,
            IssueError::WrongKind => Some(0),
            IssueError::Blocked => Some(1),
            IssueError::ExceedsOriginal => Some(2),
            IssueError::WrongOriginal => Some(3),
            IssueError::NumberGiven => Some(4),
            IssueError::NumberUnknown => Some(5),
            IssueError::SeriesMovedOn => Some(6),
            IssueError::NoLines => Some(7),
        };
        let places: Vec<_> = IssueError::WITHOUT_DATA.into_iter().map(place).collect();
        assert_eq!(places, (0..8).map(Some).collect::<Vec<_>>());
    }
}
