//! The structured document (GOBL, `bill.Invoice`). The figures are the gateway's: they are mapped, never added up.

use einvoice_plugin::{
    Address, Amount, CategoryTotal, Context, Document, DocumentKind, Faults, IdentityKind, Invoice, Line,
    PaymentTerms, Preceding, RateTotal, Recipient, Supplier,
};
use serde_json::{Map, Value, json};

use crate::check;

/// Names the type of the document.
pub const SCHEMA: &str = "https://gobl.org/draft-0/bill/invoice";

/// Under which name and version the provider and the sandbox know this tax system: the plugin's key, then `-v1`.
pub const ADDON: &str = "xx-template-v1";

/// The document as the provider stores it, or every fault that is in the way.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let faults = check::check(invoice);
    if faults.iter().any(einvoice_plugin::Fault::is_error) {
        return Err(faults);
    }
    let document = object([
        ("$schema", SCHEMA.into()),
        ("$addons", json!([ADDON])),
        ("uuid", invoice.uuid.as_str().into()),
        ("type", kind(invoice.kind).into()),
        ("code", invoice.number.as_deref().into()),
        ("issue_date", invoice.issue_date.as_str().into()),
        ("op_date", invoice.operation_date.as_deref().into()),
        ("currency", invoice.currency.as_str().into()),
        ("preceding", all(&invoice.preceding, preceding)),
        ("tax", prices(invoice)),
        ("supplier", supplier(&context.supplier, &context.company_id)),
        ("customer", invoice.recipient.as_ref().map_or(Value::Null, customer)),
        ("lines", all(&invoice.lines, line)),
        ("payment", invoice.payment.as_ref().map_or(Value::Null, |terms| payment(terms, invoice))),
        ("totals", totals(invoice)),
        ("notes", invoice.notes.as_deref().map_or(Value::Null, |text| json!([{"text": text}]))),
    ]);
    Ok(Document::json(document.to_string(), invoice.totals.payable))
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
fn prices(invoice: &Invoice) -> Value {
    let category = invoice.lines.first().map(|line| line.tax.category.as_str());
    match category {
        Some(category) if invoice.prices_include_tax => json!({ "prices_include": category }),
        _ => Value::Null,
    }
}

fn preceding(document: &Preceding) -> Value {
    object([
        ("uuid", document.uuid.as_str().into()),
        ("type", kind(document.kind).into()),
        ("issue_date", document.issue_date.as_str().into()),
        ("code", document.number.as_str().into()),
        ("reason", document.reason.as_deref().into()),
    ])
}

fn supplier(supplier: &Supplier, company: &str) -> Value {
    object([
        ("uuid", company.into()),
        ("name", supplier.legal_name.as_str().into()),
        ("tax_id", json!({"country": supplier.country, "code": supplier.tax_id})),
        ("addresses", supplier.address.as_ref().map_or(Value::Null, |place| json!([address(place)]))),
    ])
}

fn customer(recipient: &Recipient) -> Value {
    let (name, place, email) = match recipient {
        Recipient::Company(company) => (&company.name, &company.address, &company.email),
        Recipient::Individual(person) => (&person.name, &person.address, &person.email),
    };
    let (mut tax_id, mut identities) = (Value::Null, Value::Null);
    match recipient {
        Recipient::Company(company) => {
            tax_id = object([
                ("country", company.country.as_deref().into()),
                ("code", company.tax_number.as_deref().into()),
            ]);
        }
        Recipient::Individual(person) => {
            if let Some(document) = &person.identity_document {
                identities = json!([object([
                    ("country", document.country.as_deref().into()),
                    ("key", identity_key(document.kind).into()),
                    ("code", document.number.as_str().into()),
                ])]);
            }
        }
    }
    object([
        ("name", name.as_str().into()),
        ("tax_id", tax_id),
        ("identities", identities),
        ("addresses", place.as_ref().map_or(Value::Null, |place| json!([address(place)]))),
        ("emails", email.as_ref().map_or(Value::Null, |email| json!([{"addr": email}]))),
    ])
}

fn address(address: &Address) -> Value {
    object([
        ("street", address.street.as_deref().into()),
        ("locality", address.locality.as_deref().into()),
        ("region", address.region.as_deref().into()),
        ("code", address.postcode.as_deref().into()),
        ("country", address.country.as_deref().into()),
    ])
}

/// When the document has to be paid.
fn payment(terms: &PaymentTerms, invoice: &Invoice) -> Value {
    let due = terms.due_date.as_deref().map_or(
        Value::Null,
        |date| json!([{"date": date, "amount": money(invoice.totals.payable), "percent": "100%"}]),
    );
    json!({"terms": object([
        ("key", terms.due_date.as_ref().map_or(Value::Null, |_| "due-date".into())),
        ("due_dates", due),
        ("notes", terms.note.as_deref().into()),
    ])})
}

fn line(line: &Line) -> Value {
    let tax = object([("cat", line.tax.category.as_str().into()), ("percent", percent(line.tax.rate))]);
    object([
        ("i", line.index.into()),
        ("quantity", money(line.quantity)),
        (
            "period",
            line.period.as_ref().map_or(Value::Null, |days| json!({"start": days.start, "end": days.end})),
        ),
        ("item", json!({"name": line.description, "price": money(line.unit_price)})),
        ("sum", money(line.sum)),
        ("taxes", json!([tax])),
        ("total", money(line.total)),
    ])
}

fn totals(invoice: &Invoice) -> Value {
    let totals = &invoice.totals;
    object([
        ("sum", money(totals.sum)),
        ("tax_included", totals.tax_included.map_or(Value::Null, money)),
        ("total", money(totals.net)),
        ("taxes", json!({"categories": all(&totals.categories, category), "sum": money(totals.tax)})),
        ("tax", money(totals.tax)),
        ("total_with_tax", money(totals.gross)),
        ("payable", money(totals.payable)),
    ])
}

fn category(category: &CategoryTotal) -> Value {
    json!({
        "code": category.category,
        "rates": all(&category.rates, rate),
        "amount": money(category.amount),
    })
}

fn rate(rate: &RateTotal) -> Value {
    object([("base", money(rate.base)), ("percent", percent(rate.rate)), ("amount", money(rate.amount))])
}

/// A decimal as the format prints it: a string with all its decimals.
fn money(amount: Amount) -> Value {
    amount.to_string().into()
}

/// `21.0%`.
fn percent(rate: Option<Amount>) -> Value {
    rate.map_or(Value::Null, |rate| format!("{}%", rate.canonical(1)).into())
}

/// A list; an empty one is left out.
fn all<T>(items: &[T], shown: fn(&T) -> Value) -> Value {
    if items.is_empty() { Value::Null } else { items.iter().map(shown).collect() }
}

/// An object of the members that are there.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let present = members.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(present.map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness;

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
