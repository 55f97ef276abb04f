//! What stands on an invoice that people read. The original is the XML; this is a copy for reading.

use einvoice_plugin::{ExemptionName, ExemptionNames, Printing, PrintingDescription, TaxName};

use crate::DeXrechnung;

/// Key, name and short name. § 14a.5 UStG prescribes the words of a reverse charge; of an exemption § 14.4.8 asks for a hint at it. The key of
/// exempt supplies says nothing of the paragraph, which a note names. No line breaks before the number of a paragraph.
const EXEMPTION_NAMES: [(&str, &str, &str); 5] = [
    ("exempt", "Umsatzsteuerfrei", "Steuerfrei"),
    ("reverse_charge", "Steuerschuldnerschaft des Leistungsempfängers", "Reverse Charge"),
    (
        "intra_community",
        "Steuerfreie innergemeinschaftliche Lieferung, §\u{a0}4 Nr.\u{a0}1 Buchst.\u{a0}b und §\u{a0}6a UStG",
        "Steuerfreie i.g.\u{a0}Lieferung",
    ),
    (
        "export",
        "Steuerfreie Ausfuhrlieferung, §\u{a0}4 Nr.\u{a0}1 Buchst.\u{a0}a und §\u{a0}6 UStG",
        "Steuerfreie Ausfuhr",
    ),
    ("outside_scope", "Nicht steuerbar", "Nicht steuerbar"),
];

impl Printing for DeXrechnung {
    fn printing() -> PrintingDescription {
        PrintingDescription {
            tax_names: vec![TaxName::new("VAT", "USt")],
            ..PrintingDescription::new("de", "USt-IdNr. / Steuernummer")
        }
    }
}

impl ExemptionNames for DeXrechnung {
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
        assert_eq!(exemption_name_mistakes::<DeXrechnung>(), Vec::<String>::new());
    }
}
