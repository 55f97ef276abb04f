//! What can be done about a document: its name in addresses, what its button and the page that asks say, and when it is possible.

use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain_finance::{Command, Submission, is_accepted_after_all, refusal};

/// What can be done about a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    DryRun,
    Issue,
    Recipient,
    Credit,
    Reverse,
    Retry,
    Acknowledge,
    Accept,
    Reject,
    /// What an earlier number waits for, since the alert `acceptedAfterAll`.
    AcceptEarlier,
    RejectEarlier,
    Delete,
}

impl Action {
    /// All of them, in the order of their buttons.
    pub const ALL: [Self; 12] = [
        Self::DryRun,
        Self::Issue,
        Self::Recipient,
        Self::Credit,
        Self::Reverse,
        Self::Retry,
        Self::Acknowledge,
        Self::Accept,
        Self::Reject,
        Self::AcceptEarlier,
        Self::RejectEarlier,
        Self::Delete,
    ];

    /// In addresses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DryRun => "dry-run",
            Self::Issue => "issue",
            Self::Recipient => "recipient",
            Self::Credit => "credit",
            Self::Reverse => "reverse",
            Self::Retry => "retry",
            Self::Acknowledge => "acknowledge",
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::AcceptEarlier => "accept-earlier",
            Self::RejectEarlier => "reject-earlier",
            Self::Delete => "delete",
        }
    }

    /// The action of a name; none where there is none.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }

    /// On its button.
    pub const fn title(self, status: Status) -> &'static str {
        match (self, status) {
            (Self::DryRun, _) => "Dry run",
            (Self::Issue, Status::Rejected) => "Resubmit",
            (Self::Issue, Status::Draft | Status::Issuing | Status::Issued) => "Issue",
            (Self::Recipient, _) => "Edit recipient",
            (Self::Credit, _) => "Credit",
            (Self::Reverse, _) => "Reverse",
            (Self::Retry, _) => "Retry",
            (Self::Acknowledge, _) => "Mark alert as read",
            (Self::Accept, _) => "Accepted, by hand",
            (Self::Reject, _) => "Rejected, by hand",
            (Self::AcceptEarlier, _) => "Accepted under an earlier number",
            (Self::RejectEarlier, _) => "Not held under an earlier number",
            (Self::Delete, _) => "Delete draft",
        }
    }

    /// What will happen.
    pub const fn sentence(self, status: Status) -> &'static str {
        match (self, status) {
            (Self::DryRun, _) => "Nothing changes. This is what issuing the document would do now.",
            (Self::Issue, Status::Rejected) => {
                "The document is sent again under a new number; the rejected number is never used again."
            }
            (Self::Issue, Status::Draft | Status::Issuing | Status::Issued) => {
                "The document gets its number and cannot be edited any more. Where its workspace reports to a tax authority, it \
                 is sent there and is final once that accepts."
            }
            (Self::Recipient, _) => {
                "The recipient of the document is replaced. A rejected document has to be resubmitted afterwards."
            }
            (Self::Credit, _) => {
                "A credit note over the ticked lines is drafted. It has no effect before it is issued."
            }
            (Self::Reverse, _) => {
                "A credit note over the whole document is drafted and issued at once. This cannot be taken back."
            }
            (Self::Retry, _) => {
                "The alert is forgotten and the next step of the submission is taken at once. Mend its cause first."
            }
            (Self::Acknowledge, _) => "The alert is taken back, because somebody has read it.",
            (Self::Accept, _) => {
                "The document is issued with the proof that you give here, and its submission ends. This cannot be taken back: \
                 make sure that the tax authority holds the record."
            }
            (Self::Reject, _) => {
                "The document counts as rejected, and its submission ends. Make sure that the tax authority does not hold the \
                 record."
            }
            (Self::AcceptEarlier, _) => {
                "The document is issued under the number that you choose, as it was sent then. What the provider shows as the \
                 authority's proof is taken, unless you give another here. This cannot be taken back."
            }
            (Self::RejectEarlier, _) => {
                "The number that you choose counts as unknown to the tax authority, and the document may be sent under another. Make \
                 sure that the authority does not hold the record."
            }
            (Self::Delete, _) => "The draft is deleted for good.",
        }
    }

    /// Whether nobody can take it back.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Reverse
            | Self::Accept
            | Self::Reject
            | Self::AcceptEarlier
            | Self::RejectEarlier
            | Self::Delete => true,
            Self::DryRun | Self::Issue | Self::Recipient | Self::Credit | Self::Retry | Self::Acknowledge => {
                false
            }
        }
    }

    const fn command(self) -> Option<Command> {
        match self {
            Self::DryRun | Self::Issue => Some(Command::Issue),
            Self::Recipient => Some(Command::UpdateRecipient),
            Self::Credit => Some(Command::Credit),
            Self::Reverse => Some(Command::Reverse),
            Self::Accept => Some(Command::MarkAsAcceptedByTaxAuthority),
            Self::Reject => Some(Command::MarkAsRejectedByTaxAuthority),
            Self::Delete => Some(Command::Delete),
            // Whether a document's state takes these depends on the submission.
            Self::Retry | Self::Acknowledge | Self::AcceptEarlier | Self::RejectEarlier => None,
        }
    }

    /// Whether the rules of the document's state take it.
    pub fn is_possible(self, document: &Invoice, submission: Option<&Submission>) -> bool {
        match (self, self.command()) {
            // A verdict ends what is at the authority; that of an earlier number is an action of its own.
            (Self::Accept | Self::Reject, _) if document.state.status() != Status::Issuing => false,
            (_, Some(command)) => {
                refusal(document.state.status(), command).is_none()
                    && (command != Command::Issue || document.content.document_type.has_series())
            }
            (Self::AcceptEarlier, None) => {
                matches!(document.state.status(), Status::Issuing | Status::Rejected)
                    && submission.is_some_and(is_accepted_after_all)
            }
            (Self::RejectEarlier, None) => submission.is_some_and(is_accepted_after_all),
            (Self::Acknowledge, None) => submission.is_some_and(|submission| {
                let alert = submission.alert.as_ref();
                submission.has_ended() && alert.is_some_and(|alert| alert.code.is_settled_by_reading())
            }),
            (_, None) => submission.is_some_and(|submission| !submission.has_ended()),
        }
    }
}
