//! From the domain's types to the guest's: everything the gateway tells a plugin.

use super::{sandbox, wit};
use crate::defect::Failure;
use gateway_domain::invoicing::{
    Address, CategoryTotal, Ext, IdentityDocument, IdentityKind, Line, LineTax, LineTotals, Payment, Period,
    RateTotal, Recipient, Totals,
};
use gateway_domain::money::{Amount, Percent};
use gateway_domain::regime::{
    AuthoritySubmission, Preceding, ProviderFault, ProviderReport, RegimeContext, RegimeDocumentKind,
    RegimeInvoice, Stamp, StructuredDocument, Supplier,
};
use jiff::Zoned;

/// Said of figures that were not computed from the lines they stand beside.
const FOREIGN_TOTALS: &str =
    "The figures of the document do not belong to its lines: save the document again.";

/// Lines and their sums become one list; the breakdown's rows move below their categories.
pub(super) fn invoice(invoice: &RegimeInvoice) -> Result<wit::Invoice, Failure> {
    if invoice.lines.len() != invoice.totals.lines.len() {
        return Err(Failure::Input(FOREIGN_TOTALS));
    }
    let rows = invoice.lines.iter().zip(&invoice.totals.lines);
    Ok(wit::Invoice {
        uuid: invoice.id.to_string(),
        kind: kind(invoice.kind),
        number: invoice.number.clone(),
        issue_date: invoice.issue_date.to_string(),
        operation_date: invoice.operation_date.map(|date| date.to_string()),
        currency: invoice.currency.clone(),
        prices_include_tax: invoice.prices_include_tax,
        recipient: invoice.recipient.as_ref().map(recipient),
        lines: (1..).zip(rows).map(|(index, (text, sums))| line(index, text, sums)).collect(),
        totals: totals(&invoice.totals)?,
        preceding: invoice.preceding.iter().map(preceding).collect::<Result<_, _>>()?,
        payment: invoice.payment.as_ref().map(payment),
        notes: invoice.notes.clone(),
        stamps: invoice.stamps.iter().map(stamp).collect(),
        ext: ext(&invoice.ext),
    })
}

pub(super) fn context(context: &RegimeContext) -> wit::Context {
    wit::Context {
        today: context.now.date().to_string(),
        now: timestamp(&context.now),
        settings: context.settings.to_string(),
        supplier: supplier(&context.supplier),
        company_id: context.company_id.clone(),
        ext: Vec::new(),
    }
}

pub(super) fn structured(document: &StructuredDocument) -> wit::Document {
    wit::Document {
        media_type: document.media_type.clone(),
        body: document.body.clone(),
        payable: amount(document.payable),
    }
}

pub(super) fn report(report: &ProviderReport) -> wit::ProviderResult {
    wit::ProviderResult {
        succeeded: report.succeeded,
        faults: report.faults.iter().map(provider_fault).collect(),
        stamps: report.stamps.iter().map(stamp).collect(),
        job: report.job.clone(),
        entry: report.entry.clone(),
    }
}

pub(super) fn submission(submission: &AuthoritySubmission) -> sandbox::Submission {
    sandbox::Submission {
        document: submission.document.clone(),
        now: timestamp(&submission.now),
        previous: submission.previous.clone(),
        registered: submission.registered.clone(),
        amends: submission.amends.clone(),
        forced_code: submission.forced_code.clone(),
    }
}

pub(super) fn recipient(recipient: &Recipient) -> wit::Recipient {
    match recipient {
        Recipient::Individual { name, identity_document, address, email, ext: own } => {
            wit::Recipient::Individual(wit::Individual {
                name: name.clone(),
                identity_document: identity_document.as_ref().map(document),
                address: address.as_ref().map(postal),
                email: email.clone(),
                ext: ext(own),
            })
        }
        Recipient::Company { name, tax_number, country, address, email, ext: own } => {
            wit::Recipient::Company(wit::Company {
                name: name.clone(),
                tax_number: tax_number.clone(),
                country: country.clone(),
                address: address.as_ref().map(postal),
                email: email.clone(),
                ext: ext(own),
            })
        }
    }
}

fn document(document: &IdentityDocument) -> wit::IdentityDocument {
    let kind = match document.kind {
        IdentityKind::IdCard => wit::IdentityKind::IdCard,
        IdentityKind::SpanishResidentPermit => wit::IdentityKind::SpanishResidentPermit,
        IdentityKind::Passport => wit::IdentityKind::Passport,
        IdentityKind::ForeignNationalId => wit::IdentityKind::ForeignNationalId,
        IdentityKind::DrivingLicense => wit::IdentityKind::DrivingLicense,
        IdentityKind::StudentId => wit::IdentityKind::StudentId,
        IdentityKind::Other => wit::IdentityKind::Other,
    };
    wit::IdentityDocument { kind, number: document.number.clone(), country: document.country.clone() }
}

fn postal(address: &Address) -> wit::Address {
    wit::Address {
        street: address.street.clone(),
        locality: address.locality.clone(),
        region: address.region.clone(),
        postcode: address.postcode.clone(),
        country: address.country.clone(),
    }
}

