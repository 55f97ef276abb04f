//! Documents to convert, and what they are converted in.

use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Address, Content, DocumentKind, Ext, IdentityDocument, IdentityKind, Line, LineTax, Payment, Period,
    Recipient, Retention, Totals,
};
use gateway_domain::money::{Amount, Percent};
use gateway_domain::regime::{Preceding, RegimeContext, RegimeDocumentKind, RegimeInvoice, Stamp, Supplier};
use jiff::civil::date;
use uuid::Uuid;

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

fn percent(text: &str) -> Percent {
    Percent::new(amount(text)).unwrap()
}

fn line(description: &str, quantity: &str, unit_price: &str, tax: LineTax) -> Line {
    Line {
        transaction_id: None,
        description: description.into(),
        quantity: amount(quantity),
        unit_price: amount(unit_price),
        tax,
        period: None,
        ext: Ext::new(),
    }
}

fn vat(rate: Option<&str>, surcharge: Option<&str>, exemption: Option<&str>) -> LineTax {
    LineTax {
        category: "VAT".into(),
        rate: rate.map(percent),
        surcharge: surcharge.map(percent),
        exemption: exemption.map(str::to_owned),
    }
}

fn address() -> Address {
    Address {
        street: Some("Calle Mayor 1".into()),
        locality: Some("Madrid".into()),
        region: Some("Madrid".into()),
        postcode: Some("28013".into()),
        country: Some("ES".into()),
    }
}

fn content(lines: Vec<Line>) -> Content {
    Content {
        document_type: DocumentKind::Invoice,
        currency: "EUR".into(),
        booking_id: None,
        issue_date: Some("2026-11-20".parse().unwrap()),
        operation_date: Some("2026-11-18".parse().unwrap()),
        prices_include_tax: false,
        recipient: Some(Recipient::Individual {
            name: "Ana García".into(),
            identity_document: Some(IdentityDocument {
                kind: IdentityKind::Passport,
                number: "X123".into(),
                country: Some("FR".into()),
            }),
            address: Some(address()),
            email: Some("ana@example.com".into()),
            ext: Ext::new(),
        }),
        lines,
        retentions: vec![Retention { category: "IRPF".into(), rate: percent("19") }],
        referenced_document_ids: Vec::new(),
        notes: None,
        payment: Some(Payment {
            due_date: Some("2026-12-20".parse().unwrap()),
            note: Some("By transfer".into()),
        }),
        ext: ext("of-document"),
    }
}

fn ext(value: &str) -> Ext {
    Ext::from([("told".into(), value.into())])
}

/// A plain Spanish document: one night, paid by a person with a French passport.
pub(crate) fn night() -> RegimeInvoice {
    let mut content = content(vec![line("Room", "1", "100.00", vat(Some("10"), None, None))]);
    content.retentions.clear();
    let totals = Totals::of(&content).unwrap();
    RegimeInvoice {
        preceding: Vec::new(),
        recipient: content.recipient,
        lines: content.lines,
        totals,
        notes: None,
        payment: None,
        stamps: Vec::new(),
        ext: Ext::new(),
        ..invoice("")
    }
}

/// A document with something in every member that the domain has. `notes` steers the plugin.
pub(crate) fn invoice(notes: &str) -> RegimeInvoice {
    let mut content = content(vec![
        line("Room", "3", "100.00", vat(Some("10"), None, None)),
        line("Goods", "1.5", "9.999", vat(Some("21"), Some("5.2"), None)),
        line("Discount", "1", "-10", vat(Some("10"), None, None)),
        line("Insurance", "1", "20.00", vat(None, None, Some("article_20"))),
    ]);
    content.lines[0].period = Some(Period { start: date(2026, 11, 17), end: date(2026, 11, 19) });
    content.lines[0].ext = ext("of-line");
    if let Some(Recipient::Individual { ext: own, .. }) = &mut content.recipient {
        *own = ext("of-recipient");
    }
    let totals = Totals::of(&content).unwrap();
    RegimeInvoice {
        id: InvoiceId(Uuid::from_u128(7)),
        kind: RegimeDocumentKind::Invoice,
        number: Some("F-2026-000001".into()),
        issue_date: content.issue_date.unwrap(),
        operation_date: content.operation_date,
        currency: content.currency,
        prices_include_tax: content.prices_include_tax,
        recipient: content.recipient,
        lines: content.lines,
        preceding: vec![Preceding {
            id: InvoiceId(Uuid::from_u128(8)),
            kind: RegimeDocumentKind::CreditNote,
            number: "R-2026-000001".into(),
            issue_date: "2026-11-19".parse().unwrap(),
            totals: Some(totals.clone()),
            reason: Some("wrong name".into()),
            stamps: vec![Stamp { provider: "verifactu-qr".into(), value: "https://example.com".into() }],
            ext: ext("of-preceding"),
        }],
        totals,
        notes: Some(notes.into()),
        payment: content.payment,
        stamps: vec![Stamp { provider: "verifactu-hash".into(), value: "AB12".into() }],
        ext: content.ext,
    }
}

pub(crate) fn context() -> RegimeContext {
    RegimeContext {
        now: "2026-11-20T09:30:00+01:00[Europe/Madrid]".parse().unwrap(),
        settings: r#"{"b":1,"a":"x"}"#.parse().unwrap(),
        supplier: Supplier {
            legal_name: "Hotel SL".into(),
            tax_id: "B12345674".into(),
            country: "ES".into(),
            address: Some(address()),
            email: Some("hotel@example.com".into()),
        },
        company_id: "0192f0c1-0000-7000-8000-000000000001".into(),
    }
}
