//! What is wrong with one member of what somebody sent.

use crate::ErrorCode;
use serde::Serialize;
use utoipa::ToSchema;

/// One member that is wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// The member, parameter or header: `lines[0].tax.rate`; `base` for the request as a whole.
    pub field: String,
    /// What a program tells it by; `/docs/errors` of the public listener lists every code.
    pub code: ErrorCode,
    /// One sentence, for people.
    #[schema(min_length = 1)]
    pub message: String,
}

impl FieldError {
    /// Something wrong with one member.
    pub fn new(field: impl Into<String>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { field: field.into(), code, message: message.into() }
    }
}
