//! Tax rows in the agency's terms.

use einvoice_es::exemptions::Class;
use einvoice_es::taxes::{self, Category};
use einvoice_gobl::{Mapping, Row, Treatment};
use einvoice_plugin::{Ext, Invoice};

use crate::SYSTEM;
use crate::codes::{
    self, EXPORT, EXT_EXEMPT, EXT_OUTSIDE_SCOPE, EXT_PRODUCT, EXT_REGIME, GENERAL, Product, find_ext,
};
use crate::settings::Settings;

/// The agency's codes of the rows of an invoice.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The workspace's settings.
    pub settings: &'a Settings,
    /// The invoice.
    pub invoice: &'a Invoice,
}

impl Rows<'_> {
    /// What is sold: the line says it, the document or the workspace, or nobody.
    pub fn product(&self, line: &[Ext]) -> Option<Product> {
        let entry = find_ext(line, EXT_PRODUCT).or_else(|| find_ext(&self.invoice.ext, EXT_PRODUCT));
        entry.and_then(|entry| Product::of_code(&entry.value)).or(self.settings.product)
    }

    /// The regime: the line says it, the document, the workspace or the treatment.
    pub fn regime(&self, line: &[Ext], treatment: taxes::Treatment) -> &'static str {
        let entry = find_ext(line, EXT_REGIME).or_else(|| find_ext(&self.invoice.ext, EXT_REGIME));
        let chosen = entry.map(|entry| entry.value.as_str()).or(self.settings.regime.as_deref());
        let usual = if treatment.is_export() { EXPORT } else { GENERAL };
        chosen.and_then(codes::regime).unwrap_or(usual)
    }
}

/// The code that says why a row is not taxed. Reverse charge has none.
pub(crate) const fn class(class: Class) -> Option<(&'static str, &'static str)> {
    match class {
        Class::Exempt(code) => Some((EXT_EXEMPT, code)),
        Class::OutsideScope => Some((EXT_OUTSIDE_SCOPE, "other")),
        Class::OutsideScopeLocation => Some((EXT_OUTSIDE_SCOPE, "location")),
        Class::ReverseCharge | Class::Own(_) => None,
    }
}

/// The code of an exemption; what is outside the scope has none.
pub(crate) const fn exempt(class: Class) -> Option<&'static str> {
    match class {
        Class::Exempt(code) => Some(code),
        Class::OutsideScope | Class::OutsideScopeLocation | Class::ReverseCharge | Class::Own(_) => None,
    }
}

impl Mapping for Rows<'_> {
    const FAULT_PREFIX: &'static str = SYSTEM.prefix;
    const REGIME: &'static str = "ES";
    const ADDONS: &'static [&'static str] = &["es-sii-v1"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let category = Category::parse(row.category)?;
        let found = taxes::Treatment::of(&SYSTEM, row.rate, row.surcharge, row.exemption)?;
        let untaxed = match found {
            taxes::Treatment::Taxed { .. } => None,
            taxes::Treatment::Untaxed(exemption) => class(exemption.class),
        };
        // Product and regime are for VAT and IGIC only.
        let has_regime = category != Category::Ipsi;
        let product =
            self.product(row.ext).filter(|_| has_regime).map(|product| (EXT_PRODUCT, product.code()));
        let regime = has_regime.then(|| (EXT_REGIME, self.regime(row.ext, found)));
        let ext = untaxed.into_iter().chain(product).chain(regime);
        Some(Treatment {
            key: found.format_key(category),
            ext: ext.map(|(key, code)| (key, code.into())).collect(),
        })
    }
}
