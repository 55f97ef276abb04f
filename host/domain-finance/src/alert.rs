//! Why a submission waits for somebody, and what becomes of it meanwhile.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

gateway_domain::codes! {
    /// Why a submission waits for somebody.
    AlertCode {
        /// No provider address is configured.
        ProviderNotConfigured = "providerNotConfigured",
        /// The workspace has no e-invoicing configuration any more.
        WorkspaceNotConfigured = "workspaceNotConfigured",
        /// No plugin for the regime is active.
        RegimeNotActive = "regimeNotActive",
        /// The provider refused the token.
        ProviderUnauthorised = "providerUnauthorised",
        /// The provider does not know the workflow.
        WorkflowUnknown = "workflowUnknown",
        /// The provider was unavailable for every try.
        RetriesExhausted = "retriesExhausted",
        /// The provider answered against its own protocol.
        ProviderProtocol = "providerProtocol",
        /// The provider keeps another document under the entry, twice.
        EntryConflict = "entryConflict",
        /// The job failed and nobody said why.
        FailedWithoutReason = "failedWithoutReason",
        /// The job ended and the plugin cannot tell what the authority said.
        VerdictUndecided = "verdictUndecided",
        /// The plugin broke while it read the verdict.
        PluginBroken = "pluginBroken",
        /// The provider took the job and does not say how it ended, for longer than it should take.
        VerdictOverdue = "verdictOverdue",
        /// The remote invoice data service was unavailable for every try.
        InvoicingUnavailable = "invoicingUnavailable",
        /// The remote invoice data service refused the gateway's credentials.
        InvoicingUnauthorised = "invoicingUnauthorised",
        /// The remote invoice data service answered against the protocol.
        InvoicingProtocol = "invoicingProtocol",
        /// The provider shows another document than the one that was sent: what it says of it is not believed.
        ProviderShowsAnotherDocument = "providerShowsAnotherDocument",
        /// The authority holds, or may hold, a record of an earlier number of the document, which counts as rejected here.
        AcceptedAfterAll = "acceptedAfterAll",
        /// The authority refused what somebody accepted by hand.
        RejectedAfterAll = "rejectedAfterAll",
        /// The job of an earlier attempt still runs, so that the authority may yet accept it.
        EarlierAttemptOpen = "earlierAttemptOpen",
        /// The authority says that it holds a record under this number, and nobody knows whether it is this document.
        DuplicateRecord = "duplicateRecord",
        /// The provider sent something with its verdict that cannot be trusted: it was left out or cut.
        UntrustedContent = "untrustedContent",
    }
}

impl AlertCode {
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

    /// Whether what was wrong is over once an operator retries the submission; else the gateway looks by itself, or somebody has
    /// to decide.
    pub const fn is_mended_by_retry(self) -> bool {
        match self {
            Self::RetriesExhausted
            | Self::ProviderProtocol
            | Self::EntryConflict
            | Self::FailedWithoutReason
            | Self::PluginBroken => true,
            Self::ProviderNotConfigured
            | Self::WorkspaceNotConfigured
            | Self::RegimeNotActive
            | Self::ProviderUnauthorised
            | Self::WorkflowUnknown
            | Self::VerdictUndecided
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Alert {
    /// What is wrong.
    #[schema(schema_with = every_code)]
    pub code: AlertCode,
    /// One sentence with what to do next.
    #[schema(examples("the plugin es-verifactu is not active: activate it"))]
    pub message: String,
}

/// One of the codes that there are in this release.
fn every_code() -> Object {
    let codes = AlertCode::ALL.iter().map(|code| code.as_str());
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("What is wrong."))
        .enum_values(Some(codes))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_alert_changes_its_name() {
        let names: Vec<_> = AlertCode::ALL.iter().map(|code| code.as_str()).collect();
        insta::assert_snapshot!(names.join("\n"));
    }

    #[test]
    fn every_alert_is_found_by_its_name() {
        for code in AlertCode::ALL {
            assert_eq!(AlertCode::parse(code.as_str()), Some(*code));
            assert_eq!(serde_json::to_value(code).unwrap(), json!(code.as_str()));
        }
    }
}
