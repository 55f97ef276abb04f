//! What stands on an invoice that people read. The original is the record at SdI; this is a courtesy copy.

use einvoice_plugin::{ExemptionName, ExemptionNames, Printing, PrintingDescription, TaxName};

use crate::ItSdi;

/// Key, name and short name. In the words of `NaturaType` in the schema of FatturaPA 1.2, with a colon for its hyphen. Article 21.6 of DPR
/// 633/72 wants "inversione contabile", "operazione non imponibile" and so on to stand on the invoice.
const EXEMPTION_NAMES: [(&str, &str, &str); 21] = [
    ("n1", "Escluse ex art. 15 del D.P.R. 633/1972", "Escluse, art.\u{a0}15"),
    ("n2_1", "Non soggette ad IVA ai sensi degli artt. da 7 a 7-septies del D.P.R. 633/72", "Non soggette"),
    ("n2_2", "Non soggette: altri casi", "Non soggette"),
    ("n3_1", "Non imponibili: esportazioni", "Non imponibili"),
    ("n3_2", "Non imponibili: cessioni intracomunitarie", "Non imponibili"),
    ("n3_3", "Non imponibili: cessioni verso San Marino", "Non imponibili"),
    ("n3_4", "Non imponibili: operazioni assimilate alle cessioni all'esportazione", "Non imponibili"),
    ("n3_5", "Non imponibili: a seguito di dichiarazioni d'intento", "Non imponibili"),
    (
        "n3_6",
        "Non imponibili: altre operazioni che non concorrono alla formazione del plafond",
        "Non imponibili",
    ),
    ("n4", "Esenti", "Esenti"),
    ("n5", "Regime del margine / IVA non esposta in fattura", "Regime del margine"),
    (
        "n6_1",
        "Inversione contabile: cessione di rottami e altri materiali di recupero",
        "Inversione contabile",
    ),
    (
        "n6_2",
        "Inversione contabile: cessione di oro e argento ai sensi della legge 7/2000 nonché di oreficeria usata ad OPO",
        "Inversione contabile",
    ),
    ("n6_3", "Inversione contabile: subappalto nel settore edile", "Inversione contabile"),
    ("n6_4", "Inversione contabile: cessione di fabbricati", "Inversione contabile"),
    ("n6_5", "Inversione contabile: cessione di telefoni cellulari", "Inversione contabile"),
    ("n6_6", "Inversione contabile: cessione di prodotti elettronici", "Inversione contabile"),
    ("n6_7", "Inversione contabile: prestazioni comparto edile e settori connessi", "Inversione contabile"),
    ("n6_8", "Inversione contabile: operazioni settore energetico", "Inversione contabile"),
    ("n6_9", "Inversione contabile: altri casi", "Inversione contabile"),
    ("n7", "IVA assolta in altro stato UE", "IVA assolta in altro stato UE"),
];

/// The name of a reason by SdI's code (`Natura`).
pub fn exemption_name(nature: &str) -> Option<&'static str> {
    let key = nature.to_lowercase().replace('.', "_");
    EXEMPTION_NAMES.iter().find(|(known, ..)| *known == key).map(|(_, name, _)| *name)
}

impl Printing for ItSdi {
    fn printing() -> PrintingDescription {
        PrintingDescription {
            tax_names: vec![TaxName::new("VAT", "IVA")],
            ..PrintingDescription::new("it", "Partita IVA")
        }
    }
}

impl ExemptionNames for ItSdi {
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
        assert_eq!(exemption_name_mistakes::<ItSdi>(), Vec::<String>::new());
    }
}
