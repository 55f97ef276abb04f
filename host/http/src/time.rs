//! Instants as callers write them.

use gateway_domain::calendar::is_supported_instant;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error};

/// What an instant has to be.
pub const EXPECTED: &str = "a time as RFC 3339, such as 2026-11-20T09:30:00Z";

/// An instant as RFC 3339 writes it (§5.6, `date-time`), and nothing else that resembles one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rfc3339(pub Timestamp);

impl<'de> Deserialize<'de> for Rfc3339 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).map(Self).ok_or_else(|| D::Error::custom(format!("use {EXPECTED}")))
    }
}

/// The instant of a text, if it is one.
pub fn parse(text: &str) -> Option<Timestamp> {
    let shaped = |text: &[u8], shape: &[u8]| {
        text.len() == shape.len()
            && text.iter().zip(shape).all(|(byte, expected)| match expected {
                b'0' => byte.is_ascii_digit(),
                b'T' => byte.eq_ignore_ascii_case(&b'T'),
                b'+' => matches!(byte, b'+' | b'-'),
                other => byte == other,
            })
    };
    let (local, rest) = text.as_bytes().split_at_checked(19)?;
    let digits = match rest.split_first() {
        Some((b'.', rest)) => rest.iter().take_while(|byte| byte.is_ascii_digit()).count().saturating_add(1),
        _ => 0,
    };
    let (fraction, offset) = rest.split_at_checked(digits)?;
    let sound = shaped(local, b"0000-00-00T00:00:00")
        && fraction.len() != 1
        && (offset.eq_ignore_ascii_case(b"Z") || shaped(offset, b"+00:00"));
    let at: Timestamp = text.parse().ok().filter(|_| sound)?;
    is_supported_instant(at).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_rfc_writes_is_read() {
        for text in [
            "2026-11-20T09:30:00Z",
            "2026-11-20t09:30:00z",
            "2026-11-20T09:30:00.123456Z",
            "2026-11-20T10:30:00+01:00",
            "1900-01-01T00:00:00Z",
            "2024-02-29T23:59:59-12:00",
        ] {
            assert!(parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_resembles_it_is_not() {
        for text in [
            "",
            "2026-11-20",
            "2026-11-20T09:30Z",
            "2026-11-20T09Z",
            "20261120T093000Z",
            "2026-11-20T09:30:00",
            "2026-11-20T09:30:00.Z",
            "2026-11-20T09:30:00+01",
            "2026-11-20T09:30:00+01:00[Europe/Madrid]",
            "+002026-11-20T09:30:00Z",
            "0000-01-01T00:00:00Z",
            "-001000-01-01T00:00:00Z",
            "1899-12-31T23:59:59Z",
            "9999-01-01T00:00:00Z",
            "2026-02-30T09:30:00Z",
            "2026-11-20T25:30:00Z",
            "2026-11-20T09:30:0é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
