//! The structured document.

use einvoice_es::doc_type::format_type;
use einvoice_es::identity;
use einvoice_es::nif;
use einvoice_gobl::{Parts, assemble, format, party, preceding, write};
use einvoice_plugin::{Context, Document, Fault, Faults, Invoice, OtherIdentity};

use crate::codes::{
    EXT_ACTIVITY, EXT_CORRECTION, EXT_IDENTITY_TYPE, EXT_PRODUCT, EXT_REGION, EXT_SIMPLIFIED, Product, said,
};
use crate::examine::{Examined, examine};
use crate::rows::Tbai;
use crate::{SYSTEM, faults};

/// Converts a document with a number; anything [`examine`] objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examined { findings, doc_type, settings, region, activity } = examine(invoice, context);
    let refused = findings.into_errors();
    if !refused.is_empty() {
        return Err(refused);
    }
    let (Some(number), Some(region)) = (&invoice.number, region) else {
        let message = "The invoice has no number yet; issue it, which reserves one, and convert it then.";
        return Err(vec![Fault::error(faults::NUMBER_MISSING, "/display_document_number", message)]);
    };
    // A simplified invoice may go without recipient, or by name only.
    let identified =
        invoice.recipient.as_ref().filter(|one| !doc_type.is_simplified() || identity::is_given(one));
    let identity = identified.map(|recipient| identity::map(&SYSTEM, recipient)).transpose()?;
    let tbai = Tbai { settings: &settings, invoice };
    let corrected = if doc_type.is_correction() { &invoice.preceding[..] } else { &[] };
    let simplified = doc_type.is_simplified().then_some((EXT_SIMPLIFIED, "S".into()));
    let mut supplier = party::supplier(context, "ES", nif::normalise(&context.supplier.tax_id));
    supplier.ext = activity.map(|code| (EXT_ACTIVITY, code.into())).into_iter().collect();
    let mut document = assemble(
        &tbai,
        invoice,
        Parts {
            kind: format_type(invoice.kind),
            tags: doc_type.tag().map(Into::into).into_iter().collect(),
            code: number,
            preceding: corrected
                .iter()
                .map(|one| {
                    let ext = vec![(EXT_CORRECTION, doc_type.code().into())];
                    format::DocumentRef { ext, ..preceding(&tbai, one, false) }
                })
                .collect(),
            tax_ext: [(EXT_REGION, region.code().into())].into_iter().chain(simplified).collect(),
            supplier,
            customer: invoice
                .recipient
                .as_ref()
                .map(|recipient| party::customer(recipient, identity.as_ref(), other)),
        },
    )?;
    for (written, line) in document.lines.iter_mut().zip(&invoice.lines) {
        let product = tbai.product(&line.ext);
        let told = product != Product::Services || said(&line.ext, EXT_PRODUCT).is_some();
        written.item.key = told.then(|| product.item_key().into());
    }
    if document.notes.is_empty()
        && let Some(text) = &settings.description
    {
        let text = text.as_str().into();
        document.notes.push(format::Note { key: "general".into(), text, ..format::Note::default() });
    }
    let json = write(&document).map_err(|error| {
        vec![Fault::error(faults::KIND, "", format!("The document cannot be written as JSON: {error}."))]
    })?;
    Ok(Document::json(json, invoice.totals.payable))
}

fn other(document: &OtherIdentity) -> format::Identity<'_> {
    identity::written(document, EXT_IDENTITY_TYPE)
}
