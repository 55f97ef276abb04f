//! What is wrong with one member of what somebody sent.

use crate::ErrorCode;
use serde::Serialize;

/// One member that is wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldError {
    /// The member: `lines[0].tax.rate`; `base` for the document as a whole.
    pub field: String,
    /// What a program tells it by.
    pub code: ErrorCode,
    /// One sentence.
    pub message: String,
}

impl FieldError {
    /// Something wrong with one member.
    pub fn new(field: impl Into<String>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { field: field.into(), code, message: message.into() }
    }
}
