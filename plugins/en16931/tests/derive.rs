//! Stored documents in the terms of the standard.

#![cfg(test)]

use einvoice_en16931::{Invoice, Profile, Syntax, Underivable, derive, rules};
use proptest::prelude::*;
use serde_json::{Value, json};

const PROFILE: Profile = Profile {
    customization_id: "urn:cen.eu:en16931:2017",
    process_id: "urn:example:process",
    tax_number_key: "tax-number",
    rate_of_not_subject: false,
};

/// A document of one line of 100.00 with 7 percent.
fn document() -> Value {
    json!({
        "series": "F", "code": "1", "issue_date": "2026-11-20", "currency": "EUR",
        "tax": {"ext": {"untdid-document-type": "380"}},
        "supplier": {"name": "Seller", "tax_id": {"country": "DE", "code": "111111125"},
                     "addresses": [{"street": "Weg", "num": "1", "locality": "Walldorf", "code": "69190", "country": "DE"}]},
        "customer": {"name": "Buyer", "tax_id": {"country": "EL", "code": "094259216"},
                     "addresses": [{"locality": "Pristina", "code": "10000", "country": "XK"}]},
        "lines": [line("1", "100.00", "100.00", "7%")],
        "payment": {"terms": {"notes": "Bald."}},
        "totals": totals("100.00", "7.00", "107.00", &json!([rate("7%", "100.00", "7.00")]))
    })
}

fn line(quantity: &str, price: &str, total: &str, percent: &str) -> Value {
    json!({"i": 1, "quantity": quantity, "item": {"name": "Night", "price": price}, "sum": total, "total": total,
           "taxes": [{"cat": "VAT", "key": "standard", "percent": percent}]})
}

fn rate(percent: &str, base: &str, amount: &str) -> Value {
    json!({"key": "standard", "percent": percent, "base": base, "amount": amount})
}

fn totals(net: &str, tax: &str, gross: &str, rates: &Value) -> Value {
    json!({"total": net, "tax": tax, "total_with_tax": gross, "payable": gross,
           "taxes": {"categories": [{"code": "VAT", "rates": rates, "amount": tax}], "sum": tax}})
}

fn derived(document: &Value) -> Invoice {
    derive(&document.to_string(), PROFILE).unwrap()
}

fn broken(invoice: &Invoice) -> Vec<&'static str> {
    rules::broken(invoice).map(|rule| rule.id).collect()
}

fn nets(invoice: &Invoice) -> Vec<String> {
    invoice.lines.iter().map(|line| line.net.to_string()).collect()
}

#[test]
fn an_invoice_has_the_terms_of_its_document() {
    let invoice = derived(&document());
    assert_eq!(broken(&invoice), Vec::<&str>::new());
    assert_eq!((invoice.number.as_str(), invoice.type_code.as_str()), ("F-1", "380"));
    assert_eq!(invoice.seller.vat_id.as_deref(), Some("DE111111125"));
    assert_eq!(invoice.buyer.vat_id.as_deref(), Some("EL094259216"));
    let (seller, buyer) = (invoice.seller.address.unwrap(), invoice.buyer.address.unwrap());
    assert_eq!((seller.street.as_str(), buyer.country.as_str()), ("Weg 1", "1A"));
    assert_eq!(invoice.lines[0].category, "S");
    assert_eq!(invoice.lines[0].rate.unwrap().to_string(), "7");
}

/// Nine times 0.99 is 8.91; the tax in it is 0.58, and nine times 0.93 would be 8.37.
#[test]
fn lines_with_included_tax_come_to_the_total_without_it() {
    let mut document = document();
    document["tax"]["prices_include"] = json!("VAT");
    document["lines"] = json!(vec![line("1", "0.99", "0.99", "7%"); 9]);
    document["totals"] = totals("8.33", "0.58", "8.91", &json!([rate("7%", "8.33", "0.58")]));
    let invoice = derived(&document);
    assert_eq!(broken(&invoice), Vec::<&str>::new());
    let expected = ["0.92", "0.92", "0.92", "0.92", "0.93", "0.93", "0.93", "0.93", "0.93"];
    assert_eq!(nets(&invoice), expected);
    assert_eq!(invoice.totals.rounding, None);
    assert!(invoice.lines.iter().all(|line| line.price.to_string() == "0.9252"));
}

