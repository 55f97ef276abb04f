//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_es::{country, nif};
use einvoice_plugin::{
    Address, Amount, CategoryTotal, Context, Document, DocumentKind, Fault, Faults, Identity, Invoice, Line,
    Preceding, RateTotal, Recipient, RetentionTotal, Totals,
};

use crate::check::Examined;
use crate::doc_type::{BY_DIFFERENCES, DocType, EXT_CORRECTION_TYPE, EXT_DOC_TYPE};
use crate::faults;
use crate::gobl::{self, Money, Percent};
use crate::identity::{EXT_IDENTITY_TYPE, IdentityType};
use crate::taxes::{Category, EXT_REGIME, Treatment, treatment};
use crate::{check, identity};

/// Converts a document with a number; anything [`check`] objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examined { findings, doc_type } = check::examine(invoice, context);
    let refused = findings.into_errors();
    if !refused.is_empty() {
        return Err(refused);
    }
    let Some(number) = &invoice.number else {
        let message = "The invoice has no number yet; issue it, which reserves one, and convert it then.";
        return Err(vec![Fault::error(faults::NUMBER_MISSING, "/display_document_number", message)]);
    };
    // Who receives a simplified document stays between issuer and recipient: the agency refuses an identity there.
    let identity = match &invoice.recipient {
        Some(recipient) if !doc_type.is_simplified() => Some(identity::map(recipient)?),
        _ => None,
    };
    let supplier_nif = nif::normalise(&context.supplier.tax_id);
    let body = gobl::Invoice {
        schema: gobl::SCHEMA,
        regime: "ES",
        addons: [gobl::ADDON],
        tags: doc_type.tag().into_iter().collect(),
        uuid: &invoice.uuid,
        kind: doc_type.format_type(),
        code: number,
        issue_date: &invoice.issue_date,
        op_date: invoice.operation_date.as_deref(),
        currency: &invoice.currency,
        preceding: invoice.preceding.iter().map(|preceding| document_ref(preceding, doc_type)).collect(),
        tax: gobl::DocumentTax { prices_include: included_category(invoice), ext: document_ext(doc_type) },
        supplier: supplier(context, &supplier_nif),
        customer: invoice.recipient.as_ref().map(|recipient| customer(recipient, identity.as_ref())),
        lines: invoice
            .lines
            .iter()
            .map(|line| self::line(line, &invoice.totals))
            .collect::<Result<_, _>>()?,
        payment: payment(invoice),
        totals: totals(&invoice.totals)?,
        notes: given(invoice.notes.as_deref())
            .map(|text| gobl::Note { key: "general", text })
            .into_iter()
            .collect(),
    };
    let json = serde_json::to_string(&body).map_err(|error| {
        vec![Fault::error(faults::KIND, "", format!("The document cannot be written as JSON: {error}."))]
    })?;
    Ok(Document::json(json, invoice.totals.payable))
}

/// The one category whose tax the prices include.
fn included_category(invoice: &Invoice) -> Option<&'static str> {
    let first = invoice.lines.first().filter(|_| invoice.prices_include_tax)?;
    Category::parse(&first.tax.category).map(Category::key)
}

/// The agency's codes of the document, sorted by key.
fn document_ext(doc_type: DocType) -> gobl::Ext {
    let correction = doc_type.is_correction().then_some((EXT_CORRECTION_TYPE, BY_DIFFERENCES));
    correction.into_iter().chain([(EXT_DOC_TYPE, doc_type.code())]).collect()
}

