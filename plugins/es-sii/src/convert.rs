//! The structured document.

use einvoice_es::doc_type::{BY_DIFFERENCES, DocType, format_type};
use einvoice_es::{identity, nif};
use einvoice_gobl::format::{self, Ext};
use einvoice_gobl::{Parts, assemble, issued_number, json_document, party, preceding};
use einvoice_plugin::{Context, Document, Faults, Invoice, OtherIdentity};

use crate::SYSTEM;
use crate::codes::{EXT_ARTICLE_7, EXT_CORRECTION_TYPE, EXT_DOC_TYPE, EXT_IDENTITY_TYPE, find_ext};
use crate::examine::{Examination, examine};
use crate::rows::Rows;

/// Converts a document with a number; anything [`examine`] objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examination { findings, doc_type, settings } = examine(invoice, context);
    findings.into_result()?;
    let number = issued_number(invoice, SYSTEM.prefix)?;
    // A simplified document may go without recipient, or by name only.
    let identified =
        invoice.recipient.as_ref().filter(|one| !doc_type.is_simplified() || identity::is_given(one));
    let identity = identified.map(|recipient| identity::map(&SYSTEM, recipient)).transpose()?;
    let rows = Rows { settings: &settings, invoice };
    // A correction carries the figures of what it corrects, as the format's own corrections do.
    let with_figures = doc_type.is_correction();
    let mut document = assemble(
        &rows,
        invoice,
        Parts {
            kind: format_type(invoice.kind),
            tags: doc_type.tag().map(Into::into).into_iter().collect(),
            code: number,
            preceding: invoice.preceding.iter().map(|one| preceding(&rows, one, with_figures)).collect(),
            tax_ext: document_ext(invoice, doc_type),
            supplier: party::supplier(context, "ES", nif::normalise(&context.supplier.tax_id)),
            customer: invoice
                .recipient
                .as_ref()
                .map(|recipient| party::customer(recipient, identity.as_ref(), other)),
        },
    )?;
    for (written, line) in document.lines.iter_mut().zip(&invoice.lines) {
        written.item.key = rows.product(&line.ext).map(|product| product.code().into());
    }
    json_document(&document, invoice, SYSTEM.prefix)
}

/// The agency's codes of the document.
fn document_ext(invoice: &Invoice, doc_type: DocType) -> Ext<'_> {
    let correction = doc_type.is_correction().then_some((EXT_CORRECTION_TYPE, BY_DIFFERENCES.into()));
    let article_7 =
        find_ext(&invoice.ext, EXT_ARTICLE_7).map(|entry| (EXT_ARTICLE_7, entry.value.as_str().into()));
    correction.into_iter().chain([(EXT_DOC_TYPE, doc_type.code().into())]).chain(article_7).collect()
}

fn other(document: &OtherIdentity) -> format::Identity<'_> {
    identity::written(document, EXT_IDENTITY_TYPE)
}
