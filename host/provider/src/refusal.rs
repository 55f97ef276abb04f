//! Every answer that is no success, sorted by what to do about it.

use gateway_domain::regime::ProviderFault;
use gateway_domain_finance::ports::ProviderError;
use serde::Deserialize;
use serde_json::Value;

/// Faults kept of one answer; the rest tells nobody more.
const FAULTS_MAX: usize = 100;
/// Characters kept of a message.
const MESSAGE_CHARS_MAX: usize = 500;
/// Shorter tokens are no secrets worth masking, and would mask half of the text.
const TOKEN_BYTES_MIN: usize = 8;

/// A fault as the provider writes it; its code is a number now and then.
#[derive(Deserialize)]
pub(crate) struct FaultIn {
    provider: Option<String>,
    code: Option<Value>,
    message: Option<String>,
    paths: Option<Vec<String>>,
}

impl FaultIn {
    pub(crate) fn into_fault(self) -> ProviderFault {
        ProviderFault {
            provider: some(self.provider),
            code: code(self.code),
            message: some(self.message),
            paths: self.paths.unwrap_or_default(),
        }
    }
}

/// A code as the provider writes it: a text, or a number now and then.
pub(crate) fn code(written: Option<Value>) -> Option<String> {
    match written {
        Some(Value::String(code)) => some(Some(code)),
        Some(Value::Number(code)) => Some(code.to_string()),
        Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => None,
    }
}

/// A text of bounded length that is more than white space.
pub(crate) fn some(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).map(truncate)
}

/// The body of a refusal, in both forms the provider uses: `faults`, and nested `fields`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusalIn {
    code: Option<Value>,
    key: Option<Value>,
    message: Option<Value>,
    fields: Option<Value>,
    faults: Option<Vec<FaultIn>>,
}

/// What an answer with `status` outside 200–299 means for the caller.
pub(crate) fn error(status: u16, retry_after_s: Option<u64>, body: &str) -> ProviderError {
    match status {
        401 | 403 => ProviderError::Unauthorised { status },
        // Of whoever answers at a wrong address, not of the provider, whose every answer is JSON.
        404 if body.trim_start().starts_with('<') => {
            ProviderError::Protocol { detail: "HTTP 404 with a page: check provider.base_url".to_owned() }
        }
        404 => ProviderError::NotFound,
        409 => ProviderError::Conflict,
        408 | 425 | 429 | 500.. => {
            ProviderError::Unavailable { detail: format!("HTTP {status}"), retry_after_s }
        }
        400..=499 => ProviderError::Refused { status, faults: faults(status, body) },
        _ => ProviderError::Protocol {
            detail: format!("HTTP {status}, which no call of this protocol answers"),
        },
    }
}

/// The complaints of a refusal; at least one.
fn faults(status: u16, body: &str) -> Vec<ProviderFault> {
    // Another body is a refusal all the same, one without an explanation.
    let refusal: RefusalIn = serde_json::from_str(body).unwrap_or_default();
    let text = |value: Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
    let code = text(refusal.code).or(text(refusal.key)).filter(|code| !code.is_empty());
    let mut found: Vec<ProviderFault> =
        refusal.faults.unwrap_or_default().into_iter().map(FaultIn::into_fault).collect();
    if found.is_empty()
        && let Some(fields) = &refusal.fields
    {
        flatten(fields, "$", code.as_deref(), &mut found);
    }
    if found.is_empty() {
        let message = text(refusal.message).filter(|message| !message.is_empty()).map(truncate);
        let message = message.or_else(|| Some(format!("HTTP {status} without an explanation")));
        found.push(ProviderFault { code, message, ..ProviderFault::default() });
    }
    found.truncate(FAULTS_MAX);
    found
}

/// Turns nested `fields` into one fault per leaf. The path starts at the envelope, as in `faults`: the
/// request's own `data` is left out.
fn flatten(fields: &Value, path: &str, code: Option<&str>, found: &mut Vec<ProviderFault>) {
    if found.len() >= FAULTS_MAX {
        return;
    }
    match fields {
        Value::Object(members) => {
            for (name, inner) in members {
                let skip = path == "$" && name == "data" && (inner.is_object() || inner.is_array());
                let path = if skip { path.to_owned() } else { format!("{path}.{name}") };
                flatten(inner, &path, code, found);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                let path = if inner.is_string() { path.to_owned() } else { format!("{path}[{index}]") };
                flatten(inner, &path, code, found);
            }
        }
        Value::Null => {}
        Value::String(_) | Value::Bool(_) | Value::Number(_) => {
            let message = fields.as_str().map_or_else(|| fields.to_string(), str::to_owned);
            found.push(ProviderFault {
                provider: None,
                code: code.map(str::to_owned),
                message: Some(truncate(message)),
                paths: vec![path.to_owned()],
            });
        }
    }
}

