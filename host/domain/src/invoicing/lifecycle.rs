//! The states of a document and who moves it (specification, "Invoice document states").
//!
//! Prove first, then do what cannot be undone: only [`Invoice::ready_to_issue`] builds a [`ReadyToIssue`],
//! only that proof can reserve a number, and from there on nothing fails.

use super::{
    Acceptance, Content, DocumentEvent, Invoice, InvoiceNumber, IssueDay, IssueError, NotDeletable,
    NotEditable, NotRejectable, SeriesKey, SourceStates, State, Totals,
};
use jiff::Timestamp;
use jiff::civil::Date;

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
