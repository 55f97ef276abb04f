//! What can be done about a document.

use crate::errors::PageError;
use crate::rights::Right;
use crate::session::Viewer;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain_finance::{Command, is_accepted_after_all, refusal};
use gateway_finance::SubmissionView;

/// What can be done about a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
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
    pub(crate) const ALL: [Self; 12] = [
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
    pub(crate) const fn name(self) -> &'static str {
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

    pub(crate) fn parse(name: &str) -> Result<Self, PageError> {
        let known = Self::ALL.into_iter().find(|action| action.name() == name);
        known.ok_or_else(|| PageError::not_found("there is no such action"))
    }

    /// On its button.
    pub(crate) const fn title(self, status: Status) -> &'static str {
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
    pub(super) const fn sentence(self, status: Status) -> &'static str {
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
    pub(crate) const fn is_final(self) -> bool {
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

    pub(crate) const fn right(self) -> Right {
        match self {
            Self::DryRun | Self::Issue | Self::Recipient | Self::Credit | Self::Reverse | Self::Delete => {
                Right::Command
            }
            Self::Retry | Self::Acknowledge => Right::Retry,
            Self::Accept | Self::Reject | Self::AcceptEarlier | Self::RejectEarlier => Right::Verdict,
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

    /// Whether the rules of the document's state take it, and the client may do it.
    pub(crate) fn is_offered(
        self,
        viewer: &Viewer,
        document: &Invoice,
        submission: Option<&SubmissionView>,
    ) -> bool {
        let is_possible = match (self, self.command()) {
            // A verdict ends what is at the authority; that of an earlier number is an action of its own.
            (Self::Accept | Self::Reject, _) if document.state.status() != Status::Issuing => false,
            (_, Some(command)) => {
                refusal(document.state.status(), command).is_none()
                    && (command != Command::Issue || document.content.document_type.has_series())
            }
            (Self::AcceptEarlier, None) => {
                matches!(document.state.status(), Status::Issuing | Status::Rejected)
                    && submission.is_some_and(|view| is_accepted_after_all(&view.submission))
            }
            (Self::RejectEarlier, None) => {
                submission.is_some_and(|view| is_accepted_after_all(&view.submission))
            }
            (Self::Acknowledge, None) => submission.is_some_and(|view| {
                let alert = view.submission.alert.as_ref();
                view.submission.has_ended() && alert.is_some_and(|alert| alert.code.is_settled_by_reading())
            }),
            (_, None) => submission.is_some_and(|view| !view.submission.has_ended()),
        };
        is_possible && self.right().is_of(&viewer.signed_in)
    }
}
