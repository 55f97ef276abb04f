//! A fault is data: a code for ever, a path, a sentence.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How much a fault matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The document must not go out.
    Error,
    /// The authority may object; a workspace setting can turn it into a refusal.
    Warning,
}

/// Something wrong with a document or with the way it travelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Fault {
    /// Stable for ever, never reused.
    #[schema(examples("ES-VERIFACTU-06"))]
    pub code: String,
    /// JSON Pointer into the document, empty when the fault is about the whole.
    #[schema(examples("/customer"))]
    pub path: String,
    /// One sentence for a person, with what to do next.
    #[schema(examples("a standard invoice needs a customer"))]
    pub message: String,
    /// Whether it stops the document.
    pub severity: Severity,
}

impl Fault {
    /// A fault that stops the document.
    pub fn error(code: impl Into<String>, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), path: path.into(), message: message.into(), severity: Severity::Error }
    }

    /// A fault that is shown and does not stop the document.
    pub fn warning(code: impl Into<String>, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), path: path.into(), message: message.into(), severity: Severity::Warning }
    }

    /// Whether it stops the document.
    pub const fn stops(&self) -> bool {
        matches!(self.severity, Severity::Error)
    }
}

/// A remark that does not stop a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Remark {
    /// The authority's code.
    #[schema(examples("1139"))]
    pub code: String,
    /// One sentence.
    #[schema(examples("the address of the recipient is incomplete"))]
    pub message: String,
}
