//! What becomes of a document in a request.

use super::*;
use crate::tests as samples;
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use serde_json::json;
use std::path::{Path, PathBuf};

const ADDRESS: &str = "https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR?nif=B98602642&numserie=F-2026-000017&fecha=27-07-2026&importe=935.07";
const HASH: &str = "3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60";
const DAY: Date = Date::constant(2026, 7, 27);

fn request_of(form: Value, address: &str, locale: &str) -> Request {
    let mut earlier = samples::issued(samples::form(), ADDRESS, HASH);
    if let State::Issued { number, .. } = &mut earlier.state {
        number.0 = "F-2026-000009".to_owned();
    }
    let references = references(&[earlier], locale);
    of(&samples::issued(form, address, HASH), &samples::issuer(), references, locale.to_owned(), DAY)
}

/// The renderer's suite renders the same file (`cargo xtask test --suites pdf`), which is compared with a golden page.
#[test]
fn the_request_of_a_document_is_the_one_that_the_golden_page_is_made_of() {
    let request = request_of(samples::form(), ADDRESS, "es");
    let text = serde_json::to_string_pretty(&request).unwrap() + "\n";
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients/pdf/gateway.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(file).unwrap_or_default() == text,
        "tests/clients/pdf/gateway.json is not the request any more: UPDATE_GOLDEN=1 cargo test -p gateway-rendering writes it"
    );
}

#[test]
fn a_document_speaks_the_language_it_is_asked_for_in() {
    let spanish = request_of(samples::form(), ADDRESS, "es");
    let english = request_of(samples::form(), ADDRESS, "en");
    let taxes = |request: &Request| request.document.lines[1].taxes.clone();
    let label =
        |request: &Request| request.recipient.as_ref().unwrap().tax_id.as_ref().unwrap().label.clone();
    let row = |request: &Request| request.document.tax_rows[1].label.clone();
    assert_eq!(taxes(&spanish), ["IVA – Exenta, art.\u{a0}20"]);
    assert_eq!(taxes(&english), ["VAT – Exempt, article 20"]);
    assert_eq!(row(&spanish), "IVA – Exenta por el artículo 20 de la Ley del Impuesto");
    assert_eq!(row(&english), "VAT – Exempt, article 20: rent of dwellings");
    assert_eq!([label(&spanish), label(&english)], ["N.º de IVA", "VAT no."]);
    assert_eq!(spanish.document.references, ["F-2026-000009 (27/07/2026)"]);
    assert_eq!(english.document.references, ["F-2026-000009 (27\u{a0}July 2026)"]);
    assert!(spanish.document.lines[0].description.ends_with("\nPeriodo: del 01/07/2026 al 31/07/2026"));
    assert!(english.document.lines[0].description.contains("\nPeriod: 1\u{a0}July 2026 to "));
    assert_eq!(english.document.lines[2].description, "Sábanas");
}

#[test]
fn an_identity_document_is_called_as_the_language_does() {
    let mut form = samples::form();
    form["recipient"] = json!({"type": "individual", "name": "Jane Roe",
        "identity_document": {"type": "passport", "number": "123456789", "country": "GB"}});
    for (locale, label) in [("es", "Documento de identidad"), ("en", "ID")] {
        let tax_id = request_of(form.clone(), ADDRESS, locale).recipient.unwrap().tax_id.unwrap();
        assert_eq!((tax_id.label.as_str(), tax_id.value.as_str()), (label, "123456789 (GB)"));
    }
}

#[test]
fn an_address_that_no_code_holds_stands_among_the_notes() {
    let address = |bytes: usize| format!("https://verify.example/{}", "x".repeat(bytes - 23));
    let request = request_of(samples::form(), &address(QR_BYTES_MAX), "es");
    assert_eq!((request.stamp.unwrap().qr.is_some(), request.document.notes.len()), (true, 2));
    let long = address(QR_BYTES_MAX + 1);
    let request = request_of(samples::form(), &long, "es");
    let stamp = request.stamp.unwrap();
    assert_eq!((stamp.qr.is_none(), stamp.legend), (true, vec!["VERI*FACTU".to_owned()]));
    assert_eq!(request.document.notes[2], format!("Verificación de este documento: {long}"));
}

/// The lines of every golden case of a plugin (`tests/golden`) as a document, by file name; without those that no document may
/// have.
fn golden_documents() -> Vec<(String, Invoice)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let list = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let cases = list(&folder).flat_map(|plugin| list(&plugin.join("cases")));
    let document = |case: PathBuf| {
        let value: Value = serde_json::from_str(&std::fs::read_to_string(&case).unwrap()).unwrap();
        let mut form = json!({"workspace_id": 1, "document_type": "invoice", "currency": "EUR", "prices_include_tax": false});
        for member in ["currency", "prices_include_tax", "lines", "retentions"] {
            if let Some(value) = value["document"].get(member) {
                form[member] = value.clone();
            }
        }
        let read: DocumentForm = serde_json::from_value(form.clone()).ok()?;
        read.check(TaxCheck::Syntax).ok()?;
        Some((case.display().to_string(), samples::issued(form, ADDRESS, HASH)))
    };
    cases.filter_map(document).collect()
}

