//! What documents that people read show, out of the guest's own account of it.

use super::wit_printing as wit;
use crate::defect::{Failure, unusable};
use gateway_domain::regime::PrintingDescription;

/// Characters of each text.
const TEXT_CHARS_MAX: usize = 200;
/// Lines of the legend.
const LEGEND_MAX: usize = 5;
/// Names of taxes.
const TAX_NAMES_MAX: usize = 20;
/// Millimetres of the code's side.
const SIDE_MM: std::ops::RangeInclusive<u8> = 15..=60;

pub(super) fn description(description: wit::Description) -> Result<PrintingDescription, Failure> {
    let wit::Description { locale, tax_id_label, tax_names, qr_caption, qr_side_mm, legend } = description;
    if tax_names.len() > TAX_NAMES_MAX {
        return Err(Failure::Oversize("too many names of taxes", TAX_NAMES_MAX));
    }
    let names = tax_names.iter().flat_map(|tax| [&tax.category, &tax.name]);
    if legend.len() > LEGEND_MAX {
        return Err(Failure::Oversize("a legend of too many lines", LEGEND_MAX));
    }
    for text in [&locale, &tax_id_label].into_iter().chain(names).chain(&qr_caption).chain(&legend) {
        if text.chars().count() > TEXT_CHARS_MAX {
            return Err(Failure::Oversize("a text for documents of too many characters", TEXT_CHARS_MAX));
        }
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            let quoted = text.escape_debug();
            return Err(unusable(format!(
                "the text '{quoted}' for documents, which is empty or has control characters"
            )));
        }
    }
    if !SIDE_MM.contains(&qr_side_mm) {
        return Err(unusable(format!("a QR code of {qr_side_mm} mm, which is none from 15 to 60")));
    }
    let tax_names = tax_names.into_iter().map(|tax| (tax.category, tax.name)).collect();
    Ok(PrintingDescription { locale, tax_id_label, tax_names, qr_caption, qr_side_mm, legend })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> wit::Description {
        wit::Description {
            locale: "es".to_owned(),
            tax_id_label: "NIF".to_owned(),
            tax_names: vec![wit::TaxName { category: "VAT".to_owned(), name: "IVA".to_owned() }],
            qr_caption: Some("QR tributario:".to_owned()),
            qr_side_mm: 30,
            legend: vec!["VERI*FACTU".to_owned()],
        }
    }

    #[test]
    fn what_documents_show_is_bounded() {
        assert!(description(sample()).is_ok());
        for wrong in [
            wit::Description { locale: String::new(), ..sample() },
            wit::Description { tax_id_label: "x".repeat(201), ..sample() },
            wit::Description { qr_caption: Some("a\nb".to_owned()), ..sample() },
            wit::Description {
                tax_names: vec![wit::TaxName { category: "VAT".to_owned(), name: String::new() }],
                ..sample()
            },
            wit::Description { qr_side_mm: 14, ..sample() },
            wit::Description { qr_side_mm: 61, ..sample() },
            wit::Description { legend: vec!["x".to_owned(); 6], ..sample() },
        ] {
            assert!(description(wrong.clone()).is_err(), "{wrong:?}");
        }
    }
}
