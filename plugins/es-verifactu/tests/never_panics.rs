//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

use einvoice_plugin::{
    Address, Amount, Authority, CategoryTotal, Company, Context, Country, DocumentKind, Ext,
    IdentityDocument, IdentityKind, Individual, Invoice, Line, Preceding, ProviderFault, ProviderResult,
    RateTotal, Recipient, RetentionTotal, Stamp, Submission, Tax, harness,
};
use es_verifactu::EsVerifactu;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Anything, with a bias to what the rules know.
///
/// Boxed: unboxed, the strategies of all the members together outgrow a test's stack.
fn text() -> BoxedStrategy<String> {
    prop_oneof![
        any::<String>(),
        ".{0,130}",
        "[A-Z]?[0-9]{7,8}[A-Z]?",
        Just("ES".to_owned()),
        Just("VAT".to_owned()),
        Just("IPSI".to_owned()),
        Just("article_20".to_owned()),
        Just("2026-11-20".to_owned()),
        Just("R1".to_owned()),
        Just(String::new()),
    ]
    .boxed()
}

fn amount() -> BoxedStrategy<Amount> {
    prop_oneof![
        (any::<i64>(), any::<u8>()).prop_map(|(units, scale)| Amount::new(units, scale)),
        (-100_000_i64..100_000, 0_u8..5).prop_map(|(units, scale)| Amount::new(units, scale)),
        Just(Amount::new(210, 1)),
    ]
    .boxed()
}

prop_compose! {
    fn address()(street in option::of(text()), postcode in option::of(text()), country in option::of(text())) -> Address {
        Address { street, locality: None, region: None, postcode, country }
    }
}

fn identity_kind() -> impl Strategy<Value = IdentityKind> {
    prop_oneof![
        Just(IdentityKind::IdCard),
        Just(IdentityKind::SpanishResidentPermit),
        Just(IdentityKind::Passport),
        Just(IdentityKind::ForeignNationalId),
        Just(IdentityKind::DrivingLicense),
    ]
}

fn recipient() -> BoxedStrategy<Recipient> {
    let document = (identity_kind(), text(), option::of(text()))
        .prop_map(|(kind, number, country)| IdentityDocument { kind, number, country });
    prop_oneof![
        (text(), option::of(document), option::of(address().boxed()), option::of(text())).prop_map(
            |(name, identity_document, address, email)| {
                Recipient::Individual(Individual { name, identity_document, address, email })
            }
        ),
        (text(), option::of(text()), option::of(text()), option::of(address().boxed())).prop_map(
            |(name, tax_number, country, address)| {
                Recipient::Company(Company { name, tax_number, country, address, email: None })
            }
        ),
    ]
    .boxed()
}

prop_compose! {
    fn line()(
        index: u32, description in text(), quantity in amount(), unit_price in amount(), sum in amount(),
        category in text(), rate in option::of(amount()), surcharge in option::of(amount()),
        exemption in option::of(text()), outlay: bool,
    ) -> Line {
        let tax = Tax { category, rate, surcharge, exemption };
        Line { index, description, quantity, unit_price, sum, total: sum, tax, period: None, outlay, ext: Vec::new() }
    }
}

fn document_kind() -> BoxedStrategy<DocumentKind> {
    prop_oneof![
        Just(DocumentKind::Invoice),
        Just(DocumentKind::SimplifiedInvoice),
        Just(DocumentKind::ReplacementInvoice),
        Just(DocumentKind::CreditNote),
        Just(DocumentKind::DebitNote),
    ]
    .boxed()
}

prop_compose! {
    fn preceding()(
        kind in document_kind(), uuid in text(), number in text(), issue_date in text(), figure in option::of(amount()),
        line in line().boxed(), sound: bool,
    ) -> Preceding {
        let model = empty_invoice();
        let totals = figure.map(|figure| {
            let mut totals = model.totals.clone();
            totals.payable = figure;
            totals.categories = vec![category(&line)];
            totals
        });
        let (uuid, issue_date) = if sound { (model.uuid, model.issue_date) } else { (uuid, issue_date) };
        Preceding { uuid, kind, number, issue_date, totals, reason: None, stamps: Vec::new() }
    }
}

fn empty_invoice() -> Invoice {
    harness::invoice(&json!({"issue_date": "2026-11-20", "number": "F-1"}))
        .unwrap_or_else(|why| panic!("{why}"))
}

