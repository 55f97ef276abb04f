//! Whether a structured document may be stored: the format's own rules that need no country, and every figure
//! computed again.

use crate::reader::{INPUT, Reader, TOTALS};
use crate::totals::{CategoryTotals, Totals};
use gateway_domain::regime::ProviderFault;
use serde_json::Value;

/// The document type this stand-in knows.
pub(crate) const INVOICE_SCHEMA: &str = "https://gobl.org/draft-0/bill/invoice";

/// Members that a document must have, with the format's own codes.
const REQUIRED: [(&str, &str, &str); 6] = [
    ("GOBL-BILL-INVOICE-01", "type", "invoice type is required"),
    ("GOBL-BILL-INVOICE-03", "issue_date", "invoice issue date is required"),
    ("GOBL-BILL-INVOICE-04", "currency", "invoice currency is required"),
    ("GOBL-BILL-INVOICE-05", "supplier", "invoice supplier is required"),
    ("GOBL-BILL-INVOICE-06", "supplier.name", "invoice supplier name is required"),
    ("GOBL-BILL-INVOICE-09", "totals", "invoice totals are required"),
];

/// Document types of the format.
const TYPES: [&str; 6] = ["standard", "proforma", "corrective", "credit-note", "debit-note", "other"];

/// Every complaint about `document`; none when it may be stored.
pub(crate) fn check(document: &Value) -> Vec<ProviderFault> {
    let mut reader = Reader::default();
    for (code, member, message) in REQUIRED {
        if !is_filled(document.pointer(&format!("/{}", member.replace('.', "/")))) {
            reader.fault(code, &format!("$.doc.{member}"), message);
        }
    }
    if !["lines", "discounts", "charges"].iter().any(|member| is_filled(document.get(member))) {
        let message = "invoice lines are required without discounts or charges";
        reader.fault("GOBL-BILL-INVOICE-10", "$.doc.lines", message);
    }
    if let Some(kind) = document.get("type").and_then(Value::as_str)
        && !TYPES.contains(&kind)
    {
        reader.fault("GOBL-BILL-INVOICE-02", "$.doc.type", "invoice type is not valid");
    }
    if document.pointer("/customer/tax_id/code").is_some() && document.pointer("/customer/name").is_none() {
        let message = "invoice customer name required when tax ID is set";
        reader.fault("GOBL-BILL-INVOICE-07", "$.doc.customer.name", message);
    }
    match Totals::of(document, &mut reader) {
        Ok(computed) if reader.is_sound() => compare(document, &computed, &mut reader),
        Ok(_) => {}
        Err(error) => reader.fault(INPUT, "$.doc", &error.to_string()),
    }
    reader.into_faults()
}

fn is_filled(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(_) | Value::Bool(_) | Value::Number(_)) => true,
    }
}

fn compare(document: &Value, computed: &Totals, reader: &mut Reader) {
    for (index, line) in computed.lines.iter().enumerate() {
        for (member, total) in [("sum", line.sum), ("total", line.total)] {
            let stated = document.pointer(&format!("/lines/{index}/{member}"));
            reader.same(stated, &format!("$.doc.lines[{index}].{member}"), total);
        }
    }
    let optional = ["discount", "charge", "tax_included", "retained_tax"];
    for (member, total) in [
        ("sum", computed.sum),
        ("discount", computed.discount),
        ("charge", computed.charge),
        ("tax_included", computed.tax_included),
        ("total", computed.total),
        ("tax", computed.tax),
        ("total_with_tax", computed.total_with_tax),
        ("retained_tax", computed.retained_tax),
        ("payable", computed.payable),
    ] {
        let stated = document.pointer(&format!("/totals/{member}"));
        if !(stated.is_none() && total.is_zero() && optional.contains(&member)) {
            reader.same(stated, &format!("$.doc.totals.{member}"), total);
        }
    }
    let stated = document.pointer("/totals/taxes/categories").and_then(Value::as_array);
    let stated = stated.map(Vec::as_slice).unwrap_or_default();
    if stated.len() != computed.categories.len() {
        let message =
            format!("has {} categories, the lines have {}", stated.len(), computed.categories.len());
        reader.fault(TOTALS, "$.doc.totals.taxes.categories", &message);
    }
    for (index, (category, stated)) in computed.categories.iter().zip(stated).enumerate() {
        compare_category(category, stated, &format!("$.doc.totals.taxes.categories[{index}]"), reader);
    }
}

