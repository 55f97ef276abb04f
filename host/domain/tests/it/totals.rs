//! The figures of documents agree with the reference implementation of the structured format.

use gateway_domain::invoicing::{Content, Totals, TotalsError};
use gateway_domain::money::Amount;
use gateway_domain::regime::Rounding;
use proptest::prelude::*;
use serde_json::{Value, json};

fn content(document: &Value) -> Content {
    let mut content = json!({"retentions": [], "referenced_document_ids": []});
    content.as_object_mut().unwrap().extend(document.as_object().unwrap().clone());
    serde_json::from_value(content).unwrap()
}

fn totals(document: &Value) -> Result<Totals, TotalsError> {
    Totals::of(&content(document))
}

fn rounded_row_by_row(document: &Value) -> Totals {
    Totals::rounded(&content(document), Rounding::Currency).unwrap()
}

fn document(prices_include_tax: bool, lines: &Value) -> Value {
    json!({"document_type": "invoice", "currency": "EUR",
           "prices_include_tax": prices_include_tax, "lines": lines})
}

fn line(quantity: &str, price: &str, tax: &Value) -> Value {
    json!({"description": "x", "quantity": quantity, "unit_price": price, "tax": tax})
}

fn vat(rate: &str) -> Value {
    json!({"category": "VAT", "rate": rate})
}

fn figures(totals: &Totals) -> [String; 5] {
    [totals.net, totals.tax, totals.gross, totals.retained, totals.payable].map(|amount| amount.to_string())
}

#[test]
fn every_document_of_the_reference_sample_agrees_to_the_cent() {
    let Ok(path) = std::env::var("GATEWAY_TOTALS_SAMPLE") else {
        eprintln!("did not run: GATEWAY_TOTALS_SAMPLE names no file with reference documents");
        return;
    };
    let sample = std::fs::read_to_string(path).unwrap();
    let mut compared = 0;
    for text in sample.lines() {
        let case: Value = serde_json::from_str(text).unwrap();
        let ours = totals(&case["doc"]).unwrap();
        let theirs = &case["expect"]["totals"];
        for (name, amount) in
            [("net", ours.net), ("tax", ours.tax), ("gross", ours.gross), ("payable", ours.payable)]
        {
            assert_eq!(theirs[name], amount.to_string(), "{name} of {text}");
        }
        let rows: Vec<Value> = ours
            .rates
            .iter()
            .map(|row| {
                let percent = row.rate.map(|rate| match rate.to_string().as_str() {
                    "0.0" => "0%".to_owned(),
                    text => format!("{text}%"),
                });
                json!({"percent": percent, "base": row.base.to_string(), "amount": row.amount.to_string()})
            })
            .collect();
        assert_eq!(theirs["rates"], Value::Array(rows), "rates of {text}");
        compared += 1;
    }
    assert!(compared > 0, "the sample is empty");
    println!("{compared} documents compared");
}

#[test]
fn a_guest_pays_exactly_the_gross_prices() {
    let lines = json!([
        line("3", "89.90", &vat("10.0")),
        line("1", "-10.00", &vat("10.0")),
        line("1", "500.00", &json!({"category": "VAT", "exemption": "article_20"})),
    ]);
    let totals = totals(&document(true, &lines)).unwrap();
    assert_eq!(figures(&totals), ["736.09", "23.61", "759.70", "0.00", "759.70"]);
    assert_eq!(totals.tax_included.unwrap().to_string(), "23.61");
    assert_eq!(totals.rates.len(), 2);
}

#[test]
fn net_prices_are_taxed_on_the_sum_of_each_rate() {
    let lines =
        json!([line("1", "0.05", &vat("10.0")), line("1", "0.05", &vat("10")), line("1", "1", &vat("21"))]);
    let totals = totals(&document(false, &lines)).unwrap();
    assert_eq!(figures(&totals), ["1.10", "0.22", "1.32", "0.00", "1.32"]);
    assert_eq!(totals.rates.len(), 2, "10 and 10.0 are one rate");
}

#[test]
fn a_surcharge_is_added_and_a_retention_taken_off() {
    let lines = json!([line("1", "100", &json!({"category": "VAT", "rate": "21.0", "surcharge": "5.2"}))]);
    let mut invoice = document(false, &lines);
    invoice["retentions"] = json!([{"category": "IRPF", "rate": "15"}]);
    let totals = totals(&invoice).unwrap();
    assert_eq!(figures(&totals), ["100.00", "26.20", "126.20", "15.00", "111.20"]);
    assert_eq!(totals.rates[0].surcharge_amount.unwrap().to_string(), "5.20");
}

#[test]
fn two_exemptions_are_two_rows() {
    let exempt = |key| json!({"category": "VAT", "exemption": key});
    let lines = json!([line("1", "1", &exempt("article_20")), line("1", "2", &exempt("article_21"))]);
    let totals = totals(&document(true, &lines)).unwrap();
    assert_eq!(totals.rates.len(), 2);
    assert_eq!(figures(&totals), ["3.00", "0.00", "3.00", "0.00", "3.00"]);
}

#[test]
fn prices_cannot_include_two_categories() {
    let lines =
        json!([line("1", "1", &vat("21")), line("1", "1", &json!({"category": "IGIC", "rate": "7"}))]);
    assert_eq!(totals(&document(true, &lines)), Err(TotalsError::MixedIncludedCategories));
    assert!(totals(&document(false, &lines)).is_ok());
}

