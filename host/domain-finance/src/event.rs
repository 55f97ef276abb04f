//! What finance tells of a document.

use gateway_domain::invoicing::Status;
use serde::{Deserialize, Serialize};

/// What finance records of a document (specification, Events 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FinanceEvent {
    /// It goes to the tax authority; takes the place of `Issued`.
    Issuing,
    /// It is final.
    Issued,
    /// The authority accepted it.
    AcceptedByTaxAuthority,
    /// The document became rejected, whoever refused it: the authority, the provider or the plugin.
    RejectedByTaxAuthority,
    /// A credit note was written for it.
    Credited,
    /// An amendment of it goes to the tax authority; it stays issued as it is.
    Amending,
    /// The authority accepted its amendment, and it is what that says.
    Amended,
    /// Its amendment was refused, and the record before is in force.
    AmendmentRefused,
    /// Its amendment was given up by hand.
    AmendmentWithdrawn,
    /// It was cancelled by a full credit note.
    Reversed,
    /// A corrective draft was made beside the rejected document (rejection strategy B).
    CorrectiveDrafted,
    /// The corrective draft may be issued: the document it corrects is credited.
    CorrectiveReleased,
    /// Money was returned.
    Refunded,
    /// Only ever of a draft.
    Deleted,
    /// It is for somebody else now.
    RecipientUpdated,
    /// It bills one transaction more.
    TransactionAdded,
    /// It bills a transaction otherwise.
    TransactionUpdated,
    /// It bills one transaction less.
    TransactionRemoved,
}

impl FinanceEvent {
    /// The name of the specification, and the CloudEvents type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Issuing => "Issuing",
            Self::Issued => "Issued",
            Self::AcceptedByTaxAuthority => "AcceptedByTaxAuthority",
            Self::RejectedByTaxAuthority => "RejectedByTaxAuthority",
            Self::Credited => "Credited",
            Self::Amending => "Amending",
            Self::Amended => "Amended",
            Self::AmendmentRefused => "AmendmentRefused",
            Self::AmendmentWithdrawn => "AmendmentWithdrawn",
            Self::Reversed => "Reversed",
            Self::CorrectiveDrafted => "CorrectiveDrafted",
            Self::CorrectiveReleased => "CorrectiveReleased",
            Self::Refunded => "Refunded",
            Self::Deleted => "Deleted",
            Self::RecipientUpdated => "RecipientUpdated",
            Self::TransactionAdded => "TransactionAdded",
            Self::TransactionUpdated => "TransactionUpdated",
            Self::TransactionRemoved => "TransactionRemoved",
        }
    }
}

impl FinanceEvent {
    /// What a verdict is told by: who learned of it, the provider or somebody who gave it by hand, makes no difference.
    pub const fn of_verdict(status: Status) -> &'static [Self] {
        match status {
            Status::Issued => &[Self::AcceptedByTaxAuthority, Self::Issued],
            Status::Rejected => &[Self::RejectedByTaxAuthority],
            Status::Draft | Status::Issuing => &[],
        }
    }
}
