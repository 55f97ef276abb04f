//! Rows of the tax breakdown, and what the recipient withholds.

use einvoice_gobl::decimal::Decimal;
use einvoice_gobl::stored::{Invoice, Rate};

use super::{Retention, Summary};
use crate::printing;
use crate::tables::{EXT_EXEMPT, EXT_FISCAL_REGIME, EXT_RETAINED, EXT_VAT_LIABILITY, SPLIT_PAYMENT};

/// The tax that SdI calls IVA.
pub(super) const VAT: &str = "VAT";
/// Regimes in which the tax is due when the invoice is paid.
const CASH_REGIMES: [&str; 2] = ["RF16", "RF17"];
/// What the law wants to stand on an invoice whose VAT the administration pays.
const SPLIT_PAYMENT_LAW: &str = "Scissione dei pagamenti, art. 17-ter del D.P.R. 633/72";
/// `RiferimentoNormativo`.
const LAW_CHARS_MAX: usize = 100;

/// `TipoRitenuta` of a retained tax.
const RETENTION_KINDS: [(&str, &str); 6] = [
    ("IRPEF", "RT01"),
    ("IRES", "RT02"),
    ("INPS", "RT03"),
    ("ENASARCO", "RT04"),
    ("ENPAM", "RT05"),
    ("CP", "RT06"),
];

/// `TipoRitenuta`, none when it is no tax that SdI knows as retained.
pub(super) fn retention_kind(category: &str) -> Option<&'static str> {
    RETENTION_KINDS.iter().find(|(known, _)| *known == category).map(|(_, kind)| *kind)
}

pub(super) fn retentions(document: &Invoice) -> Vec<Retention> {
    let retained = document.totals.taxes.categories.iter().filter(|category| category.retained);
    let rows = retained.flat_map(|category| category.rates.iter().map(move |rate| (category, rate)));
    rows.map(|(category, rate)| Retention {
        kind: retention_kind(&category.code).unwrap_or_default().to_owned(),
        amount: rate.amount,
        rate: percent(rate),
        reason: rate.ext.get(EXT_RETAINED).cloned().unwrap_or_default(),
    })
    .collect()
}

pub(super) fn summary(document: &Invoice) -> Vec<Summary> {
    let regime = document.supplier.ext.get(EXT_FISCAL_REGIME).map_or("", String::as_str);
    let usual = if CASH_REGIMES.contains(&regime) { "D" } else { "I" };
    let of_vat = document.totals.taxes.categories.iter().filter(|category| category.code == VAT);
    let rows = of_vat.flat_map(|category| &category.rates);
    rows.map(|rate| {
        let nature = rate.ext.get(EXT_EXEMPT).cloned();
        let usual = nature.is_none().then(|| usual.to_owned());
        let liability = rate.ext.get(EXT_VAT_LIABILITY).cloned().or(usual);
        let law = match nature.as_deref() {
            Some(nature) => law(nature),
            None => (liability.as_deref() == Some(SPLIT_PAYMENT)).then(|| SPLIT_PAYMENT_LAW.to_owned()),
        };
        Summary { rate: percent(rate), base: rate.base, tax: rate.amount, liability, law, nature }
    })
    .collect()
}

/// The VAT that the recipient does not pay to the supplier.
pub(super) fn split(summary: &[Summary]) -> Decimal {
    let rows = summary.iter().filter(|row| row.liability.as_deref() == Some(SPLIT_PAYMENT));
    rows.fold(Decimal::ZERO, |sum, row| sum.plus(row.tax))
}

fn percent(rate: &Rate) -> Decimal {
    rate.percent.map_or(Decimal::ZERO, |percent| percent.0)
}

/// Why there is no tax, in the words of the law as far as they have a place: whole words only.
fn law(nature: &str) -> Option<String> {
    let name = printing::exemption_name(nature)?;
    let mut law = String::new();
    for word in name.split(' ') {
        if law.chars().count() + 1 + word.chars().count() > LAW_CHARS_MAX {
            break;
        }
        if !law.is_empty() {
            law.push(' ');
        }
        law.push_str(word);
    }
    Some(law)
}