#[test]
fn the_line_that_rounding_moved_most_gets_the_cent() {
    let mut document = document();
    document["lines"] = json!([
        line("1", "0.334", "0.334", "7%"),
        line("1", "0.333", "0.333", "7%"),
        line("1", "0.333", "0.333", "7%")
    ]);
    document["totals"] = totals("1.00", "0.07", "1.07", &json!([rate("7%", "1.00", "0.07")]));
    let invoice = derived(&document);
    assert_eq!(nets(&invoice), ["0.34", "0.33", "0.33"]);
    assert_eq!(broken(&invoice), Vec::<&str>::new());
}

#[test]
fn a_net_price_has_the_decimals_that_its_quantity_needs() {
    let price = |quantity: &str, total: &str| {
        let mut document = document();
        document["tax"]["prices_include"] = json!("VAT");
        document["lines"] = json!([line(quantity, "10.00", total, "19%")]);
        derived(&document).lines[0].price.to_string()
    };
    assert_eq!(price("1", "10.00"), "8.4034");
    assert_eq!(price("700", "7000.00"), "8.40336");
    assert_eq!(price("123456", "1234560.00"), "8.40336134");
}

#[test]
fn a_cent_between_totals_that_were_rounded_apart_is_the_rounding_amount() {
    let mut document = document();
    document["totals"]["total_with_tax"] = json!("107.01");
    document["totals"]["payable"] = json!("107.01");
    let totals = derived(&document).totals;
    let printed = [totals.net, totals.tax, totals.gross, totals.payable].map(|figure| figure.to_string());
    assert_eq!(printed, ["100.00", "7.00", "107.00", "107.01"]);
    assert_eq!(totals.rounding.map(|figure| figure.to_string()).as_deref(), Some("0.01"));
    assert_eq!(broken(&derived(&document)), Vec::<&str>::new());
}

/// Crowns of Iceland have no cents: nights at 1,999 with 11 percent inside, each line and row rounded to a crown.
#[test]
fn what_a_currency_without_cents_rounds_is_the_rounding_amount() {
    let mut document = document();
    document["currency"] = json!("ISK");
    document["tax"]["prices_include"] = json!("VAT");
    document["tax"]["rounding"] = json!("currency");
    document["lines"] = json!([line("1", "1999", "1999", "11%"), line("2.5", "333", "833", "24%")]);
    let rates = json!([rate("11%", "1801", "198"), rate("24%", "672", "161")]);
    document["totals"] = totals("2473", "359", "2832", &rates);
    let invoice = derived(&document);
    assert_eq!(broken(&invoice), Vec::<&str>::new());
    assert_eq!(nets(&invoice), ["1800.90", "671.37"]);
    let totals = invoice.totals;
    let printed = [totals.net, totals.tax, totals.gross, totals.payable].map(|figure| figure.to_string());
    assert_eq!(printed, ["2472.27", "359.00", "2831.27", "2832.00"]);
    assert_eq!(totals.rounding.map(|figure| figure.to_string()).as_deref(), Some("0.73"));
}

#[test]
fn a_difference_that_no_rounding_makes_is_left_for_the_rules() {
    let mut document = document();
    document["totals"]["total"] = json!("90.00");
    assert_eq!(broken(&derived(&document)), ["BR-CO-13", "BR-CO-15"]);
}

#[test]
fn what_is_withheld_stands_in_the_terms_and_the_whole_is_due() {
    let mut document = document();
    let withheld = json!({"code": "IRPF", "retained": true, "rates": [rate("15%", "100.00", "15.00")], "amount": "15.00"});
    document["totals"]["taxes"]["categories"].as_array_mut().unwrap().insert(0, withheld);
    document["totals"]["payable"] = json!("92.00");
    document["lines"][0]["taxes"].as_array_mut().unwrap().insert(0, json!({"cat": "IRPF", "percent": "15%"}));
    let invoice = derived(&document);
    assert_eq!(broken(&invoice), Vec::<&str>::new());
    assert_eq!(invoice.totals.payable.to_string(), "107.00");
    assert_eq!(invoice.payment_terms.as_deref(), Some("Bald.\nIRPF: -15.00 EUR"));
}