fn compare_category(category: &CategoryTotals, stated: &Value, path: &str, reader: &mut Reader) {
    if stated.get("code").and_then(Value::as_str) != Some(&category.code) {
        reader.fault(TOTALS, &format!("{path}.code"), &format!("is not {}, as in the lines", category.code));
        return;
    }
    reader.same(stated.get("amount"), &format!("{path}.amount"), category.amount);
    if let Some(surcharge) = category.surcharge_amount {
        reader.same(stated.get("surcharge"), &format!("{path}.surcharge"), surcharge);
    }
    let rates = stated.get("rates").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if rates.len() != category.rates.len() {
        let message = format!("has {} rates, the lines have {}", rates.len(), category.rates.len());
        reader.fault(TOTALS, &format!("{path}.rates"), &message);
        return;
    }
    for (index, (rate, stated)) in category.rates.iter().zip(rates).enumerate() {
        let path = format!("{path}.rates[{index}]");
        reader.same(stated.get("base"), &format!("{path}.base"), rate.base);
        reader.same(stated.get("amount"), &format!("{path}.amount"), rate.amount);
        if let Some(surcharge) = rate.surcharge_amount {
            reader.same(stated.pointer("/surcharge/amount"), &format!("{path}.surcharge.amount"), surcharge);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Gross prices, a negative line, an exemption, equivalence surcharge and a retention.
    fn document() -> Value {
        json!({
            "$schema": INVOICE_SCHEMA, "type": "standard", "code": "F-1", "issue_date": "2026-11-20", "currency": "EUR",
            "tax": {"prices_include": "VAT"},
            "supplier": {"name": "Provide One S.L."}, "customer": {"name": "Jane Roe"},
            "lines": [
                {"i": 1, "quantity": "3", "item": {"name": "Studio", "price": "89.90"}, "sum": "269.70", "total": "269.70",
                 "taxes": [{"cat": "VAT", "percent": "10.0%"}, {"cat": "IRPF", "percent": "15.0%"}]},
                {"i": 2, "quantity": "1", "item": {"name": "Loyalty", "price": "-10.00"}, "sum": "-10.00", "total": "-10.00",
                 "taxes": [{"cat": "VAT", "percent": "0.100"}, {"cat": "IRPF", "percent": "15.0%"}]},
                {"i": 3, "quantity": "1", "item": {"name": "Rent", "price": "500.00"}, "sum": "500.00", "total": "500.00",
                 "taxes": [{"cat": "VAT", "key": "exempt", "ext": {"es-verifactu-exempt": "E1"}}]},
                {"i": 4, "quantity": "2", "item": {"name": "Towel", "price": "6.31"}, "sum": "12.62", "total": "12.62",
                 "taxes": [{"cat": "VAT", "percent": "21.0%", "surcharge": "5.2%"}]}],
            "totals": {
                "sum": "772.32", "tax_included": "25.80", "total": "746.52", "tax": "26.34", "total_with_tax": "772.86",
                "retained_tax": "35.41", "payable": "737.45",
                "taxes": {"categories": [
                    {"code": "VAT", "amount": "25.80", "surcharge": "0.54", "rates": [
                        {"base": "236.09", "percent": "10.0%", "amount": "23.61"},
                        {"base": "500.00", "amount": "0.00"},
                        {"base": "10.43", "percent": "21.0%", "amount": "2.19", "surcharge": {"percent": "5.2%", "amount": "0.54"}}]},
                    {"code": "IRPF", "retained": true, "amount": "35.41", "rates": [
                        {"base": "236.09", "percent": "15.0%", "amount": "35.41"}]}]}},
        })
    }

    fn found(document: &Value) -> Vec<(String, String)> {
        let faults = check(document).into_iter();
        faults.map(|fault| (fault.code.unwrap_or_default(), fault.paths.join(" "))).collect()
    }

    #[test]
    fn a_sound_document_has_no_faults() {
        assert_eq!(check(&document()), []);
    }

    #[test]
    fn every_stated_figure_is_compared() {
        for path in [
            "/lines/0/sum",
            "/lines/1/total",
            "/totals/sum",
            "/totals/tax_included",
            "/totals/total",
            "/totals/tax",
            "/totals/total_with_tax",
            "/totals/retained_tax",
            "/totals/payable",
            "/totals/taxes/categories/0/amount",
            "/totals/taxes/categories/0/surcharge",
            "/totals/taxes/categories/0/rates/0/base",
            "/totals/taxes/categories/0/rates/2/amount",
            "/totals/taxes/categories/0/rates/2/surcharge/amount",
            "/totals/taxes/categories/1/rates/0/amount",
        ] {
            let mut wrong = document();
            *wrong.pointer_mut(path).unwrap() = json!("1.23");
            let faults = found(&wrong);
            assert_eq!(faults.len(), 1, "{path}: {faults:?}");
            assert_eq!(faults[0].0, TOTALS);
            assert_eq!(faults[0].1.replace("$.doc", "").replace(['.', '['], "/").replace(']', ""), path);
        }
    }

    #[test]
    fn a_category_or_rate_too_many_is_a_fault() {
        let mut wrong = document();
        wrong["totals"]["taxes"]["categories"].as_array_mut().unwrap().pop();
        let categories = (TOTALS.to_owned(), "$.doc.totals.taxes.categories".to_owned());
        assert!(found(&wrong).contains(&categories), "{:?}", found(&wrong));
        let mut wrong = document();
        wrong["totals"]["taxes"]["categories"][0]["rates"].as_array_mut().unwrap().pop();
        assert_eq!(found(&wrong), [(TOTALS.to_owned(), "$.doc.totals.taxes.categories[0].rates".to_owned())]);
    }

    #[test]
    fn what_the_format_demands_is_demanded() {
        for (code, member, path) in [
            ("GOBL-BILL-INVOICE-01", "type", "$.doc.type"),
            ("GOBL-BILL-INVOICE-03", "issue_date", "$.doc.issue_date"),
            ("GOBL-BILL-INVOICE-04", "currency", "$.doc.currency"),
            ("GOBL-BILL-INVOICE-05", "supplier", "$.doc.supplier"),
            ("GOBL-BILL-INVOICE-09", "totals", "$.doc.totals"),
            ("GOBL-BILL-INVOICE-10", "lines", "$.doc.lines"),
        ] {
            let mut wrong = document();
            wrong.as_object_mut().unwrap().remove(member);
            assert!(
                found(&wrong).contains(&(code.to_owned(), path.to_owned())),
                "{member}: {:?}",
                found(&wrong)
            );
        }
    }

    #[test]
    fn rubbish_is_a_fault_and_never_a_panic() {
        for invalid in [
            json!(null),
            json!([]),
            json!({}),
            json!("x"),
            json!({"lines": 7, "totals": []}),
            json!({"lines": [null, 1]}),
        ] {
            assert!(!check(&invalid).is_empty(), "{invalid}");
        }
        for amount in [json!("1e3"), json!("x"), json!(true), json!([]), json!("999999999999999999")] {
            let mut wrong = document();
            wrong["lines"][0]["quantity"] = amount;
            assert!(!check(&wrong).is_empty(), "{wrong}");
        }
    }

    #[test]
    fn documents_that_round_early_are_computed_so() {
        let early = json!({
            "$schema": INVOICE_SCHEMA, "type": "standard", "issue_date": "2026-11-20", "currency": "EUR",
            "tax": {"rounding": "currency"}, "supplier": {"name": "x"},
            "lines": [
                {"quantity": "1", "item": {"price": "10.005"}, "sum": "10.01", "total": "10.01", "taxes": [{"cat": "VAT", "percent": "21%"}]},
                {"quantity": "1", "item": {"price": "10.005"}, "sum": "10.01", "total": "10.01", "taxes": [{"cat": "VAT", "percent": "21%"}]}],
            "totals": {"sum": "20.02", "total": "20.02", "tax": "4.20", "total_with_tax": "24.22", "payable": "24.22",
                "taxes": {"categories": [{"code": "VAT", "amount": "4.20", "rates": [{"base": "20.02", "percent": "21%", "amount": "4.20"}]}]}},
        });
        assert_eq!(check(&early), []);
    }

    #[test]
    fn every_document_the_plugins_are_known_to_make_is_taken() {
        let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden");
        let mut taken = 0;
        for regime in std::fs::read_dir(golden).unwrap() {
            let Ok(files) = std::fs::read_dir(regime.unwrap().path().join("expected")) else { continue };
            for file in files {
                let file = file.unwrap().path();
                let document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
                if document.get("$schema").is_some() {
                    assert_eq!(check(&document), [], "{}", file.display());
                    taken += 1;
                }
            }
        }
        assert!(taken > 0, "there are golden documents");
    }
}
