//! What to do about an alert, as the console says it, and the page where that is done. The message of an alert itself is for
//! whoever reads it without a page, and names commands.

use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain_finance::AlertCode;

/// The page where something is mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AdvicePage {
    Document,
    EInvoicing,
    Plugins,
    Health,
}

/// What to do about an alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What is wrong, and what to do.
    pub sentence: &'static str,
    /// The page where it is done.
    pub address: String,
    /// How a link to that page is called.
    pub title: &'static str,
}

impl Advice {
    /// About an alert of a document's submission.
    pub fn about(code: AlertCode, document: InvoiceId, workspace: WorkspaceId) -> Self {
        let (address, title) = match page_of(code) {
            AdvicePage::Document => (format!("/console/invoices/{document}"), "Open the document"),
            AdvicePage::EInvoicing => (e_invoicing(workspace), "How the workspace sends its invoices"),
            AdvicePage::Plugins => ("/console/plugins".to_owned(), "Plugins"),
            AdvicePage::Health => ("/console/health".to_owned(), "Health"),
        };
        Self { sentence: sentence(code), address, title }
    }

    /// Whether it is done on the page of the document.
    pub fn is_about_document(&self) -> bool {
        self.address.starts_with("/console/invoices/")
    }
}

/// The page that says how a workspace sends its invoices.
fn e_invoicing(workspace: WorkspaceId) -> String {
    format!("/console/workspaces/{workspace}/e-invoicing")
}

const fn page_of(code: AlertCode) -> AdvicePage {
    match code {
        AlertCode::WorkspaceNotConfigured | AlertCode::ProviderUnauthorised | AlertCode::WorkflowUnknown => {
            AdvicePage::EInvoicing
        }
        AlertCode::RegimeNotActive | AlertCode::PluginBroken => AdvicePage::Plugins,
        AlertCode::ProviderNotConfigured
        | AlertCode::InvoicingUnavailable
        | AlertCode::InvoicingUnauthorised
        | AlertCode::InvoicingProtocol => AdvicePage::Health,
        AlertCode::RetriesExhausted
        | AlertCode::ProviderProtocol
        | AlertCode::EntryConflict
        | AlertCode::FailedWithoutReason
        | AlertCode::VerdictUndecided
        | AlertCode::VerdictOverdue
        | AlertCode::ProviderShowsAnotherDocument
        | AlertCode::AcceptedAfterAll
        | AlertCode::RejectedAfterAll
        | AlertCode::EarlierAttemptOpen
        | AlertCode::DuplicateRecord
        | AlertCode::UntrustedContent => AdvicePage::Document,
    }
}

const fn sentence(code: AlertCode) -> &'static str {
    match code {
        AlertCode::ProviderNotConfigured => {
            "No address of the provider is configured. Whoever runs the gateway sets it; the submission then goes on by itself."
        }
        AlertCode::WorkspaceNotConfigured => {
            "The workspace does not say how it sends its invoices. Fill in its form; the submission then goes on by itself."
        }
        AlertCode::RegimeNotActive => {
            "No plugin of the tax system is in force for the workspace. Activate one; the submission then goes on by itself."
        }
        AlertCode::ProviderUnauthorised => {
            "The provider refuses the token of the workspace. Store a valid one; the submission then goes on by itself."
        }
        AlertCode::WorkflowUnknown => {
            "The provider does not know the workflow of the workspace. Correct it; the submission then goes on by itself."
        }
        AlertCode::RetriesExhausted => "The provider was out of reach. Retry once it answers again.",
        AlertCode::ProviderProtocol => "The provider's answer cannot be understood. Ask it why, then retry.",
        AlertCode::EntryConflict => "The entry holds another document. Ask the provider why, then retry.",
        AlertCode::FailedWithoutReason => {
            "The job at the provider failed, and nobody said why. Look at it there; a retry starts another job."
        }
        AlertCode::VerdictUndecided => {
            "The plugin cannot tell what the authority said. Look at the authority's record and give the verdict by hand."
        }
        AlertCode::PluginBroken => {
            "The plugin broke while it read the verdict. Activate a version that does not, and then retry."
        }
        AlertCode::VerdictOverdue => {
            "The provider does not say how the job ended. The gateway goes on asking; whoever knows it gives the verdict by \
             hand."
        }
        AlertCode::InvoicingUnavailable => {
            "The invoice data service is out of reach. The gateway goes on trying; see that the service answers."
        }
        AlertCode::InvoicingUnauthorised => {
            "The invoice data service refuses the gateway. Whoever runs the gateway sets valid credentials; the submission \
             then \
             goes on by itself."
        }
        AlertCode::InvoicingProtocol => {
            "The invoice data service answered what cannot be understood. The gateway goes on trying; ask whoever runs the \
             service."
        }
        AlertCode::ProviderShowsAnotherDocument => {
            "The provider shows another document than the one that was sent. Look at it there; then retry or give the verdict \
             by hand."
        }
        AlertCode::AcceptedAfterAll => {
            "The authority holds, or may hold, a record under an earlier number. Say for that number whether it does."
        }
        AlertCode::RejectedAfterAll => {
            "The authority refused what somebody accepted by hand. Credit the document where the authority holds nothing, \
             then mark the alert as read."
        }
        AlertCode::EarlierAttemptOpen => {
            "The job of an earlier attempt still runs, so that the authority may yet accept it. The gateway waits for its end."
        }
        AlertCode::DuplicateRecord => {
            "The authority holds a record under this number, perhaps of another document. Compare them and give the verdict \
             by hand."
        }
        AlertCode::UntrustedContent => {
            "The provider sent something with its verdict that cannot be trusted; it was left out or cut. Mark the alert as \
             read."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alert_has_a_sentence_without_a_command_and_a_page_of_the_console() {
        let document = "0197f4f2-0000-7000-8000-0000000000d1".parse().unwrap();
        for code in AlertCode::ALL {
            let Advice { sentence, address, title } = Advice::about(*code, document, WorkspaceId(7));
            assert!(address.starts_with("/console/") && !title.is_empty(), "{code}: {address}");
            assert!(sentence.ends_with('.') && !sentence.contains("'gateway"), "{code}: {sentence}");
        }
    }
}
