//! What a command says, checked as far as it can be without looking at the document.

use super::{Command, CommandRefused};
use gateway_domain::invoicing::{
    Acceptance, Content, EditError, InvoiceNumber, Line, Recipient, add_line, remove_line, set_recipient,
    update_line,
};
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::document::{LineForm, TaxCheck};
use gateway_domain_input::is_in_the_future;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

/// A command with what it says.
#[derive(Debug, Clone)]
pub enum CommandForm {
    /// Makes a draft final, or sends it to the tax authority; resubmits a rejected document.
    Issue {
        /// The caller's own time of it; now, when there is none.
        at: Option<Timestamp>,
    },
    /// Drafts a credit note for an issued document.
    Credit {
        /// The caller's own time of it.
        at: Timestamp,
        /// What is given back; all of it, when there are none.
        lines: Option<Vec<Line>>,
    },
    /// Cancels an issued document with a full credit note, which is issued at once.
    Reverse {
        /// The caller's own time of it.
        at: Timestamp,
    },
    /// Records money returned; together never more than was to be paid.
    Refund {
        /// The caller's own time of it.
        at: Timestamp,
        /// How much, in the document's currency.
        amount: Amount,
        /// What the payment is known by elsewhere.
        reference: Option<String>,
    },
    /// Deletes a draft.
    Delete,
    /// Changes the content of a draft or a rejected document.
    Edit(Box<Edit>),
    /// The tax authority accepted.
    Accept(AcceptanceForm),
    /// The tax authority refused.
    Reject(RejectionForm),
    /// Refused in every state: the gateway gives it to itself, within an issue.
    SendToTaxAuthority,
}

impl CommandForm {
    /// Which command it is.
    pub const fn command(&self) -> Command {
        match self {
            Self::Issue { .. } => Command::Issue,
            Self::Credit { .. } => Command::Credit,
            Self::Reverse { .. } => Command::Reverse,
            Self::Refund { .. } => Command::Refund,
            Self::Delete => Command::Delete,
            Self::Edit(edit) => edit.command(),
            Self::Accept(_) => Command::MarkAsAcceptedByTaxAuthority,
            Self::Reject(_) => Command::MarkAsRejectedByTaxAuthority,
            Self::SendToTaxAuthority => Command::SendToTaxAuthority,
        }
    }

    /// The caller's own time of the command.
    pub const fn at(&self) -> Option<Timestamp> {
        match self {
            Self::Issue { at } => *at,
            Self::Credit { at, .. } | Self::Reverse { at } | Self::Refund { at, .. } => Some(*at),
            Self::Delete | Self::Edit(_) | Self::Accept(_) | Self::Reject(_) | Self::SendToTaxAuthority => {
                None
            }
        }
    }

    /// The earlier number that a verdict names.
    pub const fn number(&self) -> Option<&InvoiceNumber> {
        match self {
            Self::Accept(form) => form.number.as_ref(),
            Self::Reject(form) => form.number.as_ref(),
            Self::Issue { .. }
            | Self::Credit { .. }
            | Self::Reverse { .. }
            | Self::Refund { .. }
            | Self::Delete
            | Self::Edit(_)
            | Self::SendToTaxAuthority => None,
        }
    }

    /// Whether the caller's `If-Match` decides about it. The others are about what does not change: the issued document, or
    /// the verdict on its number.
    pub const fn heeds_version(&self) -> bool {
        match self {
            Self::Issue { .. } | Self::Delete | Self::Edit(_) => true,
            Self::Credit { .. }
            | Self::Reverse { .. }
            | Self::Refund { .. }
            | Self::Accept(_)
            | Self::Reject(_)
            | Self::SendToTaxAuthority => false,
        }
    }

    /// The caller's own time of a command may not lie ahead of the gateway's, but for clocks that differ.
    ///
    /// # Errors
    /// What is wrong with `at`.
    pub fn ensure_not_in_the_future(&self, now: Timestamp) -> Result<(), CommandRefused> {
        if self.at().is_some_and(|at| is_in_the_future(at, now)) {
            let error = FieldError::new(
                "at",
                ErrorCode::InTheFuture,
                "lies in the future: give the time of the command",
            );
            return Err(CommandRefused::Invalid(vec![error]));
        }
        Ok(())
    }
}