prop_compose! {
    fn invoice()(
        uuid in text(), number in option::of(text()), issue_date in text(), operation_date in option::of(text()),
        prices_include_tax: bool, recipient in option::of(recipient()), lines in vec(line().boxed(), 0..4),
        figure in amount(), retention in option::of((text(), amount())), notes in option::of(text()), sound: bool,
        kind in document_kind(), preceding in vec(preceding().boxed(), 0..3), doc_type in option::of(text()),
    ) -> Invoice {
        let mut invoice = empty_invoice();
        (invoice.issue_date, invoice.notes) = (issue_date, notes);
        if !sound {
            (invoice.uuid, invoice.number) = (uuid, number);
        }
        (invoice.operation_date, invoice.prices_include_tax) = (operation_date, prices_include_tax);
        (invoice.kind, invoice.preceding) = (kind, preceding);
        invoice.ext = doc_type.map(|value| Ext { key: "doc-type".to_owned(), value }).into_iter().collect();
        invoice.totals.gross = figure;
        invoice.totals.payable = figure;
        invoice.totals.categories = lines.iter().map(category).collect();
        invoice.totals.retentions = retention
            .into_iter()
            .map(|(category, rate)| RetentionTotal { category, rate, base: figure, amount: figure })
            .collect();
        (invoice.recipient, invoice.lines) = (recipient, lines);
        invoice
    }
}

fn category(line: &Line) -> CategoryTotal {
    let row = RateTotal {
        rate: line.tax.rate,
        surcharge: line.tax.surcharge,
        exemption: line.tax.exemption.clone(),
        base: line.sum,
        amount: line.total,
        surcharge_amount: line.tax.surcharge,
    };
    CategoryTotal {
        category: line.tax.category.clone(),
        rates: vec![row],
        amount: line.total,
        surcharge_amount: None,
    }
}

prop_compose! {
    fn context()(today in text(), settings in text(), legal_name in text(), tax_id in text(), sound: bool) -> Context {
        let mut context = harness::context();
        if !sound {
            (context.today, context.settings) = (today, settings);
            (context.supplier.legal_name, context.supplier.tax_id) = (legal_name, tax_id);
        }
        context
    }
}

prop_compose! {
    fn report()(
        succeeded: bool, code in option::of(text()), message in option::of(text()), paths in vec(text(), 0..3),
        stamp in text(), job in text(), faulty: bool,
    ) -> ProviderResult {
        let fault = ProviderFault { provider: None, code, message, paths };
        let stamps = vec![Stamp { provider: "verifactu-qr".to_owned(), value: stamp }];
        ProviderResult { succeeded, faults: if faulty { vec![fault] } else { Vec::new() }, stamps, job, entry: String::new() }
    }
}

proptest! {
    #[test]
    fn any_invoice_is_converted_or_refused_with_reasons(invoice in invoice(), context in context()) {
        let checked = EsVerifactu::check(&invoice, &context);
        match EsVerifactu::convert(&invoice, &context) {
            Ok(document) => {
                prop_assert!(checked.iter().all(|fault| !fault.is_error()));
                prop_assert!(serde_json::from_str::<Value>(&document.body).is_ok());
            }
            Err(faults) => prop_assert!(!faults.is_empty() && faults.iter().all(einvoice_plugin::Fault::is_error)),
        }
    }

    #[test]
    fn any_recipient_is_mapped_or_refused_with_reasons(recipient in recipient()) {
        prop_assert!(EsVerifactu::map_identity(&recipient).is_ok_and(|_| true)
            || EsVerifactu::map_identity(&recipient).is_err_and(|faults| !faults.is_empty()));
    }

    #[test]
    fn any_report_has_a_verdict(report in report()) {
        prop_assert!(EsVerifactu::interpret(&report).is_ok());
    }

    #[test]
    fn any_submission_is_answered(document in text(), now in text(), code in option::of(text()), previous in option::of(text())) {
        let _ = EsVerifactu::file(&document);
        let mut invoice = harness::invoice(&json!({
            "number": "F-1", "issue_date": "2026-11-20",
            "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "1.00", "tax": {"category": "VAT", "rate": "21.0"}}]
        })).unwrap();
        invoice.notes = None;
        let document = EsVerifactu::convert(&invoice, &harness::context()).unwrap().body;
        let submission = Submission { document, now, previous, registered: None, amends: None, forced_code: code };
        prop_assert!(EsVerifactu::submit(&submission).is_ok() || submission.previous.is_some());
    }
}
