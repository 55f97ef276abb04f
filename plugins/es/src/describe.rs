//! What the plugins say about Spain.

use einvoice_gobl::ext::{self, ExtKey};
use einvoice_plugin::{CategoryChoice, Choice, Description, RateChoice, Rounding};

use crate::rates;
use crate::system::System;
use crate::taxes::RETENTIONS;

/// A description without key, title, version and settings. `known` is what documents and lines may say in `ext`.
pub fn describe(system: &System, known: &[ExtKey]) -> Description {
    Description {
        country: "ES".to_owned(),
        tax_system: system.name.to_owned(),
        kinds: system.kinds.to_vec(),
        categories: vec![
            category("VAT", "VAT (IVA)", rates::VAT),
            category("IGIC", "Canary Islands general indirect tax (IGIC)", rates::IGIC),
            CategoryChoice::any_percent(
                "IPSI",
                "Ceuta and Melilla tax on production, services and imports (IPSI)",
            ),
        ],
        exemptions: system
            .exemptions()
            .map(|exemption| Choice::new(exemption.key, exemption.title))
            .collect(),
        retentions: RETENTIONS
            .iter()
            .map(|(key, title)| match *key {
                "IRPF" => category(key, title, rates::IRPF),
                _ => CategoryChoice::any_percent(*key, *title),
            })
            .collect(),
        required_workspace_fields: ["legal-name", "tax-id", "country"].map(str::to_owned).to_vec(),
        ext: ext::described(known),
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
