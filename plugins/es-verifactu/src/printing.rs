//! What stands on an invoice that people read: order HAC/1177/2024, articles 20 and 21.

use einvoice_es::printing::{EXEMPTION_NAMES, QR_SIDE_MM, description};
use einvoice_plugin::{ExemptionName, ExemptionNames, Printing, PrintingDescription};

use crate::EsVerifactu;

impl Printing for EsVerifactu {
    fn printing() -> PrintingDescription {
        PrintingDescription {
            qr_caption: Some("QR tributario:".to_owned()),
            // From 30 to 40 mm (article 21).
            qr_side_mm: QR_SIDE_MM,
            legend: vec!["VERI*FACTU".to_owned()],
            ..description()
        }
    }
}

impl ExemptionNames for EsVerifactu {
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
        assert_eq!(exemption_name_mistakes::<EsVerifactu>(), Vec::<String>::new());
    }
}
