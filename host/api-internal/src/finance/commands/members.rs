//! What the members of several commands have in common.

use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::Faults;
use gateway_http::time::Rfc3339;
use jiff::Timestamp;

/// Longest text of a command, bytes.
const TEXT_BYTES_MAX: usize = 4_000;

pub(super) fn instant(at: Option<Rfc3339>) -> Option<Timestamp> {
    at.map(|Rfc3339(at)| at)
}

pub(super) fn missing(field: &str) -> FieldError {
    FieldError::new(field, ErrorCode::Required, "is required")
}

/// What a command cannot do without.
pub(super) fn required<T>(faults: &mut Faults, field: &str, value: Option<T>, expected: &str) -> Option<T> {
    if value.is_none() {
        faults.refuse(field, ErrorCode::Required, format!("is required: use {expected}"));
    }
    value
}

/// A text that is not endless.
pub(super) fn text(faults: &mut Faults, field: &str, text: Option<String>) -> Option<String> {
    if text.as_ref().is_some_and(|text| text.contains('\0') || text.len() > TEXT_BYTES_MAX) {
        let message = format!("may have at most {TEXT_BYTES_MAX} bytes and no NUL");
        faults.refuse(field, ErrorCode::TooLong, message);
    }
    text
}

/// What was read of the members; where something is missing, the faults say what.
pub(super) fn complete<T>(faults: Faults, found: Option<T>) -> Result<T, Vec<FieldError>> {
    faults.or(found)?.ok_or_else(Vec::new)
}
