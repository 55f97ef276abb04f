//! Every answer of the invoice data service, sorted by what to do about it.

use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::ports::InvoiceDataError;
use serde::Deserialize;

/// Complaints kept of one answer; the rest tells nobody more.
const ERRORS_MAX: usize = 100;
/// Characters kept of a field or a message.
const TEXT_CHARS_MAX: usize = 500;

#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusalIn {
    errors: Vec<ErrorIn>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorIn {
    field: Option<String>,
    code: Option<String>,
    message: Option<String>,
}

/// What an answer with `status` outside 200–299 means for the caller.
pub(super) fn error(status: u16, retry_after_s: Option<u64>, body: &str) -> InvoiceDataError {
    match status {
        401 | 403 => InvoiceDataError::Unauthorised { status },
        410 => InvoiceDataError::Gone,
        412 => InvoiceDataError::Stale,
        // 409: the same call is carried out at this moment.
        408 | 409 | 425 | 429 | 500.. => {
            InvoiceDataError::Unavailable { detail: format!("HTTP {status}"), retry_after_s }
        }
        400 | 413 | 415 | 422 => InvoiceDataError::Refused(errors(status, body)),
        _ => InvoiceDataError::Protocol {
            detail: format!("HTTP {status}, which no call answers: check finance.invoicing_url"),
        },
    }
}

/// The complaints of a refusal; at least one.
fn errors(status: u16, body: &str) -> Vec<FieldError> {
    // Another body is a refusal all the same, one without an explanation.
    let refusal: RefusalIn = serde_json::from_str(body).unwrap_or_default();
    let has_codes =
        refusal.errors.iter().any(|error| error.code.as_deref().is_some_and(|code| !code.is_empty()));
    let read = |error: ErrorIn| {
        let code = non_empty(error.code);
        let message = non_empty(error.message);
        let field = non_empty(error.field).unwrap_or_else(|| "base".to_owned());
        let (code, message) = match (code, message) {
            (None, None) => return None,
            (Some(code), message) => {
                let message =
                    message.unwrap_or_else(|| format!("refused as '{code}' without an explanation"));
                (ErrorCode::parse(&code), message)
            }
            (None, Some(message)) if has_codes => (None, message),
            (None, Some(message)) => (code_as_specified(&field, &message), message),
        };
        let code = code.unwrap_or(ErrorCode::InvoicingRefused);
        Some(FieldError::new(truncate(&field), code, truncate(&message)))
    };
    let mut found: Vec<_> = refusal.errors.into_iter().take(ERRORS_MAX).filter_map(read).collect();
    if found.is_empty() {
        found.push(FieldError::new(
            "base",
            ErrorCode::InvoicingRefused,
            format!("HTTP {status} without an explanation"),
        ));
    }
    found
}

/// The code of an error in a body without any code. The specification has `field` and `message` alone: services that know
/// nothing else write the code as the message (`invoiceInvalidDocumentType`), and name the state of a document as the field
/// `status`. A service that writes codes means its messages for people.
fn code_as_specified(field: &str, message: &str) -> Option<ErrorCode> {
    ErrorCode::parse(message).or_else(|| (field == "status").then_some(ErrorCode::DocumentWrongState))
}

fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn truncate(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_class() {
        for status in 300..=599 {
            let expected = match status {
                401 | 403 => "unauthorised",
                410 => "gone",
                412 => "stale",
                408 | 409 | 425 | 429 | 500..=599 => "unavailable",
                400 | 413 | 415 | 422 => "refused",
                _ => "protocol",
            };
            let class = match error(status, Some(7), "") {
                InvoiceDataError::Unauthorised { .. } => "unauthorised",
                InvoiceDataError::Gone => "gone",
                InvoiceDataError::Stale => "stale",
                InvoiceDataError::Unavailable { retry_after_s: Some(7), .. } => "unavailable",
                InvoiceDataError::Unavailable { .. } => "unavailable without its wait",
                InvoiceDataError::Refused(_) => "refused",
                InvoiceDataError::Protocol { .. } => "protocol",
            };
            assert_eq!(class, expected, "{status}");
        }
    }

    #[test]
    fn complaints_are_kept_by_field_and_cut() {
        let body = r#"{"errors":[{"field":"lines","message":"add one"},{"message":"x"},{"field":"y"},7]}"#;
        assert_eq!(errors(422, body).len(), 1, "one that is no error spoils the list");
        let body = r#"{"errors":[{"field":"lines","code":"required","message":"add one"},{"message":"x"},{"field":"y"}]}"#;
        let required = FieldError::new("lines", ErrorCode::Required, "add one");
        assert_eq!(errors(422, body), [required, FieldError::new("base", ErrorCode::InvoicingRefused, "x")]);
        let as_specified = r#"{"errors":[{"field":"base","message":"documentLockedWhileIssuing"}]}"#;
        assert_eq!(errors(422, as_specified)[0].code, ErrorCode::DocumentLockedWhileIssuing);
        let as_specified = r#"{"errors":[{"field":"status","message":"only drafts"}]}"#;
        assert_eq!(errors(422, as_specified)[0].code, ErrorCode::DocumentWrongState);
        let many = vec![format!(r#"{{"field":"f","message":"{}"}}"#, "x".repeat(2000)); 300].join(",");
        let errors = errors(422, &format!(r#"{{"errors":[{many}]}}"#));
        assert_eq!((errors.len(), errors[0].message.len()), (ERRORS_MAX, TEXT_CHARS_MAX));
    }

    #[test]
    fn an_error_with_a_code_alone_is_kept_with_a_sentence_for_its_message() {
        for rest in ["", r#","message":"""#, r#","message":null"#] {
            let body =
                format!(r#"{{"errors":[{{"field":"lines","code":"required"{rest}}},{{"code":"x"{rest}}}]}}"#);
            let required = "refused as 'required' without an explanation";
            let unknown = "refused as 'x' without an explanation";
            assert_eq!(
                errors(422, &body),
                [
                    FieldError::new("lines", ErrorCode::Required, required),
                    FieldError::new("base", ErrorCode::InvoicingRefused, unknown),
                ]
            );
        }
    }

    #[test]
    fn a_message_is_a_code_in_a_body_without_codes_only() {
        let as_specified =
            r#"{"errors":[{"code":"","message":"invoiceInvalidDocumentType"},{"message":"required"}]}"#;
        let codes: Vec<_> = errors(422, as_specified).iter().map(|error| error.code).collect();
        assert_eq!(codes, [ErrorCode::InvoiceInvalidDocumentType, ErrorCode::Required]);
        let with_codes = r#"{"errors":[{"code":"x","message":"y"},{"message":"required"},{"field":"status","message":"z"}]}"#;
        let codes: Vec<_> = errors(422, with_codes).iter().map(|error| error.code).collect();
        assert_eq!(codes, [ErrorCode::InvoicingRefused; 3]);
    }

    #[test]
    fn a_refusal_without_a_usable_body_still_says_something() {
        for body in ["", "<html>", "[]", "{}", r#"{"errors":7}"#, r#"{"errors":[]}"#] {
            assert_eq!(errors(422, body)[0].message, "HTTP 422 without an explanation", "{body}");
        }
    }
}