#[test]
fn a_document_without_lines_is_worth_nothing() {
    assert_eq!(figures(&totals(&document(true, &json!([]))).unwrap()), ["0.00"; 5].map(String::from));
}

#[test]
fn figures_that_do_not_fit_are_refused() {
    let lines = json!([line("999999999999999999", "999999999999999999", &vat("21"))]);
    assert!(matches!(totals(&document(false, &lines)), Err(TotalsError::TooLarge(_))));
}

#[test]
fn rows_are_rounded_before_they_are_added_where_the_rule_says_so() {
    let lines =
        json!([line("1", "0.335", &vat("7")), line("1", "0.335", &vat("7")), line("3", "0.555", &vat("7"))]);
    let net = document(false, &lines);
    assert_eq!(figures(&totals(&net).unwrap()), ["2.34", "0.16", "2.50", "0.00", "2.50"]);
    let by_row = rounded_row_by_row(&net);
    assert_eq!(figures(&by_row), ["2.35", "0.16", "2.51", "0.00", "2.51"]);
    let lines: Vec<_> = by_row.lines.iter().map(|line| line.total.to_string()).collect();
    assert_eq!(lines, ["0.34", "0.34", "1.67"], "as they are added");
    let gross = rounded_row_by_row(&document(
        true,
        &json!([line("1", "10.00", &vat("7")), line("1", "10.00", &vat("7"))]),
    ));
    assert_eq!(gross.rates[0].base.to_string(), "18.70", "9.35 twice, not 18.69 once");
    assert_eq!(figures(&gross), ["18.69", "1.31", "20.00", "0.00", "20.00"]);
}

#[test]
fn the_rule_stays_with_the_figures_and_is_written_only_where_it_is_not_the_usual_one() {
    let document = document(false, &json!([line("1", "1.00", &vat("7"))]));
    let (usual, other) = (totals(&document).unwrap(), rounded_row_by_row(&document));
    let written = serde_json::to_value(&usual).unwrap();
    assert_eq!(written.get("rounding"), None, "{written}");
    assert_eq!(serde_json::from_value::<Totals>(written).unwrap(), usual);
    let written = serde_json::to_value(&other).unwrap();
    assert_eq!(written["rounding"], "currency");
    assert_eq!(serde_json::from_value::<Totals>(written).unwrap(), other);
}

fn cents(units: i64) -> String {
    Amount::new(units, 2).unwrap().to_string()
}

proptest! {
    #[test]
    fn figures_of_rounded_rows_add_up_as_they_are_printed(
        rows in prop::collection::vec((1..99_i64, -9_999_999..9_999_999_i64, 0..3_usize), 1..12),
        included in any::<bool>(),
    ) {
        let rates = ["21.0", "10.0", "7"];
        let lines: Vec<_> = rows
            .iter()
            .map(|(quantity, units, rate)| {
                let price = Amount::new(*units, 4).unwrap().to_string();
                line(&quantity.to_string(), &price, &vat(rates[*rate]))
            })
            .collect();
        let totals = rounded_row_by_row(&document(included, &json!(lines)));
        let sum = |amounts: &mut dyn Iterator<Item = Amount>| {
            amounts.fold(Amount::zero(2), |sum, amount| sum.plus_exact(amount).unwrap())
        };
        prop_assert!(sum(&mut totals.lines.iter().map(|line| line.total)).same_value(totals.sum));
        prop_assert!(sum(&mut totals.rates.iter().map(|rate| rate.amount)).same_value(totals.tax));
        prop_assert!(totals.net.plus_exact(totals.tax).unwrap().same_value(totals.gross));
        if !included {
            prop_assert!(sum(&mut totals.rates.iter().map(|rate| rate.base)).same_value(totals.net));
        }
    }

    #[test]
    fn gross_prices_are_paid_to_the_cent(lines in prop::collection::vec((-99_999_i64..99_999, 1_i64..40, 0_usize..4), 1..30)) {
        let rates = ["21.0", "10.0", "4.0", "0.0"];
        let sent: Vec<_> = lines.iter().map(|(price, quantity, rate)| {
            line(&quantity.to_string(), &cents(*price), &vat(rates[*rate]))
        }).collect();
        let computed = totals(&document(true, &json!(sent))).unwrap();
        let expected: i64 = lines.iter().map(|(price, quantity, _)| price * quantity).sum();
        prop_assert_eq!(computed.payable.to_string(), cents(expected));
    }

    #[test]
    fn printed_rates_add_up_to_the_printed_tax_within_half_a_cent_a_row(lines in prop::collection::vec((-99_999_i64..99_999, 1_i64..40, 0_usize..3), 1..30)) {
        let rates = ["21.0", "10.0", "4.0"];
        let sent: Vec<_> = lines.iter().map(|(price, quantity, rate)| {
            line(&quantity.to_string(), &cents(*price), &vat(rates[*rate]))
        }).collect();
        let computed = totals(&document(false, &json!(sent))).unwrap();
        let rows: i64 = computed.rates.iter().map(|row| row.amount.units()).sum();
        let off = (rows - computed.tax.units()).abs();
        prop_assert!(off <= 2, "{off}");
    }
}
