//! Whether a structured document states the figures the gateway computed. Nothing is sent when it does not.

mod rows;

use crate::sent::entry_differs;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Totals;
use gateway_domain::money::Amount;
use gateway_domain::regime::StructuredDocument;
use serde_json::Value;

/// A figure of the structured document that differs from the gateway's own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the structured document states {theirs} for {figure}, the gateway computed {ours}")]
pub struct Difference {
    /// JSON Pointer into the structured document.
    pub figure: String,
    /// What the gateway computed.
    pub ours: String,
    /// What the document states.
    pub theirs: String,
}

/// Whether the plugin states the figures of the gateway; else one fault that says where it does not.
pub fn sound(totals: &Totals, structured: &StructuredDocument) -> Result<(), Fault> {
    let parsed: Value = serde_json::from_str(&structured.body).map_err(|_| {
        Fault::error("PLUGIN-OUTPUT", "", "the plugin returned no JSON document: report it to its author")
    })?;
    if !structured.payable.same_value(totals.payable) {
        let message = format!(
            "the plugin states {} to be paid, the gateway computed {}: report it to the plugin's author",
            structured.payable, totals.payable
        );
        return Err(Fault::error("PLUGIN-TOTALS", "/totals/payable", message));
    }
    match differs(totals, &parsed) {
        None => Ok(()),
        Some(difference) => {
            let message = format!("{difference}: report it to the plugin's author");
            Err(Fault::error("PLUGIN-TOTALS", difference.figure, message))
        }
    }
}

/// Compares the amount due, the tax, every category and, percent by percent, the rows of the breakdown.
pub fn differs(totals: &Totals, document: &Value) -> Option<Difference> {
    let figures = [("/totals/payable", totals.payable), ("/totals/total_with_tax", totals.gross)];
    figures
        .into_iter()
        .find_map(|(pointer, ours)| differing(document, pointer, ours))
        .or_else(|| breakdown_differs(totals, document))
}

fn differing(document: &Value, pointer: &str, ours: Amount) -> Option<Difference> {
    let stated = document.pointer(pointer).and_then(Value::as_str);
    let same =
        stated.and_then(|text| text.parse::<Amount>().ok()).is_some_and(|theirs| theirs.same_value(ours));
    (!same).then(|| Difference {
        figure: pointer.to_owned(),
        ours: ours.to_string(),
        theirs: stated.unwrap_or("nothing").to_owned(),
    })
}

/// Retained taxes are not part of the breakdown.
fn breakdown_differs(totals: &Totals, document: &Value) -> Option<Difference> {
    let none = Vec::new();
    let stated = document.pointer("/totals/taxes/categories").and_then(Value::as_array).unwrap_or(&none);
    let taxes = || {
        stated
            .iter()
            .enumerate()
            .filter(|(_, category)| category.get("retained").and_then(Value::as_bool) != Some(true))
    };
    for category in &totals.categories {
        let key = category.category.as_str();
        let place = taxes().find(|(_, stated)| stated.get("code").and_then(Value::as_str) == Some(key));
        let Some((at, stated)) = place else {
            return Some(missing(format!("/totals/taxes/categories/{key}"), category.amount));
        };
        let pointer = format!("/totals/taxes/categories/{at}");
        let ours: Vec<_> = totals.rates.iter().filter(|rate| rate.category == key).collect();
        let difference = differing(document, &format!("{pointer}/amount"), category.amount)
            .or_else(|| rows::differ(&ours, stated, &format!("{pointer}/rates")));
        if difference.is_some() {
            return difference;
        }
    }
    let extra = taxes().count() > totals.categories.len();
    extra.then(|| Difference {
        figure: "/totals/taxes/categories".to_owned(),
        ours: format!("{} categories", totals.categories.len()),
        theirs: format!("{} categories", taxes().count()),
    })
}

/// The name of [`uploaded_differs`] for what is said of the filing beside the document, such as the mark of a late one.
pub const META: &str = "meta";

/// What in a stored structured document differs from the one that was sent, if anything: document id, number, amount due,
/// customer identity, or what is said beside it ([`META`]). The provider adds members of its own, so the texts are never
/// compared.
pub fn uploaded_differs(sent: &Value, stored: &Value) -> Option<&'static str> {
    let same = |pointer: &str| {
        let (ours, theirs) = (sent.pointer(pointer), stored.pointer(pointer));
        ours.filter(|v| !v.is_null()) == theirs.filter(|v| !v.is_null())
    };
    let checks = [
        ("/uuid", "uuid"),
        ("/code", "code"),
        ("/totals/payable", "totals.payable"),
        ("/customer/tax_id/code", "customer.tax_id"),
        ("/customer/identities/0/code", "customer.identities"),
    ];
    let meta = |document: &Value| document.get(META).cloned().unwrap_or_default();
    let found = checks.into_iter().find(|(pointer, _)| !same(pointer)).map(|(_, name)| name);
    found.or_else(|| entry_differs(&meta(sent), &meta(stored)).map(|_| META))
}

fn missing(figure: String, ours: Amount) -> Difference {
    Difference { figure, ours: ours.to_string(), theirs: "nothing".to_owned() }
}

#[cfg(test)]
mod tests;
