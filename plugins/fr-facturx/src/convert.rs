//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_eu::{payment, taxes};
use einvoice_gobl::format::{TaxNote, Text};
use einvoice_gobl::{Parts, assemble, format, issued_number, json_document, party, preceding, rounding};
use einvoice_plugin::{Context, Document, DocumentKind, Faults, Identity, Invoice, Recipient};

use crate::PREFIX;
use crate::address::{Address, SCHEME_DIRECTORY};
use crate::check::{self, Examination, ext_value, recipient_address};
use crate::exemptions::REASONS;
use crate::identity::Buyer;
use crate::numbers::{CompanyNumber, SCHEME_SIREN, SCHEME_SIRET};
use crate::rows::Rows;
use crate::settings::{ReportingPeriod, Settings};
use crate::tables::{
    EXT_DOCUMENT_TYPE, EXT_PAYMENT_MEANS, EXT_SCHEME_ID, EXT_TAX_CATEGORY, EXT_TEXT_SUBJECT, MEANS,
    NAMED_RATES,
};
use crate::treatment::Treatment;
use crate::wire::{META_PERIOD, META_PLATFORM, META_PLATFORM_NAME, META_PROCESS, META_TREATMENT, MONTH};

/// UNTDID 4451: general information.
const GENERAL: &str = "AAI";
/// The option for VAT on debits, in the words of article 242 nonies A, I, 15° of annex II to the CGI.
const VAT_ON_DEBITS: &str = "Option pour le paiement de la taxe d'après les débits.";

/// Converts a document with a number; anything the check objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let examination = check::examine(invoice, context);
    let Examination { findings, settings, doc_type, treatment, process, seller, buyer } = examination;
    findings.into_result()?;
    let number = issued_number(invoice, PREFIX)?;
    let identity = buyer.as_ref().map(Buyer::identity);
    let tags = [
        (invoice.kind == DocumentKind::SimplifiedInvoice).then_some("simplified"),
        (doc_type == "386").then_some("prepayment"),
    ];
    let parts = Parts {
        kind: if invoice.kind == DocumentKind::CreditNote { "credit-note" } else { "standard" },
        tags: tags.into_iter().flatten().map(Into::into).collect(),
        code: number,
        preceding: invoice.preceding.iter().map(|one| preceding(&Rows, one, false)).collect(),
        tax_ext: vec![(EXT_DOCUMENT_TYPE, doc_type.into())],
        supplier: supplier(context, &settings, seller.as_ref()),
        customer: invoice
            .recipient
            .as_ref()
            .map(|recipient| customer(invoice, recipient, buyer.as_ref(), identity.as_ref())),
    };
    let mut document = assemble(&Rows, invoice, parts)?;
    if let Some(tax) = &mut document.tax {
        tax.notes = exemption_notes(invoice, &settings);
        tax.rounding = rounding::is_currency(invoice).then(|| rounding::CURRENCY.into());
    }
    for line in &mut document.lines {
        line.item.unit = Some("one".into());
        sell_at_no_negative_price(line);
    }
    for note in &mut document.notes {
        note.ext = vec![(EXT_TEXT_SUBJECT, GENERAL.into())];
    }
    document.notes.extend(mentions(&settings, treatment));
    let reference = ext_value(invoice, "buyer-reference").map(Text::Borrowed);
    document.ordering =
        reference.map(|code| format::Ordering { code: Some(code), ..format::Ordering::default() });
    taxes::name_rates(&mut document, invoice, NAMED_RATES);
    let instructions =
        settings.payment.as_ref().map(|payment| payment.instructions(MEANS, EXT_PAYMENT_MEANS));
    payment::complete(&mut document, invoice, instructions);
    default_payment_terms(&mut document, invoice, &settings);
    document.meta = meta(&settings, treatment, process);
    json_document(&document, invoice, PREFIX)
}

fn supplier<'a>(
    context: &'a Context,
    settings: &'a Settings,
    number: Option<&'a CompanyNumber>,
) -> format::Party<'a> {
    let Some(number) = number else { return party::supplier(context, "FR", "") };
    let mut supplier = party::supplier(context, "FR", number.vat.as_str());
    let establishment = settings.siret.as_deref().or(number.siret.as_deref());
    supplier.identities = identities(number.siren(), establishment);
    let code = settings.inbox.as_deref().map_or_else(|| number.siren(), str::trim);
    supplier.inboxes = vec![Address::Of { scheme: SCHEME_DIRECTORY, code }.written()];
    supplier
}

