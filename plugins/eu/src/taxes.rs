//! Rates by date and exemptions, as a country's tables give them.

use einvoice_gobl::date::Date;
use einvoice_gobl::format;
use einvoice_plugin::{Amount, CategoryChoice, Choice, Invoice, RateChoice};

/// A rate of VAT from a day on. A table lists the newest of a key first.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// The format's key: `general`, `reduced`.
    pub key: &'static str,
    /// For people.
    pub title: &'static str,
    /// 21 for 21 %.
    pub percent: Amount,
    /// The first day, if the table knows one.
    pub since: Option<Date>,
}

/// A row of a rate table.
pub const fn rate(key: &'static str, title: &'static str, percent: i64, since: Option<Date>) -> Rate {
    Rate { key, title, percent: Amount::new(percent, 0), since }
}

/// The key under which a percent is in force on a day: what the format prints as `rate`.
pub fn in_force(table: &[Rate], percent: Amount, day: Date) -> Option<&'static str> {
    table.iter().enumerate().find_map(|(at, rate)| {
        let holds = |rate: &Rate| rate.since.is_none_or(|since| since <= day);
        let newer = table.iter().take(at).any(|newer| newer.key == rate.key && holds(newer));
        (holds(rate) && !newer && rate.percent.same_value(percent)).then_some(rate.key)
    })
}

/// Names the rates of the document's lines that are in force on the day of issue, which is the day the format goes by.
pub fn name_rates(document: &mut format::Invoice<'_>, invoice: &Invoice, table: &[Rate]) {
    let Ok(day) = invoice.issue_date.parse() else { return };
    for (written, line) in document.lines.iter_mut().zip(&invoice.lines) {
        if let (Some(combo), Some(percent)) = (written.taxes.first_mut(), line.tax.rate) {
            combo.rate = in_force(table, percent, day).map(Into::into);
        }
    }
}

/// Whether any line has this exemption's situation, by the format's key.
pub fn any_line(invoice: &Invoice, table: &'static [Exemption], format_key: &str) -> bool {
    let keys = invoice.lines.iter().filter_map(|line| line.tax.exemption.as_deref());
    keys.filter_map(|key| exempt_by(table, key)).any(|exemption| exemption.format_key == format_key)
}

/// The description's category of a rate table.
pub fn category(key: &str, title: &str, table: &[Rate]) -> CategoryChoice {
    let rates = table
        .iter()
        .map(|rate| RateChoice {
            key: rate.key.to_owned(),
            title: rate.title.to_owned(),
            percent: rate.percent,
            surcharge: None,
            since: rate.since.map(|since| since.to_string()),
        })
        .collect();
    CategoryChoice { key: key.to_owned(), title: title.to_owned(), rates }
}

/// A reason why no tax is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exemption {
    /// The key documents use.
    pub key: &'static str,
    /// For people.
    pub title: &'static str,
    /// The format's key of the situation: `exempt`, `reverse-charge`.
    pub format_key: &'static str,
    /// The code of the add-on.
    pub code: &'static str,
}

/// A row of an exemption table.
pub const fn exemption(
    key: &'static str,
    title: &'static str,
    format_key: &'static str,
    code: &'static str,
) -> Exemption {
    Exemption { key, title, format_key, code }
}

/// The exemption of a document's key.
pub fn exempt_by(table: &'static [Exemption], key: &str) -> Option<&'static Exemption> {
    table.iter().find(|known| known.key == key)
}

/// The description's exemptions.
pub fn choices(table: &[Exemption]) -> Vec<Choice> {
    table.iter().map(|exemption| Choice::new(exemption.key, exemption.title)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Rate] = &[
        rate("general", "General", 19, Some(Date::new(2021, 1, 1))),
        rate("general", "General", 16, Some(Date::new(2020, 7, 1))),
        rate("general", "General", 19, Some(Date::new(2007, 1, 1))),
        rate("reduced", "Reduced", 7, None),
    ];

    #[test]
    fn a_percent_has_its_key_only_while_it_is_in_force() {
        let on = |percent, day: &str| in_force(TABLE, Amount::new(percent, 1), day.parse().unwrap());
        assert_eq!(on(190, "2026-11-20"), Some("general"));
        assert_eq!(on(160, "2020-12-31"), Some("general"));
        assert_eq!(on(190, "2020-12-31"), None);
        assert_eq!(on(190, "2020-06-30"), Some("general"));
        assert_eq!(on(190, "2006-12-31"), None);
        assert_eq!(on(70, "1990-01-01"), Some("reduced"));
    }
}
