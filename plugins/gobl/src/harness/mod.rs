//! Native tests that every plugin has: golden cases, the format's schemas, the reference's examples, and inputs that
//! nobody sane would send.
//!
//! Nothing here panics by itself: a test unwraps what it gets.

mod answers;
pub mod any;
mod checked;
mod coverage;
pub mod examples;
mod files;
pub mod golden;
mod payloads;
mod reports;
pub mod schemas;

pub use answers::{differing_answers, writes_back};
pub use einvoice_plugin::Country;
use einvoice_plugin::Ext;
pub use einvoice_plugin::harness::{invoice, submission};
pub use proptest;
use serde_json::Value;

/// The texts of an object, as keys and values.
pub(crate) fn ext(object: Option<&Value>) -> Vec<Ext> {
    let members = object.and_then(Value::as_object).into_iter().flatten();
    let texts = members.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
    texts.map(|(key, value)| Ext { key, value }).collect()
}

pub(crate) fn text(object: &Value, member: &str) -> Option<String> {
    object.get(member).and_then(Value::as_str).map(str::to_owned)
}
