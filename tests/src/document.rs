//! What clients send: a document that everybody accepts, and changes to it.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// An identifier that no other test of this process uses.
pub fn fresh_uuid() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    format!("{process:08x}-7e57-4000-8000-{number:012x}")
}

/// A line with a VAT rate in percent.
pub fn line(description: &str, quantity: &str, unit_price: &str, rate: &str) -> Value {
    json!({"description": description, "quantity": quantity, "unit_price": unit_price,
        "tax": {"category": "VAT", "rate": rate}})
}

/// A document as sent.
#[derive(Debug, Clone)]
pub struct Document(Value);

impl Document {
    /// One night for Jane Roe from Leeds, 110.00 with tax.
    pub fn of(workspace: i64) -> Self {
        Self(json!({
            "workspace_id": workspace, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
            "recipient": {"type": "individual", "name": "Jane Roe",
                "identity_document": {"type": "passport", "number": "123456789", "country": "GB"},
                "address": {"street": "1 High St", "locality": "Leeds", "postcode": "LS1 1AA", "country": "GB"}},
            "lines": [line("Studio, 1 night", "1", "110.00", "10.0")],
        }))
    }

    /// With another member; null removes it.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        if let Some(members) = self.0.as_object_mut() {
            if value.is_null() {
                members.remove(name);
            } else {
                members.insert(name.to_owned(), value);
            }
        }
        self
    }

    /// For somebody of another name, which may steer the sandbox.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        if let Some(Value::Object(recipient)) = self.0.get_mut("recipient") {
            recipient.insert("name".to_owned(), json!(name));
        }
        self
    }

    /// With an identity document of this type.
    #[must_use]
    pub fn identified(mut self, kind: &str, number: &str, country: Option<&str>) -> Self {
        if let Some(Value::Object(recipient)) = self.0.get_mut("recipient") {
            let document = json!({"type": kind, "number": number, "country": country});
            recipient.insert("identity_document".to_owned(), document);
        }
        self
    }

    /// As JSON.
    pub const fn json(&self) -> &Value {
        &self.0
    }
}
