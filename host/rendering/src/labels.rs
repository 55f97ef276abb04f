//! What taxes and identifiers are called on a document: by the names of the regime, else by their keys.

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

/// What a regime calls things.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Labels<'a> {
    pub(crate) regime: Option<&'a RegimeDescription>,
    pub(crate) printing: Option<&'a PrintingDescription>,
    pub(crate) locale: &'a str,
}

impl Labels<'_> {
    fn tax(
        &self,
        category: &str,
        rate: Option<Percent>,
        exemption: Option<&str>,
        surcharge: Option<Percent>,
    ) -> String {
        let named = self.printing.and_then(|printing| printing.tax_names.get(category));
        let mut label = named.map_or(category, String::as_str).to_owned();
        if let Some(rate) = rate {
            label = format!("{label} {}", percent(rate, self.locale));
        }
        if let Some(surcharge) = surcharge {
            label = format!("{label} + {}", percent(surcharge, self.locale));
        }
        if let Some(exemption) = exemption {
            label = format!("{label} {}", self.exemption(exemption));
        }
        label
    }

    fn exemption(&self, key: &str) -> String {
        let choices = self.regime.map(|regime| regime.exemptions.as_slice()).unwrap_or_default();
        let title = choices.iter().find(|choice| choice.key == key).map(|choice| choice.title.clone());
        title.unwrap_or_else(|| key.replace('_', " "))
    }

    pub(crate) fn of_line(&self, tax: &LineTax) -> String {
        // What a line is exempt for stands in the breakdown: there is little room.
        self.tax(&tax.category, tax.rate, None, tax.surcharge)
    }

    pub(crate) fn of_rate(&self, row: &RateTotal) -> String {
        self.tax(&row.category, row.rate, row.exemption.as_deref(), row.surcharge)
    }

    pub(crate) fn of_retention(&self, row: &RetentionTotal) -> String {
        self.tax(&row.category, Some(row.rate), None, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn an_exemption_without_a_title_is_its_key_in_words() {
        let labels = Labels { regime: None, printing: None, locale: "en" };
        assert_eq!(labels.tax("VAT", None, Some("article_20"), None), "VAT article 20");
    }
}
