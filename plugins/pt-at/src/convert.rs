//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_eu::payment;
use einvoice_gobl::{Money, Parts, assemble, ext, format, issued_number, json_document, party, preceding};
use einvoice_plugin::{Amount, Context, Document, DocumentKind, Faults, Identity, Invoice};

use crate::PREFIX;
use crate::check::{self, Examination};
use crate::number::DocumentNumber;
use crate::rows::Rows;
use crate::settings::Settings;
use crate::tables::{
    EXT, EXT_DOCUMENT_TYPE, EXT_PAYMENT_MEANS, EXT_PRODUCT_TYPE, EXT_SOURCE, INVOICE_RECEIPT, MEANS,
    PAYMENT_MEANS, means_code,
};

/// What the note with the unique code of the document is of.
pub const NOTE_ATCUD: &str = "at-atcud";
/// What the note with the number of the program's certificate is of.
pub const NOTE_CERTIFICATE: &str = "at-certificate";
/// `SourceBilling` of a document that this program made.
const SOURCE_PRODUCED: &str = "P";
/// The format's unit where none is known.
const UNIT: &str = "one";

/// Converts a document with a number; anything the check objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examination { findings, settings, doc_type, tax_number, identity } = check::examine(invoice, context);
    findings.into_result()?;
    let number = issued_number(invoice, PREFIX)?;
    let is_receipt = doc_type == INVOICE_RECEIPT;
    let tags = [
        (invoice.kind == DocumentKind::SimplifiedInvoice, "simplified"),
        (is_receipt, "invoice-receipt"),
        (settings.cash_vat, "cash-vat"),
    ];
    let mapping = Rows::of(&settings, invoice);
    let parts = Parts {
        kind: match invoice.kind {
            DocumentKind::CreditNote => "credit-note",
            DocumentKind::DebitNote => "debit-note",
            DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => {
                "standard"
            }
        },
        tags: tags.into_iter().filter(|(holds, _)| *holds).map(|(_, tag)| tag.into()).collect(),
        code: number,
        preceding: invoice.preceding.iter().map(|one| preceding(&mapping, one, false)).collect(),
        tax_ext: vec![(EXT_DOCUMENT_TYPE, doc_type.into()), (EXT_SOURCE, SOURCE_PRODUCED.into())],
        supplier: party::supplier(context, "PT", tax_number.as_str()),
        customer: customer(invoice, identity.as_ref()),
    };
    let mut document = assemble(&mapping, invoice, parts)?;
    for (written, line) in document.lines.iter_mut().zip(&invoice.lines) {
        written.item.unit = Some(UNIT.into());
        let product_type = mapping.product_type(&line.ext);
        written.item.ext = product_type.map(|code| (EXT_PRODUCT_TYPE, code.into())).into_iter().collect();
        if let (Some(combo), Some(percent)) = (written.taxes.first_mut(), line.tax.rate) {
            combo.rate = mapping.rate(&line.ext, percent).map(|rate| rate.key.into());
        }
    }
    let instructions = settings.payment.as_ref().filter(|_| !is_receipt);
    let instructions = instructions.map(|payment| payment.instructions(MEANS, EXT_PAYMENT_MEANS));
    payment::complete(&mut document, invoice, instructions);
    if is_receipt {
        state_payment(&mut document, invoice, &settings);
    }
    document.notes.extend(legal_notes(number, doc_type, &settings));
    json_document(&document, invoice, PREFIX)
}

fn customer<'a>(invoice: &'a Invoice, identity: Option<&'a Identity>) -> Option<format::Party<'a>> {
    let recipient = invoice.recipient.as_ref()?;
    Some(party::customer(recipient, identity, |other| party::identity(other, &other.type_key, Vec::new())))
}

/// All of it was paid on the day of issue.
fn state_payment<'a>(document: &mut format::Invoice<'a>, invoice: &'a Invoice, settings: &'a Settings) {
    let stated = ext::of(EXT, &invoice.ext, PAYMENT_MEANS).map(|stated| stated.value.as_str());
    let usual = settings.payment.as_ref().map(|payment| payment.means.as_str());
    let means = stated.or(usual).unwrap_or("other");
    let paid = invoice.totals.payable;
    let advance = format::Advance {
        date: Some(invoice.issue_date.as_str().into()),
        key: Some(means.into()),
        description: Some("Pagamento".into()),
        amount: Money(paid),
        ext: means_code(means).map(|code| (EXT_PAYMENT_MEANS, code.into())).into_iter().collect(),
    };
    document.payment.get_or_insert_default().advances.push(advance);
    document.totals.advance = Some(Money(paid));
    document.totals.due = Some(Money(Amount::new(0, 2)));
}

/// What the law wants to stand on the document: its unique code, and by which program it was made.
fn legal_notes<'a>(number: &str, doc_type: &str, settings: &Settings) -> Vec<format::Note<'a>> {
    let note = |source: &'static str, code: String, text: String| format::Note {
        key: "legal".into(),
        code: Some(code.into()),
        src: Some(source.into()),
        text: text.into(),
        ext: Vec::new(),
    };
    let atcud = DocumentNumber::read(number).and_then(|number| {
        let code = settings.validation_code(doc_type, number.series)?;
        Some(number.atcud(code))
    });
    let atcud = atcud.map(|atcud| note(NOTE_ATCUD, atcud.clone(), format!("ATCUD:{atcud}")));
    let certificate = (settings.certificate_number > 0).then(|| settings.certificate_number.to_string());
    let certificate = certificate.map(|number| {
        let text = format!("Processado por programa certificado n.º {number}/AT");
        note(NOTE_CERTIFICATE, number, text)
    });
    atcud.into_iter().chain(certificate).collect()
}
