//! What stands on an invoice that people read. The original is the XML, which Factur-X puts into the file for people.

use einvoice_plugin::{ExemptionName, ExemptionNames, Printing, PrintingDescription, TaxName};

use crate::FrFacturx;
use crate::exemptions::REASONS;

impl Printing for FrFacturx {
    fn printing() -> PrintingDescription {
        PrintingDescription {
            tax_names: vec![TaxName::new("VAT", "TVA")],
            ..PrintingDescription::new("fr", "N° de TVA / SIREN")
        }
    }
}

impl ExemptionNames for FrFacturx {
    fn exemption_names() -> Vec<ExemptionName> {
        let name = |key: &str, name: &str, short: &str| ExemptionName::new(key, name, short);
        REASONS.iter().map(|reason| name(reason.exemption.key, reason.text, reason.short)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness::exemption_name_mistakes;

    #[test]
    fn every_exemption_has_a_name_on_paper() {
        assert_eq!(exemption_name_mistakes::<FrFacturx>(), Vec::<String>::new());
    }
}
