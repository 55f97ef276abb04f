//! A structured document on its way into an entry: out of its envelope, normalised, digested, wrapped again.

use crate::check::INVOICE_SCHEMA;
use gateway_domain::ids::InvoiceId;
use gateway_domain::money::Amount;
use gateway_domain::regime::{RegimeKey, Stamp};
use gateway_domain_finance::entry_digest;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

/// What a stored entry's data is.
pub(crate) const ENVELOPE_SCHEMA: &str = "https://gobl.org/draft-0/envelope";

/// Why a body holds no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoDocument {
    /// Nothing there.
    #[error("data is missing: send the document, bare or in an envelope")]
    Missing,
    /// Another schema, or none.
    #[error("unknown schema {0}: this stand-in stores {INVOICE_SCHEMA} only")]
    UnknownSchema(String),
}

/// The bare document of `data`, which is one or an envelope around one.
pub(crate) fn unwrap_envelope(data: &Value) -> Result<Value, NoDocument> {
    let schema = |value: &Value| value.get("$schema").and_then(Value::as_str).unwrap_or_default().to_owned();
    let document = if schema(data) == ENVELOPE_SCHEMA { data.get("doc") } else { Some(data) };
    let document = document.filter(|document| document.is_object()).ok_or(NoDocument::Missing)?;
    match schema(document) {
        known if known == INVOICE_SCHEMA => Ok(document.clone()),
        unknown => Err(NoDocument::UnknownSchema(format!("'{unknown}'"))),
    }
}

/// As the format's normaliser leaves it: a negative price becomes a negative quantity.
pub(crate) fn normalise(mut document: Value) -> Value {
    for line in document.get_mut("lines").and_then(Value::as_array_mut).into_iter().flatten() {
        let decimal = |value: Option<&Value>| value?.as_str()?.parse::<Amount>().ok();
        let price = decimal(line.pointer("/item/price")).filter(|price| price.is_negative());
        let (Some(price), Some(quantity)) = (price, decimal(line.get("quantity"))) else { continue };
        if let Some(member) = line.pointer_mut("/item/price") {
            *member = price.negate().to_string().into();
        }
        if let Some(member) = line.get_mut("quantity") {
            *member = quantity.negate().to_string().into();
        }
    }
    document
}

/// The envelope an entry holds.
#[derive(Debug, Serialize)]
pub(crate) struct Envelope {
    #[serde(rename = "$schema")]
    schema: &'static str,
    pub(crate) head: EnvelopeHead,
    doc: Value,
}

/// What stands around a document.
#[derive(Debug, Serialize)]
pub(crate) struct EnvelopeHead {
    /// Must carry a time.
    uuid: Uuid,
    pub(crate) dig: EnvelopeDigest,
    stamps: Vec<EnvelopeStamp>,
}

/// A digest of a document.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct EnvelopeDigest {
    alg: &'static str,
    val: String,
}

#[derive(Debug, Serialize)]
struct EnvelopeStamp {
    prv: String,
    val: String,
}

impl Envelope {
    /// The envelope of this id around a document.
    pub(crate) fn enveloping(document: Value, id: Uuid, stamps: &[Stamp]) -> Self {
        let stamp = |stamp: &Stamp| EnvelopeStamp { prv: stamp.provider.clone(), val: stamp.value.clone() };
        let dig = EnvelopeDigest { alg: "sha256", val: entry_digest(&document) };
        let head = EnvelopeHead { uuid: id, dig, stamps: stamps.iter().map(stamp).collect() };
        Self { schema: ENVELOPE_SCHEMA, head, doc: document }
    }
}

/// RFC 7396.
pub(crate) fn merged(target: Value, patch: Value) -> Value {
    let Value::Object(patch) = patch else { return patch };
    let mut members = match target {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    for (name, inner) in patch {
        if inner.is_null() {
            members.shift_remove(&name);
        } else {
            let before = members.get(&name).cloned().unwrap_or_default();
            members.insert(name, merged(before, inner));
        }
    }
    Value::Object(members)
}

/// The id that the gateway gave a document; none in one that was made elsewhere.
pub(crate) fn invoice_id(document: &Value) -> Option<InvoiceId> {
    document.get("uuid")?.as_str()?.parse().ok()
}

/// The tax regimes a document declares: its add-ons without their version.
pub(crate) fn regimes(document: &Value) -> Vec<RegimeKey> {
    let addons = document.get("$addons").and_then(Value::as_array);
    addons
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter_map(|addon| without_version(addon).parse().ok())
        .collect()
}

fn without_version(addon: &str) -> &str {
    match addon.rsplit_once("-v") {
        Some((key, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => {
            key
        }
        Some(_) | None => addon,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_negative_price_becomes_a_negative_quantity() {
        let line = |quantity: &str, price: &str| json!({"lines": [{"quantity": quantity, "item": {"price": price}}]});
        assert_eq!(normalise(line("2", "-10.00")), line("-2", "10.00"));
        assert_eq!(normalise(line("-2", "-10.00")), line("2", "10.00"));
        assert_eq!(normalise(line("-2", "10.00")), line("-2", "10.00"));
    }

    #[test]
    fn a_patch_is_merged_member_by_member() {
        let before = json!({"code": "A", "customer": {"name": "x", "alias": "y"}, "lines": [1, 2]});
        let patch = json!({"code": "B", "customer": {"alias": null}, "lines": [3]});
        assert_eq!(merged(before, patch), json!({"code": "B", "customer": {"name": "x"}, "lines": [3]}));
    }

    #[test]
    fn a_regime_is_an_addon_without_its_version() {
        let keys = regimes(
            &json!({"$addons": ["es-verifactu-v1", "eu-en16931-v2017", "plain", "odd-vx", "No Key"]}),
        );
        let keys: Vec<_> = keys.iter().map(RegimeKey::as_str).collect();
        assert_eq!(keys, ["es-verifactu", "eu-en16931", "plain", "odd-vx"]);
    }
}