/// What an edit changes.
#[derive(Debug, Clone)]
pub enum Edit {
    /// Whom the document is for.
    Recipient(Box<Recipient>),
    /// One transaction more.
    Add(String, LineForm),
    /// A transaction otherwise.
    Update(String, LineForm),
    /// One transaction less.
    Remove(String),
}

impl Edit {
    /// Which command it is.
    pub const fn command(&self) -> Command {
        match self {
            Self::Recipient(_) => Command::UpdateRecipient,
            Self::Add(..) => Command::AddTransaction,
            Self::Update(..) => Command::UpdateTransaction,
            Self::Remove(_) => Command::RemoveTransaction,
        }
    }

    /// With this one change; refused where the line or its transaction does not fit.
    pub(super) fn of(self, content: Content, taxes: TaxCheck<'_>) -> Result<Content, CommandRefused> {
        let line = |form: LineForm| form.check("line", taxes).map_err(CommandRefused::Invalid);
        let edited = match self {
            Self::Recipient(recipient) => Ok(set_recipient(content, *recipient)),
            Self::Add(transaction, form) => add_line(content, transaction, line(form)?),
            Self::Update(transaction, form) => update_line(content, transaction, line(form)?),
            Self::Remove(transaction) => remove_line(content, &transaction),
        };
        edited.map_err(CommandRefused::from)
    }
}

impl From<EditError> for CommandRefused {
    fn from(error: EditError) -> Self {
        Self::Rule(FieldError::new("transaction_id", ErrorCode::TransactionRefused, error.to_string()))
    }
}

/// The authority's proof, as given by hand.
#[derive(Debug, Clone)]
pub struct AcceptanceForm {
    /// Where anybody verifies the document.
    pub qr_url: Proof,
    /// The tax system's hash of the record.
    pub tax_system_hash: Proof,
    /// When the authority accepted; now, when nobody knows.
    pub accepted_at: Option<Timestamp>,
    /// The earlier number of the document that the authority accepted; its present one when there is none.
    pub number: Option<InvoiceNumber>,
}

/// The authority's refusal, as given by hand.
#[derive(Debug, Clone, Default)]
pub struct RejectionForm {
    /// What it objects to.
    pub reason: Option<String>,
    /// As the authority gives it; written before the reason. None: the reason stands alone.
    pub code: Option<String>,
    /// The earlier number of the document that the authority does not hold; its present one when there is none.
    pub number: Option<InvoiceNumber>,
}

#[cfg(any(test, feature = "testing"))]
impl RejectionForm {
    /// A refusal for this reason.
    pub fn because(reason: &str) -> Self {
        Self { reason: Some(reason.to_owned()), ..Self::default() }
    }
}

/// A part of the proof. What was only forgotten must not end an invoice for good, so that there is none has to be said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Proof {
    /// Nothing was said of it.
    #[default]
    Unsaid,
    /// The tax system gives none.
    Absent,
    /// What it gave.
    Given(String),
}

/// A text, or null; a member that is left out is the default.
impl<'de> Deserialize<'de> for Proof {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Absent, Self::Given))
    }
}

impl Proof {
    fn into_text(self) -> Result<Option<String>, &'static str> {
        match self {
            Self::Unsaid => {
                Err("is required: use what the tax authority gave, or null if its system gives none")
            }
            Self::Absent => Ok(None),
            Self::Given(text) => Ok(Some(text)),
        }
    }
}

impl AcceptanceForm {
    /// Of a tax system that gives no proof.
    #[cfg(any(test, feature = "testing"))]
    pub const WITHOUT_PROOF: Self =
        Self { qr_url: Proof::Absent, tax_system_hash: Proof::Absent, accepted_at: None, number: None };

    /// The acceptance at `now`, or what is missing of it.
    pub(super) fn acceptance(self, now: Timestamp) -> Result<Acceptance, CommandRefused> {
        match (self.qr_url.into_text(), self.tax_system_hash.into_text()) {
            (Ok(qr_url), Ok(tax_system_hash)) => Ok(Acceptance {
                qr_url,
                tax_system_hash,
                accepted_at: self.accepted_at.unwrap_or(now),
                warnings: Vec::new(),
                sandbox: false,
            }),
            (qr_url, hash) => {
                let missing = [("qr_url", qr_url.err()), ("tax_system_hash", hash.err())];
                let named = missing
                    .into_iter()
                    .filter_map(|(field, why)| Some(FieldError::new(field, ErrorCode::Required, why?)));
                Err(CommandRefused::Invalid(named.collect()))
            }
        }
    }
}
