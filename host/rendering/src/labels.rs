//! What taxes and exemptions are called on a document: by the names of the tax system in its own language, in another one by
//! keys and English titles.

use crate::words::Language;
use gateway_domain::invoicing::{LineTax, RateTotal, RetentionTotal};
use gateway_domain::money::Percent;
use gateway_domain::regime::{PrintingDescription, RegimeDescription};

/// How figures are written within a label.
fn percent(percent: Percent, locale: &str) -> String {
    let mut text = percent.value().to_string();
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    // English alone writes a point, and no space before the sign.
    if locale.starts_with("en") { format!("{text}%") } else { format!("{} %", text.replace('.', ",")) }
}

/// How much width there is for the name of an exemption.
#[derive(Debug, Clone, Copy)]
enum LabelWidth {
    /// In the breakdown by tax.
    Row,
    /// In a column beside a line.
    Column,
}

/// What a regime calls things.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'a> {
    /// Its exemptions have English titles.
    pub regime: Option<&'a RegimeDescription>,
    /// Its own names, in the language of the country.
    pub printing: Option<&'a PrintingDescription>,
    /// The language of the document (BCP 47).
    pub locale: &'a str,
}

impl<'a> Labels<'a> {
    /// The tax system's own names, where the document is in its language.
    fn own(&self) -> Option<&'a PrintingDescription> {
        self.printing.filter(|printing| printing.locale == self.locale)
    }

    fn tax(
        &self,
        category: &str,
        rate: Option<Percent>,
        exemption: Option<String>,
        surcharge: Option<Percent>,
    ) -> String {
        let named = self.own().and_then(|printing| printing.tax_names.get(category));
        let mut label = named.map_or(category, String::as_str).to_owned();
        if let Some(rate) = rate {
            label = format!("{label} {}", percent(rate, self.locale));
        }
        if let Some(surcharge) = surcharge {
            label = format!("{label} + {}", percent(surcharge, self.locale));
        }
        if let Some(exemption) = exemption {
            label = format!("{label} – {exemption}");
        }
        label
    }

    fn exemption(&self, key: &str, width: LabelWidth) -> String {
        if let Some(own) = self.own().and_then(|printing| printing.exemption_names.get(key)) {
            return match width {
                LabelWidth::Row => own.name.clone(),
                LabelWidth::Column => own.short_name.clone(),
            };
        }
        let choices = self.regime.map(|regime| regime.exemptions.as_slice()).unwrap_or_default();
        let Some(choice) = choices.iter().find(|choice| choice.key == key) else {
            return key.replace('_', " ");
        };
        match (width, choice.title.split_once(':')) {
            // What follows explains what it is called.
            (LabelWidth::Column, Some((name, _))) => name.to_owned(),
            (LabelWidth::Column, None) | (LabelWidth::Row, _) => choice.title.clone(),
        }
    }

    /// The tax of a line: `IVA 21 %`. An exemption has its short name.
    pub fn of_line(&self, tax: &LineTax) -> String {
        let exemption = tax.exemption.as_deref().map(|key| self.exemption(key, LabelWidth::Column));
        self.tax(&tax.category, tax.rate, exemption, tax.surcharge)
    }

    /// Of what the rate of a row comes to, whose surcharge has a row of its own.
    pub(crate) fn of_rate(&self, row: &RateTotal) -> String {
        self.of_row(row, None)
    }

    /// Of what rate and surcharge of a row come to together.
    pub(crate) fn of_rate_with_surcharge(&self, row: &RateTotal) -> String {
        self.of_row(row, row.surcharge)
    }

    fn of_row(&self, row: &RateTotal, surcharge: Option<Percent>) -> String {
        let exemption = row.exemption.as_deref().map(|key| self.exemption(key, LabelWidth::Row));
        self.tax(&row.category, row.rate, exemption, surcharge)
    }

    /// `Recargo de equivalencia 5,2 %`.
    pub(crate) fn of_surcharge(&self, surcharge: Percent) -> String {
        format!("{} {}", Language::of(self.locale).words().surcharge, percent(surcharge, self.locale))
    }

    pub(crate) fn of_retention(&self, row: &RetentionTotal) -> String {
        self.tax(&row.category, Some(row.rate), None, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests as samples;

    #[test]
    fn a_rate_is_written_as_the_language_writes_it() {
        for (rate, locale, text) in [
            ("21.0", "es", "VAT 21 %"),
            ("5.20", "es", "VAT 5,2 %"),
            ("5.20", "en", "VAT 5.2%"),
            ("0", "en", "VAT 0%"),
            ("100", "es", "VAT 100 %"),
        ] {
            let labels = Labels { regime: None, printing: None, locale };
            assert_eq!(
                labels.tax("VAT", Some(Percent::new(rate.parse().unwrap()).unwrap()), None, None),
                text
            );
        }
    }

    #[test]
    fn an_exemption_has_the_name_of_its_tax_system_in_its_language_and_the_english_title_in_another() {
        let (regime, printing) = (samples::regime(), samples::printing());
        let tax = |exemption: &str| LineTax {
            category: "VAT".to_owned(),
            rate: None,
            surcharge: None,
            exemption: Some(exemption.to_owned()),
        };
        for (locale, exemption, short, long) in [
            (
                "es",
                "article_20",
                "IVA – Exenta, art.\u{a0}20",
                "Exenta por el artículo 20 de la Ley del Impuesto",
            ),
            ("en", "article_20", "VAT – Exempt, article 20", "Exempt, article 20: rent of dwellings"),
            ("es", "of_its_own", "IVA – of its own", "of its own"),
        ] {
            let labels = Labels { regime: Some(&regime), printing: Some(&printing), locale };
            assert_eq!(labels.of_line(&tax(exemption)), short);
            assert_eq!(labels.exemption(exemption, LabelWidth::Row), long);
        }
    }
}
