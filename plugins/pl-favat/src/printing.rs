//! What stands on an invoice that people read. The original is the record at KSeF; this is a copy for reading.

use einvoice_plugin::{ExemptionName, ExemptionNames, Printing, PrintingDescription, TaxName};

use crate::PlFavat;

/// Key, name and short name. In the words of `TStawkaPodatku` in the schema FA(3). Article 106e.1.18 of the act on VAT prescribes those of a
/// reverse charge.
const EXEMPTION_NAMES: [(&str, &str, &str); 5] = [
    ("exempt", "Zwolnione od podatku", "zw"),
    ("intra_community", "Stawka 0% w przypadku wewnątrzwspólnotowej dostawy towarów (WDT)", "0% WDT"),
    ("export", "Stawka 0% w przypadku eksportu towarów", "0% eksport"),
    (
        "outside_scope",
        "Niepodlegające opodatkowaniu: dostawy towarów oraz świadczenie usług poza terytorium kraju",
        "np",
    ),
    ("reverse_charge", "Odwrotne obciążenie", "odwrotne obciążenie"),
];

impl Printing for PlFavat {
    fn printing() -> PrintingDescription {
        PrintingDescription {
            tax_names: vec![TaxName::new("VAT", "VAT")],
            ..PrintingDescription::new("pl", "NIP")
        }
    }
}

impl ExemptionNames for PlFavat {
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
        assert_eq!(exemption_name_mistakes::<PlFavat>(), Vec::<String>::new());
    }
}
