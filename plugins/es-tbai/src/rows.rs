//! Tax rows in the treasuries' terms.

use einvoice_es::exemptions::Class;
use einvoice_es::taxes::{self, Category};
use einvoice_gobl::format::Ext;
use einvoice_gobl::{Mapping, Row, Treatment};
use einvoice_plugin::{Ext as WitExt, Invoice, Line};

use crate::SYSTEM;
use crate::codes::{EXT_EXEMPTION, EXT_PRODUCT, EXT_REGIME, Product, find_ext, regime};
use crate::settings::Settings;

/// The regime of what another territory taxes.
const OTHER_TERRITORY: &str = "08";

/// The agency's codes of tax rows.
pub(crate) struct Rows<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) invoice: &'a Invoice,
}

impl Rows<'_> {
    /// What is sold: the line says it, the document or the workspace.
    pub(crate) fn product(&self, line: &[WitExt]) -> Product {
        find_ext(line, EXT_PRODUCT)
            .or_else(|| find_ext(&self.invoice.ext, EXT_PRODUCT))
            .and_then(|entry| Product::of_code(&entry.value))
            .unwrap_or(self.settings.product)
    }

    /// The VAT regime: the line says it, the document, the treatment or the workspace.
    fn regime(&self, line: &[WitExt], treatment: taxes::Treatment) -> &'static str {
        let entry = find_ext(line, EXT_REGIME).or_else(|| find_ext(&self.invoice.ext, EXT_REGIME));
        entry.and_then(|entry| regime(&entry.value)).unwrap_or(match treatment {
            taxes::Treatment::Taxed { surcharge: true, .. } => "51",
            _ if treatment.is_export() => "02",
            _ if self.settings.simplified_regime => "52",
            _ => "01",
        })
    }

    /// The regime that a line goes out under. None when its tax is none of Spain's.
    pub(crate) fn regime_of(&self, line: &Line) -> Option<&'static str> {
        let tax = &line.tax;
        let treatment = taxes::Treatment::of(&SYSTEM, tax.rate, tax.surcharge, tax.exemption.as_deref())?;
        Some(match Category::parse(&tax.category)? {
            Category::Vat => self.regime(&line.ext, treatment),
            Category::Igic | Category::Ipsi => OTHER_TERRITORY,
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
            Category::Igic | Category::Ipsi => {
                vec![(EXT_EXEMPTION, "IE".into()), (EXT_REGIME, OTHER_TERRITORY.into())]
            }
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

impl Mapping for Rows<'_> {
    const FAULT_PREFIX: &'static str = SYSTEM.prefix;
    const REGIME: &'static str = "ES";
    const ADDONS: &'static [&'static str] = &["es-tbai-v1"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let category = Category::parse(row.category)?;
        let found = taxes::Treatment::of(&SYSTEM, row.rate, row.surcharge, row.exemption)?;
        Some(Treatment { key: found.format_key(category), ext: self.ext(row, category, found) })
    }
}
