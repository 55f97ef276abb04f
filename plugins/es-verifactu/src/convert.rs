//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_es::check::Examination;
use einvoice_es::doc_type::format_type;
use einvoice_es::{identity, nif};
use einvoice_gobl::{Parts, assemble, format, issued_number, json_document, party, preceding};
use einvoice_plugin::{Context, Document, Faults, Invoice, OtherIdentity};

use crate::SYSTEM;
use crate::codes::{EXT_ARTICLE_7, EXT_IDENTITY_TYPE, find_article_7};
use crate::doc_type::{BY_DIFFERENCES, DocType, EXT_CORRECTION_TYPE, EXT_DOC_TYPE};
use crate::examine::examine;
use crate::rows::Rows;

/// Converts a document with a number; anything [`examine`] objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examination { findings, doc_type } = examine(invoice, context);
    findings.into_result()?;
    let number = issued_number(invoice, SYSTEM.prefix)?;
    // Who receives a simplified document stays between issuer and recipient: the agency refuses an identity there.
    let identity = match &invoice.recipient {
        Some(recipient) if !doc_type.is_simplified() => Some(identity::map(&SYSTEM, recipient)?),
        _ => None,
    };
    // A correction carries the figures of what it corrects, as the format's own corrections do.
    let with_figures = doc_type.is_correction();
    let rows = Rows { invoice };
    let document = assemble(
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
    json_document(&document, invoice, SYSTEM.prefix)
}

/// The agency's codes of the document.
fn document_ext(invoice: &Invoice, doc_type: DocType) -> format::Ext<'_> {
    let correction = doc_type.is_correction().then_some((EXT_CORRECTION_TYPE, BY_DIFFERENCES.into()));
    let article_7 = find_article_7(invoice).map(|entry| (EXT_ARTICLE_7, entry.value.as_str().into()));
    correction.into_iter().chain([(EXT_DOC_TYPE, doc_type.code().into())]).chain(article_7).collect()
}

fn other(document: &OtherIdentity) -> format::Identity<'_> {
    identity::written(document, EXT_IDENTITY_TYPE)
}