fn truncate(text: String) -> String {
    match text.char_indices().nth(MESSAGE_CHARS_MAX) {
        Some((end, _)) => text.get(..end).map(|start| format!("{start}…")).unwrap_or_default(),
        None => text,
    }
}

/// The text with the token masked: a provider that echoes a request must not bring it into a log.
pub(crate) fn without_token(text: String, token: &str) -> String {
    if token.len() >= TOKEN_BYTES_MIN && text.contains(token) { text.replace(token, "…") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, body: &str) -> Vec<ProviderFault> {
        match error(status, None, body) {
            ProviderError::Refused { faults, .. } => faults,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_status_has_its_class() {
        let class = |status| match error(status, Some(7), "") {
            ProviderError::Unavailable { retry_after_s: Some(7), .. } => "unavailable",
            ProviderError::Unauthorised { .. } => "unauthorised",
            ProviderError::Conflict => "conflict",
            ProviderError::NotFound => "not found",
            ProviderError::Refused { .. } => "refused",
            ProviderError::Protocol { .. } => "protocol",
            ProviderError::Unavailable { .. } => "unavailable without its wait",
        };
        for status in 300..=599 {
            let expected = match status {
                401 | 403 => "unauthorised",
                404 => "not found",
                409 => "conflict",
                408 | 425 | 429 | 500..=599 => "unavailable",
                400..=499 => "refused",
                _ => "protocol",
            };
            assert_eq!(class(status), expected, "{status}");
        }
    }

    #[test]
    fn a_page_that_says_not_found_is_no_answer_of_the_provider() {
        let page = error(404, None, "<!doctype html><title>404</title>");
        assert!(matches!(page, ProviderError::Protocol { .. }), "{page:?}");
        assert!(matches!(error(404, None, r#"{"message":"not found"}"#), ProviderError::NotFound));
    }

    #[test]
    fn nested_fields_become_paths() {
        let body = r#"{"key":"validation","message":"validation",
            "fields":{"data":{"doc":{"customer":{"tax_id":{"code":"unknown type"}},"lines":[{"item":"missing"}]}}}}"#;
        let faults = refused(422, body);
        assert_eq!(faults.len(), 2);
        assert_eq!(faults[0].code.as_deref(), Some("validation"));
        assert_eq!(faults[0].paths, ["$.doc.customer.tax_id.code"]);
        assert_eq!(faults[0].message.as_deref(), Some("unknown type"));
        assert_eq!(faults[1].paths, ["$.doc.lines[0].item"]);
    }

    #[test]
    fn listed_faults_are_taken_as_they_are() {
        let body = r#"{"code":"validation","faults":[{"code":"GOBL-ES-01","paths":["$.doc.code"],"message":"missing"},{"code":3002}]}"#;
        let faults = refused(422, body);
        assert_eq!(faults[0].code.as_deref(), Some("GOBL-ES-01"));
        assert_eq!(faults[0].paths, ["$.doc.code"]);
        assert_eq!(faults[1].code.as_deref(), Some("3002"));
    }

    #[test]
    fn a_refusal_without_a_usable_body_still_says_something() {
        for body in ["", "<html>", "[]", "{}", r#"{"fields":{}}"#, r#"{"message":7}"#, r#"{"faults":[]}"#] {
            assert_eq!(
                refused(413, body)[0].message.as_deref(),
                Some("HTTP 413 without an explanation"),
                "{body}"
            );
        }
        assert_eq!(refused(400, r#"{"code":"bad","message":"no"}"#)[0].message.as_deref(), Some("no"));
    }

    #[test]
    fn endless_complaints_are_cut() {
        let many: Vec<String> = (0..1000).map(|n| format!(r#""f{n}":"{}""#, "x".repeat(2000))).collect();
        let faults = refused(422, &format!(r#"{{"fields":{{{}}}}}"#, many.join(",")));
        assert_eq!(faults.len(), FAULTS_MAX);
        assert_eq!(faults[0].message.as_ref().unwrap().chars().count(), MESSAGE_CHARS_MAX + 1);
    }
}
