//! Native tests of a plugin: invoices from the platform's own document JSON, with true figures.
//!
//! The gateway computes the figures once and hands them to the plugin; here [`invoice`] does it, with the
//! algorithm of the structured format, so a fixture says only what a caller of the API would say:
//!
//! ```
//! use einvoice_plugin::harness;
//! let invoice = harness::invoice(&serde_json::json!({
//!     "issue_date": "2026-11-20", "prices_include_tax": true,
//!     "recipient": {"type": "company", "name": "Acme S.L.", "tax_number": "B98602642", "country": "ES"},
//!     "lines": [{"description": "Night", "quantity": "1", "unit_price": "121.00",
//!                "tax": {"category": "VAT", "rate": "21.0"}}]
//! }))?;
//! assert_eq!(invoice.totals.net.to_string(), "100.00");
//! # Ok::<(), String>(())
//! ```

mod evidence;
mod figures;
mod printing;

pub use evidence::number_in;
pub use printing::exemption_name_mistakes;

use serde_json::Value;

use crate::{
    Address, Amount, Company, Context, DocumentKind, Ext, IdentityDocument, IdentityKind, Individual,
    Invoice, Line, PaymentTerms, Period, Preceding, Recipient, RetentionTotal, Rounding, Stamp, Submission,
    Supplier, Tax, Totals,
};

/// A document that the authority knows nothing of yet, for [`Authority`](crate::Authority). `now` is an instant (RFC 3339).
pub fn submission(document: &str, now: &str) -> Submission {
    Submission {
        document: document.to_owned(),
        now: now.to_owned(),
        previous: None,
        registered: None,
        amends: None,
        forced_code: None,
    }
}

/// Decimals of the currency. The harness computes in euro.
const CURRENCY_DECIMALS: u8 = 2;

/// An invoice from a document as the platform's API takes it (`PUT /invoicing/rpc/documents/:uuid`).
///
/// Besides the API's members (`payment`, `ext`, `period` and `ext` of lines among them) it reads what the gateway adds:
/// `uuid`, `number`, `stamps` (a list of `provider` and `value`) and `preceding`, a list of documents written like this
/// one, each with `number` and perhaps a `reason`; without lines nothing is known of its figures. `outlay` of a line is
/// read too, for plugins that refuse it: no document of the platform has it. `document_type` takes the kinds of the contract, `simplified_invoice` too.
/// Absent optional members are null or empty. The error names what is missing or malformed.
pub fn invoice(document: &Value) -> Result<Invoice, String> {
    invoice_rounded(document, Rounding::Precise)
}

/// As [`invoice`], with the figures of a rule of the format: what a description asks for.
pub fn invoice_rounded(document: &Value, rounding: Rounding) -> Result<Invoice, String> {
    let lines = list(document, "lines")
        .iter()
        .zip(1..)
        .map(|(line, index)| read_line(line, index))
        .collect::<Result<Vec<_>, _>>()?;
    let retentions = list(document, "retentions")
        .iter()
        .map(|retention| Ok((required(retention, "category")?, amount(retention, "rate")?)))
        .collect::<Result<Vec<_>, String>>()?;
    let mut invoice = Invoice {
        uuid: text(document, "uuid").unwrap_or_else(|| "01930c5c-f1f0-7000-8000-000000000001".to_owned()),
        kind: kind(text(document, "document_type").as_deref())?,
        number: text(document, "number"),
        issue_date: required(document, "issue_date")?,
        operation_date: text(document, "operation_date"),
        currency: text(document, "currency").unwrap_or_else(|| "EUR".to_owned()),
        prices_include_tax: flag(document, "prices_include_tax"),
        recipient: present(document, "recipient").map(recipient).transpose()?,
        lines,
        totals: no_totals(retentions),
        preceding: list(document, "preceding").iter().map(preceding).collect::<Result<_, _>>()?,
        payment: present(document, "payment").map(payment),
        notes: text(document, "notes"),
        stamps: stamps(document)?,
        ext: ext(document),
    };
    figures::fill(&mut invoice, rounding)?;
    Ok(invoice)
}

/// Surroundings for a test: a Spanish supplier, 20 November 2026, no settings.
pub fn context() -> Context {
    Context {
        today: "2026-11-20".to_owned(),
        now: "2026-11-20T09:30:00+01:00".to_owned(),
        settings: "{}".to_owned(),
        supplier: Supplier {
            legal_name: "Provide One S.L.".to_owned(),
            tax_id: "B98602642".to_owned(),
            country: "ES".to_owned(),
            address: Some(Address {
                street: Some("Calle Pradillo 42".to_owned()),
                locality: Some("Madrid".to_owned()),
                region: Some("Madrid".to_owned()),
                postcode: Some("28002".to_owned()),
                country: Some("ES".to_owned()),
            }),
            email: None,
            ext: Vec::new(),
        },
        company_id: "01930c5c-f1f0-7000-8000-0000000000aa".to_owned(),
        ext: Vec::new(),
    }
}

