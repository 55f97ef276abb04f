//! The legal clock: what a plugin is told of a filing, and what it says of it.

use super::wit_deadline as wit;
use crate::defect::{Failure, unusable};
use gateway_domain::regime::{DeclaredOutage, FilingFacts, FilingMark, FilingTerms, OUTAGES_MAX, OutageSide};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Longest note, characters.
const NOTE_CHARS_MAX: usize = 300;

/// Instants have the offset of the workspace's time zone at that moment.
pub(super) fn facts(facts: &FilingFacts, zone: &TimeZone) -> wit::Facts {
    let local = |instant: Timestamp| instant.display_with_offset(zone.to_offset(instant)).to_string();
    let outage = |outage: &DeclaredOutage| wit::Outage {
        side: match outage.side {
            OutageSide::Issuer => wit::Side::Issuer,
            OutageSide::Provider => wit::Side::Provider,
            OutageSide::Authority => wit::Side::Authority,
        },
        since: local(outage.since),
        until: outage.until.map(local),
    };
    wit::Facts {
        issued_at: local(facts.issued_at.timestamp()),
        outages: facts.outages.iter().take(OUTAGES_MAX).map(outage).collect(),
    }
}

/// A day ends when the next one begins, in the workspace's time zone.
pub(super) fn terms(filing: wit::Filing, zone: &TimeZone) -> Result<FilingTerms, Failure> {
    let wit::Filing { file_by, mark, note } = filing;
    let file_by = file_by.map(|limit| instant(limit, zone)).transpose()?;
    let mark = mark.map(FilingMark::try_from).transpose().map_err(|error| unusable(error.to_string()))?;
    if note.as_ref().is_some_and(|note| note.chars().count() > NOTE_CHARS_MAX) {
        return Err(Failure::Oversize("a note on a deadline of too many characters", NOTE_CHARS_MAX));
    }
    Ok(FilingTerms { file_by, mark, note })
}

fn instant(limit: wit::Limit, zone: &TimeZone) -> Result<Timestamp, Failure> {
    let refused = |text: &str| unusable(format!("a deadline that is none: '{}'", text.escape_debug()));
    match limit {
        wit::Limit::At(text) => text.parse().map_err(|_| refused(&text)),
        wit::Limit::EndOf(text) => {
            let day: Date = text.parse().map_err(|_| refused(&text))?;
            let next = day.tomorrow().and_then(|next| next.to_zoned(zone.clone()));
            let next = next.map_err(|_| refused(&text))?.timestamp();
            next.checked_sub(SignedDuration::from_secs(1)).map_err(|_| refused(&text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filing(file_by: wit::Limit, mark: &str) -> wit::Filing {
        wit::Filing { file_by: Some(file_by), mark: Some(mark.to_owned()), note: None }
    }

    #[test]
    fn a_day_ends_in_the_time_zone_of_the_workspace() {
        let madrid = TimeZone::get("Europe/Madrid").unwrap();
        for (day, end) in [
            ("2026-11-26", "2026-11-26T22:59:59Z"),
            ("2026-07-01", "2026-07-01T21:59:59Z"),
            // The clocks go back in the night before its end.
            ("2026-10-25", "2026-10-25T22:59:59Z"),
        ] {
            let terms = terms(filing(wit::Limit::EndOf(day.to_owned()), "late"), &madrid).unwrap();
            assert_eq!(terms.file_by, Some(end.parse().unwrap()), "{day}");
        }
    }

    #[test]
    fn what_is_no_deadline_or_no_mark_is_a_defect() {
        let at = |text: &str| wit::Limit::At(text.to_owned());
        assert!(terms(filing(at("2026-11-26T09:30:00+01:00"), "late"), &TimeZone::UTC).is_ok());
        for (limit, mark) in [
            (at("soon"), "late"),
            (at("2026-11-26"), "late"),
            (wit::Limit::EndOf("2026-13-01".to_owned()), "late"),
            (at("2026-11-26T09:30:00Z"), "Not a name"),
        ] {
            assert!(matches!(terms(filing(limit, mark), &TimeZone::UTC), Err(Failure::Unusable(_))));
        }
    }

    #[test]
    fn outages_are_told_in_the_offset_of_their_moment() {
        let outage = |since: &str| DeclaredOutage {
            side: OutageSide::Provider,
            since: since.parse().unwrap(),
            until: None,
        };
        let facts = facts(
            &FilingFacts {
                issued_at: "2026-11-20T10:00:00+01:00[Europe/Madrid]".parse().unwrap(),
                outages: vec![outage("2026-07-01T08:00:00Z"), outage("2026-11-20T09:00:00Z")],
            },
            &TimeZone::get("Europe/Madrid").unwrap(),
        );
        let since: Vec<_> = facts.outages.iter().map(|outage| outage.since.as_str()).collect();
        assert_eq!(since, ["2026-07-01T10:00:00+02:00", "2026-11-20T10:00:00+01:00"]);
        assert_eq!(facts.issued_at, "2026-11-20T10:00:00+01:00");
    }
}
