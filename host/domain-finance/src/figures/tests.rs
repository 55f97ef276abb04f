use super::*;
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use serde_json::json;

fn totals() -> Totals {
    of(
        &json!([{"description": "x", "quantity": "1", "unit_price": "100", "tax": {"category": "VAT", "rate": "21"}}]),
    )
}

fn of(lines: &Value) -> Totals {
    let form: DocumentForm = serde_json::from_value(json!({
        "workspace_id": 1, "document_type": "invoice", "currency": "EUR", "prices_include_tax": false,
        "lines": lines}))
    .unwrap();
    Totals::of(&form.check(TaxCheck::Syntax).unwrap()).unwrap()
}

fn document() -> Value {
    json!({"totals": {"payable": "121.00", "total_with_tax": "121.00", "taxes": {"categories": [
        {"code": "VAT", "amount": "21.00", "rates": [{"base": "100.00", "percent": "21.0%", "amount": "21.00"}]}]}}})
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
    let sent = json!({"uuid": "a", "code": "F-1", "totals": {"payable": "1.00"}, "customer": {"name": "x"}});
    let mut stored = sent.clone();
    stored["totals"]["due"] = json!("1.00");
    assert_eq!(uploaded_differs(&sent, &stored), None);
    stored["code"] = json!("F-2");
    assert_eq!(uploaded_differs(&sent, &stored), Some("code"));
    stored["code"] = json!("F-1");
    stored["customer"]["tax_id"] = json!({"code": "B1"});
    assert_eq!(uploaded_differs(&sent, &stored), Some("customer.tax_id"));
}

#[test]
fn what_is_said_beside_an_uploaded_document_is_part_of_it_and_the_provider_may_say_more() {
    let marked = json!({"uuid": "a", "code": "F-1", "meta": {"late": "S"}});
    let plain = json!({"uuid": "a", "code": "F-1"});
    assert_eq!(uploaded_differs(&marked, &marked), None);
    assert_eq!(uploaded_differs(&marked, &plain), Some(META));
    assert_eq!(
        uploaded_differs(&marked, &json!({"uuid": "a", "code": "F-1", "meta": {"late": "N"}})),
        Some(META)
    );
    assert_eq!(uploaded_differs(&plain, &json!({"uuid": "a", "code": "F-1", "meta": {"own": "x"}})), None);
}

/// A document whose VAT is told in these rows: percent, base, amount.
fn difference_of(totals: &Totals, rows: &[(Option<&str>, &str, &str)]) -> Option<String> {
    let row = |(percent, base, amount): &(Option<&str>, &str, &str)| match percent {
        Some(percent) => json!({"percent": percent, "base": base, "amount": amount}),
        None => json!({"base": base, "amount": amount}),
    };
    let rates: Vec<_> = rows.iter().map(row).collect();
    let document = json!({"totals": {"payable": totals.payable, "total_with_tax": totals.gross,
        "taxes": {"categories": [{"code": "VAT", "amount": totals.tax, "rates": rates}]}}});
    differs(totals, &document).map(|difference| difference.figure)
}

fn line(price: &str, tax: &Value) -> Value {
    json!({"description": "x", "quantity": "1", "unit_price": price, "tax": tax})
}

#[test]
fn rows_that_a_tax_system_splits_or_orders_otherwise_agree() {
    let (general, reduced) =
        (json!({"category": "VAT", "rate": "21"}), json!({"category": "VAT", "rate": "10.0"}));
    let totals = of(&json!([line("60", &general), line("40", &reduced), line("40", &general)]));
    let agreed = [
        [(Some("21.0%"), "100.00", "21.00"), (Some("10%"), "40.00", "4.00")].as_slice(),
        &[(Some("10%"), "40.00", "4.00"), (Some("21%"), "100.00", "21.00")],
        &[
            (Some("21%"), "60.00", "12.60"),
            (Some("0.10"), "40.00", "4.00"),
            (Some("21.00%"), "40.00", "8.40"),
        ],
    ];
    for rows in agreed {
        assert_eq!(difference_of(&totals, rows), None, "{rows:?}");
    }
    let untaxed = |key: &str| json!({"category": "VAT", "exemption": key});
    let totals = of(&json!([line("10", &untaxed("a")), line("5", &untaxed("b"))]));
    assert_eq!(difference_of(&totals, &[(None, "15.00", "0.00")]), None);
    assert_eq!(difference_of(&totals, &[(None, "5.00", "0.00"), (None, "10.00", "0.00")]), None);
}

