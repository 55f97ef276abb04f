//! Tests of a plugin, beside those of `einvoice_gobl::harness`: documents with changed members, the reference's examples
//! compared to the letter, any input with a bias to one country's words.

pub mod anything;
mod compare;
mod examples;
mod faulty;

use std::path::Path;

use einvoice_plugin::{Address, Context};
use serde_json::Value;

pub use compare::differences;
pub use einvoice_gobl::harness::submission;
pub use examples::{Example, example};
pub use faulty::SoundDocument;

/// Whether settings fit the schema of a description.
pub fn is_valid(schema: &str, settings: &Value) -> Result<bool, String> {
    let schema: Value = serde_json::from_str(schema).map_err(|error| error.to_string())?;
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Err("the schema takes unknown members".into());
    }
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .map(|schema| schema.is_valid(settings))
        .map_err(|error| error.to_string())
}

/// The usual context with what `differs` in it: `settings`, and single members of `supplier`.
pub fn context(usual: &Context, differs: &Value) -> Context {
    let mut context = usual.clone();
    if let Some(settings) = differs.get("settings") {
        context.settings = settings.to_string();
    }
    let Some(supplier) = differs.get("supplier") else { return context };
    let text = |value: &Value, member: &str| value.get(member).and_then(Value::as_str).map(str::to_owned);
    let own = &mut context.supplier;
    for (member, to) in
        [("legal_name", &mut own.legal_name), ("tax_id", &mut own.tax_id), ("country", &mut own.country)]
    {
        if let Some(given) = text(supplier, member) {
            *to = given;
        }
    }
    if let Some(email) = supplier.get("email") {
        own.email = email.as_str().map(str::to_owned);
    }
    if let Some(address) = supplier.get("address") {
        own.address = address.is_object().then(|| Address {
            street: text(address, "street"),
            locality: text(address, "locality"),
            region: text(address, "region"),
            postcode: text(address, "postcode"),
            country: text(address, "country"),
        });
    }
    context
}

fn each<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    value.get(member).and_then(Value::as_array).into_iter().flatten()
}

fn parsed(body: &str) -> Result<Value, String> {
    serde_json::from_str(body).map_err(|error| error.to_string())
}

fn read_json(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parsed(&text).map_err(|error| format!("{}: {error}", path.display()))
}
