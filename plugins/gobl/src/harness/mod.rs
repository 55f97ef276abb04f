//! Native tests that every plugin has: golden cases, the format's schemas, the reference's examples, and inputs that
//! nobody sane would send.
//!
//! Nothing here panics by itself: a test unwraps what it gets.

pub mod any;
pub mod examples;
pub mod golden;
pub mod schemas;

pub use einvoice_plugin::Country;
use einvoice_plugin::{Ext, Invoice, PaymentTerms, Period, Stamp, harness};
pub use proptest;
use serde_json::Value;

/// An invoice as the SDK's harness reads it, with what only WIT carries: `ext` and `period` of lines, `payment`, `stamps`
/// (`prv`, `val`) of preceding documents.
pub fn invoice(document: &Value) -> Result<Invoice, String> {
    let mut invoice = harness::invoice(document)?;
    let lines = document.get("lines").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (line, written) in invoice.lines.iter_mut().zip(lines) {
        line.ext = ext(written.get("ext"));
        line.period = written
            .get("period")
            .and_then(|period| Some(Period { start: text(period, "start")?, end: text(period, "end")? }));
    }
    let preceding = document.get("preceding").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (one, written) in invoice.preceding.iter_mut().zip(preceding) {
        let stamps = written.get("stamps").and_then(Value::as_array).into_iter().flatten();
        one.stamps = stamps
            .filter_map(|stamp| Some(Stamp { provider: text(stamp, "prv")?, value: text(stamp, "val")? }))
            .collect();
    }
    invoice.payment = document.get("payment").filter(|terms| !terms.is_null()).map(|terms| PaymentTerms {
        due_date: text(terms, "due_date"),
        note: text(terms, "note"),
        ext: Vec::new(),
    });
    Ok(invoice)
}

/// The texts of an object, as keys and values.
pub(crate) fn ext(object: Option<&Value>) -> Vec<Ext> {
    let members = object.and_then(Value::as_object).into_iter().flatten();
    let texts = members.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
    texts.map(|(key, value)| Ext { key, value }).collect()
}

pub(crate) fn text(object: &Value, member: &str) -> Option<String> {
    object.get(member).and_then(Value::as_str).map(str::to_owned)
}