#[test]
fn rows_of_a_split_are_rounded_each_on_its_own() {
    let vat = json!({"category": "VAT", "rate": "21"});
    let totals = of(&json!([line("0.335", &vat), line("0.335", &vat)]));
    assert_eq!(difference_of(&totals, &[(Some("21%"), "0.34", "0.07"), (Some("21%"), "0.34", "0.07")]), None);
    assert_eq!(
        difference_of(&totals, &[(Some("21%"), "0.68", "0.14")]).unwrap(),
        "/totals/taxes/categories/0/rates/0/base"
    );
}

#[test]
fn a_wrong_split_is_found() {
    let (general, reduced) =
        (json!({"category": "VAT", "rate": "21"}), json!({"category": "VAT", "rate": "10.0"}));
    let totals = of(&json!([line("100", &general), line("40", &reduced)]));
    let wrong = [
        (
            [(Some("21%"), "60.00", "12.60"), (Some("21%"), "41.00", "8.40"), (Some("10%"), "40.00", "4.00")]
                .as_slice(),
            "0/base",
        ),
        (
            &[
                (Some("21%"), "60.00", "12.60"),
                (Some("21%"), "40.00", "8.38"),
                (Some("10%"), "40.00", "4.00"),
            ],
            "0/amount",
        ),
        (&[(Some("10%"), "40.00", "4.00"), (Some("21%"), "60.00", "12.60")], "1/base"),
        (&[(Some("21%"), "100.00", "21.00"), (Some("4%"), "40.00", "4.00")], "1/percent"),
        (&[(Some("21%"), "100.00", "21.00"), (None, "40.00", "4.00")], "1/percent"),
        (&[(Some("21%"), "100.00", "21.00"), (Some("ten"), "40.00", "4.00")], "1/percent"),
        (&[(Some("21%"), "140.00", "25.00")], "0/base"),
    ];
    for (rows, figure) in wrong {
        assert_eq!(
            difference_of(&totals, rows).unwrap(),
            format!("/totals/taxes/categories/0/rates/{figure}"),
            "{rows:?}"
        );
    }
    let lacking = difference_of(&totals, &[(Some("21%"), "100.00", "21.00")]);
    assert_eq!(lacking.unwrap(), "/totals/taxes/categories/0/rates");
}

#[test]
fn an_exemption_may_be_stated_as_zero_percent() {
    let exempt = of(&json!([
        line("10", &json!({"category": "VAT", "exemption": "n1"})),
        line("7", &json!({"category": "VAT", "exemption": "n2_1"}))
    ]));
    assert_eq!(difference_of(&exempt, &[(Some("0%"), "10.00", "0.00"), (None, "7.00", "0.00")]), None);
    assert!(difference_of(&exempt, &[(Some("0%"), "10.00", "0.00")]).is_some());
    assert!(difference_of(&exempt, &[(Some("0%"), "10.00", "0.00"), (None, "8.00", "0.00")]).is_some());
    let zero_rated = of(&json!([line("10", &json!({"category": "VAT", "rate": "0"}))]));
    assert_eq!(difference_of(&zero_rated, &[(Some("0.0%"), "10.00", "0.00")]), None);
    assert!(difference_of(&zero_rated, &[(None, "10.00", "0.00")]).is_some());
}
