//! What stands on invoices that people read, in Spain.

use einvoice_plugin::{PrintingDescription, TaxName};

/// As the law calls them.
const TAX_NAMES: [(&str, &str); 3] = [("VAT", "IVA"), ("IGIC", "IGIC"), ("IPSI", "IPSI")];

/// The side of a QR code that has to be 30 to 40 mm wide, in millimetres.
pub const QR_SIDE_MM: u8 = 35;

/// Key, name and short name of [`EXEMPTIONS`](crate::exemptions::EXEMPTIONS), for the state's own systems.
///
/// Royal decree 1619/2012 asks for the article of "la Ley del Impuesto" (6.1.j) and for "inversión del sujeto pasivo" (6.1.m); the
/// rest is in the words of the agency's lists L9 and L10. No law is named by its number: each tax has one of its own. No line
/// breaks before the number of an article.
pub const EXEMPTION_NAMES: [(&str, &str, &str); 9] = [
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

/// What every system puts on a document; those with a code of their own add its caption and its side.
pub fn description() -> PrintingDescription {
    PrintingDescription {
        tax_names: TAX_NAMES.map(|(category, name)| TaxName::new(category, name)).to_vec(),
        ..PrintingDescription::new("es", "NIF")
    }
}
