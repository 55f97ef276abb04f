//! What commands are decided from.

use super::{
    AcceptanceForm, AuthorityRecord, Command, Edit, Open, RejectionForm, Requested, Route, Settling,
    Submission,
};
use gateway_domain::ids::{InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, CreditNoteTotals, Invoice, Line};
use gateway_domain::money::Amount;
use gateway_domain::regime::RegimeDescription;
use jiff::Timestamp;
use jiff::civil::Date;
use std::sync::Arc;

/// A job that the document was sent with under an earlier number.
#[derive(Debug, Clone, PartialEq)]
pub struct SentJob {
    /// The provider's job.
    pub job: ProviderJobId,
    /// What the tax authority holds of it; none while nobody knows.
    pub authority_record: Option<AuthorityRecord>,
    /// The proof of an acceptance that was learned of after the job had ended.
    pub acceptance: Option<Acceptance>,
}

/// The credit notes of a document, drafts included.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreditNotes {
    /// All of them; at a remote invoice data service also one that was deleted there.
    pub notes: Vec<InvoiceId>,
    /// What those that can be read take of the document.
    pub credited: Vec<CreditNoteTotals>,
}

/// What the document of a verdict was sent with under the number that the verdict names.
#[derive(Debug, Clone, PartialEq)]
pub struct SentUnder {
    /// None: it is no number of the document.
    pub jobs: Vec<SentJob>,
    /// The document's submission, under whatever number.
    pub submission: Option<Submission>,
}

/// What a command is decided from, read with nothing held, and compared again where its plan is executed.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The document, as it was read.
    pub document: Invoice,
    /// By the gateway's clock; the time of an acceptance whose form names none.
    pub now: Timestamp,
    /// The command, with what its rules ask about.
    pub command: CommandFacts,
}

/// A command with what its rules ask about besides the document, so that none is decided without it.
#[derive(Debug, Clone)]
pub enum CommandFacts {
    /// See [`super::CommandForm::Issue`].
    Issue {
        /// The caller's own time of it.
        at: Option<Timestamp>,
        /// Which way the document goes.
        route: Route,
        /// Whether it is a corrective that waits for the invoice it corrects.
        is_blocked: bool,
        /// Read before the document: one that another request moved meanwhile is seen issuing.
        submission: Option<Submission>,
    },
    /// The issue to the tax authority that a command left when its process died.
    Resume {
        /// The caller's own time of that command.
        at: Option<Timestamp>,
        /// As the command left it.
        submission: Box<Submission<Open<Requested>>>,
    },
    /// See [`super::CommandForm::Credit`].
    Credit {
        /// What is given back; all of it, when there are none.
        lines: Option<Vec<Line>>,
        /// The credit notes of the document.
        credit_notes: CreditNotes,
        /// The day of the command, in the time zone of the workspace.
        day: Date,
    },
    /// See [`super::CommandForm::Reverse`].
    Reverse {
        /// The caller's own time of it.
        at: Timestamp,
        /// The credit notes of the document.
        credit_notes: CreditNotes,
        /// The day of the command, in the time zone of the workspace.
        day: Date,
    },
    /// See [`super::CommandForm::Refund`].
    Refund {
        /// The caller's own time of it.
        at: Timestamp,
        /// How much, in the document's currency.
        amount: Amount,
        /// What the payment is known by to others.
        reference: Option<String>,
        /// What was returned of the document so far.
        refunded: Vec<Amount>,
        /// The day of the command, in the time zone of the workspace.
        day: Date,
    },
    /// See [`super::CommandForm::Delete`].
    Delete,
    /// See [`super::CommandForm::Edit`].
    Edit {
        /// What changes.
        edit: Box<Edit>,
        /// The tax regime of the workspace, which checks the taxes of lines; without one only their syntax is checked.
        regime: Option<Arc<RegimeDescription>>,
    },
    /// See [`super::CommandForm::Accept`].
    Accept {
        /// The proof.
        form: AcceptanceForm,
        /// None for a verdict that names no number.
        sent: Option<SentUnder>,
    },
    /// See [`super::CommandForm::Reject`].
    Reject {
        /// Why.
        form: RejectionForm,
        /// None for a verdict that names no number.
        sent: Option<SentUnder>,
    },
    /// The provider's verdict, which the submission keeps that waits for it to be told.
    Settle(Box<Settling>),
    /// See [`super::CommandForm::SendToTaxAuthority`].
    SendToTaxAuthority,
}

