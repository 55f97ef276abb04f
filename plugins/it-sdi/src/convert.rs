//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_eu::{payment, taxes};
use einvoice_gobl::{
    Money, Parts, Percent, assemble, format, issued_number, json_document, party, preceding,
};
use einvoice_plugin::{Amount, Context, Document, DocumentKind, Faults, Identity, Invoice, Recipient};

use crate::PREFIX;
use crate::check::{self, Examination, ext_value, is_public, italian_postcode};
use crate::identity::{FISCAL_CODE, RecipientIdentity};
use crate::rows::Rows;
use crate::tables::{
    EXEMPTIONS, EXT_DOCUMENT_TYPE, EXT_FISCAL_REGIME, EXT_FORMAT, EXT_PAYMENT_MEANS, MEANS, RATES,
    Registration, Settings, ZERO,
};

/// What the regime prints beside reverse charge.
const REVERSE_CHARGE: &str = "Reverse Charge / Inversione del soggetto passivo";

/// Converts a document with a number; anything the check objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examination { findings, settings, doc_type, vat_number, identified } =
        check::examine(invoice, context);
    findings.into_result()?;
    let number = issued_number(invoice, PREFIX)?;
    let reverse_charge = taxes::any_line(invoice, EXEMPTIONS, "reverse-charge");
    let public = is_public(invoice);
    let tags = public.then_some("b2g").into_iter().chain(doc_type.tags.iter().copied());
    let tags = tags.chain(reverse_charge.then_some("reverse-charge"));
    let mapping = Rows::of(&settings, invoice);
    let parts = Parts {
        kind: match invoice.kind {
            DocumentKind::CreditNote => "credit-note",
            DocumentKind::DebitNote => "debit-note",
            DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => {
                "standard"
            }
        },
        tags: tags.map(Into::into).collect(),
        code: number,
        preceding: invoice.preceding.iter().map(|one| preceding(&mapping, one, false)).collect(),
        tax_ext: vec![
            (EXT_DOCUMENT_TYPE, doc_type.code.into()),
            (EXT_FORMAT, if public { "FPA12" } else { "FPR12" }.into()),
        ],
        supplier: supplier(context, &settings, &vat_number),
        customer: customer(invoice, identified.as_ref()),
    };
    let mut document = assemble(&mapping, invoice, parts)?;
    if let Some(tax) = document.tax.as_mut().filter(|_| reverse_charge) {
        tax.notes.push(format::TaxNote {
            cat: "VAT".into(),
            key: "reverse-charge".into(),
            text: REVERSE_CHARGE.into(),
            ext: Vec::new(),
        });
    }
    taxes::name_rates(&mut document, invoice, RATES);
    state_zero_percent(&mut document);
    let instructions =
        settings.payment.as_ref().map(|payment| payment.instructions(MEANS, EXT_PAYMENT_MEANS));
    payment::complete(&mut document, invoice, instructions);
    json_document(&document, invoice, PREFIX)
}

/// What is excluded has a percent in the format, of nought: without it the format makes something else of it.
fn state_zero_percent(document: &mut format::Invoice<'_>) {
    const NOUGHT: Percent = Percent { value: Amount::new(0, 0), decimals: 0 };
    let is_zero = |key: &Option<format::Text<'_>>| key.as_deref() == Some(ZERO);
    let combos = document.lines.iter_mut().flat_map(|line| &mut line.taxes);
    combos.filter(|combo| is_zero(&combo.key)).for_each(|combo| combo.percent = Some(NOUGHT));
    let categories = document.totals.taxes.iter_mut().flat_map(|taxes| &mut taxes.categories);
    let rows = categories.flat_map(|category| &mut category.rates);
    rows.filter(|row| is_zero(&row.key)).for_each(|row| row.percent = Some(NOUGHT));
}

fn supplier<'a>(context: &'a Context, settings: &'a Settings, vat_number: &'a str) -> format::Party<'a> {
    let mut supplier = party::supplier(context, "IT", vat_number);
    supplier.registration = settings.registration.as_ref().map(registration);
    supplier.ext = vec![(EXT_FISCAL_REGIME, settings.fiscal_regime.as_str().into())];
    pad_postcodes(&mut supplier);
    supplier
}

fn registration(registration: &Registration) -> format::Registration<'_> {
    format::Registration {
        capital: registration.capital.as_deref().and_then(|amount| amount.parse().ok()).map(Money),
        currency: Some("EUR".into()),
        office: Some(registration.office.as_str().into()),
        entry: Some(registration.entry.trim().into()),
    }
}

fn customer<'a>(
    invoice: &'a Invoice,
    identified: Option<&'a RecipientIdentity>,
) -> Option<format::Party<'a>> {
    let recipient: &Recipient = invoice.recipient.as_ref()?;
    let identity = identified.and_then(|identified| identified.identity.as_ref());
    let mut customer = party::customer(recipient, identity, |other| {
        let mut written = party::identity(other, &other.type_key, Vec::new());
        if other.type_key == FISCAL_CODE {
            written.country = None;
        }
        written
    });
    if !matches!(identity, Some(Identity::TaxId(_))) {
        customer.tax_id = identified
            .map(|identified| format::TaxId { country: identified.country.as_str().into(), code: None });
    }
    customer.inboxes = [
        ext_value(invoice, "sdi-code").map(|code| format::Inbox {
            key: Some("it-sdi-code".into()),
            code: Some(code.into()),
            ..format::Inbox::default()
        }),
        ext_value(invoice, "sdi-pec").map(|address| format::Inbox {
            key: Some("it-sdi-pec".into()),
            email: Some(address.into()),
            ..format::Inbox::default()
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    pad_postcodes(&mut customer);
    Some(customer)
}

/// Italian postcodes with their leading noughts, as the format writes them.
fn pad_postcodes(party: &mut format::Party<'_>) {
    for address in party.addresses.iter_mut().filter(|address| address.country.as_deref() == Some("IT")) {
        if let Some(padded) = address.code.as_deref().and_then(italian_postcode) {
            address.code = Some(padded.into());
        }
    }
}
