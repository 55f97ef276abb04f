//! Values of the command line that a library would refuse in its own words.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use gateway_domain::access::Permission;
use gateway_domain::regime::OutageSide;
use jiff::Timestamp;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A UUID: of a document, or of something at the provider.
pub(super) fn uuid<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| {
        "it is no UUID: copy the whole of it, such as 0197f4f2-0000-7000-8000-000000000001".to_owned()
    })
}

/// A whole number of a range.
pub(super) fn number(range: RangeInclusive<i64>) -> impl Fn(&str) -> Result<i64, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("give a whole number from {} to {}", range.start(), range.end()))
    }
}

/// What a client may be allowed; its names are in the help, and completed in shells.
pub(super) fn permission() -> impl TypedValueParser<Value = Permission> {
    let names = Permission::ALL.iter().map(|permission| permission.as_str());
    PossibleValuesParser::new(names).try_map(|text| text.parse::<Permission>())
}

/// An address to listen at.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "give an IP address and a port, such as 127.0.0.1:8089".to_owned())
}

/// An instant, or the beginning of a day in UTC.
pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    let of_day = |day: jiff::civil::Date| day.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|at| at.timestamp());
    let found = text.parse().ok().or_else(|| text.parse().ok().and_then(of_day));
    found
        .ok_or_else(|| "give a day such as 2026-11-20, or an instant such as 2026-11-20T09:00:00Z".to_owned())
}

/// Whose part does not work in an outage.
pub(super) fn side() -> impl TypedValueParser<Value = OutageSide> {
    let names = OutageSide::ALL.iter().map(|side| side.as_str());
    PossibleValuesParser::new(names).try_map(|text| text.parse::<OutageSide>())
}
