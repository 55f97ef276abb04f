//! A verdict on its way to the invoice data service, and how attempts end.

use super::{Alert, AlertCode, InvoiceDataCall, bounded_text};
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::{Acceptance, Status};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is kept of an acceptance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedVerdict {
    /// Goes into the document with [`InvoiceDataCall::Issue`].
    pub acceptance: Acceptance,
    /// What came with the verdict and was left out or cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// What is kept of a refusal: by the authority, the provider, or the plugin that could not convert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedVerdict {
    /// Names the source and keeps code and path.
    pub reason: String,
    /// One for each complaint, with code and path.
    pub faults: Vec<Fault>,
    /// What came with the verdict and was left out or cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl RejectedVerdict {
    /// A refusal of the document for `faults`, by `source`.
    pub fn of(source: &str, faults: Vec<Fault>) -> Self {
        let reason = bounded_text(&rejection_reason(source, &faults));
        Self { reason, faults, left_out: Vec::new() }
    }
}

/// The verdict, between learning it and telling the invoice data service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "settlement", rename_all = "snake_case")]
pub enum Settlement {
    /// Moves the document to issued.
    Accept(AcceptedVerdict),
    /// Moves the document to rejected.
    Reject(RejectedVerdict),
}

impl Settlement {
    /// What is asked of the invoice data service.
    pub fn call(&self) -> InvoiceDataCall {
        match self {
            Self::Accept(AcceptedVerdict { acceptance, .. }) => InvoiceDataCall::Issue {
                acceptance: Some(acceptance.clone()),
                at: None,
                expected_version: None,
            },
            Self::Reject(RejectedVerdict { reason, .. }) => {
                InvoiceDataCall::Reject { reason: reason.clone() }
            }
        }
    }

    /// What the document shows once the invoice data service has done that.
    pub const fn status(&self) -> Status {
        match self {
            Self::Accept(_) => Status::Issued,
            Self::Reject(_) => Status::Rejected,
        }
    }

    /// What somebody has to know of a verdict that is kept: the provider sent something with it that is not trusted.
    pub fn alert(&self) -> Option<Alert> {
        let (Self::Accept(AcceptedVerdict { left_out, .. }) | Self::Reject(RejectedVerdict { left_out, .. })) =
            self;
        (!left_out.is_empty()).then(|| Alert {
            code: AlertCode::UntrustedContent,
            message: format!(
                "the verdict counts, and not all that came with it was kept ({}): look at the entry at the provider, then \
                 acknowledge the alert with 'gateway submission acknowledge'",
                left_out.join("; ")
            ),
        })
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum AttemptOutcome {
    /// The authority accepted.
    Accepted,
    /// The document was refused.
    Rejected,
    /// The provider's job failed without a reason; another attempt may follow.
    Failed,
    /// A verdict was given by hand.
    Superseded,
}

impl AttemptOutcome {
    /// As written in JSON and storage.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// The reason of a rejection: names the source and keeps code and path of every fault.
pub fn rejection_reason(source: &str, faults: &[Fault]) -> String {
    let complaints: Vec<_> = faults
        .iter()
        .filter(|fault| fault.stops())
        .map(|fault| match fault.path.as_str() {
            "" => format!("{}: {}", fault.code, fault.message),
            path => format!("{} at {path}: {}", fault.code, fault.message),
        })
        .collect();
    format!("{source}: {}", complaints.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejection_reason_names_source_code_and_path() {
        let faults = [
            Fault::error("NIF-01", "/recipient/tax_number", "the check letter is wrong"),
            Fault::warning("W-01", "", "a remark"),
            Fault::error("DOC-02", "", "the document is empty"),
        ];
        assert_eq!(
            rejection_reason("es-verifactu", &faults),
            "es-verifactu: NIF-01 at /recipient/tax_number: the check letter is wrong; DOC-02: the document is empty"
        );
    }
}
