//! What the renderer itself writes, in every language it knows, and how figures and dates are written there.
//!
//! # How to add a language
//! Add a variant to [`Locale`], its [`Words`] and titles, and the arms the compiler then asks for. The fonts have to cover it.

mod words;

use crate::bindings::DocumentKind;

pub use words::Words;
use words::{
    DE, DE_TITLES, EL, EL_TITLES, EN, EN_TITLES, ES, ES_TITLES, FR, FR_TITLES, IT, IT_TITLES, PL, PL_TITLES,
    PT, PT_TITLES, Titles,
};

/// A language with its way of writing figures and dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locale {
    /// Spanish of Spain.
    Es,
    /// English of the United Kingdom.
    En,
    /// Italian of Italy.
    It,
    /// German of Germany.
    De,
    /// Polish of Poland.
    Pl,
    /// French of France.
    Fr,
    /// Portuguese of Portugal.
    Pt,
    /// Greek of Greece.
    El,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Locale {
    /// Every one.
    pub const ALL: [Self; 8] =
        [Self::Es, Self::En, Self::It, Self::De, Self::Pl, Self::Fr, Self::Pt, Self::El];

    /// The one of this key.
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|locale| locale.key() == key)
    }

    /// A language tag of BCP 47.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Es => "es",
            Self::En => "en",
            Self::It => "it",
            Self::De => "de",
            Self::Pl => "pl",
            Self::Fr => "fr",
            Self::Pt => "pt",
            Self::El => "el",
        }
    }

    pub(crate) const fn words(self) -> &'static Words {
        match self {
            Self::Es => &ES,
            Self::En => &EN,
            Self::It => &IT,
            Self::De => &DE,
            Self::Pl => &PL,
            Self::Fr => &FR,
            Self::Pt => &PT,
            Self::El => &EL,
        }
    }

    /// What stands between thousands, and before decimals.
    pub(crate) const fn separators(self) -> (char, char) {
        match self {
            Self::Es | Self::It | Self::De | Self::El => ('.', ','),
            Self::En => (',', '.'),
            Self::Pl | Self::Pt => ('\u{a0}', ','),
            Self::Fr => ('\u{202f}', ','),
        }
    }

    pub(crate) const fn has_currency_first(self) -> bool {
        match self {
            Self::Es | Self::It | Self::De | Self::Pl | Self::Fr | Self::Pt | Self::El => false,
            Self::En => true,
        }
    }

    /// What a document of this kind is called.
    pub const fn title(self, kind: DocumentKind) -> &'static str {
        let titles = self.titles();
        match kind {
            DocumentKind::Invoice => titles.invoice,
            DocumentKind::SimplifiedInvoice => titles.simplified_invoice,
            DocumentKind::ReplacementInvoice => titles.replacement_invoice,
            DocumentKind::CreditNote => titles.credit_note,
            DocumentKind::DebitNote => titles.debit_note,
            DocumentKind::Proforma => titles.proforma,
            DocumentKind::Receipt => titles.receipt,
        }
    }

    const fn titles(self) -> &'static Titles {
        match self {
            Self::Es => &ES_TITLES,
            Self::En => &EN_TITLES,
            Self::It => &IT_TITLES,
            Self::De => &DE_TITLES,
            Self::Pl => &PL_TITLES,
            Self::Fr => &FR_TITLES,
            Self::Pt => &PT_TITLES,
            Self::El => &EL_TITLES,
        }
    }

    /// `27/07/2026`, `27 July 2026`, `27.07.2026`.
    pub fn date(self, date: Date) -> String {
        let Date { year, month, day } = date;
        match self {
            Self::Es | Self::It | Self::Fr | Self::Pt | Self::El => format!("{day:02}/{month:02}/{year:04}"),
            Self::De | Self::Pl => format!("{day:02}.{month:02}.{year:04}"),
            Self::En => {
                let name = MONTHS.get(usize::from(month).saturating_sub(1)).copied().unwrap_or_default();
                format!("{day}\u{a0}{name} {year:04}")
            }
        }
    }

    /// `Página 1 de 3`.
    pub fn page(self, number: usize, count: usize) -> String {
        match self {
            Self::Es => format!("Página {number} de {count}"),
            Self::En => format!("Page {number} of {count}"),
            Self::It => format!("Pagina {number} di {count}"),
            Self::De => format!("Seite {number} von {count}"),
            Self::Pl => format!("Strona {number} z {count}"),
            Self::Fr => format!("Page {number} sur {count}"),
            Self::Pt => format!("Página {number} de {count}"),
            Self::El => format!("Σελίδα {number} από {count}"),
        }
    }
}

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    /// From 1 to 9999.
    pub year: u16,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

impl Date {
    /// Reads `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Self> {
        let is_form = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !is_form {
            return None;
        }
        let mut parts = text.split('-');
        let year: u16 = parts.next()?.parse().ok()?;
        let month: u8 = parts.next()?.parse().ok()?;
        let day: u8 = parts.next()?.parse().ok()?;
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => return None,
        };
        (year > 0 && (1..=days).contains(&day)).then_some(Self { year, month, day })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        assert_eq!(Date::parse("2024-02-29"), Some(Date { year: 2024, month: 2, day: 29 }));
        for text in [
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-1-1",
            "27/07/2026",
            "2026-07-3é",
            "",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_is_written_as_the_locale_does() {
        let date = Date::parse("2026-07-05").unwrap();
        assert_eq!(Locale::Es.date(date), "05/07/2026");
        assert_eq!(Locale::En.date(date), "5\u{a0}July 2026");
        assert_eq!(
            [Locale::It, Locale::De, Locale::Pl, Locale::Fr].map(|locale| locale.date(date)),
            ["05/07/2026", "05.07.2026", "05.07.2026", "05/07/2026"]
        );
    }
}
