//! What documents that people read show, out of the guest's own account of it.

use super::{wit_exemptions, wit_printing as wit};
use crate::defect::{Failure, unusable};
use gateway_domain::regime::{ExemptionName, PrintingDescription};
use std::collections::BTreeMap;

/// Characters of each text.
const TEXT_CHARS_MAX: usize = 200;
/// Lines of the legend.
const LEGEND_MAX: usize = 5;
/// Names of taxes.
const TAX_NAMES_MAX: usize = 20;
/// Names of exemptions.
const EXEMPTION_NAMES_MAX: usize = 100;
/// Millimetres of the code's side.
const SIDE_MM: std::ops::RangeInclusive<u8> = 15..=60;

pub(super) fn description(
    description: wit::Description,
    exemptions: Vec<wit_exemptions::ExemptionName>,
) -> Result<PrintingDescription, Failure> {
    let wit::Description { locale, tax_id_label, tax_names, qr_caption, qr_side_mm, legend } = description;
    if tax_names.len() > TAX_NAMES_MAX {
        return Err(Failure::Oversize("too many names of taxes", TAX_NAMES_MAX));
    }
    let names = tax_names.iter().flat_map(|tax| [&tax.category, &tax.name]);
    if legend.len() > LEGEND_MAX {
        return Err(Failure::Oversize("a legend of too many lines", LEGEND_MAX));
    }
    for text in [&locale, &tax_id_label].into_iter().chain(names).chain(&qr_caption).chain(&legend) {
        check(text)?;
    }
    if !SIDE_MM.contains(&qr_side_mm) {
        return Err(unusable(format!("a QR code of {qr_side_mm} mm, which is none from 15 to 60")));
    }
    let tax_names = tax_names.into_iter().map(|tax| (tax.category, tax.name)).collect();
    let exemption_names = exemption_names(exemptions)?;
    Ok(PrintingDescription {
        locale,
        tax_id_label,
        tax_names,
        exemption_names,
        qr_caption,
        qr_side_mm,
        legend,
    })
}

fn exemption_names(
    exemptions: Vec<wit_exemptions::ExemptionName>,
) -> Result<BTreeMap<String, ExemptionName>, Failure> {
    if exemptions.len() > EXEMPTION_NAMES_MAX {
        return Err(Failure::Oversize("too many names of exemptions", EXEMPTION_NAMES_MAX));
    }
    let mut names = BTreeMap::new();
    for wit_exemptions::ExemptionName { key, name, short_name } in exemptions {
        for text in [&key, &name, &short_name] {
            check(text)?;
        }
        names.insert(key, ExemptionName { name, short_name });
    }
    Ok(names)
}

/// Whether a text may stand on a document.
fn check(text: &str) -> Result<(), Failure> {
    if text.chars().count() > TEXT_CHARS_MAX {
        return Err(Failure::Oversize("a text for documents of too many characters", TEXT_CHARS_MAX));
    }
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        let quoted = text.escape_debug();
        return Err(unusable(format!(
            "the text '{quoted}' for documents, which is empty or has control characters"
        )));
    }
    Ok(())
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

    fn exemption(short_name: &str) -> wit_exemptions::ExemptionName {
        wit_exemptions::ExemptionName {
            key: "article_20".to_owned(),
            name: "Exenta por el artículo 20".to_owned(),
            short_name: short_name.to_owned(),
        }
    }

    #[test]
    fn what_documents_show_is_bounded() {
        assert!(description(sample(), vec![exemption("Exenta"); 100]).is_ok());
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
            assert!(description(wrong.clone(), Vec::new()).is_err(), "{wrong:?}");
        }
        for wrong in [vec![exemption(" ")], vec![exemption(&"x".repeat(201))], vec![exemption("Exenta"); 101]]
        {
            assert!(description(sample(), wrong.clone()).is_err(), "{wrong:?}");
        }
    }
}
