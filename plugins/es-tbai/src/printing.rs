//! What stands on an invoice that people read. The three provinces have VAT acts of their own (normas forales), which count their
//! articles as the state's does.

use einvoice_es::printing::{QR_SIDE_MM, description};
use einvoice_plugin::{ExemptionName, ExemptionNames, Printing, PrintingDescription};

use crate::EsTbai;

/// Key, name and short name, in the words of the lists `CausaExencionType` and `CausaNoSujetaType` of the schema
/// `ticketBaiV1-2.xsd`, where they are no longer than a document has room for. Royal decree 1619/2012, article 6.1.m, gives those
/// of a reverse charge. No line breaks before the number of an article.
const EXEMPTION_NAMES: [(&str, &str, &str); 11] = [
    ("article_20", "Exenta por el artículo 20 de la Norma Foral del IVA", "Exenta, art.\u{a0}20"),
    ("article_21", "Exenta por el artículo 21 de la Norma Foral del IVA", "Exenta, art.\u{a0}21"),
    ("article_22", "Exenta por el artículo 22 de la Norma Foral del IVA", "Exenta, art.\u{a0}22"),
    (
        "article_24",
        "Exenta por los artículos 23 y 24 de la Norma Foral del IVA",
        "Exenta, arts.\u{a0}23 y\u{a0}24",
    ),
    ("article_25", "Exenta por el artículo 25 de la Norma Foral del IVA", "Exenta, art.\u{a0}25"),
    ("other", "Exenta por otra causa", "Exenta"),
    ("reverse_charge", "Inversión del sujeto pasivo", "Inversión del sujeto pasivo"),
    (
        "outside_scope",
        "No sujeto por el artículo 7 de la Norma Foral de IVA. Otros supuestos de no sujeción",
        "No sujeto",
    ),
    ("outside_scope_location", "No sujeto por reglas de localización", "No sujeto"),
    ("third_party_sale", "No sujeto, ventas realizadas por cuenta de terceros", "Por cuenta de terceros"),
    (
        "foreign_tax",
        "No sujeto en el TAI por reglas de localización, pero repercute impuesto extranjero, IPS/IGIC o IVA de otro estado \
         miembro UE",
        "No sujeto",
    ),
];

impl Printing for EsTbai {
    fn printing() -> PrintingDescription {
        // The code is from 30 to 40 mm wide; no words are prescribed beside it.
        PrintingDescription { qr_side_mm: QR_SIDE_MM, ..description() }
    }
}

impl ExemptionNames for EsTbai {
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
        assert_eq!(exemption_name_mistakes::<EsTbai>(), Vec::<String>::new());
    }
}
