//! What the plugin says about itself.

use einvoice_es::rates;
use einvoice_plugin::{CategoryChoice, Choice, Description, DocumentKind, Ext, RateChoice, Rounding};

use crate::settings;
use crate::taxes::{EXEMPTIONS, RETENTIONS};

/// The plugin's description.
pub fn describe() -> Description {
    Description {
        key: "es-verifactu".to_owned(),
        title: "Spain, VERI*FACTU".to_owned(),
        country: "ES".to_owned(),
        tax_system: "VERI*FACTU".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        kinds: vec![
            DocumentKind::Invoice,
            DocumentKind::SimplifiedInvoice,
            DocumentKind::ReplacementInvoice,
            DocumentKind::CreditNote,
        ],
        categories: vec![
            category("VAT", "VAT (IVA)", rates::VAT),
            category("IGIC", "Canary Islands general indirect tax (IGIC)", rates::IGIC),
            CategoryChoice::any_percent(
                "IPSI",
                "Ceuta and Melilla tax on production, services and imports (IPSI)",
            ),
        ],
        exemptions: EXEMPTIONS.iter().map(|exemption| Choice::new(exemption.key, exemption.title)).collect(),
        retentions: RETENTIONS
            .iter()
            .map(|(key, title)| match *key {
                "IRPF" => category(key, title, rates::IRPF),
                _ => CategoryChoice::any_percent(*key, *title),
            })
            .collect(),
        settings_schema: settings::SCHEMA.to_owned(),
        required_workspace_fields: ["legal-name", "tax-id", "country"].map(str::to_owned).to_vec(),
        ext: vec![Ext { key: "document-schema".to_owned(), value: einvoice_gobl::SCHEMA.to_owned() }],
        ..Description::new(Rounding::Precise)
    }
}

fn category(key: &str, title: &str, rates: &[rates::Rate]) -> CategoryChoice {
    let rates = rates
        .iter()
        .map(|rate| RateChoice {
            key: rate.key.to_owned(),
            title: rate.title.to_owned(),
            percent: rate.percent,
            surcharge: rate.surcharge,
            since: rate.since.map(|since| since.to_string()),
        })
        .collect();
    CategoryChoice { key: key.to_owned(), title: title.to_owned(), rates }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_debit_notes_is_announced() {
        let kinds = describe().kinds;
        assert!(kinds.contains(&DocumentKind::CreditNote) && !kinds.contains(&DocumentKind::DebitNote));
        assert_eq!(kinds.len(), 4);
    }

    #[test]
    fn the_keys_of_the_contract_are_offered() {
        let description = describe();
        let categories: Vec<_> = description.categories.iter().map(|choice| choice.key.as_str()).collect();
        let retentions: Vec<_> = description.retentions.iter().map(|choice| choice.key.as_str()).collect();
        assert_eq!((categories, retentions), (vec!["VAT", "IGIC", "IPSI"], vec!["IRPF", "IRNR"]));
        assert_eq!(description.exemptions.len(), 9);
    }
}