/// Rows and total are rounded on their own: each row is off by half of the last decimal at most.
#[test]
fn the_rows_of_the_breakdown_add_up_to_the_tax_of_every_golden_document() {
    let (documents, issuer) = (golden_documents(), samples::issuer());
    let mut surcharges = 0;
    for (name, document) in &documents {
        let request = of(document, &issuer, Vec::new(), "es".to_owned(), DAY).document;
        let units = |text: &str| text.replace('.', "").parse::<i64>().unwrap();
        let rows: i64 = request.tax_rows.iter().map(|row| units(&row.amount)).sum();
        let off = (rows - units(&request.totals.tax)).unsigned_abs();
        let off_max = if request.tax_rows.len() < 2 { 0 } else { request.tax_rows.len().div_ceil(2) };
        assert!(off <= off_max as u64, "{name}: {:?} make no {}", request.tax_rows, request.totals.tax);
        surcharges += usize::from(document.totals.rates.iter().any(|rate| rate.surcharge.is_some()));
    }
    assert!(documents.len() > 300 && surcharges >= 6, "{} with {surcharges} surcharges", documents.len());
}

#[test]
fn a_surcharge_has_a_row_of_its_own_below_that_of_its_rate() {
    let mut form = samples::form();
    form["lines"][0]["tax"]["surcharge"] = json!("5.2");
    let rows = |locale: &str| {
        let rows = request_of(form.clone(), ADDRESS, locale).document.tax_rows;
        let row = |row: &TaxRow| [row.label.clone(), row.base.clone(), row.amount.clone()];
        rows.iter().map(row).take(2).collect::<Vec<_>>()
    };
    let spanish = [["IVA 21 %", "60.00", "12.60"], ["Recargo de equivalencia 5,2 %", "60.00", "3.12"]];
    assert_eq!(rows("es"), spanish);
    let english = [["VAT 21%", "60.00", "12.60"], ["Equivalence surcharge 5.2%", "60.00", "3.12"]];
    assert_eq!(rows("en"), english);
}

#[test]
fn surcharges_stand_with_their_rates_where_a_renderer_takes_no_more_rows() {
    let line = |number: usize| {
        let surcharge = format!("{}.{:02}", number / 100, number % 100);
        json!({"description": "Sábanas", "quantity": "1", "unit_price": "100.00",
            "tax": {"category": "VAT", "rate": "21.0", "surcharge": surcharge}})
    };
    let rows = |count: usize| {
        let mut form = samples::form();
        form["lines"] = (1..=count).map(line).collect();
        request_of(form, ADDRESS, "es").document.tax_rows
    };
    assert_eq!(rows(TAX_ROWS_MAX / 2).len(), TAX_ROWS_MAX);
    let together = rows(TAX_ROWS_MAX / 2 + 1);
    assert_eq!(together.len(), TAX_ROWS_MAX / 2 + 1);
    let last = together.last().unwrap();
    assert_eq!((last.label.as_str(), last.amount.as_str()), ("IVA 21 % + 5,01 %", "26.01"));
}

/// Spain files a credit note as a difference, so that its code says a negative figure; the document says the same amount as one that
/// is given back, which the renderer names by the kind.
#[test]
fn a_credit_note_is_printed_as_what_is_given_back_of_the_figure_that_its_code_says() {
    let mut form = samples::form();
    form["document_type"] = json!("credit_note");
    form["referenced_document_ids"] = json!(["01985000-0000-7000-8000-000000000002"]);
    form["retentions"] = json!([]);
    let address = ADDRESS.replace("importe=935.07", "importe=-935.08");
    let request = request_of(form, &address, "es");
    let code = request.stamp.unwrap().qr.unwrap().content;
    let (_, filed) = code.split_once("importe=-").unwrap();
    assert_eq!(
        (request.document.kind, request.document.totals.payable.as_str()),
        (PrintedKind::CreditNote, filed)
    );
}

#[test]
fn a_rejected_document_is_no_draft_for_a_renderer_that_knows_the_difference() {
    let issuer = samples::issuer();
    let printed = |state: State| {
        let document = Invoice { state, ..samples::issued(samples::form(), ADDRESS, HASH) };
        of(&document, &issuer, Vec::new(), "es".to_owned(), DAY).document
    };
    let number = || InvoiceNumber("F-2026-000017".to_owned());
    let at = jiff::Timestamp::UNIX_EPOCH;
    let rejected = printed(State::Rejected { number: number(), at, reason: "unknown NIF".to_owned() });
    let ext = rejected.ext.iter().map(|ext| (ext.key.as_str(), ext.value.as_str())).collect::<Vec<_>>();
    assert_eq!((rejected.is_draft, ext), (true, vec![("status", "rejected")]));
    for state in [State::Draft, State::Issued { number: number(), at, acceptance: None, imported: None }] {
        assert!(printed(state).ext.is_empty());
    }
}
