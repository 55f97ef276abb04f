//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_eu::{payment, taxes};
use einvoice_gobl::text::non_blank;
use einvoice_gobl::{Parts, assemble, format, issued_number, json_document, party, preceding, rounding};
use einvoice_plugin::{Context, Document, DocumentKind, Faults, Identity, Invoice};

use crate::PREFIX;
use crate::check::{self, Examination, Party, buyer_reference, order_reference};
use crate::countries::SupplierCountry;
use crate::endpoints::SchemeNumber;
use crate::settings::{CREDIT_TERMS, Settings};
use crate::tables::{
    EXEMPTIONS, EXT_DOCUMENT_TYPE, EXT_ISO_SCHEME, EXT_PAYMENT_MEANS, EXT_TAX_CATEGORY, EXT_TEXT_SUBJECT,
    MEANS,
};
use crate::wire::TAX_REGISTRATION_KEY;

/// UNTDID 4451: general information.
const GENERAL: &str = "AAI";

/// Converts a document with a number; anything the check objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let examined = check::examine(invoice, context);
    let Examination { findings, settings, home, doc_type, vat_code, supplier, recipient, identity, rows } =
        examined;
    findings.into_result()?;
    let number = issued_number(invoice, PREFIX)?;
    let identity = identity.map(Identity::TaxId);
    let reverse_charge = taxes::any_line(invoice, EXEMPTIONS, "reverse-charge");
    let tags = [(doc_type == "386").then_some("prepayment"), reverse_charge.then_some("reverse-charge")];
    let country = home.map_or("", |home| home.country);
    let parts = Parts {
        kind: match invoice.kind {
            DocumentKind::CreditNote => "credit-note",
            DocumentKind::DebitNote => "debit-note",
            DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => {
                "standard"
            }
        },
        tags: tags.into_iter().flatten().map(Into::into).collect(),
        code: number,
        preceding: invoice.preceding.iter().map(|one| preceding(&rows, one, false)).collect(),
        tax_ext: vec![(EXT_DOCUMENT_TYPE, doc_type.into())],
        supplier: write_supplier(
            context,
            &settings,
            &supplier,
            einvoice_eu::vat::tax_country(country),
            vat_code.as_deref().unwrap_or_default(),
        ),
        customer: invoice.recipient.as_ref().map(|stated| {
            let mut customer = party::customer(stated, identity.as_ref(), |other| {
                party::identity(other, &other.type_key, Vec::new())
            });
            customer.identities.extend(recipient.legal_id.as_ref().map(write_legal_id));
            customer.inboxes = write_inbox(&recipient);
            customer
        }),
    };
    let mut document = assemble(&rows, invoice, parts)?;
    document.regime = home.map_or("", SupplierCountry::regime).into();
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
    document.ordering = Some(ordering(invoice, &settings));
    let instructions =
        settings.payment.as_ref().map(|payment| payment.instructions(MEANS, EXT_PAYMENT_MEANS));
    payment::complete(&mut document, invoice, instructions);
    default_payment_terms(&mut document, invoice, &settings);
    json_document(&document, invoice, PREFIX)
}

fn write_supplier<'a>(
    context: &'a Context,
    settings: &'a Settings,
    party: &'a Party,
    country: &'a str,
    vat_code: &'a str,
) -> format::Party<'a> {
    let mut supplier = party::supplier(context, country, vat_code);
    supplier.identities.extend(party.legal_id.as_ref().map(write_legal_id));
    supplier.identities.extend(settings.tax_registration.as_deref().map(|stated| format::Identity {
        scope: Some("tax".into()),
        key: Some(TAX_REGISTRATION_KEY.into()),
        code: stated.trim().into(),
        ..format::Identity::default()
    }));
    if let Some(contact) = &settings.contact {
        let text = |text: &'a Option<String>| text.as_deref().map(|text| text.trim().into());
        supplier.people = vec![format::Person {
            name: format::PersonName { given: text(&contact.given), surname: text(&contact.surname) },
            emails: party::emails(contact.email.as_deref()),
            telephones: Vec::new(),
        }];
        supplier.telephones = vec![format::Telephone { num: contact.phone.trim().into() }];
    }
    supplier.inboxes = write_inbox(party);
    supplier
}

fn write_legal_id(number: &SchemeNumber) -> format::Identity<'_> {
    format::Identity {
        scope: Some("legal".into()),
        code: number.code.as_str().into(),
        ext: vec![(EXT_ISO_SCHEME, number.scheme.as_str().into())],
        ..format::Identity::default()
    }
}

fn write_inbox(party: &Party) -> Vec<format::Inbox<'_>> {
    let inbox = |number: &'_ SchemeNumber| format::Inbox {
        scheme: Some(number.scheme.clone().into()),
        code: Some(number.code.clone().into()),
        ..format::Inbox::default()
    };
    party.inbox.as_ref().map(inbox).into_iter().collect()
}

fn ordering<'a>(invoice: &'a Invoice, settings: &'a Settings) -> format::Ordering<'a> {
    let order = order_reference(invoice);
    format::Ordering {
        code: buyer_reference(invoice, settings).map(Into::into),
        purchases: order.map(|code| format::OrderRef { code: code.into() }).into_iter().collect(),
    }
}

/// Why lines have no VAT, once for every situation.
fn exemption_notes<'a>(invoice: &Invoice, settings: &'a Settings) -> Vec<format::TaxNote<'a>> {
    let used = EXEMPTIONS.iter().filter(|known| taxes::any_line(invoice, EXEMPTIONS, known.format_key));
    used.map(|exemption| format::TaxNote {
        cat: "VAT".into(),
        key: exemption.format_key.into(),
        text: settings.exemption_texts.of(exemption).to_owned().into(),
        ext: vec![(EXT_TAX_CATEGORY, exemption.code.into())],
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

/// What the workspace says of payment where the document says nothing.
fn default_payment_terms(document: &mut format::Invoice<'_>, invoice: &Invoice, settings: &Settings) {
    let terms = match invoice.kind {
        DocumentKind::Invoice | DocumentKind::DebitNote => settings.payment_terms.as_deref(),
        DocumentKind::CreditNote => Some(settings.credit_terms.as_deref().unwrap_or(CREDIT_TERMS)),
        DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => None,
    };
    let Some(terms) = non_blank(terms) else { return };
    let payment = document.payment.get_or_insert_default();
    if payment.terms.is_none() {
        payment.terms =
            Some(format::Terms { notes: Some(terms.to_owned().into()), ..format::Terms::default() });
    }
}
