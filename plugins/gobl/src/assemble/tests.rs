use super::*;
use crate::harness;
use crate::party;
use einvoice_plugin::harness::context;
use proptest::prelude::*;
use serde_json::{Value, json};

struct Anywhere;

impl Mapping for Anywhere {
    const FAULT_PREFIX: &'static str = "XX";
    const REGIME: &'static str = "XX";
    const ADDONS: &'static [&'static str] = &[];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, _: &Row<'_>) -> Option<Treatment> {
        Some(Treatment::default())
    }
}

fn written(document: &Value) -> Value {
    let invoice = harness::invoice(document).unwrap();
    let context = context();
    let parts = Parts {
        code: "F-1",
        supplier: party::supplier(&context, "ES", "B98602642"),
        preceding: invoice.preceding.iter().map(|one| preceding(&Anywhere, one, true)).collect(),
        ..Parts::default()
    };
    let document = assemble(&Anywhere, &invoice, parts).unwrap();
    serde_json::from_str(&write(&document).unwrap()).unwrap()
}

fn line(description: &str, quantity: &str, price: &str) -> Value {
    json!({"description": description, "quantity": quantity, "unit_price": price,
           "tax": {"category": "VAT", "rate": "21.0", "surcharge": "5.2"}})
}

fn document(lines: &Value) -> Value {
    json!({"number": "F-1", "issue_date": "2026-11-20", "lines": lines})
}

#[test]
fn texts_go_out_in_composed_characters() {
    let mut document = document(&json!([line("Cafe\u{301}\n\u{301}\"n\u{303}\"", "1", "1.00")]));
    document["notes"] = "Mu\u{308}nchen \\ \u{301}".into();
    let written = written(&document);
    assert_eq!(written.pointer("/lines/0/item/name"), Some(&json!("Café\n\u{301}\"ñ\"")));
    assert_eq!(written.pointer("/notes/0/text"), Some(&json!("München \\ \u{301}")));
}

#[test]
fn a_negative_price_is_a_negative_quantity() {
    let lines = json!([line("a", "2", "-10.00"), line("b", "-1", "-3.50"), line("c", "-1", "4.00")]);
    let written = written(&document(&lines));
    let figures = |at: usize| {
        let figure = |path: &str| written.pointer(&format!("/lines/{at}/{path}")).and_then(Value::as_str);
        [figure("quantity"), figure("item/price"), figure("total")].map(Option::unwrap_or_default)
    };
    assert_eq!(figures(0), ["-2", "10.00", "-20.00"]);
    assert_eq!(figures(1), ["1", "3.50", "3.50"]);
    assert_eq!(figures(2), ["-1", "4.00", "-4.00"]);
}

#[test]
fn the_figures_of_a_preceding_document_have_no_sums_that_the_format_adds_up_again() {
    let mut document = document(&json!([line("a", "1", "100.00")]));
    let mut corrected = document.clone();
    corrected["retentions"] = json!([{"category": "IRPF", "rate": "15.0"}]);
    document["preceding"] = json!([corrected]);
    let written = written(&document);
    let tax = written.pointer("/preceding/0/tax").unwrap();
    assert_eq!(tax.pointer("/sum"), Some(&json!("26.20")));
    assert_eq!((tax.pointer("/retained"), tax.pointer("/categories/0/surcharge")), (None, None));
    assert_eq!(tax.pointer("/categories/0/rates/0/surcharge/amount"), Some(&json!("5.20")));
    assert_eq!(tax.pointer("/categories/1/retained"), Some(&json!(true)));
    assert_eq!(written.pointer("/totals/taxes/categories/0/surcharge"), Some(&json!("5.20")));
}

#[test]
fn a_price_of_many_decimals_is_written_as_it_is() {
    let written = written(&document(&json!([
        line("a", "3", "0.3333333333333"),
        line("b", "1000", "12345.67890123456")
    ])));
    assert_eq!(written.pointer("/lines/0/item/price"), Some(&json!("0.3333333333333")));
    assert_eq!(written.pointer("/lines/0/total"), Some(&json!("0.9999999999999")));
    assert_eq!(written.pointer("/lines/1/total"), Some(&json!("12345678.90123456000")));
    assert_eq!(written.pointer("/totals/sum"), Some(&json!("12345679.90")));
}

#[test]
fn the_largest_total_is_written_to_the_cent() {
    let mut document = document(&json!([line("a", "1", "999999999999999.99")]));
    document["lines"][0]["tax"] = json!({"category": "VAT", "rate": "0"});
    let written = written(&document);
    for path in
        ["/lines/0/total", "/totals/sum", "/totals/payable", "/totals/taxes/categories/0/rates/0/base"]
    {
        assert_eq!(written.pointer(path), Some(&json!("999999999999999.99")), "{path}");
    }
}

proptest! {
    #[test]
    fn no_price_is_negative_and_the_total_of_a_line_stays(quantity in -10_000_i64..10_000, price in -10_000_000_i64..10_000_000) {
        let [quantity, price] = [Amount::new(quantity, 1), Amount::new(price, 4)].map(|amount| amount.to_string());
        let invoice = harness::invoice(&document(&json!([line("a", &quantity, &price)]))).unwrap();
        let written = written(&document(&json!([line("a", &quantity, &price)])));
        let figure = |path: &str| written.pointer(path).and_then(Value::as_str).unwrap().parse::<Amount>().unwrap();
        let (quantity, price) = (figure("/lines/0/quantity"), figure("/lines/0/item/price"));
        prop_assert!(!price.is_negative());
        let line = &invoice.lines[0];
        prop_assert_eq!(quantity.units * price.units, line.quantity.units * line.unit_price.units);
        prop_assert_eq!(figure("/lines/0/total"), line.total);
    }
}
