//! The structured document (GOBL, `bill.Invoice`). The figures are the gateway's: they are mapped, never added up.

use einvoice_plugin::{
    Address, Amount, CategoryTotal, Context, Document, DocumentKind, Fault, Faults, IdentityKind, Invoice,
    Line, PaymentTerms, Preceding, RateTotal, Recipient, Supplier, Totals,
};

use crate::{check, format};

/// The document cannot be written as JSON.
pub const UNWRITABLE: &str = "XX-TEMPLATE-DOCUMENT-01";

/// Names the type of the document.
pub const SCHEMA: &str = "https://gobl.org/draft-0/bill/invoice";

/// Under which name and version the provider and the sandbox know this tax system: the plugin's key, then `-v1`.
pub const ADDON: &str = "xx-template-v1";

/// The document as the provider stores it, or every fault that is in the way.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let faults = check::check(invoice);
    if faults.iter().any(Fault::is_error) {
        return Err(faults);
    }
    let document = format::Invoice {
        schema: SCHEMA,
        addons: vec![ADDON],
        uuid: &invoice.uuid,
        kind: kind(invoice.kind),
        code: invoice.number.as_deref(),
        issue_date: &invoice.issue_date,
        op_date: invoice.operation_date.as_deref(),
        currency: &invoice.currency,
        preceding: invoice.preceding.iter().map(preceding).collect(),
        tax: prices(invoice),
        supplier: supplier(&context.supplier, &context.company_id),
        customer: invoice.recipient.as_ref().map(customer),
        lines: invoice.lines.iter().map(line).collect(),
        payment: invoice.payment.as_ref().map(|terms| payment(terms, invoice)),
        totals: totals(&invoice.totals),
        notes: invoice.notes.iter().map(|text| format::Note { text }).collect(),
    };
    let json = document.to_json().map_err(|error| {
        vec![Fault::error(UNWRITABLE, "", format!("The document cannot be written ({error}); report it."))]
    })?;
    Ok(Document::json(json, invoice.totals.payable))
}

/// The format's name of an identity document.
pub fn identity_key(kind: IdentityKind) -> &'static str {
    match kind {
        IdentityKind::Passport => "passport",
        IdentityKind::IdCard | IdentityKind::ForeignNationalId => "national",
        IdentityKind::SpanishResidentPermit => "resident",
        IdentityKind::DrivingLicense | IdentityKind::StudentId | IdentityKind::Other => "other",
    }
}

const fn kind(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::CreditNote => "credit-note",
        DocumentKind::DebitNote => "debit-note",
        DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => {
            "standard"
        }
    }
}

/// Which tax is inside the prices.
fn prices(invoice: &Invoice) -> Option<format::DocumentTax<'_>> {
    let first = invoice.lines.first().filter(|_| invoice.prices_include_tax)?;
    Some(format::DocumentTax { prices_include: &first.tax.category })
}

fn preceding(document: &Preceding) -> format::DocumentRef<'_> {
    format::DocumentRef {
        uuid: &document.uuid,
        kind: kind(document.kind),
        issue_date: &document.issue_date,
        code: &document.number,
        reason: document.reason.as_deref(),
    }
}

fn supplier<'a>(supplier: &'a Supplier, company: &'a str) -> format::Party<'a> {
    format::Party {
        uuid: Some(company),
        name: &supplier.legal_name,
        tax_id: Some(format::TaxId { country: Some(&supplier.country), code: Some(&supplier.tax_id) }),
        identities: Vec::new(),
        addresses: supplier.address.iter().map(address).collect(),
        emails: Vec::new(),
    }
}

fn customer(recipient: &Recipient) -> format::Party<'_> {
    let (name, place, email) = match recipient {
        Recipient::Company(company) => (&company.name, &company.address, &company.email),
        Recipient::Individual(person) => (&person.name, &person.address, &person.email),
    };
    let (tax_id, document) = match recipient {
        Recipient::Company(company) => {
            let (country, code) = (company.country.as_deref(), company.tax_number.as_deref());
            (Some(format::TaxId { country, code }), None)
        }
        Recipient::Individual(person) => (None, person.identity_document.as_ref()),
    };
    let identity = document.map(|document| format::Identity {
        country: document.country.as_deref(),
        key: identity_key(document.kind),
        code: &document.number,
    });
    format::Party {
        uuid: None,
        name,
        tax_id,
        identities: identity.into_iter().collect(),
        addresses: place.iter().map(address).collect(),
        emails: email.iter().map(|addr| format::Email { addr }).collect(),
    }
}

