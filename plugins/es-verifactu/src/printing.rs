//! What stands on an invoice that people read: order HAC/1177/2024, articles 20 and 21.

use einvoice_plugin::{Printing, PrintingDescription, TaxName};

use crate::EsVerifactu;

/// As the law calls them.
const TAX_NAMES: [(&str, &str); 3] = [("VAT", "IVA"), ("IGIC", "IGIC"), ("IPSI", "IPSI")];
/// From 30 to 40 mm (article 21).
const QR_SIDE_MM: u8 = 35;

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
