//! What tests of Spanish plugins share: how the reference's Spanish examples say what our document says, documents with
//! one thing wrong, input nobody sane would send.

mod faulty;
mod reference;

use einvoice_gobl::harness::examples::{Dialect, Percents};
use einvoice_gobl::harness::{golden, invoice};
use einvoice_plugin::{Authority, Country, Outcome, Submission};
use serde_json::Value;

use crate::date::Date;
use crate::rates;

pub use faulty::{Change, expected_codes, ext_of, found, sound_document, untested};
pub use reference::{figures, line, reproduced, untaxed};

/// The words of Spanish examples.
pub const DIALECT: Dialect = Dialect { exemption, rate, ignored: &[] };

/// The taxes of all lines, without what is withheld.
pub fn combos(document: &Value) -> Vec<Value> {
    let lines = document.get("lines").and_then(Value::as_array).into_iter().flatten();
    lines.map(|line| line.pointer("/taxes/0").cloned().unwrap_or_default()).collect()
}

/// The exemption of an untaxed combo: its key decides, its codes tell variants apart.
fn exemption(combo: &Value) -> Option<&'static str> {
    let text = |member: &str| combo.get(member).and_then(Value::as_str);
    let codes = || combo.get("ext").and_then(Value::as_object).into_iter().flatten();
    let code = |code: &str| codes().any(|(_, value)| value == code);
    match text("key").or_else(|| text("rate"))? {
        "exempt" if code("E6") => Some("other"),
        "exempt" => Some("article_20"),
        "export" if code("E3") => Some("article_22"),
        "export" if code("E4") => Some("article_24"),
        "export" => Some("article_21"),
        "intra-community" => Some("article_25"),
        "reverse-charge" => Some("reverse_charge"),
        "outside-scope" if code("N1") || code("OT") || code("other") => Some("outside_scope"),
        "outside-scope" if code("VT") => Some("third_party_sale"),
        "outside-scope" if code("IE") => Some("foreign_tax"),
        "outside-scope" => Some("outside_scope_location"),
        _ => None,
    }
}

/// The percent of a rate's name on a day, from our own tables.
fn rate(category: &str, name: &str, day: &str) -> Option<Percents> {
    let (table, day) = match category {
        "VAT" => (rates::VAT, day.parse::<Date>().ok()?),
        "IGIC" => (rates::IGIC, day.parse::<Date>().ok()?),
        "IRPF" => (rates::IRPF, day.parse::<Date>().ok()?),
        _ => return None,
    };
    let (name, surcharged) = name.strip_suffix("+eqs").map_or((name, false), |name| (name, true));
    let name = if name == "standard" { "general" } else { name };
    let found = table.iter().find(|rate| rate.key == name && rate.since.is_none_or(|since| since <= day))?;
    let surcharge = found.surcharge.filter(|_| surcharged).map(|percent| percent.to_string());
    Some((found.percent.to_string(), surcharge))
}

/// The texts in a source that are codes of an authority: those that its rules give, or that its tests expect.
pub fn codes_in(source: &str, is_code: fn(&str) -> bool) -> impl Iterator<Item = &str> {
    source.split('"').filter(move |text| is_code(text))
}

/// The codes of an answer.
pub fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.faults.iter().filter_map(|fault| fault.code.as_deref()).collect()
}

/// The authority files `other`, whatever it is, without panic, and answers the `sound` document when it is sent as
/// `submission` says; the record before it may be one that nobody can follow. `writes_back` looks at what is written back to it.
/// The error says what is wrong.
pub fn answers<P: Country + Authority>(
    sound: &Value,
    other: &str,
    submission: Submission,
    writes_back: impl Fn(&Submission) -> Result<(), String>,
) -> Result<(), String> {
    let converted = P::convert(&invoice(sound)?, &golden::usual());
    let document = converted.map_err(|faults| format!("{faults:?}"))?.body;
    let _ = P::file(other);
    let submission = Submission { document, ..submission };
    match P::submit(&submission) {
        Err(faults) if submission.previous.is_none() => Err(format!("{faults:?}")),
        Ok(_) | Err(_) => writes_back(&submission),
    }
}

/// Whatever a platform, a provider or a tester sends to a plugin: an answer, never a panic. `$sound` is a document that
/// converts, as the platform's API carries it; with `answers` behind it, what the authority writes back is looked at too.
#[macro_export]
macro_rules! never_panics {
    ($plugin:ty, $sound:expr) => {
        $crate::never_panics! { $plugin, $sound, writes_back: |_: &_| Ok(()) }
    };
    ($plugin:ty, $sound:expr, answers) => {
        $crate::never_panics! { $plugin, $sound, writes_back: einvoice_gobl::harness::writes_back::<$plugin> }
    };
    ($plugin:ty, $sound:expr, writes_back: $writes_back:expr) => {
        einvoice_gobl::country_never_panics! {
            $plugin,
            invoice: einvoice_gobl::harness::any::invoice(),
            context: einvoice_gobl::harness::any::context(),
            recipient: einvoice_gobl::harness::any::recipient(),
            report: einvoice_gobl::harness::any::report(),
        }

        einvoice_gobl::harness::proptest::proptest! {
            #[test]
            fn any_submission_is_answered(
                other in einvoice_gobl::harness::any::text(),
                submission in einvoice_gobl::harness::any::submission(),
            ) {
                let answered = $crate::harness::answers::<$plugin>(&$sound, &other, submission, $writes_back);
                einvoice_gobl::harness::proptest::prop_assert_eq!(answered, Ok(()));
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_the_percent_of_its_day() {
        let percent = |name, day| rate("VAT", name, day);
        assert_eq!(percent("standard", "2022-02-01"), Some(("21.0".to_owned(), None)));
        assert_eq!(percent("general", "2011-02-01"), Some(("18.0".to_owned(), None)));
        assert_eq!(percent("reduced+eqs", "2022-02-01"), Some(("10.0".to_owned(), Some("1.4".to_owned()))));
        assert_eq!(percent("other", "2022-02-01"), None);
    }
}
