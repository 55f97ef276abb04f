//! What finance asks of the invoice data service.

use gateway_domain::invoicing::{Acceptance, Content, InvoiceNumber};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
