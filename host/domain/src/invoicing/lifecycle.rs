//! The states of a document and who moves it (specification, "Invoice document states").
//!
//! Prove first, then do what cannot be undone: only [`Invoice::ready_to_issue`] builds a [`ReadyToIssue`],
//! only that proof can reserve a number, and from there on nothing fails.

use super::{Acceptance, Content, Invoice, InvoiceNumber, IssueDay, SeriesKey, State, Status, Totals};
use crate::ErrorCode;
use jiff::Timestamp;
use jiff::civil::Date;

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

/// The proof that a document may take a number. Only a successful check builds it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadyToIssue {
    invoice: Invoice,
    issue_date: Date,
    past_year: bool,
}

/// A document after an edit or a change of its state, and what to record of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// The document as it is now.
    pub invoice: Invoice,
    /// The CloudEvents type, recorded with the document.
    pub event: DocumentEvent,
}

/// What a rejection changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Rejection {
    /// The document is rejected now.
    Now(Box<Transition>),
    /// It was rejected before: first reason and time stand (specification: idempotent).
    Before,
}

impl ReadyToIssue {
    /// As it was when it was checked: nothing of it has changed yet.
    pub const fn document(&self) -> &Invoice {
        &self.invoice
    }

    /// The series the number comes from.
    pub fn series(&self) -> SeriesKey {
        SeriesKey {
            workspace: self.invoice.workspace,
            kind: self.invoice.content.document_type,
            year: self.issue_date.year(),
        }
    }

    /// Whether its number would be of a past year although the document names no issue date. Such a number is given only
    /// while no later year of the series has one.
    pub const fn takes_past_year(&self) -> bool {
        self.past_year
    }

    /// The document to the tax authority, at the caller's own time `at`. Cannot fail.
    pub fn begin_issuing(
        self,
        number: InvoiceNumber,
        send_to_tax_authority: bool,
        at: Timestamp,
        now: Timestamp,
    ) -> Transition {
        let state = State::Issuing { number, since: at };
        self.enter(state, send_to_tax_authority, DocumentEvent::Issuing, now)
    }

    /// The document straight to final, at the caller's own time `at`: the standard flow. Cannot fail.
    pub fn issue(self, number: InvoiceNumber, at: Timestamp, now: Timestamp) -> Transition {
        let state = State::Issued { number, at, acceptance: None, imported: None };
        self.enter(state, false, DocumentEvent::Issued, now)
    }

    fn enter(self, state: State, send: bool, event: DocumentEvent, now: Timestamp) -> Transition {
        let mut invoice = self.invoice.with_state(state, now);
        invoice.content.issue_date = Some(self.issue_date);
        invoice.send_to_tax_authority = send;
        Transition { invoice, event }
    }
}

impl Invoice {
    /// Whether the tax authority accepted it with remarks: what it calls errors, and has to be amended where its rules say so.
    pub fn is_accepted_with_errors(&self) -> bool {
        match &self.state {
            State::Issued { acceptance, .. } => {
                acceptance.as_ref().is_some_and(|proof| !proof.warnings.is_empty())
            }
            State::Draft | State::Issuing { .. } | State::Rejected { .. } => false,
        }
    }

    /// The state of the document as the one that comes after this one, at `now`.
    fn with_state(self, state: State, now: Timestamp) -> Self {
        Self { state, version: self.version.saturating_add(1), updated_at: now, ..self }
    }

    /// The document with other content. A rejected document stays rejected until it is resubmitted.
    pub fn edit(self, content: Content, totals: Totals, now: Timestamp) -> Result<Transition, NotEditable> {
        match self.state {
            // Its number belongs to a series of its kind, and what corrects or credits it knows it by that.
            State::Rejected { .. } if content.document_type != self.content.document_type => {
                Err(NotEditable::KeepsItsKind(self.content.document_type.as_str()))
            }
            State::Draft | State::Rejected { .. } => {
                let state = self.state.clone();
                let invoice = Self { content, totals, ..self }.with_state(state, now);
                Ok(Transition { invoice, event: DocumentEvent::Saved })
            }
            State::Issuing { .. } => Err(NotEditable::Locked),
            State::Issued { .. } => Err(NotEditable::Issued),
        }
    }

    /// Whether the document may be deleted.
    pub fn deletable(&self) -> Result<(), NotDeletable> {
        match self.state {
            State::Draft => Ok(()),
            State::Issuing { .. } | State::Issued { .. } | State::Rejected { .. } => {
                Err(NotDeletable { found: self.state.status() })
            }
        }
    }

