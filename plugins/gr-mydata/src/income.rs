//! How the income of a line is classified.

use einvoice_eu::Findings;
use einvoice_gobl::ext;
use einvoice_gobl::text::excerpt;
use einvoice_plugin::{Ext, Invoice, Line};

use crate::faults::INCOME;
use crate::settings::Settings;
use crate::tables::{EXT, EXT_INCOME_CATEGORY, EXT_INCOME_TYPE, INCOME_CATEGORIES, INCOME_TYPES};
use crate::types::Market;

/// What the income of a line is from, and where it stands in the form E3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Income {
    pub(crate) category: String,
    pub(crate) kind: String,
}

/// What a line says itself, else what its workspace and its recipient stand for.
pub(crate) fn of_line(line: &Line, settings: &Settings, market: Market) -> Income {
    let stated = |name: &str| ext::of(EXT, &line.ext, name).map(|ext: &Ext| ext.value.clone());
    Income {
        category: stated(EXT_INCOME_CATEGORY).unwrap_or_else(|| settings.income_category.clone()),
        kind: stated(EXT_INCOME_TYPE).unwrap_or_else(|| market.income_type().to_owned()),
    }
}

/// Refuses what myDATA does not know.
pub(crate) fn check(invoice: &Invoice, findings: &mut Findings) {
    for (at, line) in invoice.lines.iter().enumerate() {
        let known: [(&str, &[&str]); 2] =
            [(EXT_INCOME_CATEGORY, &INCOME_CATEGORIES), (EXT_INCOME_TYPE, &INCOME_TYPES)];
        for (name, known) in known {
            let Some(stated) = ext::of(EXT, &line.ext, name) else { continue };
            if !known.contains(&stated.value.as_str()) {
                let message = format!(
                    "'{}' is no classification of income; use one of myDATA's such as {}.",
                    excerpt(&stated.value),
                    known.iter().copied().nth(2).unwrap_or_default()
                );
                findings.error(INCOME, format!("/lines/{at}/ext/{}", stated.key), message);
            }
        }
    }
}
