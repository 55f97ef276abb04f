//! Who does what about a document.

use crate::errors::PageError;
use crate::rights::Right;
use crate::session::Viewer;
use gateway_domain::invoicing::Invoice;
use gateway_finance::SubmissionView;
use gateway_presentation::Action;

/// The action of an address.
pub(super) fn named(name: &str) -> Result<Action, PageError> {
    Action::parse(name).ok_or_else(|| PageError::not_found("there is no such action"))
}

/// What a client has to be permitted for it.
pub(super) const fn right(action: Action) -> Right {
    match action {
        Action::DryRun
        | Action::Issue
        | Action::Recipient
        | Action::Credit
        | Action::Reverse
        | Action::Delete => Right::Command,
        Action::Retry | Action::Acknowledge => Right::Retry,
        Action::Accept | Action::Reject | Action::AcceptEarlier | Action::RejectEarlier => Right::Verdict,
    }
}

/// Whether the rules of the document's state take it, and the client may do it.
pub(super) fn is_offered(
    action: Action,
    viewer: &Viewer,
    document: &Invoice,
    submission: Option<&SubmissionView>,
) -> bool {
    action.is_possible(document, submission.map(|view| &view.submission))
        && right(action).is_of(&viewer.signed_in)
}
