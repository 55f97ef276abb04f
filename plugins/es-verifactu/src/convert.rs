//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_es::nif;
use einvoice_gobl::{Mapping, Parts, Row, Treatment, assemble, format, party, preceding, write};
use einvoice_plugin::{Context, Document, Fault, Faults, Invoice, OtherIdentity};

use crate::check::Examined;
use crate::doc_type::{BY_DIFFERENCES, DocType, EXT_CORRECTION_TYPE, EXT_DOC_TYPE};
use crate::faults;
use crate::identity::{EXT_IDENTITY_TYPE, IdentityType};
use crate::taxes::{Category, treatment};
use crate::{check, identity};

/// Converts a document with a number; anything [`check`] objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examined { findings, doc_type } = check::examine(invoice, context);
    let refused = findings.into_errors();
    if !refused.is_empty() {
        return Err(refused);
    }
    let Some(number) = &invoice.number else {
        let message = "The invoice has no number yet; issue it, which reserves one, and convert it then.";
        return Err(vec![Fault::error(faults::NUMBER_MISSING, "/display_document_number", message)]);
    };
    // Who receives a simplified document stays between issuer and recipient: the agency refuses an identity there.
    let identity = match &invoice.recipient {
        Some(recipient) if !doc_type.is_simplified() => Some(identity::map(recipient)?),
        _ => None,
    };
    // A correction carries the figures of what it corrects, as the format's own corrections do.
    let with_figures = doc_type.is_correction();
    let document = assemble(
        &Verifactu,
        invoice,
        Parts {
            kind: doc_type.format_type(),
            tags: doc_type.tag().map(Into::into).into_iter().collect(),
            code: number,
            preceding: invoice.preceding.iter().map(|one| preceding(&Verifactu, one, with_figures)).collect(),
            tax_ext: document_ext(doc_type),
            supplier: party::supplier(context, "ES", nif::normalise(&context.supplier.tax_id)),
            customer: invoice
                .recipient
                .as_ref()
                .map(|recipient| party::customer(recipient, identity.as_ref(), other)),
        },
    )?;
    let json = write(&document).map_err(|error| {
        vec![Fault::error(faults::KIND, "", format!("The document cannot be written as JSON: {error}."))]
    })?;
    Ok(Document::json(json, invoice.totals.payable))
}

/// The agency's codes of the document.
fn document_ext(doc_type: DocType) -> format::Ext<'static> {
    let correction = doc_type.is_correction().then_some((EXT_CORRECTION_TYPE, BY_DIFFERENCES.into()));
    correction.into_iter().chain([(EXT_DOC_TYPE, doc_type.code().into())]).collect()
}

fn other(document: &OtherIdentity) -> format::Identity<'_> {
    let identity_type = IdentityType::of_code(&document.type_code).unwrap_or(IdentityType::Other);
    let ext = vec![(EXT_IDENTITY_TYPE, identity_type.code().into())];
    party::identity(document, identity_type.key(), ext)
}

/// The agency's codes of tax rows.
struct Verifactu;

impl Mapping for Verifactu {
    const REGIME: &'static str = "ES";
    const ADDONS: &'static [&'static str] = &["es-verifactu-v1"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let category = Category::parse(row.category)?;
        let found = treatment(category, row.rate, row.surcharge, row.exemption)?;
        let ext = found.ext().map(|(key, code)| (key, code.into())).collect();
        Some(Treatment { key: found.key, ext })
    }

    fn retention(&self, _: &str) -> Treatment {
        Treatment::default()
    }

    fn unmapped(&self) -> Faults {
        let message = "A row of the totals matches no tax treatment; compute the totals again.";
        vec![Fault::error(faults::TAX_TREATMENT, "/totals/rates", message)]
    }
}
