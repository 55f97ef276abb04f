//! What the parts of a stored document are read with.

use std::collections::BTreeMap;
use std::fmt;

use einvoice_gobl::date::Date;
use einvoice_plugin::Amount;

use crate::model::Period;
use crate::stored;

/// UNTDID 5305.
pub(crate) const TAX_CATEGORY: &str = "untdid-tax-category";

/// Why a stored document has no form in the standard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Underivable {
    /// It is no document of the format.
    Malformed(String),
    /// A figure is missing, no decimal, or too large.
    Figure,
    /// A day is none of the calendar.
    Date,
    /// It charges a surcharge on a tax, which the standard has no term for.
    Surcharge,
}

impl fmt::Display for Underivable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => write!(f, "the document cannot be read ({why}); convert it again"),
            Self::Figure => f.write_str("a figure is missing or no decimal; convert the document again"),
            Self::Date => f.write_str("a date is no day of the calendar; convert the document again"),
            Self::Surcharge => f.write_str("EN 16931 has no surcharge on a tax; invoice without it"),
        }
    }
}

impl std::error::Error for Underivable {}

/// A code of an add-on; empty when there is none.
pub(crate) fn code<'a>(ext: &'a BTreeMap<String, String>, key: &str) -> &'a str {
    ext.get(key).map_or("", String::as_str)
}

/// The VAT category (UNTDID 5305) of a tax: as its codes say, else as the format's key says.
pub(crate) fn category<'a>(ext: &'a BTreeMap<String, String>, key: &str) -> &'a str {
    match (code(ext, TAX_CATEGORY), key) {
        ("", "standard") => "S",
        ("", "zero") => "Z",
        ("", "exempt") => "E",
        ("", "reverse-charge") => "AE",
        ("", "intra-community") => "K",
        ("", "export") => "G",
        ("", "outside-scope") => "O",
        (code, _) => code,
    }
}

/// A figure of the document.
pub(crate) fn amount(text: &str) -> Result<Amount, Underivable> {
    text.parse().map_err(|_| Underivable::Figure)
}

/// Percent, or nought where a tax has none; nothing for what is not subject to VAT.
pub(crate) fn rate_of(percent: Option<&str>, category: &str) -> Result<Option<Amount>, Underivable> {
    match percent {
        Some(percent) => Ok(Some(amount(percent.strip_suffix('%').unwrap_or(percent))?.canonical(0))),
        None if category == "O" => Ok(None),
        None => Ok(Some(Amount::new(0, 0))),
    }
}

/// A day as it is written; empty when there is none.
pub(crate) fn day(text: &str) -> Result<String, Underivable> {
    let sound = text.is_empty() || text.parse::<Date>().is_ok();
    sound.then(|| text.to_owned()).ok_or(Underivable::Date)
}

pub(crate) fn period(stored: &stored::Period) -> Result<Period, Underivable> {
    Ok(Period { start: day(&stored.start)?, end: day(&stored.end)? })
}
