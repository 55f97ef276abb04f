//! Tax rows in the terms of the structured format and of the agency.

use einvoice_plugin::Amount;

/// The agency's list L9: how a taxed operation, or one outside the scope, is classified.
pub const EXT_OP_CLASS: &str = "es-verifactu-op-class";
/// The agency's list L10: why an operation is exempt.
pub const EXT_EXEMPT: &str = "es-verifactu-exempt";
/// The agency's list L8: the special regime.
pub const EXT_REGIME: &str = "es-verifactu-regime";

/// A tax on supplies in Spain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The mainland and the Balearic Islands.
    Vat,
    /// The Canary Islands.
    Igic,
    /// Ceuta and Melilla.
    Ipsi,
}

impl Category {
    /// The category of a document's key.
    pub fn parse(key: &str) -> Option<Self> {
        match key {
            "VAT" => Some(Self::Vat),
            "IGIC" => Some(Self::Igic),
            "IPSI" => Some(Self::Ipsi),
            _ => None,
        }
    }

    /// The key documents and the structured format share.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Vat => "VAT",
            Self::Igic => "IGIC",
            Self::Ipsi => "IPSI",
        }
    }
}

/// A reason why no tax is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exemption {
    /// The key documents use.
    pub key: &'static str,
    /// For people.
    pub title: &'static str,
    /// The structured format's key of the situation.
    format_key: &'static str,
    ext: (&'static str, &'static str),
    regime: &'static str,
}

const fn exemption(
    key: &'static str,
    title: &'static str,
    format_key: &'static str,
    ext: (&'static str, &'static str),
    regime: &'static str,
) -> Exemption {
    Exemption { key, title, format_key, ext, regime }
}

/// The exemption under which the recipient accounts for the tax.
pub const REVERSE_CHARGE: &str = "reverse_charge";

/// Everything a document may name as `exemption`.
pub const EXEMPTIONS: &[Exemption] = &[
    exemption(
        "article_20",
        "Exempt, article 20: rent of dwellings, education, health, insurance",
        "exempt",
        (EXT_EXEMPT, "E1"),
        "01",
    ),
    exemption("article_21", "Exempt, article 21: exports", "export", (EXT_EXEMPT, "E2"), "02"),
    exemption(
        "article_22",
        "Exempt, article 22: operations assimilated to exports",
        "export",
        (EXT_EXEMPT, "E3"),
        "02",
    ),
    exemption(
        "article_24",
        "Exempt, articles 23 and 24: customs and fiscal regimes",
        "export",
        (EXT_EXEMPT, "E4"),
        "02",
    ),
    exemption(
        "article_25",
        "Exempt, article 25: intra-Community supplies",
        "intra-community",
        (EXT_EXEMPT, "E5"),
        "01",
    ),
    exemption("other", "Exempt for another reason", "exempt", (EXT_EXEMPT, "E6"), "01"),
    exemption(
        REVERSE_CHARGE,
        "Reverse charge: the recipient accounts for the tax",
        "reverse-charge",
        (EXT_OP_CLASS, "S2"),
        "01",
    ),
    exemption(
        "outside_scope",
        "Outside the scope, articles 7 and 14 and others",
        "outside-scope",
        (EXT_OP_CLASS, "N1"),
        "01",
    ),
    exemption(
        "outside_scope_location",
        "Outside the scope by the place of supply",
        "outside-scope",
        (EXT_OP_CLASS, "N2"),
        "01",
    ),
];

/// A tax the recipient may withhold.
pub const RETENTIONS: &[(&str, &str)] =
    &[("IRPF", "Income tax withheld (IRPF)"), ("IRNR", "Non-residents' income tax withheld (IRNR)")];

/// How the structured format says what happens to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Treatment {
    /// The situation. IPSI has none.
    pub key: Option<&'static str>,
    /// Classification or exemption, in the agency's code.
    pub class: (&'static str, &'static str),
    /// The regime, for VAT and IGIC only.
    pub regime: Option<&'static str>,
}

impl Treatment {
    /// The agency's codes.
    pub fn ext(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        std::iter::once(self.class).chain(self.regime.map(|code| (EXT_REGIME, code)))
    }
}

/// The treatment of a rate or an exemption. None when both or neither are given, or the exemption is unknown.
pub fn treatment(
    category: Category,
    rate: Option<Amount>,
    surcharge: Option<Amount>,
    exempt_by: Option<&str>,
) -> Option<Treatment> {
    let treatment = match (rate, exempt_by) {
        (Some(rate), None) => Treatment {
            key: Some(if rate.is_zero() { "zero" } else { "standard" }),
            class: (EXT_OP_CLASS, "S1"),
            regime: Some(if surcharge.is_some() { "18" } else { "01" }),
        },
        (None, Some(key)) => {
            let exemption = EXEMPTIONS.iter().find(|exemption| exemption.key == key)?;
            Treatment {
                key: Some(exemption.format_key),
                class: exemption.ext,
                regime: Some(exemption.regime),
            }
        }
        (Some(_), Some(_)) | (None, None) => return None,
    };
    Some(match category {
        Category::Vat | Category::Igic => treatment,
        // The format defines no situations for IPSI, and the agency refuses a regime beside it (1260).
        Category::Ipsi => Treatment { key: None, regime: None, ..treatment },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exemption_has_its_code_at_the_agency() {
        let codes: Vec<_> =
            EXEMPTIONS.iter().map(|exemption| (exemption.key, exemption.ext.1, exemption.regime)).collect();
        assert_eq!(
            codes,
            [
                ("article_20", "E1", "01"),
                ("article_21", "E2", "02"),
                ("article_22", "E3", "02"),
                ("article_24", "E4", "02"),
                ("article_25", "E5", "01"),
                ("other", "E6", "01"),
                ("reverse_charge", "S2", "01"),
                ("outside_scope", "N1", "01"),
                ("outside_scope_location", "N2", "01"),
            ]
        );
    }

    #[test]
    fn a_surcharge_moves_the_row_into_its_own_regime() {
        let (rate, surcharge) = (Some(Amount::new(210, 1)), Some(Amount::new(52, 1)));
        let row = treatment(Category::Vat, rate, surcharge, None).unwrap();
        assert_eq!((row.key, row.regime), (Some("standard"), Some("18")));
    }

    #[test]
    fn ipsi_has_a_classification_but_no_regime() {
        let row = treatment(Category::Ipsi, Some(Amount::new(4, 0)), None, None).unwrap();
        assert_eq!(row, Treatment { key: None, class: (EXT_OP_CLASS, "S1"), regime: None });
    }

    #[test]
    fn rate_and_exemption_exclude_each_other() {
        let rate = Some(Amount::new(210, 1));
        assert_eq!(treatment(Category::Vat, rate, None, Some("article_20")), None);
        assert_eq!(treatment(Category::Vat, None, None, None), None);
        assert_eq!(treatment(Category::Vat, None, None, Some("article_99")), None);
    }
}
