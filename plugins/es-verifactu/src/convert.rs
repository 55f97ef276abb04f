//! The structured document. Figures are the gateway's: nothing is added up here.

use std::iter;

use einvoice_es::check::Examined;
use einvoice_es::doc_type::format_type;
use einvoice_es::taxes::{self, Category, Class};
use einvoice_es::{identity, nif};
use einvoice_gobl::{Mapping, Parts, Row, Treatment, assemble, format, party, preceding, write};
use einvoice_plugin::{Context, Document, Ext, Fault, Faults, Invoice, OtherIdentity};

use crate::codes::{
    self, EXPORT, EXT_ARTICLE_7, EXT_EXEMPT, EXT_OP_CLASS, EXT_REGIME, GENERAL, SURCHARGE, said_article_7,
    said_regime,
};
use crate::doc_type::{BY_DIFFERENCES, DocType, EXT_CORRECTION_TYPE, EXT_DOC_TYPE};
use crate::examine::examine;
use crate::{SYSTEM, faults};

/// Converts a document with a number; anything [`examine`] objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examined { findings, doc_type } = examine(invoice, context);
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
    let json = write(&document).map_err(|error| {
        vec![Fault::error(faults::KIND, "", format!("The document cannot be written as JSON: {error}."))]
    })?;
    Ok(Document::json(json, invoice.totals.payable))
}

/// The agency's codes of the document.
fn document_ext(invoice: &Invoice, doc_type: DocType) -> format::Ext<'_> {
    let correction = doc_type.is_correction().then_some((EXT_CORRECTION_TYPE, BY_DIFFERENCES.into()));
    let article_7 = said_article_7(invoice).map(|said| (EXT_ARTICLE_7, said.value.as_str().into()));
    correction.into_iter().chain([(EXT_DOC_TYPE, doc_type.code().into())]).chain(article_7).collect()
}

fn other(document: &OtherIdentity) -> format::Identity<'_> {
    identity::written(document, "es-verifactu-identity-type")
}

/// The agency's codes of the tax rows of an invoice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) invoice: &'a Invoice,
}

impl Rows<'_> {
    /// The regime: the line says it, the document or the treatment.
    pub(crate) fn regime(self, line: &[Ext], treatment: taxes::Treatment) -> &'static str {
        let said = said_regime(line).or_else(|| said_regime(&self.invoice.ext));
        said.and_then(|said| codes::regime(&said.value)).unwrap_or(match treatment {
            taxes::Treatment::Taxed { surcharge: true, .. } => SURCHARGE,
            _ if treatment.is_export() => EXPORT,
            _ => GENERAL,
        })
    }
}

impl Mapping for Rows<'_> {
    const REGIME: &'static str = "ES";
    const ADDONS: &'static [&'static str] = &["es-verifactu-v1"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let category = Category::parse(row.category)?;
        let found = taxes::Treatment::of(&SYSTEM, row.rate, row.surcharge, row.exemption)?;
        let class = match found {
            taxes::Treatment::Taxed { .. } => (EXT_OP_CLASS, "S1"),
            taxes::Treatment::Untaxed(exemption) => class(exemption.class),
        };
        // The agency refuses a regime beside IPSI (1260).
        let regime = (category != Category::Ipsi).then(|| (EXT_REGIME, self.regime(row.ext, found)));
        let ext = iter::once(class).chain(regime).map(|(key, code)| (key, code.into())).collect();
        Some(Treatment { key: found.format_key(category), ext })
    }

    fn retention(&self, _: &str) -> Treatment {
        Treatment::default()
    }

    fn unmapped(&self) -> Faults {
        let message = "A row of the totals matches no tax treatment; compute the totals again.";
        vec![Fault::error(faults::TAX_TREATMENT, "/totals/rates", message)]
    }
}

const fn class(class: Class) -> (&'static str, &'static str) {
    match class {
        Class::Exempt(code) => (EXT_EXEMPT, code),
        Class::ReverseCharge => (EXT_OP_CLASS, "S2"),
        Class::OutsideScope => (EXT_OP_CLASS, "N1"),
        Class::OutsideScopeLocation => (EXT_OP_CLASS, "N2"),
        Class::Own(code) => (EXT_OP_CLASS, code),
    }
}

/// Whether an untaxed row is an export that the general regime has no place for.
pub(crate) fn is_export_of_articles_21_and_22(treatment: taxes::Treatment) -> bool {
    let taxes::Treatment::Untaxed(exemption) = treatment else { return false };
    matches!(class(exemption.class), (EXT_EXEMPT, "E2" | "E3"))
}