fn customer<'a>(
    invoice: &'a Invoice,
    recipient: &'a Recipient,
    buyer: Option<&'a Buyer>,
    identity: Option<&'a Identity>,
) -> format::Party<'a> {
    let mut customer =
        party::customer(recipient, identity, |other| party::identity(other, &other.type_key, Vec::new()));
    if let Some(Buyer::French(number)) = buyer {
        customer.identities = identities(number.siren(), number.siret.as_deref());
    }
    customer.inboxes =
        recipient_address(invoice, recipient, buyer).map(Address::written).into_iter().collect();
    customer
}

fn identities<'a>(company: &'a str, establishment: Option<&'a str>) -> Vec<format::Identity<'a>> {
    let numbers = [(Some(company), "SIREN", SCHEME_SIREN), (establishment, "SIRET", SCHEME_SIRET)];
    let written = numbers.into_iter().filter_map(|(code, kind, scheme)| {
        Some(format::Identity {
            kind: Some(kind.into()),
            code: code?.into(),
            ext: vec![(EXT_SCHEME_ID, scheme.into())],
            ..format::Identity::default()
        })
    });
    written.collect()
}

/// The notes that companies have to be told (BR-FR-05), and the option for VAT on debits.
fn mentions(settings: &Settings, treatment: Treatment) -> Vec<format::Note<'_>> {
    let mentions = &settings.mentions;
    let note = |(key, subject, text): (&'static str, &'static str, &str)| format::Note {
        key: key.into(),
        text: text.trim().to_owned().into(),
        ext: vec![(EXT_TEXT_SUBJECT, subject.into())],
        ..format::Note::default()
    };
    let between_companies = [
        ("payment", "PMT", mentions.recovery_fee()),
        ("payment-method", "PMD", mentions.late_payment()),
        ("payment-term", "AAB", mentions.early_payment()),
    ];
    let demanded = between_companies.into_iter().filter(|_| !treatment.is_reported());
    demanded.chain(settings.vat_on_debits.then_some(("general", GENERAL, VAT_ON_DEBITS))).map(note).collect()
}

/// Why lines have no VAT, once for every reason.
fn exemption_notes<'a>(invoice: &Invoice, settings: &'a Settings) -> Vec<TaxNote<'a>> {
    let used = REASONS.iter().filter(|known| {
        invoice.lines.iter().any(|line| line.tax.exemption.as_deref() == Some(known.exemption.key))
    });
    used.map(|reason| TaxNote {
        cat: "VAT".into(),
        key: reason.exemption.format_key.into(),
        text: settings.exemption_texts.of(reason).to_owned().into(),
        ext: vec![(EXT_TAX_CATEGORY, reason.exemption.code.into())],
    })
    .collect()
}

/// A price is not negative (BR-27): the quantity is, as the format itself has it, so that it changes nothing when it
/// computes the document again.
fn sell_at_no_negative_price(line: &mut format::Line<'_>) {
    let (price, quantity) = (line.item.price.0, line.quantity.0);
    if let (true, Some(price_units), Some(quantity_units)) =
        (price.is_negative(), price.units.checked_neg(), quantity.units.checked_neg())
    {
        line.item.price.0.units = price_units;
        line.quantity.0.units = quantity_units;
    }
}

/// What the workspace says of payment where the document says nothing. A credit note says something too (BR-CO-25).
fn default_payment_terms(document: &mut format::Invoice<'_>, invoice: &Invoice, settings: &Settings) {
    let terms = match invoice.kind {
        DocumentKind::CreditNote => settings.credit_terms(),
        DocumentKind::Invoice
        | DocumentKind::SimplifiedInvoice
        | DocumentKind::ReplacementInvoice
        | DocumentKind::DebitNote => settings.payment_terms(),
    };
    let payment = document.payment.get_or_insert_default();
    if payment.terms.is_none() {
        payment.terms =
            Some(format::Terms { notes: Some(terms.to_owned().into()), ..format::Terms::default() });
    }
}

/// What the format has no members for, and the record needs.
fn meta(settings: &Settings, treatment: Treatment, process: &'static str) -> format::Ext<'static> {
    let mut meta = vec![(META_PROCESS, process.into()), (META_TREATMENT, treatment.code().into())];
    if treatment.is_reported() {
        meta.push((META_PLATFORM, settings.platform.id.clone().into()));
        meta.push((META_PLATFORM_NAME, settings.platform.name.trim().to_owned().into()));
        if settings.reporting_period == ReportingPeriod::Month {
            meta.push((META_PERIOD, MONTH.into()));
        }
    }
    meta
}
