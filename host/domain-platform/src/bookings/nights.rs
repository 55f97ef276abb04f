//! Nights that bookings take or give back, as ranges: what whoever follows a unit's calendar has to look at again.

use super::Booking;
use gateway_domain::ids::{UnitId, WorkspaceId};
use jiff::civil::Date;
use serde::Serialize;
use std::collections::BTreeMap;

/// Nights that follow each other, in the terms in which a calendar is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NightRange {
    /// The night that begins on this day is the first one.
    pub start_date: Date,
    /// The night that begins on this day is the last one, unlike on a day of departure.
    pub end_date: Date,
}

/// The nights of a unit that one command made free or took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitNights {
    /// Where.
    pub unit: UnitId,
    /// Whose.
    pub workspace: WorkspaceId,
    /// In order; neither overlapping nor adjacent.
    pub ranges: Vec<NightRange>,
}

/// What a command does to the nights of units, booking by booking. What one booking gives back and another takes is not
/// changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NightChanges(BTreeMap<UnitId, Balance>);

/// By how much more often, or less often, a unit is taken from each day on than on the day before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Balance {
    workspace: WorkspaceId,
    steps: BTreeMap<Date, i32>,
}

impl NightChanges {
    /// A booking is there now in place of what it was before.
    pub fn replace(&mut self, before: Option<&Booking>, now: &Booking) {
        if let Some(before) = before {
            self.count(before, -1);
        }
        self.count(now, 1);
    }

    fn count(&mut self, booking: &Booking, times: i32) {
        if !booking.blocks() {
            return;
        }
        let fresh = || Balance { workspace: booking.workspace, steps: BTreeMap::new() };
        let steps = &mut self.0.entry(booking.unit).or_insert_with(fresh).steps;
        for (day, times) in [(booking.check_in, times), (booking.check_out, times.saturating_neg())] {
            let step = steps.entry(day).or_default();
            *step = step.saturating_add(times);
        }
    }

    /// The units whose nights changed.
    pub fn units(self) -> Vec<UnitNights> {
        let units = self.0.into_iter().map(|(unit, Balance { workspace, steps })| UnitNights {
            unit,
            workspace,
            ranges: ranges(&steps),
        });
        units.filter(|nights| !nights.ranges.is_empty()).collect()
    }
}

fn ranges(steps: &BTreeMap<Date, i32>) -> Vec<NightRange> {
    let (mut ranges, mut sum, mut start) = (Vec::new(), 0_i32, None);
    for (day, step) in steps {
        sum = sum.saturating_add(*step);
        match (start, sum) {
            (None, 0) => {}
            (None, _) => start = Some(*day),
            (Some(start_date), 0) => {
                ranges.push(NightRange { start_date, end_date: day.yesterday().unwrap_or(*day) });
                start = None;
            }
            (Some(_), _) => {}
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bookings::{BookingStatus, Guests, VettingStatus};
    use gateway_domain::ids::BookingId;
    use uuid::Uuid;

    fn booking(unit: u128, check_in: &str, check_out: &str) -> Booking {
        Booking {
            id: BookingId(Uuid::nil()),
            workspace: WorkspaceId(7),
            unit: UnitId(Uuid::from_u128(unit)),
            product: None,
            confirmation_code: "C".to_owned(),
            status: BookingStatus::Confirmed,
            check_in: check_in.parse().unwrap(),
            check_out: check_out.parse().unwrap(),
            guests: Guests::default(),
            contacts: Vec::new(),
            platform: None,
            payment_status: None,
            vetting: VettingStatus::Unvetted,
        }
    }

    fn cancelled(booking: &Booking) -> Booking {
        Booking { status: BookingStatus::Cancelled, ..booking.clone() }
    }

    fn notified(changes: &[(Option<&Booking>, &Booking)]) -> Vec<(u128, Vec<String>)> {
        let mut nights = NightChanges::default();
        for (before, now) in changes {
            nights.replace(*before, now);
        }
        let text = |range: &NightRange| format!("{}/{}", range.start_date, range.end_date);
        let units = nights.units().into_iter();
        units.map(|unit| (unit.unit.0.as_u128(), unit.ranges.iter().map(text).collect())).collect()
    }

    #[test]
    fn a_booking_takes_its_nights_without_the_day_of_departure() {
        let stay = booking(1, "2026-12-01", "2026-12-05");
        assert_eq!(notified(&[(None, &stay)]), [(1, vec!["2026-12-01/2026-12-04".to_owned()])]);
        assert_eq!(notified(&[(Some(&stay), &cancelled(&stay))]), notified(&[(None, &stay)]), "given back");
        assert_eq!(notified(&[(None, &cancelled(&stay))]), [], "an enquiry takes none");
        let renamed = Booking { confirmation_code: "D".to_owned(), ..stay.clone() };
        assert_eq!(notified(&[(Some(&stay), &renamed)]), [], "the nights are the same");
    }

    #[test]
    fn a_stay_that_moves_tells_of_the_nights_that_differ() {
        let stay = booking(1, "2026-12-01", "2026-12-05");
        let later = booking(1, "2026-12-02", "2026-12-07");
        assert_eq!(
            notified(&[(Some(&stay), &later)]),
            [(1, vec!["2026-12-01/2026-12-01".to_owned(), "2026-12-05/2026-12-06".to_owned()])]
        );
        let elsewhere = booking(2, "2026-12-01", "2026-12-05");
        let nights = vec!["2026-12-01/2026-12-04".to_owned()];
        assert_eq!(notified(&[(Some(&stay), &elsewhere)]), [(1, nights.clone()), (2, nights)]);
    }

    #[test]
    fn adjacent_nights_become_one_range_and_what_is_taken_over_is_none() {
        let (first, next) = (booking(1, "2026-12-01", "2026-12-05"), booking(1, "2026-12-05", "2026-12-08"));
        assert_eq!(
            notified(&[(None, &next), (None, &first)]),
            [(1, vec!["2026-12-01/2026-12-07".to_owned()])],
            "both taken"
        );
        assert_eq!(
            notified(&[(Some(&first), &cancelled(&first)), (None, &next)]),
            [(1, vec!["2026-12-01/2026-12-07".to_owned()])],
            "one given back, the next taken"
        );
        let over = booking(1, "2026-12-01", "2026-12-05");
        assert_eq!(notified(&[(Some(&first), &cancelled(&first)), (None, &over)]), [], "another's now");
        let apart = booking(1, "2026-12-09", "2026-12-10");
        assert_eq!(
            notified(&[(None, &apart), (None, &next)]),
            [(1, vec!["2026-12-05/2026-12-07".to_owned(), "2026-12-09/2026-12-09".to_owned()])]
        );
    }
}