/// A correction carries the figures of what it corrects, as the format's own corrections do.
fn document_ref(preceding: &Preceding, doc_type: DocType) -> gobl::DocumentRef<'_> {
    let totals = preceding.totals.as_ref().filter(|_| doc_type.is_correction());
    gobl::DocumentRef {
        uuid: &preceding.uuid,
        kind: match preceding.kind {
            DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => {
                "standard"
            }
            DocumentKind::CreditNote => "credit-note",
            DocumentKind::DebitNote => "debit-note",
        },
        issue_date: &preceding.issue_date,
        code: &preceding.number,
        reason: given(preceding.reason.as_deref()),
        // Left out when it was issued with taxes that this system does not know.
        tax: totals.and_then(|totals| taxes(totals).ok()),
        payable: totals.map(|totals| Money(totals.payable)),
    }
}

fn supplier<'a>(context: &'a Context, nif: &'a str) -> gobl::Party<'a> {
    let supplier = &context.supplier;
    gobl::Party {
        uuid: Some(&context.company_id),
        name: supplier.legal_name.trim(),
        tax_id: Some(gobl::TaxId { country: "ES", code: nif }),
        identities: Vec::new(),
        addresses: addresses(supplier.address.as_ref()),
        emails: emails(supplier.email.as_deref()),
    }
}

fn customer<'a>(recipient: &'a Recipient, identity: Option<&'a Identity>) -> gobl::Party<'a> {
    let (name, address, email) = match recipient {
        Recipient::Individual(person) => (&person.name, &person.address, &person.email),
        Recipient::Company(company) => (&company.name, &company.address, &company.email),
    };
    let (tax_id, identities) = match identity {
        None => (None, Vec::new()),
        Some(Identity::TaxId(tax_id)) => {
            (Some(gobl::TaxId { country: &tax_id.country, code: &tax_id.code }), Vec::new())
        }
        Some(Identity::Other(other)) => {
            let identity_type = IdentityType::of_code(&other.type_code).unwrap_or(IdentityType::Other);
            let identity = gobl::Identity {
                country: &other.country,
                key: identity_type.key(),
                code: &other.code,
                ext: vec![(EXT_IDENTITY_TYPE, identity_type.code())],
            };
            (None, vec![identity])
        }
    };
    gobl::Party {
        uuid: None,
        name: name.trim(),
        tax_id,
        identities,
        addresses: addresses(address.as_ref()),
        emails: emails(email.as_deref()),
    }
}

fn addresses(address: Option<&Address>) -> Vec<gobl::Address<'_>> {
    let Some(address) = address else { return Vec::new() };
    let written = gobl::Address {
        street: given(address.street.as_deref()),
        locality: given(address.locality.as_deref()),
        region: given(address.region.as_deref()),
        code: given(address.postcode.as_deref()),
        country: address.country.as_deref().and_then(country::normalise),
    };
    let parts = [written.street, written.locality, written.region, written.code, written.country];
    if parts.iter().all(Option::is_none) { Vec::new() } else { vec![written] }
}

fn emails(email: Option<&str>) -> Vec<gobl::Email<'_>> {
    given(email).map(|addr| gobl::Email { addr }).into_iter().collect()
}

fn line<'a>(line: &'a Line, totals: &'a Totals) -> Result<gobl::Line<'a>, Faults> {
    let tax = &line.tax;
    let (category, row) = classify(&tax.category, tax.rate, tax.surcharge, tax.exemption.as_deref())?;
    let mut taxes = vec![gobl::Combo {
        cat: category.key(),
        key: row.key,
        percent: tax.rate.map(Percent),
        surcharge: tax.surcharge.map(Percent),
        ext: ext(row),
    }];
    taxes.extend(totals.retentions.iter().map(|retention| gobl::Combo {
        cat: &retention.category,
        key: None,
        percent: Some(Percent(retention.rate)),
        surcharge: None,
        ext: Vec::new(),
    }));
    Ok(gobl::Line {
        i: line.index,
        quantity: Money(line.quantity),
        period: line.period.as_ref().map(|period| gobl::Period { start: &period.start, end: &period.end }),
        item: gobl::Item { name: line.description.trim(), price: Money(line.unit_price) },
        sum: Money(line.sum),
        taxes,
        total: Money(line.total),
    })
}

