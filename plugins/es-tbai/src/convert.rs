//! The structured document.

use einvoice_es::doc_type::format_type;
use einvoice_es::identity;
use einvoice_es::nif;
use einvoice_gobl::{Parts, assemble, format, issued_number, json_document, party, preceding};
use einvoice_plugin::{Context, Document, Faults, Invoice, OtherIdentity};

use crate::SYSTEM;
use crate::codes::{
    EXT_ACTIVITY, EXT_CORRECTION, EXT_IDENTITY_TYPE, EXT_PRODUCT, EXT_REGION, EXT_SIMPLIFIED, LROE,
    META_RECORD, Product, Region, find_ext,
};
use crate::examine::{Examination, examine};
use crate::rows::Rows;
use crate::settings::BizkaiaRecord;

/// Converts a document with a number; anything [`examine`] objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examination { findings, doc_type, settings, region, activity } = examine(invoice, context);
    findings.into_result()?;
    let number = issued_number(invoice, SYSTEM.prefix)?;
    // A simplified invoice may go without recipient, or by name only.
    let identified =
        invoice.recipient.as_ref().filter(|one| !doc_type.is_simplified() || identity::is_given(one));
    let identity = identified.map(|recipient| identity::map(&SYSTEM, recipient)).transpose()?;
    let rows = Rows { settings: &settings, invoice };
    let corrected = if doc_type.is_correction() { &invoice.preceding[..] } else { &[] };
    let wraps = region == Some(Region::Bizkaia) && settings.bizkaia_record == BizkaiaRecord::Lroe;
    let region = region.map(|region| (EXT_REGION, region.code().into()));
    let simplified = doc_type.is_simplified().then_some((EXT_SIMPLIFIED, "S".into()));
    let mut supplier = party::supplier(context, "ES", nif::normalise(&context.supplier.tax_id));
    supplier.ext = activity.map(|code| (EXT_ACTIVITY, code.into())).into_iter().collect();
    let mut document = assemble(
        &rows,
        invoice,
        Parts {
            kind: format_type(invoice.kind),
            tags: doc_type.tag().map(Into::into).into_iter().collect(),
            code: number,
            preceding: corrected
                .iter()
                .map(|one| {
                    let ext = vec![(EXT_CORRECTION, doc_type.code().into())];
                    format::DocumentRef { ext, ..preceding(&rows, one, false) }
                })
                .collect(),
            tax_ext: region.into_iter().chain(simplified).collect(),
            supplier,
            customer: invoice
                .recipient
                .as_ref()
                .map(|recipient| party::customer(recipient, identity.as_ref(), other)),
        },
    )?;
    for (written, line) in document.lines.iter_mut().zip(&invoice.lines) {
        let product = rows.product(&line.ext);
        let is_stated = product != Product::Services || find_ext(&line.ext, EXT_PRODUCT).is_some();
        written.item.key = is_stated.then(|| product.item_key().into());
    }
    if document.notes.is_empty()
        && let Some(text) = &settings.description
    {
        let text = text.as_str().into();
        document.notes.push(format::Note { key: "general".into(), text, ..format::Note::default() });
    }
    if wraps {
        document.meta = vec![(META_RECORD, LROE.into())];
    }
    json_document(&document, invoice, SYSTEM.prefix)
}

fn other(document: &OtherIdentity) -> format::Identity<'_> {
    identity::written(document, EXT_IDENTITY_TYPE)
}
