//! One Spanish invoice with any number of lines, in the words of the host and in those of a plugin.

use crate::Failed;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Address, Content, DocumentKind, Ext, Line, LineTax, Recipient, Totals};
use gateway_domain::money::{Amount, Percent};
use gateway_domain::regime::{RegimeContext, RegimeDocumentKind, RegimeInvoice, Supplier};
use serde_json::{Value, json};
use uuid::Uuid;

/// What differs from line to line: unit price and percent.
const LINES: [(&str, &str); 3] = [("100.00", "10"), ("24.95", "21"), ("9.50", "10")];
const UUID: &str = "01930c5c-f1f0-7000-8000-000000000001";
const COMPANY: &str = "01930c5c-f1f0-7000-8000-0000000000aa";

/// The document, both ways.
#[derive(Debug)]
pub struct Sample {
    /// As the host holds it.
    pub invoice: RegimeInvoice,
    /// What the host tells a plugin besides.
    pub context: RegimeContext,
    /// As a plugin receives it.
    pub native: einvoice_plugin::Invoice,
    /// What a plugin is told besides.
    pub native_context: einvoice_plugin::Context,
}

impl Sample {
    /// An invoice with this many lines.
    pub fn of(lines: usize) -> Result<Self, Failed> {
        let document = json!({
            "uuid": UUID, "number": "F-2026-000001", "document_type": "invoice", "currency": "EUR",
            "issue_date": "2026-11-20", "prices_include_tax": false,
            "recipient": {
                "type": "company", "name": "Provide Two S.L.", "tax_number": "B12345674", "country": "ES",
                "address": { "street": "Calle Mayor 1", "locality": "Madrid", "postcode": "28013", "country": "ES" },
            },
            "lines": (0..lines).map(native_line).collect::<Vec<_>>(),
        });
        Ok(Self {
            invoice: invoice(lines)?,
            context: context()?,
            native: einvoice_plugin::harness::invoice(&document)?,
            native_context: einvoice_plugin::harness::context(),
        })
    }
}

fn kind_of(index: usize) -> (&'static str, &'static str) {
    LINES.iter().copied().cycle().nth(index % LINES.len()).unwrap_or_default()
}

fn native_line(index: usize) -> Value {
    let (price, rate) = kind_of(index);
    json!({
        "description": format!("Night {index}"), "quantity": "2", "unit_price": price,
        "tax": { "category": "VAT", "rate": rate },
    })
}

fn line(index: usize) -> Result<Line, Failed> {
    let (price, rate) = kind_of(index);
    let tax = LineTax {
        category: "VAT".to_owned(),
        rate: Some(Percent::new(rate.parse::<Amount>()?)?),
        surcharge: None,
        exemption: None,
    };
    Ok(Line {
        transaction_id: None,
        description: format!("Night {index}"),
        quantity: "2".parse()?,
        unit_price: price.parse()?,
        tax,
        period: None,
        ext: Ext::new(),
    })
}

fn address(street: &str, postcode: &str, region: Option<&str>) -> Address {
    Address {
        street: Some(street.to_owned()),
        locality: Some("Madrid".to_owned()),
        region: region.map(str::to_owned),
        postcode: Some(postcode.to_owned()),
        country: Some("ES".to_owned()),
    }
}

fn invoice(lines: usize) -> Result<RegimeInvoice, Failed> {
    let content = Content {
        document_type: DocumentKind::Invoice,
        currency: "EUR".to_owned(),
        booking_id: None,
        issue_date: Some("2026-11-20".parse()?),
        operation_date: None,
        prices_include_tax: false,
        recipient: Some(Recipient::Company {
            name: "Provide Two S.L.".to_owned(),
            tax_number: Some("B12345674".to_owned()),
            country: Some("ES".to_owned()),
            address: Some(address("Calle Mayor 1", "28013", None)),
            email: None,
            ext: Ext::new(),
        }),
        lines: (0..lines).map(line).collect::<Result<_, _>>()?,
        retentions: Vec::new(),
        referenced_document_ids: Vec::new(),
        notes: None,
        payment: None,
        ext: Ext::new(),
    };
    Ok(RegimeInvoice {
        id: InvoiceId(UUID.parse::<Uuid>()?),
        kind: RegimeDocumentKind::Invoice,
        number: Some("F-2026-000001".to_owned()),
        issue_date: "2026-11-20".parse()?,
        operation_date: None,
        totals: Totals::of(&content)?,
        currency: content.currency,
        prices_include_tax: content.prices_include_tax,
        recipient: content.recipient,
        lines: content.lines,
        preceding: Vec::new(),
        notes: None,
        payment: None,
        stamps: Vec::new(),
        ext: Ext::new(),
    })
}

fn context() -> Result<RegimeContext, Failed> {
    Ok(RegimeContext {
        now: "2026-11-20T09:30:00+01:00[Europe/Madrid]".parse()?,
        settings: json!({}),
        supplier: Supplier {
            legal_name: "Provide One S.L.".to_owned(),
            tax_id: "B98602642".to_owned(),
            country: "ES".to_owned(),
            address: Some(address("Calle Pradillo 42", "28002", Some("Madrid"))),
            email: None,
        },
        company_id: COMPANY.to_owned(),
    })
}
