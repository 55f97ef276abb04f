//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_eu::{payment, taxes};
use einvoice_gobl::{Parts, assemble, ext, format, issued_number, json_document, party, preceding};
use einvoice_plugin::{Context, Document, Faults, Identity, Invoice, Preceding};

use crate::PREFIX;
use crate::check::{self, Examination, STAMP_MARK};
use crate::income;
use crate::rows::Rows;
use crate::settings::Settings;
use crate::tables::{
    EXEMPTIONS, EXT, EXT_INCOME_CATEGORY, EXT_INCOME_TYPE, EXT_INVOICE_TYPE, EXT_PAYMENT_MEANS, MEANS,
    ON_CREDIT, RATES,
};
use crate::types::Market;

/// What the regime prints beside reverse charge.
const REVERSE_CHARGE: &str = "Reverse Charge / Αντίστροφη φόρτιση";
/// How the gateway adds up. The regime would round every row before.
const ROUNDING: &str = "precise";

/// Converts a document with a number; anything the check objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examination { findings, settings, doc_type, market, vat_number, identity } =
        check::examine(invoice, context);
    findings.into_result()?;
    let number = issued_number(invoice, PREFIX)?;
    let reverse_charge = taxes::any_line(invoice, EXEMPTIONS, "reverse-charge");
    let kind = doc_type.format_kind(!invoice.preceding.is_empty());
    // The format derives the type of an `other` document from nothing.
    let tags = doc_type.tags.iter().copied().filter(|_| kind != "other");
    let tags = tags.chain(reverse_charge.then_some("reverse-charge"));
    let assembled = Parts {
        kind,
        tags: tags.map(Into::into).collect(),
        code: number,
        preceding: invoice.preceding.iter().map(reference).collect(),
        tax_ext: vec![(EXT_INVOICE_TYPE, doc_type.code.into())],
        supplier: party::supplier(context, "EL", vat_number.as_str()),
        customer: customer(invoice, identity.as_ref()),
    };
    let mut document = assemble(&Rows, invoice, assembled)?;
    document.series = Some(settings.series.as_str().into());
    if let Some(tax) = document.tax.as_mut() {
        tax.rounding = Some(ROUNDING.into());
        tax.notes = reverse_charge.then(note).into_iter().collect();
    }
    classify(&mut document, invoice, &settings, market);
    taxes::name_rates(&mut document, invoice, RATES);
    payment::complete(&mut document, invoice, Some(instructions(invoice, &settings)));
    json_document(&document, invoice, PREFIX)
}

fn note() -> format::TaxNote<'static> {
    format::TaxNote {
        cat: "VAT".into(),
        key: "reverse-charge".into(),
        text: REVERSE_CHARGE.into(),
        ext: Vec::new(),
    }
}

/// What is corrected, with its registration number.
fn reference(one: &Preceding) -> format::DocumentRef<'_> {
    let mark = check::mark(&one.stamps)
        .map(|mark| format::Stamp { provider: STAMP_MARK.into(), value: mark.into() });
    format::DocumentRef { stamps: mark.into_iter().collect(), ..preceding(&Rows, one, false) }
}

fn customer<'a>(invoice: &'a Invoice, identity: Option<&'a Identity>) -> Option<format::Party<'a>> {
    let recipient = invoice.recipient.as_ref()?;
    Some(party::customer(recipient, identity, |other| party::identity(other, &other.type_key, Vec::new())))
}

/// The classification of income stands on the item of a line.
fn classify(document: &mut format::Invoice<'_>, invoice: &Invoice, settings: &Settings, market: Market) {
    for (written, line) in document.lines.iter_mut().zip(&invoice.lines) {
        let income = income::of_line(line, settings, market);
        written.item.ext =
            vec![(EXT_INCOME_CATEGORY, income.category.into()), (EXT_INCOME_TYPE, income.kind.into())];
    }
}

/// How it is paid: as the document says, else as the workspace wants it, else on credit.
fn instructions<'a>(invoice: &Invoice, settings: &'a Settings) -> format::Instructions<'a> {
    let of_workspace =
        settings.payment.as_ref().map(|payment| payment.instructions(MEANS, EXT_PAYMENT_MEANS));
    let stated = ext::of(EXT, &invoice.ext, EXT_PAYMENT_MEANS).map(|ext| ext.value.as_str());
    let (key, code) = MEANS
        .iter()
        .find(|(_, code)| *code == stated.unwrap_or(ON_CREDIT))
        .copied()
        .unwrap_or(("promissory-note", ON_CREDIT));
    match of_workspace.filter(|own| stated.is_none() || own.key == key) {
        Some(own) => own,
        None => format::Instructions {
            key: key.into(),
            detail: None,
            credit_transfer: Vec::new(),
            ext: vec![(EXT_PAYMENT_MEANS, code.into())],
        },
    }
}
