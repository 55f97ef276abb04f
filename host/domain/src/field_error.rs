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

/// A JSON Pointer as the dotted name used in error lists: `/lines/0/tax` is `lines[0].tax`, and the whole is `base`.
pub fn field_of(pointer: &str) -> String {
    let mut field = String::new();
    for part in pointer.split('/').filter(|part| !part.is_empty()) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            field.extend(["[", part, "]"]);
        } else {
            if !field.is_empty() {
                field.push('.');
            }
            field.push_str(part);
        }
    }
    if field.is_empty() { "base".to_owned() } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_shown_as_a_dotted_name() {
        assert_eq!(field_of("/lines/0/tax/rate"), "lines[0].tax.rate");
        assert_eq!(field_of("/recipient"), "recipient");
        assert_eq!(field_of(""), "base");
    }
}
