//! Whether an entry of the provider still holds the document that was sent. A verdict is about what the entry held when
//! the authority was asked, so it counts only when nothing of the document differs.

use crate::ports::{Entry, Job};
use gateway_domain::ids::{EntryId, InvoiceId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain::money::Amount;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Members of a structured document that state the format rather than the document.
const FORMAT_MEMBERS: [&str; 1] = ["$schema"];
/// Lists to which the provider adds entries of its own: what was sent has to be among them.
const OPEN_LISTS: [&str; 4] = ["$addons", "$tags", "notes", "identities"];

/// Where a stored document differs from the one that was sent, as a JSON Pointer; none when everything that was sent is
/// there. The provider adds members of its own and writes figures in other decimals (`10%`, `10.0%`), so neither texts nor
/// digests that it states are compared. A line's quantity and price may both change their sign, as the format's own
/// normaliser does with negative prices: the line's sum, which is compared, says the same.
pub fn entry_differs(sent: &Value, stored: &Value) -> Option<String> {
    differs(sent, stored, "")
}

/// What shows that a job and its entry are about another document than the one that was filed under entry `filed`, one phrase;
/// none when both are its own. The entry is the document's own when it is what the provider showed after the upload (its
/// `digest`), or else has everything that was sent.
///
/// # Errors
/// What was `sent` is asked for only where the digest does not tell, and cannot be read.
pub fn shows_another<E>(
    (filed, digest): (EntryId, Option<&str>),
    sent: impl FnOnce() -> Result<Value, E>,
    job: &Job,
    entry: &Entry,
) -> Result<Option<String>, E> {
    if let Some(other) = job.entry.filter(|other| filed.uuid() != *other) {
        return Ok(Some(format!(
            "the provider's job {} is about entry {other}, not about this document's",
            job.id
        )));
    }
    if digest == Some(entry_digest(&entry.document).as_str()) {
        return Ok(None);
    }
    Ok(entry_differs(&sent()?, &entry.document).map(|at| {
        format!("the provider shows another document under entry {}, which differs at {at}", entry.id)
    }))
}

fn differs(sent: &Value, stored: &Value, at: &str) -> Option<String> {
    let same = match (sent, stored) {
        (Value::Null, _) => true,
        (Value::Object(sent), Value::Object(stored)) => return members_differ(sent, stored, at),
        (Value::Array(sent), Value::Array(stored)) => return entries_differ(sent, stored, at),
        (Value::Object(sent), Value::Null) => sent.is_empty(),
        (Value::Array(sent), Value::Null) => sent.is_empty(),
        (Value::Bool(sent), Value::Bool(stored)) => sent == stored,
        (Value::String(_) | Value::Number(_), Value::String(_) | Value::Number(_)) => {
            same_text(&text(sent), &text(stored))
        }
        (
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
        ) => false,
    };
    (!same).then(|| at.to_owned())
}

fn members_differ(sent: &Map<String, Value>, stored: &Map<String, Value>, at: &str) -> Option<String> {
    let line = sent.contains_key("item") && sent.contains_key("sum");
    sent.iter()
        .filter(|(name, _)| !FORMAT_MEMBERS.contains(&name.as_str()))
        .filter(|(name, _)| !(line && name.as_str() == "quantity"))
        .find_map(|(name, value)| {
            let found = stored.get(name).unwrap_or(&Value::Null);
            let at = format!("{at}/{name}");
            match value {
                Value::Object(item) if line && name == "item" => {
                    let named: Map<_, _> = item
                        .iter()
                        .filter(|(name, _)| *name != "price")
                        .map(|(k, v)| (k.clone(), v.clone()))
                        .collect();
                    differs(&Value::Object(named), found, &at)
                }
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_) => differs(value, found, &at),
            }
        })
}