#[test]
fn what_was_paid_in_advance_is_not_due() {
    let mut document = document();
    document["totals"]["advance"] = json!("40.00");
    let invoice = derived(&document);
    assert_eq!(invoice.totals.payable.to_string(), "67.00");
    assert_eq!(broken(&invoice), Vec::<&str>::new());
}

#[test]
fn rows_of_one_category_and_rate_become_one() {
    let mut document = document();
    let lines = [line("1", "60.00", "60.00", "7%"), line("1", "40.00", "40.00", "7.0%")];
    document["lines"] = json!(lines);
    let rates = json!([rate("7%", "60.00", "4.20"), rate("7.0%", "40.00", "2.80")]);
    document["totals"] = totals("100.00", "7.00", "107.00", &rates);
    let invoice = derived(&document);
    assert_eq!(invoice.tax_rows.len(), 1);
    assert_eq!(broken(&invoice), Vec::<&str>::new());
}

#[test]
fn what_is_not_subject_to_vat_names_no_vat_number() {
    let mut document = document();
    document["lines"][0]["taxes"] = json!([{"cat": "VAT", "key": "outside-scope"}]);
    let row = json!([{"key": "outside-scope", "base": "100.00", "amount": "0.00"}]);
    document["totals"] = totals("100.00", "0.00", "100.00", &row);
    let invoice = derived(&document);
    assert_eq!((&invoice.seller.vat_id, &invoice.buyer.vat_id), (&None, &None));
    assert_eq!(invoice.seller.identifier.as_deref(), Some("DE111111125"));
    assert_eq!((invoice.tax_rows[0].rate, invoice.lines[0].rate), (None, None));
    assert_eq!(broken(&invoice), Vec::<&str>::new());
    let stated = derive(&document.to_string(), Profile { rate_of_not_subject: true, ..PROFILE }).unwrap();
    assert_eq!(stated.tax_rows[0].rate.unwrap().to_string(), "0");
}

#[test]
fn a_party_is_registered_and_an_order_referred_to_in_either_syntax() {
    let mut document = document();
    document["customer"]["identities"] =
        json!([{"scope": "legal", "code": "5567037485", "ext": {"iso-scheme-id": "0007"}}]);
    document["ordering"] = json!({"purchases": [{"code": "PO-7"}]});
    let mut invoice = derived(&document);
    invoice.seller.tax_number = Some("approved".to_owned());
    invoice.seller.tax_number_scheme = Some("TAX");
    let [ubl, cii] = [Syntax::Ubl, Syntax::Cii].map(|syntax| syntax.write(&invoice));
    assert!(ubl.contains("<cbc:CompanyID schemeID=\"0007\">5567037485</cbc:CompanyID>"), "{ubl}");
    assert!(ubl.contains("<cbc:CompanyID>approved</cbc:CompanyID>") && ubl.contains("<cbc:ID>TAX</cbc:ID>"));
    assert!(ubl.contains("<cbc:ID>PO-7</cbc:ID>"), "{ubl}");
    assert!(cii.contains("<ram:ID schemeID=\"0007\">5567037485</ram:ID>"), "{cii}");
    assert!(cii.contains("<ram:IssuerAssignedID>PO-7</ram:IssuerAssignedID>"), "{cii}");
}

#[test]
fn a_norwegian_vat_number_ends_in_mva() {
    let mut document = document();
    for code in ["923609016", "923609016MVA"] {
        document["customer"]["tax_id"] = json!({"country": "NO", "code": code});
        assert_eq!(derived(&document).buyer.vat_id.as_deref(), Some("NO923609016MVA"));
    }
}

#[test]
fn what_has_no_form_in_the_standard_says_why() {
    let mut surcharge = document();
    surcharge["lines"][0]["taxes"][0]["surcharge"] = json!("5.2%");
    assert_eq!(derive(&surcharge.to_string(), PROFILE).err(), Some(Underivable::Surcharge));
    let mut figure = document();
    figure["totals"]["payable"] = json!("1e3");
    assert_eq!(derive(&figure.to_string(), PROFILE).err(), Some(Underivable::Figure));
    assert!(matches!(derive("[", PROFILE), Err(Underivable::Malformed(_))));
}