fn supplier(supplier: &Supplier) -> wit::Supplier {
    wit::Supplier {
        legal_name: supplier.legal_name.clone(),
        tax_id: supplier.tax_id.clone(),
        country: supplier.country.clone(),
        address: supplier.address.as_ref().map(postal),
        email: supplier.email.clone(),
        // A workspace says nothing beyond its settings.
        ext: Vec::new(),
    }
}

fn line(index: u32, line: &Line, sums: &LineTotals) -> wit::Line {
    wit::Line {
        index,
        description: line.description.clone(),
        quantity: amount(line.quantity),
        unit_price: amount(sums.unit_price),
        sum: amount(sums.sum),
        total: amount(sums.total),
        tax: tax(&line.tax),
        period: line.period.map(period),
        // The platform's documents bill supplies only.
        outlay: false,
        ext: ext(&line.ext),
    }
}

fn period(period: Period) -> wit::Period {
    wit::Period { start: period.start.to_string(), end: period.end.to_string() }
}

fn payment(payment: &Payment) -> wit::PaymentTerms {
    let due_date = payment.due_date.map(|date| date.to_string());
    wit::PaymentTerms { due_date, note: payment.note.clone(), ext: Vec::new() }
}

fn ext(ext: &Ext) -> Vec<wit::Ext> {
    ext.iter().map(|(key, value)| wit::Ext { key: key.clone(), value: value.clone() }).collect()
}

fn tax(tax: &LineTax) -> wit::Tax {
    wit::Tax {
        category: tax.category.clone(),
        rate: tax.rate.map(percent),
        surcharge: tax.surcharge.map(percent),
        exemption: tax.exemption.clone(),
    }
}

fn totals(totals: &Totals) -> Result<wit::Totals, Failure> {
    let known =
        |rate: &RateTotal| totals.categories.iter().any(|category| category.category == rate.category);
    if !totals.rates.iter().all(known) {
        return Err(Failure::Input(FOREIGN_TOTALS));
    }
    let retentions = totals.retentions.iter().map(|retention| wit::RetentionTotal {
        category: retention.category.clone(),
        rate: percent(retention.rate),
        base: amount(retention.base),
        amount: amount(retention.amount),
    });
    Ok(wit::Totals {
        sum: amount(totals.sum),
        tax_included: totals.tax_included.map(amount),
        net: amount(totals.net),
        tax: amount(totals.tax),
        gross: amount(totals.gross),
        retained: amount(totals.retained),
        payable: amount(totals.payable),
        categories: totals.categories.iter().map(|category| breakdown(category, &totals.rates)).collect(),
        retentions: retentions.collect(),
    })
}

fn breakdown(category: &CategoryTotal, rates: &[RateTotal]) -> wit::CategoryTotal {
    let own = rates.iter().filter(|rate| rate.category == category.category);
    let rates = own.map(|rate| wit::RateTotal {
        rate: rate.rate.map(percent),
        surcharge: rate.surcharge.map(percent),
        exemption: rate.exemption.clone(),
        base: amount(rate.base),
        amount: amount(rate.amount),
        surcharge_amount: rate.surcharge_amount.map(amount),
    });
    wit::CategoryTotal {
        category: category.category.clone(),
        rates: rates.collect(),
        amount: amount(category.amount),
        surcharge_amount: category.surcharge_amount.map(amount),
    }
}

fn preceding(preceding: &Preceding) -> Result<wit::Preceding, Failure> {
    Ok(wit::Preceding {
        uuid: preceding.id.to_string(),
        kind: kind(preceding.kind),
        number: preceding.number.clone(),
        issue_date: preceding.issue_date.to_string(),
        totals: preceding.totals.as_ref().map(totals).transpose()?,
        reason: preceding.reason.clone(),
        stamps: preceding.stamps.iter().map(stamp).collect(),
        ext: ext(&preceding.ext),
    })
}

const fn kind(kind: RegimeDocumentKind) -> wit::DocumentKind {
    match kind {
        RegimeDocumentKind::Invoice => wit::DocumentKind::Invoice,
        RegimeDocumentKind::SimplifiedInvoice => wit::DocumentKind::SimplifiedInvoice,
        RegimeDocumentKind::ReplacementInvoice => wit::DocumentKind::ReplacementInvoice,
        RegimeDocumentKind::CreditNote => wit::DocumentKind::CreditNote,
        RegimeDocumentKind::DebitNote => wit::DocumentKind::DebitNote,
    }
}

pub(super) fn stamp(stamp: &Stamp) -> wit::Stamp {
    wit::Stamp { provider: stamp.provider.clone(), value: stamp.value.clone() }
}

pub(super) fn provider_fault(fault: &ProviderFault) -> wit::ProviderFault {
    wit::ProviderFault {
        provider: fault.provider.clone(),
        code: fault.code.clone(),
        message: fault.message.clone(),
        paths: fault.paths.clone(),
    }
}

const fn amount(amount: Amount) -> wit::Amount {
    wit::Amount { units: amount.units(), scale: amount.scale() }
}

const fn percent(percent: Percent) -> wit::Amount {
    amount(percent.value())
}

/// RFC 3339 with the zone's offset and without its name: `2026-11-20T09:30:00+01:00`.
fn timestamp(instant: &Zoned) -> String {
    instant.timestamp().display_with_offset(instant.offset()).to_string()
}
