//! What a command comes to, decided and not carried out yet: a call to the invoice data service, what finance records, and
//! what is decided anew afterwards.

use super::{FinanceEvent, Stage};
use gateway_domain::ids::ProviderJobId;
use gateway_domain::invoicing::{Acceptance, Content, Invoice, InvoiceNumber};
use gateway_domain::money::Amount;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What finance records once the call is carried out, or at once when there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", content = "of", rename_all = "snake_case")]
pub enum Record {
    /// Nothing.
    Nothing,
    /// This happened to the document.
    Event(FinanceEvent),
    /// A credit note was drafted for the document.
    Credited,
    /// A credit note for all of the document was drafted.
    Reversed,
    /// A corrective was drafted beside the rejected document.
    Corrective,
    /// Money was returned.
    Refunded {
        /// How much, in the document's currency.
        amount: Amount,
        /// What the payment is known by elsewhere.
        reference: Option<String>,
        /// When.
        at: Timestamp,
    },
    /// It goes to the tax authority: its submission has its number.
    Submitted,
    /// A verdict was given by hand.
    Verdict,
    /// The provider's verdict, which the submission keeps that waits for it to be told.
    Settled,
    /// The authority holds the document under an earlier number, whose jobs these are.
    EarlierAccepted {
        /// All that were sent under that number.
        jobs: Vec<ProviderJobId>,
        /// As the provider showed it, or as somebody gave it by hand.
        acceptance: Acceptance,
    },
    /// The authority holds nothing under an earlier number, whose jobs these are.
    EarlierRefuted {
        /// All that were sent under that number.
        jobs: Vec<ProviderJobId>,
    },
}

/// What is decided anew once a plan is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "then", rename_all = "snake_case")]
pub enum NextStep {
    /// The document that the plan made is issued.
    Issue {
        /// The caller's own time of it.
        at: Option<Timestamp>,
    },
}

/// What a command comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The document of the command, as it was when this was decided.
    pub document: Invoice,
    /// What is asked of the invoice data service.
    pub call: Option<InvoiceDataCall>,
    /// What finance records.
    pub record: Record,
    /// What is decided anew afterwards.
    pub then: Option<NextStep>,
    /// The document that the command answers with, as far as it can be foreseen: the one of the call.
    pub result: Invoice,
}

impl Plan {
    /// The failpoint at the commit of a plan.
    pub fn commit_point(&self) -> &'static str {
        let is_settled = self.record == Record::Settled;
        match &self.call {
            Some(InvoiceDataCall::Issue { .. }) if is_settled => Stage::Accepted.commit_point(),
            Some(InvoiceDataCall::Reject { .. }) if is_settled => Stage::Rejected.commit_point(),
            None if is_settled => Stage::Superseded.commit_point(),
            Some(InvoiceDataCall::Issue { acceptance: None, .. }) => "standard",
            Some(InvoiceDataCall::BeginIssuing { .. }) => "issuing",
            Some(
                InvoiceDataCall::Save { .. }
                | InvoiceDataCall::Delete { .. }
                | InvoiceDataCall::Issue { .. }
                | InvoiceDataCall::IssueEarlier { .. }
                | InvoiceDataCall::Reject { .. },
            )
            | None => "command",
        }
    }

    /// A plan about the document itself, which shows `result` afterwards.
    pub const fn about(document: Invoice, call: InvoiceDataCall, record: Record, result: Invoice) -> Self {
        Self { document, call: Some(call), record, then: None, result }
    }

    /// A plan that asks nothing of the invoice data service.
    pub fn record_only(document: Invoice, record: Record) -> Self {
        Self { result: document.clone(), document, call: None, record, then: None }
    }

    /// A plan that drafts another document beside this one.
    pub fn follow_up(document: Invoice, draft: Invoice, record: Record, then: Option<NextStep>) -> Self {
        let call = InvoiceDataCall::Save { content: Box::new(draft.content.clone()), expected_version: None };
        Self { document, call: Some(call), record, then, result: draft }
    }

    /// What goes to the tax authority by this plan alone, and so is checked before; with the caller's own time of its issue.
    /// None: nothing, or only the route of what the plan makes tells.
    pub const fn submitted(&self) -> Option<(&Invoice, Option<Timestamp>)> {
        match &self.call {
            Some(InvoiceDataCall::BeginIssuing { at, .. }) => Some((&self.document, *at)),
            Some(
                InvoiceDataCall::Save { .. }
                | InvoiceDataCall::Delete { .. }
                | InvoiceDataCall::Issue { .. }
                | InvoiceDataCall::IssueEarlier { .. }
                | InvoiceDataCall::Reject { .. },
            )
            | None => None,
        }
    }
}

/// What is asked of the invoice data service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
pub enum InvoiceDataCall {
    /// Makes a draft, or replaces the content of a document at `expected_version`.
    Save {
        /// Takes the place of all that the document had.
        content: Box<Content>,
        /// The version; none makes a document and replaces none.
        expected_version: Option<i64>,
    },
    /// Deletes a draft at `expected_version`.
    Delete {
        /// The one that the command was decided about.
        expected_version: i64,
    },
    /// Moves a draft or a rejected document to issuing under its next number, if it is still at `expected_version`.
    BeginIssuing {
        /// The caller's own time.
        at: Option<Timestamp>,
        /// The one that the command was decided about.
        expected_version: Option<i64>,
    },
    /// Makes a document final, if it is still at `expected_version`.
    Issue {
        /// The authority's proof, for a document that waits for its verdict.
        acceptance: Option<Acceptance>,
        /// The caller's own time.
        at: Option<Timestamp>,
        /// The one that the command was decided about; none for a verdict, which counts at any version.
        #[serde(default)]
        expected_version: Option<i64>,
    },
    /// Makes a document final under an earlier number, which the authority accepted.
    IssueEarlier {
        /// The one the authority accepted; it takes the place of the present one.
        number: InvoiceNumber,
        /// The authority's proof.
        acceptance: Acceptance,
    },
    /// Moves an issuing document to rejected.
    Reject {
        /// What the authority objects to.
        reason: String,
    },
}

impl InvoiceDataCall {
    /// Whether something follows from it: the document becomes final, or rejected.
    pub const fn is_a_verdict_or_an_issue(&self) -> bool {
        match self {
            Self::Issue { .. } | Self::IssueEarlier { .. } | Self::Reject { .. } => true,
            Self::Save { .. } | Self::Delete { .. } | Self::BeginIssuing { .. } => false,
        }
    }

    /// Whether it makes a document that was not there before.
    pub const fn makes_a_document(&self) -> bool {
        matches!(self, Self::Save { expected_version: None, .. })
    }
}