    /// Whether the document may go to the tax authority: a draft, or a rejected document again.
    /// `day` is the one of the command, and the issue date when the document has none.
    pub fn ready_to_issue(self, day: IssueDay) -> Result<ReadyToIssue, IssueError> {
        match self.state {
            State::Draft | State::Rejected { .. } => self.ready(day),
            State::Issuing { .. } | State::Issued { .. } => {
                Err(IssueError::WrongState { found: self.state.status(), expected: SourceStates::ToIssuing })
            }
        }
    }

    /// Whether the document may be issued without the tax authority: only a draft.
    pub fn ready_for_standard_issue(self, day: IssueDay) -> Result<ReadyToIssue, IssueError> {
        match self.state {
            State::Draft => self.ready(day),
            State::Issuing { .. } | State::Issued { .. } | State::Rejected { .. } => {
                Err(IssueError::WrongState { found: self.state.status(), expected: SourceStates::ToIssued })
            }
        }
    }

    /// Refuses a document that can never get a number, whatever its state: of a kind without series, or without lines.
    pub fn ensure_billable(&self) -> Result<(), IssueError> {
        if !self.content.document_type.has_series() {
            return Err(IssueError::WrongKind);
        }
        if self.content.lines.is_empty() { Err(IssueError::NoLines) } else { Ok(()) }
    }

    fn ready(self, day: IssueDay) -> Result<ReadyToIssue, IssueError> {
        self.ensure_billable()?;
        let past_year = self.content.issue_date.is_none() && day.is_of_a_past_year();
        let issue_date = self.content.issue_date.unwrap_or(day.day());
        Ok(ReadyToIssue { invoice: self, issue_date, past_year })
    }

    /// The document final, after the authority accepted it: it keeps its number.
    pub fn accept(self, acceptance: Option<Acceptance>, now: Timestamp) -> Result<Transition, IssueError> {
        match self.state {
            State::Issuing { ref number, .. } => {
                let state = State::Issued { number: number.clone(), at: now, acceptance, imported: None };
                Ok(Transition { invoice: self.with_state(state, now), event: DocumentEvent::Issued })
            }
            State::Draft | State::Issued { .. } | State::Rejected { .. } => {
                Err(IssueError::WrongState { found: self.state.status(), expected: SourceStates::ToIssued })
            }
        }
    }

    /// The document final as it was when it was `sent` under an earlier number: the authority accepted that record, although
    /// the document counted as rejected. Its content is what the authority holds, whatever was edited since.
    pub fn accept_earlier(
        self,
        sent: Self,
        acceptance: Acceptance,
        now: Timestamp,
    ) -> Result<Transition, IssueError> {
        match (&self.state, sent.state.number().cloned()) {
            (State::Rejected { .. } | State::Issuing { .. }, Some(number)) => {
                let state = State::Issued { number, at: now, acceptance: Some(acceptance), imported: None };
                let mut invoice = self.with_state(state, now);
                (invoice.content, invoice.totals) = (sent.content, sent.totals);
                invoice.send_to_tax_authority = true;
                Ok(Transition { invoice, event: DocumentEvent::Issued })
            }
            (State::Draft | State::Issued { .. } | State::Rejected { .. } | State::Issuing { .. }, _) => {
                Err(IssueError::WrongState {
                    found: self.state.status(),
                    expected: SourceStates::ToEarlierIssued,
                })
            }
        }
    }

    /// The document as an amendment of it says, which the authority accepted with this proof: it keeps its number, and since when
    /// it is final.
    pub fn amend(
        self,
        content: Content,
        totals: Totals,
        acceptance: Acceptance,
        now: Timestamp,
    ) -> Result<Transition, IssueError> {
        match &self.state {
            State::Issued { number, at, imported, .. } => {
                let (number, imported) = (number.clone(), imported.clone());
                let state = State::Issued { number, at: *at, acceptance: Some(acceptance), imported };
                let invoice = Self { content, totals, ..self }.with_state(state, now);
                Ok(Transition { invoice, event: DocumentEvent::Amended })
            }
            State::Draft | State::Issuing { .. } | State::Rejected { .. } => {
                Err(IssueError::WrongState { found: self.state.status(), expected: SourceStates::ToAmended })
            }
        }
    }

    /// The document refused by the authority. Its number is kept for the record and never used again.
    pub fn reject(self, reason: String, now: Timestamp) -> Result<Rejection, NotRejectable> {
        match self.state {
            State::Issuing { ref number, .. } => {
                let state = State::Rejected { number: number.clone(), at: now, reason };
                let invoice = self.with_state(state, now);
                Ok(Rejection::Now(Box::new(Transition { invoice, event: DocumentEvent::Rejected })))
            }
            State::Rejected { .. } => Ok(Rejection::Before),
            State::Draft | State::Issued { .. } => Err(NotRejectable { found: self.state.status() }),
        }
    }
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