fn address(address: &Address) -> format::Address<'_> {
    format::Address {
        street: address.street.as_deref(),
        locality: address.locality.as_deref(),
        region: address.region.as_deref(),
        code: address.postcode.as_deref(),
        country: address.country.as_deref(),
    }
}

/// When the document has to be paid.
fn payment<'a>(terms: &'a PaymentTerms, invoice: &Invoice) -> format::Payment<'a> {
    let amount = invoice.totals.payable.to_string();
    let due = terms.due_date.as_deref().map(|date| format::DueDate { date, amount, percent: "100%" });
    format::Payment {
        terms: format::Terms {
            key: due.is_some().then_some("due-date"),
            due_dates: due.into_iter().collect(),
            notes: terms.note.as_deref(),
        },
    }
}

fn line(line: &Line) -> format::Line<'_> {
    let period = line.period.as_ref().map(|days| format::Period { start: &days.start, end: &days.end });
    format::Line {
        i: line.index,
        quantity: line.quantity.to_string(),
        period,
        item: format::Item { name: &line.description, price: line.unit_price.to_string() },
        sum: line.sum.to_string(),
        taxes: vec![format::Combo { cat: &line.tax.category, percent: percent(line.tax.rate) }],
        total: line.total.to_string(),
    }
}

fn totals(totals: &Totals) -> format::Totals<'_> {
    let categories = totals.categories.iter().map(category).collect();
    format::Totals {
        sum: totals.sum.to_string(),
        tax_included: totals.tax_included.map(|tax| tax.to_string()),
        total: totals.net.to_string(),
        taxes: format::TaxTotal { categories, sum: totals.tax.to_string() },
        tax: totals.tax.to_string(),
        total_with_tax: totals.gross.to_string(),
        payable: totals.payable.to_string(),
    }
}

fn category(category: &CategoryTotal) -> format::Category<'_> {
    format::Category {
        code: &category.category,
        rates: category.rates.iter().map(rate).collect(),
        amount: category.amount.to_string(),
    }
}

fn rate(rate: &RateTotal) -> format::Rate {
    format::Rate { base: rate.base.to_string(), percent: percent(rate.rate), amount: rate.amount.to_string() }
}

/// `21.0%`.
fn percent(rate: Option<Amount>) -> Option<String> {
    rate.map(|rate| format!("{}%", rate.canonical(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness;
    use serde_json::{Value, json};

    fn converted(document: &Value) -> Value {
        let invoice = harness::invoice(document).unwrap();
        let made = convert(&invoice, &harness::context()).unwrap();
        assert_eq!(made.payable, invoice.totals.payable);
        serde_json::from_str(&made.body).unwrap()
    }

    #[test]
    fn the_figures_are_those_of_the_gateway() {
        let document = converted(&json!({
            "number": "F-1", "issue_date": "2026-11-20", "prices_include_tax": true,
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "121.00",
                       "tax": {"category": "VAT", "rate": "21.0"}}]
        }));
        assert_eq!(document["tax"], json!({"prices_include": "VAT"}));
        let totals = &document["totals"];
        assert_eq!((&totals["total"], &totals["payable"]), (&json!("100.00"), &json!("121.00")));
        assert_eq!(totals["taxes"]["categories"][0]["rates"][0]["percent"], json!("21.0%"));
    }

    #[test]
    fn a_credit_note_names_what_it_credits() {
        let document = converted(&json!({
            "document_type": "credit_note", "number": "R-1", "issue_date": "2026-11-20",
            "preceding": [{"number": "F-1", "issue_date": "2026-11-18"}],
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "21.0"}}]
        }));
        assert_eq!(document["type"], json!("credit-note"));
        assert_eq!(document["preceding"][0]["code"], json!("F-1"));
    }
}
