//! Reasons why no tax is charged, and the agency's class of each.

/// A reason why no tax is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exemption {
    /// The key documents use.
    pub key: &'static str,
    /// For people.
    pub title: &'static str,
    /// The structured format's key of the situation.
    pub format_key: &'static str,
    /// What the agency calls it.
    pub class: Class,
}

/// The agency's classes of operations (lists L9 and L10), beside the taxed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Exempt, for this reason: `E1` to `E6`.
    Exempt(&'static str),
    /// S2: taxed, the recipient accounts for it.
    ReverseCharge,
    /// N1: outside the scope.
    OutsideScope,
    /// N2: outside the scope by the place of supply.
    OutsideScopeLocation,
    /// A class of one system only.
    Own(&'static str),
}

impl Exemption {
    /// An exemption of a document's key.
    pub const fn new(key: &'static str, title: &'static str, format_key: &'static str, class: Class) -> Self {
        Self { key, title, format_key, class }
    }

    /// Whether it is an export, which has a regime of its own.
    pub fn is_export(&self) -> bool {
        self.format_key == "export"
    }
}

/// The exemption under which the recipient accounts for the tax.
pub const REVERSE_CHARGE: &str = "reverse_charge";

/// What a document may name as `exemption` in every system.
pub const EXEMPTIONS: &[Exemption] = &[
    Exemption::new(
        "article_20",
        "Exempt, article 20: rent of dwellings, education, health, insurance",
        "exempt",
        Class::Exempt("E1"),
    ),
    Exemption::new("article_21", "Exempt, article 21: exports", "export", Class::Exempt("E2")),
    Exemption::new(
        "article_22",
        "Exempt, article 22: operations assimilated to exports",
        "export",
        Class::Exempt("E3"),
    ),
    Exemption::new(
        "article_24",
        "Exempt, articles 23 and 24: customs and fiscal regimes",
        "export",
        Class::Exempt("E4"),
    ),
    Exemption::new(
        "article_25",
        "Exempt, article 25: intra-Community supplies",
        "intra-community",
        Class::Exempt("E5"),
    ),
    Exemption::new("other", "Exempt for another reason", "exempt", Class::Exempt("E6")),
    Exemption::new(
        REVERSE_CHARGE,
        "Reverse charge: the recipient accounts for the tax",
        "reverse-charge",
        Class::ReverseCharge,
    ),
    Exemption::new(
        "outside_scope",
        "Outside the scope, articles 7 and 14 and others",
        "outside-scope",
        Class::OutsideScope,
    ),
    Exemption::new(
        "outside_scope_location",
        "Outside the scope by the place of supply",
        "outside-scope",
        Class::OutsideScopeLocation,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exemption_has_its_class_at_the_agency() {
        let classes: Vec<_> = EXEMPTIONS.iter().map(|one| (one.key, one.class, one.is_export())).collect();
        assert_eq!(
            classes,
            [
                ("article_20", Class::Exempt("E1"), false),
                ("article_21", Class::Exempt("E2"), true),
                ("article_22", Class::Exempt("E3"), true),
                ("article_24", Class::Exempt("E4"), true),
                ("article_25", Class::Exempt("E5"), false),
                ("other", Class::Exempt("E6"), false),
                ("reverse_charge", Class::ReverseCharge, false),
                ("outside_scope", Class::OutsideScope, false),
                ("outside_scope_location", Class::OutsideScopeLocation, false),
            ]
        );
    }
}