impl CommandFacts {
    /// The command that the document's state has to take; none for the provider's verdict, which is told in any state.
    pub const fn command(&self) -> Option<Command> {
        Some(match self {
            Self::Issue { .. } | Self::Resume { .. } => Command::Issue,
            Self::Credit { .. } => Command::Credit,
            Self::Reverse { .. } => Command::Reverse,
            Self::Refund { .. } => Command::Refund,
            Self::Delete => Command::Delete,
            Self::Edit { edit, .. } => edit.command(),
            Self::Accept { .. } => Command::MarkAsAcceptedByTaxAuthority,
            Self::Reject { .. } => Command::MarkAsRejectedByTaxAuthority,
            Self::SendToTaxAuthority => Command::SendToTaxAuthority,
            Self::Settle(_) => return None,
        })
    }

    /// Which way the document was to go when its issue was decided.
    pub const fn route(&self) -> Option<Route> {
        match self {
            Self::Issue { route, .. } => Some(*route),
            Self::Resume { .. }
            | Self::Credit { .. }
            | Self::Reverse { .. }
            | Self::Refund { .. }
            | Self::Delete
            | Self::Edit { .. }
            | Self::Accept { .. }
            | Self::Reject { .. }
            | Self::Settle(_)
            | Self::SendToTaxAuthority => None,
        }
    }

    /// The submission of an issue, as it was read.
    pub const fn submission(&self) -> Option<&Submission> {
        match self {
            Self::Issue { submission, .. } => submission.as_ref(),
            Self::Resume { .. }
            | Self::Credit { .. }
            | Self::Reverse { .. }
            | Self::Refund { .. }
            | Self::Delete
            | Self::Edit { .. }
            | Self::Accept { .. }
            | Self::Reject { .. }
            | Self::Settle(_)
            | Self::SendToTaxAuthority => None,
        }
    }

    /// The submission of an issue that a command left.
    pub fn resumed(&self) -> Option<&Submission<Open<Requested>>> {
        match self {
            Self::Resume { submission, .. } => Some(submission),
            Self::Issue { .. }
            | Self::Credit { .. }
            | Self::Reverse { .. }
            | Self::Refund { .. }
            | Self::Delete
            | Self::Edit { .. }
            | Self::Accept { .. }
            | Self::Reject { .. }
            | Self::Settle(_)
            | Self::SendToTaxAuthority => None,
        }
    }

    /// The credit notes that were counted.
    pub const fn credit_notes(&self) -> Option<&CreditNotes> {
        match self {
            Self::Credit { credit_notes, .. } | Self::Reverse { credit_notes, .. } => Some(credit_notes),
            Self::Issue { .. }
            | Self::Resume { .. }
            | Self::Refund { .. }
            | Self::Delete
            | Self::Edit { .. }
            | Self::Accept { .. }
            | Self::Reject { .. }
            | Self::Settle(_)
            | Self::SendToTaxAuthority => None,
        }
    }

    /// The refunds that were counted.
    pub fn refunded(&self) -> Option<&[Amount]> {
        match self {
            Self::Refund { refunded, .. } => Some(refunded),
            Self::Issue { .. }
            | Self::Resume { .. }
            | Self::Credit { .. }
            | Self::Reverse { .. }
            | Self::Delete
            | Self::Edit { .. }
            | Self::Accept { .. }
            | Self::Reject { .. }
            | Self::Settle(_)
            | Self::SendToTaxAuthority => None,
        }
    }

    /// What was sent under the number that a verdict names.
    pub const fn sent(&self) -> Option<&SentUnder> {
        match self {
            Self::Accept { sent, .. } | Self::Reject { sent, .. } => sent.as_ref(),
            Self::Issue { .. }
            | Self::Resume { .. }
            | Self::Credit { .. }
            | Self::Reverse { .. }
            | Self::Refund { .. }
            | Self::Delete
            | Self::Edit { .. }
            | Self::Settle(_)
            | Self::SendToTaxAuthority => None,
        }
    }
}