/// A recipient from its JSON.
pub fn recipient(value: &Value) -> Result<Recipient, String> {
    let name = text(value, "name").unwrap_or_default();
    let address = present(value, "address").map(address);
    let email = text(value, "email");
    match text(value, "type").as_deref() {
        Some("company") => {
            let (tax_number, country) = (text(value, "tax_number"), text(value, "country"));
            Ok(Recipient::Company(Company { name, tax_number, country, address, email, ext: ext(value) }))
        }
        Some("individual") => {
            let identity_document = present(value, "identity_document").map(identity_document).transpose()?;
            Ok(Recipient::Individual(Individual { name, identity_document, address, email, ext: ext(value) }))
        }
        other => Err(format!("recipient type {other:?} is neither individual nor company")),
    }
}

fn identity_document(value: &Value) -> Result<IdentityDocument, String> {
    let kind = match required(value, "type")?.as_str() {
        "id_card" => IdentityKind::IdCard,
        "spanish_resident_permit" => IdentityKind::SpanishResidentPermit,
        "passport" => IdentityKind::Passport,
        "foreign_national_id" => IdentityKind::ForeignNationalId,
        "driving_license" => IdentityKind::DrivingLicense,
        "student_id" => IdentityKind::StudentId,
        "other" => IdentityKind::Other,
        other => return Err(format!("unknown identity document type '{other}'")),
    };
    Ok(IdentityDocument { kind, number: required(value, "number")?, country: text(value, "country") })
}

fn address(value: &Value) -> Address {
    Address {
        street: text(value, "street"),
        locality: text(value, "locality"),
        region: text(value, "region"),
        postcode: text(value, "postcode"),
        country: text(value, "country"),
    }
}

fn read_line(value: &Value, index: u32) -> Result<Line, String> {
    let no_tax = Value::Null;
    let tax = value.get("tax").unwrap_or(&no_tax);
    let optional = |key| present(tax, key).map(|_| amount(tax, key)).transpose();
    Ok(Line {
        index,
        description: text(value, "description").unwrap_or_default(),
        quantity: amount(value, "quantity")?,
        unit_price: amount(value, "unit_price")?,
        sum: Amount::new(0, CURRENCY_DECIMALS),
        total: Amount::new(0, CURRENCY_DECIMALS),
        tax: Tax {
            category: text(tax, "category").unwrap_or_default(),
            rate: optional("rate")?,
            surcharge: optional("surcharge")?,
            exemption: text(tax, "exemption"),
        },
        period: present(value, "period").map(period).transpose()?,
        outlay: flag(value, "outlay"),
        ext: ext(value),
    })
}

fn period(value: &Value) -> Result<Period, String> {
    Ok(Period { start: required(value, "start")?, end: required(value, "end")? })
}

fn payment(value: &Value) -> PaymentTerms {
    PaymentTerms { due_date: text(value, "due_date"), note: text(value, "note"), ext: ext(value) }
}

fn stamps(document: &Value) -> Result<Vec<Stamp>, String> {
    let read = |stamp| Ok(Stamp { provider: required(stamp, "provider")?, value: required(stamp, "value")? });
    list(document, "stamps").iter().map(read).collect()
}

/// Nothing is added up yet.
fn no_totals(retentions: Vec<(String, Amount)>) -> Totals {
    let zero = Amount::new(0, CURRENCY_DECIMALS);
    let retention = |(category, rate)| RetentionTotal { category, rate, base: zero, amount: zero };
    Totals { retentions: retentions.into_iter().map(retention).collect(), ..Totals::zero(CURRENCY_DECIMALS) }
}

fn kind(document_type: Option<&str>) -> Result<DocumentKind, String> {
    Ok(match document_type {
        None | Some("invoice") => DocumentKind::Invoice,
        Some("simplified_invoice") => DocumentKind::SimplifiedInvoice,
        Some("replacement_invoice") => DocumentKind::ReplacementInvoice,
        Some("credit_note") => DocumentKind::CreditNote,
        Some("debit_note") => DocumentKind::DebitNote,
        Some(other) => return Err(format!("no plugin takes a document of type '{other}'")),
    })
}

fn preceding(document: &Value) -> Result<Preceding, String> {
    let preceding = invoice(document)?;
    Ok(Preceding {
        uuid: preceding.uuid,
        kind: preceding.kind,
        number: required(document, "number")?,
        issue_date: preceding.issue_date,
        totals: (!preceding.lines.is_empty()).then_some(preceding.totals),
        reason: text(document, "reason"),
        stamps: preceding.stamps,
        ext: preceding.ext,
    })
}

fn ext(document: &Value) -> Vec<Ext> {
    let members = document.get("ext").and_then(Value::as_object).into_iter().flatten();
    let texts = members.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
    texts.map(|(key, value)| Ext { key, value }).collect()
}

fn present<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|member| !member.is_null())
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn required(value: &Value, key: &str) -> Result<String, String> {
    text(value, key).ok_or_else(|| format!("'{key}' is missing"))
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

fn amount(value: &Value, key: &str) -> Result<Amount, String> {
    required(value, key)?.parse().map_err(|error| format!("'{key}': {error}"))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