#[test]
fn a_credit_note_has_a_root_of_its_own_in_ubl_only() {
    let mut document = document();
    document["tax"]["ext"]["untdid-document-type"] = json!("381");
    let invoice = derived(&document);
    let root = |syntax: Syntax| syntax.write(&invoice).lines().nth(1).unwrap().to_owned();
    assert!(root(Syntax::Ubl).starts_with("<CreditNote "));
    assert!(root(Syntax::Cii).starts_with("<rsm:CrossIndustryInvoice "));
}

/// Figures of any size, and what is none.
fn figure() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?[0-9]{1,4}(\\.[0-9]{1,4})?",
        (any::<i64>(), 0_u8..25)
            .prop_map(|(units, scale)| einvoice_plugin::Amount::new(units, scale).to_string()),
        ".{0,4}",
    ]
}

proptest! {
    #[test]
    fn no_document_panics(figures in prop::collection::vec(figure(), 12), included: bool) {
        let mut document = document();
        if included {
            document["tax"]["prices_include"] = json!("VAT");
        }
        let percent = format!("{}%", figures[3]);
        document["lines"] = json!([line(&figures[0], &figures[1], &figures[2], &percent), line("2", "1", &figures[4], "7%")]);
        let rates = json!([rate(&percent, &figures[5], &figures[6]), rate("7%", &figures[7], &figures[8])]);
        document["totals"] = totals(&figures[9], &figures[10], &figures[11], &rates);
        if let Ok(invoice) = derive(&document.to_string(), PROFILE) {
            let _ = (broken(&invoice), Syntax::Ubl.write(&invoice), Syntax::Cii.write(&invoice));
        }
        let _ = derive(&figures.join(""), PROFILE);
    }
}

#[test]
fn a_number_of_a_known_scheme_is_of_the_register_of_companies_or_another() {
    let mut document = document();
    let number = |scheme: &str, code: &str| json!({"code": code, "ext": {"iso-scheme-id": scheme}});
    document["supplier"]["identities"] =
        json!([number("0009", "73282932000074"), number("0002", "732829320"), {"key": "other", "code": "1"}]);
    let invoice = derived(&document);
    let (legal, globals) = (invoice.seller.legal_id.clone().unwrap(), &invoice.seller.global_ids);
    assert_eq!((legal.scheme.as_str(), legal.id.as_str()), ("0002", "732829320"));
    assert_eq!(globals.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["73282932000074"]);
    let cii = Syntax::Cii.write(&invoice);
    assert!(cii.contains("<ram:GlobalID schemeID=\"0009\">73282932000074<"), "{cii}");
    assert!(cii.contains("<ram:ID schemeID=\"0002\">732829320<"), "{cii}");
    assert!(Syntax::Ubl.write(&invoice).contains("<cbc:CompanyID schemeID=\"0002\">732829320<"));
}

#[test]
fn a_row_says_by_its_own_code_why_it_is_not_taxed() {
    let reason = |ext: Value| {
        let mut document = document();
        document["totals"]["taxes"]["categories"][0]["rates"][0]["ext"] = ext;
        derived(&document).tax_rows[0].reason_code
    };
    let exempt = |code: &str| json!({"untdid-tax-category": "E", "cef-vatex": code});
    assert_eq!(reason(exempt("VATEX-FR-FRANCHISE")), Some("VATEX-FR-FRANCHISE"));
    assert_eq!(reason(exempt("VATEX-XX")), None);
    assert_eq!(reason(json!({"untdid-tax-category": "AE"})), Some("VATEX-EU-AE"));
    assert_eq!(reason(json!({"untdid-tax-category": "S"})), None);
    // Which a rule refuses (BR-S-10).
    let taxed = json!({"untdid-tax-category": "S", "cef-vatex": "VATEX-EU-AE"});
    assert_eq!(reason(taxed), Some("VATEX-EU-AE"));
}
