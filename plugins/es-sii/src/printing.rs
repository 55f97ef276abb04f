//! What stands on an invoice that people read: the books of the SII put nothing there, so it is what royal decree 1619/2012 wants.

use einvoice_es::printing::{EXEMPTION_NAMES, description};
use einvoice_plugin::{ExemptionName, ExemptionNames, Printing, PrintingDescription};

use crate::EsSii;

impl Printing for EsSii {
    fn printing() -> PrintingDescription {
        description()
    }
}

impl ExemptionNames for EsSii {
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
        assert_eq!(exemption_name_mistakes::<EsSii>(), Vec::<String>::new());
    }
}
