//! What stands on an invoice that people read. The original is the XML; this is a copy for reading.

use einvoice_plugin::{ExemptionName, ExemptionNames, Printing, PrintingDescription, TaxName};

use crate::EuPeppol;

/// Key, name and short name, in the words of Directive 2006/112/EC, article 226 (11 and 11a) among them.
const EXEMPTION_NAMES: [(&str, &str, &str); 5] = [
    ("exempt", "Exempt from VAT", "VAT exempt"),
    ("reverse_charge", "Reverse charge", "Reverse charge"),
    (
        "intra_community",
        "Intra-Community supply, article 138 of Directive 2006/112/EC",
        "Intra-Community supply",
    ),
    ("export", "Export, article 146 of Directive 2006/112/EC", "Export"),
    ("outside_scope", "Outside the scope of VAT", "Outside the scope"),
];

impl Printing for EuPeppol {
    fn printing() -> PrintingDescription {
        PrintingDescription {
            tax_names: vec![TaxName::new("VAT", "VAT")],
            ..PrintingDescription::new("en", "VAT number")
        }
    }
}

impl ExemptionNames for EuPeppol {
    fn exemption_names() -> Vec<ExemptionName> {
        ExemptionName::list(&EXEMPTION_NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness::exemption_name_mistakes;

    #[test]
    fn every_exemption_has_a_name_on_paper() {
        assert_eq!(exemption_name_mistakes::<EuPeppol>(), Vec::<String>::new());
    }
}
