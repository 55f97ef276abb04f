//! What stands on an invoice that people read: order HAC/1177/2024, articles 20 and 21.

use einvoice_plugin::{Printing, PrintingDescription, TaxName};

use crate::EsVerifactu;
use crate::bindings::{ExemptionName, ExemptionNames};

/// As the law calls them.
const TAX_NAMES: [(&str, &str); 3] = [("VAT", "IVA"), ("IGIC", "IGIC"), ("IPSI", "IPSI")];
/// From 30 to 40 mm (article 21).
const QR_SIDE_MM: u8 = 35;

/// Key, name and short name. Royal decree 1619/2012 asks for the article of "la Ley del Impuesto" (6.1.j) and for "inversión del
/// sujeto pasivo" (6.1.m); the rest is in the words of the agency's lists L9 and L10. No law is named by its number: each tax
/// has one of its own. No line breaks before the number of an article.
const EXEMPTION_NAMES: [(&str, &str, &str); 9] = [
    ("article_20", "Exenta por el artículo 20 de la Ley del Impuesto", "Exenta, art.\u{a0}20"),
    ("article_21", "Exenta por el artículo 21 de la Ley del Impuesto: exportaciones", "Exenta, art.\u{a0}21"),
    (
        "article_22",
        "Exenta por el artículo 22 de la Ley del Impuesto: operaciones asimiladas a las exportaciones",
        "Exenta, art.\u{a0}22",
    ),
    (
        "article_24",
        "Exenta por los artículos 23 y 24 de la Ley del Impuesto: regímenes aduaneros y fiscales",
        "Exenta, arts.\u{a0}23 y\u{a0}24",
    ),
    (
        "article_25",
        "Exenta por el artículo 25 de la Ley del Impuesto: entregas a otro Estado miembro",
        "Exenta, art.\u{a0}25",
    ),
    ("other", "Operación exenta por otros motivos", "Exenta"),
    ("reverse_charge", "Inversión del sujeto pasivo", "Inversión del sujeto pasivo"),
    ("outside_scope", "Operación no sujeta, artículos 7, 14 y otros", "No sujeta"),
    ("outside_scope_location", "Operación no sujeta por reglas de localización", "No sujeta"),
];

impl Printing for EsVerifactu {
    fn printing() -> PrintingDescription {
        PrintingDescription {
            locale: "es".to_owned(),
            tax_id_label: "NIF".to_owned(),
            tax_names: TAX_NAMES
                .iter()
                .map(|(category, name)| TaxName {
                    category: (*category).to_owned(),
                    name: (*name).to_owned(),
                })
                .collect(),
            qr_caption: Some("QR tributario:".to_owned()),
            qr_side_mm: QR_SIDE_MM,
            legend: vec!["VERI*FACTU".to_owned()],
        }
    }
}

impl ExemptionNames for EsVerifactu {
    fn exemption_names() -> Vec<ExemptionName> {
        EXEMPTION_NAMES
            .iter()
            .map(|(key, name, short_name)| ExemptionName {
                key: (*key).to_owned(),
                name: (*name).to_owned(),
                short_name: (*short_name).to_owned(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_es::exemptions::EXEMPTIONS;

    #[test]
    fn every_exemption_has_a_name_on_paper() {
        let known: Vec<_> = EXEMPTIONS.iter().map(|exemption| exemption.key).collect();
        assert_eq!(EXEMPTION_NAMES.map(|(key, ..)| key).as_slice(), known);
        assert_eq!(EsVerifactu::exemption_names().len(), known.len());
    }
}
