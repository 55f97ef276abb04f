//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_eu::{parties, payment, taxes};
use einvoice_gobl::text::non_blank;
use einvoice_gobl::{Parts, assemble, format, issued_number, json_document, party, preceding, rounding};
use einvoice_plugin::{Context, Document, DocumentKind, Faults, Invoice, Recipient};

use crate::PREFIX;
use crate::check::{self, Address, Examination, buyer_reference, electronic_address, ext_value};
use crate::numbers::TaxNumber;
use crate::rows::Rows;
use crate::tables::{
    CREDIT_TERMS, EXEMPTIONS, EXT_DOCUMENT_TYPE, EXT_PAYMENT_MEANS, EXT_TAX_CATEGORY, EXT_TEXT_SUBJECT,
    MEANS, RATES, Settings, WireSyntax,
};
use crate::wire::{CII, META_SYNTAX, TAX_NUMBER_KEY};

/// UNTDID 4451: general information.
const GENERAL: &str = "AAI";

/// Converts a document with a number; anything the check objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examination { findings, settings, doc_type, tax_number, identity } = check::examine(invoice, context);
    findings.into_result()?;
    let number = issued_number(invoice, PREFIX)?;
    let reverse_charge = taxes::any_line(invoice, EXEMPTIONS, "reverse-charge");
    let tags = [(doc_type == "326").then_some("partial"), reverse_charge.then_some("reverse-charge")];
    let parts = Parts {
        kind: if invoice.kind == DocumentKind::CreditNote { "credit-note" } else { "standard" },
        tags: tags.into_iter().flatten().map(Into::into).collect(),
        code: number,
        preceding: invoice.preceding.iter().map(|one| preceding(&Rows, one, false)).collect(),
        tax_ext: vec![(EXT_DOCUMENT_TYPE, doc_type.into())],
        supplier: supplier(context, &settings, tax_number.as_ref()),
        customer: invoice.recipient.as_ref().map(|recipient| {
            let mut customer = party::customer(recipient, identity.as_ref(), |other| {
                party::identity(other, &other.type_key, Vec::new())
            });
            customer.inboxes = inbox(recipient, invoice).map(write_inbox).into_iter().collect();
            customer
        }),
    };
    let mut document = assemble(&Rows, invoice, parts)?;
    if let Some(tax) = &mut document.tax {
        tax.notes = exemption_notes(invoice, &settings);
        tax.rounding = rounding::is_currency(invoice).then(|| rounding::CURRENCY.into());
    }
    for line in &mut document.lines {
        line.item.unit = Some("one".into());
    }
    for note in &mut document.notes {
        note.ext = vec![(EXT_TEXT_SUBJECT, GENERAL.into())];
    }
    let reference = buyer_reference(invoice, &settings).map(Into::into);
    document.ordering = Some(format::Ordering { code: reference, ..format::Ordering::default() });
    taxes::name_rates(&mut document, invoice, RATES);
    let instructions =
        settings.payment.as_ref().map(|payment| payment.instructions(MEANS, EXT_PAYMENT_MEANS));
    payment::complete(&mut document, invoice, instructions);
    default_payment_terms(&mut document, invoice, &settings);
    if settings.syntax == WireSyntax::Cii {
        document.meta = vec![(META_SYNTAX, CII.into())];
    }
    json_document(&document, invoice, PREFIX)
}

fn supplier<'a>(
    context: &'a Context,
    settings: &'a Settings,
    tax_number: Option<&'a TaxNumber>,
) -> format::Party<'a> {
    let mut supplier = match tax_number {
        Some(TaxNumber::Vat(code)) => party::supplier(context, "DE", code.as_str()),
        Some(TaxNumber::Local(code)) => {
            let mut supplier = party::supplier(context, "DE", "");
            supplier.tax_id = Some(format::TaxId { country: "DE".into(), code: None });
            let key = Some(TAX_NUMBER_KEY.into());
            supplier.identities =
                vec![format::Identity { key, code: code.as_str().into(), ..Default::default() }];
            supplier
        }
        None => party::supplier(context, "DE", ""),
    };
    let mail = non_blank(context.supplier.email.as_deref());
    if let Some(contact) = &settings.contact {
        let text = |text: &'a Option<String>| text.as_deref().map(|text| text.trim().into());
        supplier.people = vec![format::Person {
            name: format::PersonName { given: text(&contact.given), surname: text(&contact.surname) },
            emails: party::emails(contact.email.as_deref()),
            telephones: Vec::new(),
        }];
        supplier.telephones = vec![format::Telephone { num: contact.phone.trim().into() }];
    }
    let of_contact = settings.contact.as_ref().and_then(|contact| contact.email.as_deref());
    let own = match &settings.inbox {
        Some(inbox) => Some(Address::Of { scheme: &inbox.scheme, code: inbox.code.trim() }),
        None => mail.or(of_contact).map(Address::Mail),
    };
    supplier.inboxes = own.map(write_inbox).into_iter().collect();
    supplier
}

fn inbox<'a>(recipient: &'a Recipient, invoice: &'a Invoice) -> Option<Address<'a>> {
    let mail = || non_blank(parties::contact(recipient).2.map(String::as_str)).map(Address::Mail);
    ext_value(invoice, "inbox").map_or_else(mail, electronic_address)
}

fn write_inbox(address: Address<'_>) -> format::Inbox<'_> {
    match address {
        Address::Of { scheme, code } => {
            format::Inbox { scheme: Some(scheme.into()), code: Some(code.into()), ..format::Inbox::default() }
        }
        Address::Mail(mail) => format::Inbox { email: Some(mail.into()), ..format::Inbox::default() },
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

/// What the workspace says of payment where the document says nothing. A credit note says something too (BR-CO-25).
fn default_payment_terms(document: &mut format::Invoice<'_>, invoice: &Invoice, settings: &Settings) {
    let terms = match invoice.kind {
        DocumentKind::Invoice => settings.payment_terms.as_deref(),
        DocumentKind::CreditNote => Some(settings.credit_terms.as_deref().unwrap_or(CREDIT_TERMS)),
        DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice | DocumentKind::DebitNote => None,
    };
    let Some(terms) = terms.map(str::trim) else { return };
    let payment = document.payment.get_or_insert_default();
    if payment.terms.is_none() {
        payment.terms =
            Some(format::Terms { notes: Some(terms.to_owned().into()), ..format::Terms::default() });
    }
}