fn payment(invoice: &Invoice) -> Option<gobl::Payment<'_>> {
    let terms = invoice.payment.as_ref()?;
    let notes = given(terms.note.as_deref());
    let due_date = terms.due_date.as_deref();
    if notes.is_none() && due_date.is_none() {
        return None;
    }
    let due_dates = due_date
        .map(|date| gobl::DueDate { date, amount: Money(invoice.totals.payable), percent: "100%" })
        .into_iter()
        .collect();
    Some(gobl::Payment { terms: gobl::Terms { key: due_date.map(|_| "due-date"), due_dates, notes } })
}

fn totals(totals: &Totals) -> Result<gobl::Totals<'_>, Faults> {
    Ok(gobl::Totals {
        sum: Money(totals.sum),
        tax_included: totals.tax_included.map(Money),
        total: Money(totals.net),
        taxes: taxes(totals)?,
        tax: Money(totals.tax),
        total_with_tax: Money(totals.gross),
        retained_tax: retained(totals),
        payable: Money(totals.payable),
    })
}

fn taxes(totals: &Totals) -> Result<gobl::TaxTotal<'_>, Faults> {
    let mut categories = totals.categories.iter().map(category).collect::<Result<Vec<_>, _>>()?;
    // Retentions stand beside the tax of the first line, so the format lists them after its category.
    let at = categories.len().min(1);
    categories.splice(at..at, totals.retentions.iter().map(retention));
    Ok(gobl::TaxTotal { categories, sum: Money(totals.tax), retained: retained(totals) })
}

fn retained(totals: &Totals) -> Option<Money> {
    (!totals.retentions.is_empty()).then_some(Money(totals.retained))
}

fn category(total: &CategoryTotal) -> Result<gobl::CategoryTotal<'_>, Faults> {
    let rate = |row: &RateTotal| {
        let exemption = row.exemption.as_deref();
        let (_, treatment) = classify(&total.category, row.rate, row.surcharge, exemption)?;
        let surcharge = row.surcharge.zip(row.surcharge_amount).map(|(percent, amount)| {
            gobl::SurchargeTotal { percent: Percent(percent), amount: Money(amount) }
        });
        Ok(gobl::RateTotal {
            key: treatment.key,
            ext: ext(treatment),
            base: Money(row.base),
            percent: row.rate.map(Percent),
            surcharge,
            amount: Money(row.amount),
        })
    };
    Ok(gobl::CategoryTotal {
        code: &total.category,
        retained: false,
        rates: total.rates.iter().map(rate).collect::<Result<_, Faults>>()?,
        amount: Money(total.amount),
        surcharge: total.surcharge_amount.map(Money),
    })
}

fn retention(total: &RetentionTotal) -> gobl::CategoryTotal<'_> {
    let rate = gobl::RateTotal {
        key: None,
        ext: Vec::new(),
        base: Money(total.base),
        percent: Some(Percent(total.rate)),
        surcharge: None,
        amount: Money(total.amount),
    };
    gobl::CategoryTotal {
        code: &total.category,
        retained: true,
        rates: vec![rate],
        amount: Money(total.amount),
        surcharge: None,
    }
}

fn classify(
    key: &str,
    rate: Option<Amount>,
    surcharge: Option<Amount>,
    exemption: Option<&str>,
) -> Result<(Category, Treatment), Faults> {
    let category = Category::parse(key);
    category
        .and_then(|category| Some((category, treatment(category, rate, surcharge, exemption)?)))
        .ok_or_else(|| {
            let message = "A row of the totals matches no tax treatment; compute the totals again.";
            vec![Fault::error(faults::TAX_TREATMENT, "/totals/rates", message)]
        })
}

fn ext(treatment: Treatment) -> gobl::Ext {
    let regime = treatment.regime.map(|code| (EXT_REGIME, code));
    std::iter::once(treatment.class).chain(regime).collect()
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
