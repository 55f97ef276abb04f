//! Whether a structured document states the figures the gateway computed. Nothing is sent when it does not.

use crate::fault::Fault;
use crate::invoicing::Totals;
use crate::money::Amount;
use crate::regime::StructuredDocument;
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

/// Compares the amount due, the tax and every row of the breakdown.
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

/// Rows are compared in order within their category; retained taxes are not part of the breakdown.
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
        let Some((at, _)) = place else {
            return Some(missing(format!("/totals/taxes/categories/{key}"), category.amount));
        };
        let pointer = format!("/totals/taxes/categories/{at}");
        let rows = totals.rates.iter().filter(|rate| rate.category == key).enumerate();
        let difference = differing(document, &format!("{pointer}/amount"), category.amount).or_else(|| {
            rows.flat_map(|(row, rate)| {
                [
                    differing(document, &format!("{pointer}/rates/{row}/base"), rate.base),
                    differing(document, &format!("{pointer}/rates/{row}/amount"), rate.amount),
                ]
            })
            .flatten()
            .next()
        });
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

/// What in a stored structured document differs from the one that was sent, if anything: document id, number,
/// amount due or customer identity. The provider adds members of its own, so the texts are never compared.
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
    checks.into_iter().find(|(pointer, _)| !same(pointer)).map(|(_, name)| name)
}

fn missing(figure: String, ours: Amount) -> Difference {
    Difference { figure, ours: ours.to_string(), theirs: "nothing".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invoicing::{DocumentForm, TaxCheck};
    use serde_json::json;

    fn totals() -> Totals {
        let form: DocumentForm = serde_json::from_value(json!({
            "workspace_id": 1, "document_type": "invoice", "currency": "EUR", "prices_include_tax": false,
            "lines": [{"description": "x", "quantity": "1", "unit_price": "100",
                       "tax": {"category": "VAT", "rate": "21"}}]}))
        .unwrap();
        Totals::of(&form.check(TaxCheck::Syntax).unwrap()).unwrap()
    }

    fn document() -> Value {
        json!({"totals": {"payable": "121.00", "total_with_tax": "121.00", "taxes": {"categories": [
            {"code": "VAT", "amount": "21.00", "rates": [{"base": "100.00", "amount": "21.00"}]}]}}})
    }

    #[test]
    fn equal_figures_do_not_differ() {
        assert_eq!(differs(&totals(), &document()), None);
    }

    #[test]
    fn every_figure_that_is_off_by_a_cent_is_found() {
        for pointer in [
            "/totals/payable",
            "/totals/total_with_tax",
            "/totals/taxes/categories/0/amount",
            "/totals/taxes/categories/0/rates/0/base",
            "/totals/taxes/categories/0/rates/0/amount",
        ] {
            let mut wrong = document();
            *wrong.pointer_mut(pointer).unwrap() = json!("99.99");
            assert_eq!(differs(&totals(), &wrong).unwrap().figure, pointer);
        }
    }

    #[test]
    fn a_missing_or_an_extra_category_is_found() {
        let mut wrong = document();
        wrong["totals"]["taxes"] = json!({});
        assert!(differs(&totals(), &wrong).is_some());
        let mut wrong = document();
        let categories = wrong.pointer_mut("/totals/taxes/categories").unwrap().as_array_mut().unwrap();
        categories.push(json!({"code": "IGIC", "amount": "0.00", "rates": []}));
        assert!(differs(&totals(), &wrong).is_some());
    }

    #[test]
    fn another_number_or_customer_is_another_document_and_added_members_are_not() {
        let sent =
            json!({"uuid": "a", "code": "F-1", "totals": {"payable": "1.00"}, "customer": {"name": "x"}});
        let mut stored = sent.clone();
        stored["totals"]["due"] = json!("1.00");
        assert_eq!(uploaded_differs(&sent, &stored), None);
        stored["code"] = json!("F-2");
        assert_eq!(uploaded_differs(&sent, &stored), Some("code"));
        stored["code"] = json!("F-1");
        stored["customer"]["tax_id"] = json!({"code": "B1"});
        assert_eq!(uploaded_differs(&sent, &stored), Some("customer.tax_id"));
    }
}
