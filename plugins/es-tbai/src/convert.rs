//! The structured document.

use einvoice_es::doc_type::format_type;
use einvoice_es::identity;
use einvoice_es::nif;
use einvoice_es::taxes::{self, Category, Class};
use einvoice_gobl::format::{self, Ext};
use einvoice_gobl::{Mapping, Parts, Row, Treatment, assemble, party, preceding, write};
use einvoice_plugin::{Context, Document, Fault, Faults, Invoice, OtherIdentity};

use crate::codes::{
    EXT_ACTIVITY, EXT_CORRECTION, EXT_EXEMPTION, EXT_IDENTITY_TYPE, EXT_PRODUCT, EXT_REGIME, EXT_REGION,
    EXT_SIMPLIFIED, Product, regime, said,
};
use crate::examine::{Examined, examine};
use crate::settings::Settings;
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

/// The agency's codes of tax rows.
pub(crate) struct Tbai<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) invoice: &'a Invoice,
}

impl Tbai<'_> {
    /// What is sold: the line says it, the document or the workspace.
    fn product(&self, line: &[einvoice_plugin::Ext]) -> Product {
        said(line, EXT_PRODUCT)
            .or_else(|| said(&self.invoice.ext, EXT_PRODUCT))
            .and_then(|said| Product::of_code(&said.value))
            .unwrap_or(self.settings.product)
    }

    /// The VAT regime: the line says it, the document, the treatment or the workspace.
    fn regime(&self, line: &[einvoice_plugin::Ext], treatment: taxes::Treatment) -> &'static str {
        let said = said(line, EXT_REGIME).or_else(|| said(&self.invoice.ext, EXT_REGIME));
        said.and_then(|said| regime(&said.value)).unwrap_or(match treatment {
            taxes::Treatment::Taxed { surcharge: true, .. } => "51",
            _ if treatment.is_export() => "02",
            _ if self.settings.simplified_regime => "52",
            _ => "01",
        })
    }

    fn ext(&self, row: &Row<'_>, category: Category, treatment: taxes::Treatment) -> Ext<'static> {
        match category {
            Category::Vat => {
                let exemption = match treatment {
                    taxes::Treatment::Taxed { .. } => None,
                    taxes::Treatment::Untaxed(exemption) => Some(code(exemption.class)),
                };
                let product = self.product(row.ext).code();
                let regime = self.regime(row.ext, treatment);
                let codes = [(EXT_PRODUCT, product.into()), (EXT_REGIME, regime.into())];
                exemption.map(|code| (EXT_EXEMPTION, code.into())).into_iter().chain(codes).collect()
            }
            // Taxes of other territories: not subject in the province, but passed on.
            Category::Igic | Category::Ipsi => vec![(EXT_EXEMPTION, "IE".into()), (EXT_REGIME, "08".into())],
        }
    }
}

const fn code(class: Class) -> &'static str {
    match class {
        Class::Exempt(code) | Class::Own(code) => code,
        Class::ReverseCharge => "S2",
        Class::OutsideScope => "OT",
        Class::OutsideScopeLocation => "RL",
    }
}

impl Mapping for Tbai<'_> {
    const REGIME: &'static str = "ES";
    const ADDONS: &'static [&'static str] = &["es-tbai-v1"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let category = Category::parse(row.category)?;
        let found = taxes::Treatment::of(&SYSTEM, row.rate, row.surcharge, row.exemption)?;
        Some(Treatment { key: found.format_key(category), ext: self.ext(row, category, found) })
    }

    fn retention(&self, _: &str) -> Treatment {
        Treatment::default()
    }

    fn unmapped(&self) -> Faults {
        let message = "A row of the totals matches no tax treatment; compute the totals again.";
        vec![Fault::error(faults::TAX_TREATMENT, "/totals/rates", message)]
    }
}
