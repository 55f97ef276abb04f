//! Steering by test data, like test cards: markers in the recipient's name say what shall go wrong.

use jiff::SignedDuration;
use serde_json::Value;

/// Longest delay a document may ask for.
const SLOW_SECONDS_MAX: i64 = 86_400;

/// What the recipient's name asks for; nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Steering {
    /// `SANDBOX-REJECT-<code>`: the authority rejects with this code.
    pub(crate) reject: Option<String>,
    /// `SANDBOX-SLOW-<s>`: the job takes this much longer.
    pub(crate) slow: SignedDuration,
    /// `SANDBOX-NO-WEBHOOK`: nobody is told.
    pub(crate) no_webhook: bool,
    /// `SANDBOX-FAIL-<n>`: the first n uploads are answered 503.
    pub(crate) fail: i64,
    /// `SANDBOX-DUPLICATE-WEBHOOK`: the same notification is sent twice.
    pub(crate) duplicate_webhook: bool,
    /// How the authority lists the record.
    pub(crate) listing: Listing,
}

/// How the authority lists a record in its own list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Listing {
    /// As it was filed.
    #[default]
    AsFiled,
    /// `SANDBOX-UNLISTED`: not at all.
    Omitted,
    /// `SANDBOX-LISTED-WITH-<total>`: with another total.
    WithTotal(String),
}

impl Steering {
    /// The markers in the name of the document's customer.
    pub(crate) fn of(document: &Value) -> Self {
        let name = document.pointer("/customer/name").and_then(Value::as_str).unwrap_or_default();
        Self {
            reject: after(name, "SANDBOX-REJECT-", |c| c.is_ascii_alphanumeric()).map(str::to_owned),
            slow: after(name, "SANDBOX-SLOW-", |c| c.is_ascii_digit() || c == '.')
                .map(seconds)
                .unwrap_or_default(),
            no_webhook: name.contains("SANDBOX-NO-WEBHOOK"),
            fail: after(name, "SANDBOX-FAIL-", |c| c.is_ascii_digit())
                .map_or(0, |digits| digits.parse().unwrap_or(i64::MAX)),
            duplicate_webhook: name.contains("SANDBOX-DUPLICATE-WEBHOOK"),
            listing: listing(name),
        }
    }
}

fn listing(name: &str) -> Listing {
    if name.contains("SANDBOX-UNLISTED") {
        return Listing::Omitted;
    }
    let total = after(name, "SANDBOX-LISTED-WITH-", |c| c.is_ascii_digit() || c == '.');
    total.map_or(Listing::AsFiled, |total| Listing::WithTotal(total.to_owned()))
}

/// What follows `marker` as long as `belongs`; none when nothing does.
fn after<'a>(name: &'a str, marker: &str, belongs: fn(char) -> bool) -> Option<&'a str> {
    let (_, rest) = name.split_once(marker)?;
    let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    rest.get(..end).filter(|value| !value.is_empty())
}

/// Decimal seconds, to the millisecond; what cannot be read is nothing.
fn seconds(text: &str) -> SignedDuration {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let whole = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(SLOW_SECONDS_MAX) };
    let millis: String = rest.chars().filter(char::is_ascii_digit).chain("000".chars()).take(3).collect();
    SignedDuration::from_secs(whole.min(SLOW_SECONDS_MAX))
        .saturating_add(SignedDuration::from_millis(millis.parse().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn steering(name: &str) -> Steering {
        Steering::of(&json!({"customer": {"name": name}}))
    }

    #[test]
    fn an_ordinary_name_asks_for_nothing() {
        for name in ["Jane Roe", "", "SANDBOX", "SANDBOX-REJECT-", "SANDBOX-FAIL-x", "SANDBOX-SLOW-"] {
            assert_eq!(steering(name), Steering::default(), "{name}");
        }
        assert_eq!(Steering::of(&json!({})), Steering::default());
    }

    #[test]
    fn markers_combine() {
        let steered = steering(
            "Jane SANDBOX-REJECT-1110 SANDBOX-SLOW-2.5, SANDBOX-FAIL-3 SANDBOX-DUPLICATE-WEBHOOK Roe",
        );
        assert_eq!(steered.reject.as_deref(), Some("1110"));
        assert_eq!(steered.slow, SignedDuration::from_millis(2500));
        assert_eq!(steered.fail, 3);
        assert!(steered.duplicate_webhook && !steered.no_webhook);
        assert!(steering("SANDBOX-NO-WEBHOOK").no_webhook);
    }

    #[test]
    fn a_record_is_left_out_of_the_list_or_listed_with_another_total() {
        assert_eq!(steering("Jane SANDBOX-UNLISTED").listing, Listing::Omitted);
        assert_eq!(
            steering("Jane SANDBOX-LISTED-WITH-12.34").listing,
            Listing::WithTotal("12.34".to_owned())
        );
        assert_eq!(steering("Jane SANDBOX-LISTED-WITH-").listing, Listing::AsFiled);
    }

    #[test]
    fn seconds_are_decimal_and_bounded() {
        for (text, millis) in
            [("1", 1000), ("0.25", 250), ("2.", 2000), (".5", 500), ("99999999999999999999", 86_400_000)]
        {
            assert_eq!(
                steering(&format!("SANDBOX-SLOW-{text}")).slow,
                SignedDuration::from_millis(millis),
                "{text}"
            );
        }
    }
}