fn entries_differ(sent: &[Value], stored: &[Value], at: &str) -> Option<String> {
    let name = at.rsplit('/').next().unwrap_or_default();
    if OPEN_LISTS.contains(&name) {
        return sent
            .iter()
            .position(|member| !stored.iter().any(|found| differs(member, found, "").is_none()))
            .map(|missing| format!("{at}/{missing}"));
    }
    if sent.len() != stored.len() {
        return Some(at.to_owned());
    }
    sent.iter()
        .zip(stored)
        .enumerate()
        .find_map(|(index, (sent, stored))| differs(sent, stored, &format!("{at}/{index}")))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The same figure, or the same text but for white space.
fn same_text(sent: &str, stored: &str) -> bool {
    let figure = |text: &str| text.trim().trim_end_matches('%').parse::<Amount>().ok();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let percent = |text: &str| text.trim().ends_with('%');
    match (figure(sent), figure(stored)) {
        (Some(ours), Some(theirs)) if percent(sent) == percent(stored) => {
            ours.same_value(theirs) && (looks_like_a_figure(sent) || sent == stored)
        }
        _ => words(sent) == words(stored),
    }
}

/// A code such as `0017` is no figure: its zeros count.
fn looks_like_a_figure(text: &str) -> bool {
    let digits = text.trim_start_matches('-').trim_end_matches('%');
    digits.split('.').next().is_some_and(|whole| whole == "0" || !whole.starts_with('0'))
}

/// The idempotency key of an upload: a resubmission has another number, so another key.
pub fn entry_key(document: InvoiceId, number: &InvoiceNumber) -> String {
    format!("{document}-{}", number.0)
}

/// What a provider does that shows another document than was stored, see [`uploaded_differs`](crate::uploaded_differs).
pub fn keeps_another(member: &str) -> String {
    format!("keeps another document under the entry, which differs in {member}")
}

/// SHA-256 of a structured document as it was sent, byte for byte; lower-case hex.
pub fn document_digest(structured: &str) -> String {
    hex::encode(Sha256::digest(structured.as_bytes()))
}

/// SHA-256 of a document's canonical text, lower-case hex: members sorted, nulls left out. Of what a provider shows, it tells whether
/// that is still the same.
pub fn entry_digest(document: &Value) -> String {
    hex::encode(Sha256::digest(canonical(document).as_bytes()))
}

/// A document as text that is the same whatever the order of its members: what [`entry_digest`] is taken of.
fn canonical(document: &Value) -> String {
    let mut text = String::new();
    write_canonical(document, &mut text);
    text
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut names: Vec<_> = members.iter().filter(|(_, value)| !value.is_null()).collect();
            names.sort_by_key(|(name, _)| name.as_str());
            out.push('{');
            for (index, (name, value)) in names.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(entries) => {
            out.push('[');
            for (index, value) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(value, out);
            }
            out.push(']');
        }
        Value::String(text) => write_text(text, out),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

/// A string of JSON. Nearly none has anything to escape.
fn write_text(text: &str, out: &mut String) {
    if text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        out.push_str(&Value::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_canonical_text_has_its_members_in_order_no_nulls_and_escapes() {
        let document = json!({"b": [1, null, {"d": true, "c": null}], "a\"": "tab\tquote\"back\\slash ü\u{7f}", "n": null});
        let text =
            r#"{"a\"":"tab\tquote\"back\\slash ü"#.to_owned() + "\u{7f}" + r#"","b":[1,null,{"d":true}]}"#;
        assert_eq!(canonical(&document), text);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["a\""], document["a\""]);
    }

    fn document() -> Value {
        json!({
            "$schema": "https://gobl.org/draft-0/bill/invoice", "$addons": ["es-verifactu-v1"],
            "uuid": "01930c5c-f1f0-7000-8000-000000000101", "code": "F-2026-000002", "series": null,
            "customer": {"name": "Jane  Roe", "tax_id": {"country": "ES", "code": "54387763P"}},
            "lines": [
                {"i": 1, "quantity": "1", "item": {"name": "Loyalty", "price": "-10.00"}, "sum": "-10.00",
                    "taxes": [{"cat": "VAT", "percent": "10.0%"}]},
                {"i": 2, "quantity": "3", "item": {"name": "Studio", "price": "89.90"}, "sum": "269.70"},
            ],
            "totals": {"payable": "259.70"},
        })
    }

    fn changed(pointer: &str, value: Value) -> Value {
        let mut stored = document();
        *stored.pointer_mut(pointer).unwrap() = value;
        stored
    }

    #[test]
    fn what_the_provider_adds_or_writes_otherwise_is_the_same_document() {
        let mut stored = document();
        stored["$schema"] = json!("https://gobl.org/draft-1/bill/invoice");
        stored["$addons"] = json!(["eu-en16931-v2017", "es-verifactu-v1"]);
        stored["customer"]["name"] = json!("Jane Roe");
        stored["lines"][0]["quantity"] = json!("-1");
        stored["lines"][0]["item"]["price"] = json!("10.00");
        stored["lines"][0]["sum"] = json!("-10.0");
        stored["lines"][0]["taxes"][0]["percent"] = json!("10%");
        stored["totals"] = json!({"payable": "259.7", "due": "259.70"});
        stored["notes"] = json!([{"text": "added"}]);
        assert_eq!(entry_differs(&document(), &stored), None);
    }

    #[test]
    fn what_differs_is_named() {
        for (pointer, value) in [
            ("/uuid", json!("01930c5c-f1f0-7000-8000-000000000102")),
            ("/code", json!("F-2026-000001")),
            ("/customer/tax_id/code", json!("X1234567L")),
            ("/customer/name", json!("John Roe")),
            ("/lines/0/sum", json!("10.00")),
            ("/lines/1/item/name", json!("Loft")),
            ("/lines/0/taxes/0/percent", json!("21.0%")),
            ("/totals/payable", json!("100.00")),
            ("/totals/payable", Value::Null),
            ("/lines", json!([])),
        ] {
            assert_eq!(entry_differs(&document(), &changed(pointer, value)).as_deref(), Some(pointer));
        }
        assert_eq!(
            entry_differs(&document(), &json!({"code": "F-2026-000002"})).as_deref(),
            Some("/$addons")
        );
    }

    #[test]
    fn a_code_of_digits_is_no_figure() {
        let sent = json!({"code": "0017"});
        assert_eq!(entry_differs(&sent, &json!({"code": "17"})).as_deref(), Some("/code"));
        assert_eq!(entry_differs(&sent, &json!({"code": "0017"})), None);
    }

    #[test]
    fn the_canonical_text_knows_no_order_and_no_empty_members() {
        let one = json!({"b": [1, {"y": "ü", "x": null}], "a": true});
        let other: Value = serde_json::from_str(r#"{"a":true,"b":[1,{"y":"ü"}]}"#).unwrap();
        assert_eq!(canonical(&one), canonical(&other));
        assert_eq!(canonical(&other), r#"{"a":true,"b":[1,{"y":"ü"}]}"#);
    }
}
