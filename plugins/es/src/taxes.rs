//! Tax rows in the terms all systems share; each writes the agency's class under its own codes.

use einvoice_plugin::Amount;

use crate::exemptions::Exemption;
use crate::system::System;

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

/// A tax the recipient may withhold.
pub const RETENTIONS: &[(&str, &str)] =
    &[("IRPF", "Income tax withheld (IRPF)"), ("IRNR", "Non-residents' income tax withheld (IRNR)")];

/// What happens to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Taxed at a rate.
    Taxed {
        /// At nought percent.
        zero: bool,
        /// With equivalence surcharge.
        surcharge: bool,
    },
    /// No tax is charged.
    Untaxed(&'static Exemption),
}

impl Treatment {
    /// The treatment of a rate or an exemption. None when both or neither are given, or the exemption is unknown.
    pub fn of(
        system: &System,
        rate: Option<Amount>,
        surcharge: Option<Amount>,
        exempt_by: Option<&str>,
    ) -> Option<Self> {
        match (rate, exempt_by) {
            (Some(rate), None) => Some(Self::Taxed { zero: rate.is_zero(), surcharge: surcharge.is_some() }),
            (None, Some(key)) => system.exemptions().find(|known| known.key == key).map(Self::Untaxed),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }

    /// The structured format's key of the situation. It defines none for IPSI.
    pub fn format_key(self, category: Category) -> Option<&'static str> {
        let key = match self {
            Self::Taxed { zero: true, .. } => "zero",
            Self::Taxed { zero: false, .. } => "standard",
            Self::Untaxed(exemption) => exemption.format_key,
        };
        match category {
            Category::Vat | Category::Igic => Some(key),
            Category::Ipsi => None,
        }
    }

    /// Whether it is an export.
    pub fn is_export(self) -> bool {
        matches!(self, Self::Untaxed(exemption) if exemption.is_export())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::tests::TEST;

    #[test]
    fn a_situation_has_its_key_but_not_in_ceuta_and_melilla() {
        let zero = Treatment::of(&TEST, Some(Amount::new(0, 1)), None, None).unwrap();
        assert_eq!(zero.format_key(Category::Igic), Some("zero"));
        let exempt = Treatment::of(&TEST, None, None, Some("article_21")).unwrap();
        assert_eq!((exempt.format_key(Category::Vat), exempt.is_export()), (Some("export"), true));
        assert_eq!(exempt.format_key(Category::Ipsi), None);
    }

    #[test]
    fn rate_and_exemption_exclude_each_other() {
        let rate = Some(Amount::new(210, 1));
        assert_eq!(Treatment::of(&TEST, rate, None, Some("article_20")), None);
        assert_eq!(Treatment::of(&TEST, None, None, None), None);
        assert_eq!(Treatment::of(&TEST, None, None, Some("article_99")), None);
    }
}
