//! Why a submission waits for somebody, and what becomes of it meanwhile.

use serde::{Deserialize, Serialize};

/// Why a submission waits for somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AlertCode {
    /// No provider address is configured.
    ProviderNotConfigured,
    /// The workspace has no e-invoicing configuration any more.
    WorkspaceNotConfigured,
    /// No plugin for the regime is active.
    RegimeNotActive,
    /// The provider refused the token.
    ProviderUnauthorised,
    /// The provider does not know the workflow.
    WorkflowUnknown,
    /// The provider was unavailable for every try.
    RetriesExhausted,
    /// The provider answered against its own protocol.
    ProviderProtocol,
    /// The provider keeps another document under the entry, twice.
    EntryConflict,
    /// The job failed and nobody said why.
    FailedWithoutReason,
    /// The job ended and the plugin cannot tell what the authority said.
    VerdictUndecided,
    /// The plugin broke while it read the verdict.
    PluginBroken,
    /// The provider took the job and does not say how it ended, for longer than it should take.
    VerdictOverdue,
    /// The invoice data service elsewhere was unavailable for every try.
    InvoicingUnavailable,
    /// The invoice data service elsewhere refused the gateway's credentials.
    InvoicingUnauthorised,
    /// The invoice data service elsewhere answered against the protocol.
    InvoicingProtocol,
    /// The provider shows another document than the one that was sent: what it says of it is not believed.
    ProviderShowsAnotherDocument,
    /// The authority holds, or may hold, a record of an earlier number of the document, which counts as rejected here.
    AcceptedAfterAll,
    /// The authority refused what somebody accepted by hand.
    RejectedAfterAll,
    /// The job of an earlier attempt still runs, so that the authority may yet accept it.
    EarlierAttemptOpen,
    /// The authority says that it holds a record under this number, and nobody knows whether it is this document.
    DuplicateRecord,
    /// The provider sent something with its verdict that cannot be trusted: it was left out or cut.
    UntrustedContent,
}

impl AlertCode {
    /// Every code.
    pub const ALL: [Self; 21] = [
        Self::ProviderNotConfigured,
        Self::WorkspaceNotConfigured,
        Self::RegimeNotActive,
        Self::ProviderUnauthorised,
        Self::WorkflowUnknown,
        Self::RetriesExhausted,
        Self::ProviderProtocol,
        Self::EntryConflict,
        Self::FailedWithoutReason,
        Self::VerdictUndecided,
        Self::PluginBroken,
        Self::VerdictOverdue,
        Self::InvoicingUnavailable,
        Self::InvoicingUnauthorised,
        Self::InvoicingProtocol,
        Self::ProviderShowsAnotherDocument,
        Self::AcceptedAfterAll,
        Self::RejectedAfterAll,
        Self::EarlierAttemptOpen,
        Self::DuplicateRecord,
        Self::UntrustedContent,
    ];

    /// As written in JSON and storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ProviderNotConfigured => "providerNotConfigured",
            Self::WorkspaceNotConfigured => "workspaceNotConfigured",
            Self::RegimeNotActive => "regimeNotActive",
            Self::ProviderUnauthorised => "providerUnauthorised",
            Self::WorkflowUnknown => "workflowUnknown",
            Self::RetriesExhausted => "retriesExhausted",
            Self::ProviderProtocol => "providerProtocol",
            Self::EntryConflict => "entryConflict",
            Self::FailedWithoutReason => "failedWithoutReason",
            Self::VerdictUndecided => "verdictUndecided",
            Self::PluginBroken => "pluginBroken",
            Self::VerdictOverdue => "verdictOverdue",
            Self::InvoicingUnavailable => "invoicingUnavailable",
            Self::InvoicingUnauthorised => "invoicingUnauthorised",
            Self::InvoicingProtocol => "invoicingProtocol",
            Self::ProviderShowsAnotherDocument => "providerShowsAnotherDocument",
            Self::AcceptedAfterAll => "acceptedAfterAll",
            Self::RejectedAfterAll => "rejectedAfterAll",
            Self::EarlierAttemptOpen => "earlierAttemptOpen",
            Self::DuplicateRecord => "duplicateRecord",
            Self::UntrustedContent => "untrustedContent",
        }
    }

    /// The code of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }

    /// Whether the gateway looks again by itself, because an operator mends this elsewhere.
    pub const fn heals_itself(self) -> bool {
        match self {
            Self::ProviderNotConfigured
            | Self::WorkspaceNotConfigured
            | Self::RegimeNotActive
            | Self::ProviderUnauthorised
            | Self::WorkflowUnknown
            | Self::VerdictOverdue
            | Self::InvoicingUnavailable
            | Self::InvoicingUnauthorised
            | Self::InvoicingProtocol
            | Self::EarlierAttemptOpen => true,
            Self::RetriesExhausted
            | Self::ProviderProtocol
            | Self::EntryConflict
            | Self::FailedWithoutReason
            | Self::VerdictUndecided
            | Self::PluginBroken
            | Self::ProviderShowsAnotherDocument
            | Self::AcceptedAfterAll
            | Self::RejectedAfterAll
            | Self::DuplicateRecord
            | Self::UntrustedContent => false,
        }
    }

    /// Whether the alert of a submission that ended is settled once somebody has read it.
    pub const fn is_settled_by_reading(self) -> bool {
        match self {
            Self::RejectedAfterAll | Self::UntrustedContent => true,
            Self::ProviderNotConfigured
            | Self::WorkspaceNotConfigured
            | Self::RegimeNotActive
            | Self::ProviderUnauthorised
            | Self::WorkflowUnknown
            | Self::RetriesExhausted
            | Self::ProviderProtocol
            | Self::EntryConflict
            | Self::FailedWithoutReason
            | Self::VerdictUndecided
            | Self::PluginBroken
            | Self::VerdictOverdue
            | Self::InvoicingUnavailable
            | Self::InvoicingUnauthorised
            | Self::InvoicingProtocol
            | Self::ProviderShowsAnotherDocument
            | Self::AcceptedAfterAll
            | Self::EarlierAttemptOpen
            | Self::DuplicateRecord => false,
        }
    }

    /// Whether an operator's retry starts the provider's workflow afresh rather than repeating the last call.
    pub const fn retry_needs_new_job(self) -> bool {
        match self {
            Self::FailedWithoutReason => true,
            Self::ProviderNotConfigured
            | Self::WorkspaceNotConfigured
            | Self::RegimeNotActive
            | Self::ProviderUnauthorised
            | Self::WorkflowUnknown
            | Self::RetriesExhausted
            | Self::ProviderProtocol
            | Self::EntryConflict
            | Self::VerdictUndecided
            | Self::PluginBroken
            | Self::VerdictOverdue
            | Self::InvoicingUnavailable
            | Self::InvoicingUnauthorised
            | Self::InvoicingProtocol
            | Self::ProviderShowsAnotherDocument
            | Self::AcceptedAfterAll
            | Self::RejectedAfterAll
            | Self::EarlierAttemptOpen
            | Self::DuplicateRecord
            | Self::UntrustedContent => false,
        }
    }
}

/// Somebody has to look, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// What is wrong.
    pub code: AlertCode,
    /// One sentence with what to do next.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_alert_is_found_by_its_name() {
        for code in AlertCode::ALL {
            assert_eq!(AlertCode::parse(code.as_str()), Some(code));
            assert_eq!(serde_json::to_value(code).unwrap(), json!(code.as_str()));
        }
    }
}
