//! The dates between which a contract may start and end.

use gateway_domain::{ErrorCode, FieldError, calendar};
use gateway_domain_input::Faults;
use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// When bookings of a product group may start and end (specification, Contract window rules). Only a window whose
/// dates are in order exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContractWindow {
    earliest_start: Date,
    latest_start: Date,
    earliest_end: Date,
    latest_end: Date,
}

/// Why a stay does not fit a contract window. Every rule that it breaks is there, in the order of the specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideWindow {
    /// The numbers of the rules in the specification, 1 to 4.
    pub rules: Vec<u8>,
}

const EARLIEST_START: &str = "contract_earliest_start_date";
const LATEST_START: &str = "contract_latest_start_date";
const EARLIEST_END: &str = "contract_earliest_end_date";
const LATEST_END: &str = "contract_latest_end_date";

impl ContractWindow {
    /// The window, or every pair of dates that is out of order; both dates of a pair are named.
    pub fn new(
        earliest_start: Date,
        latest_start: Date,
        earliest_end: Date,
        latest_end: Date,
    ) -> Result<Self, Vec<FieldError>> {
        let mut faults = Faults::default();
        for (field, date) in [
            (EARLIEST_START, earliest_start),
            (LATEST_START, latest_start),
            (EARLIEST_END, earliest_end),
            (LATEST_END, latest_end),
        ] {
            faults.date(field, date);
        }
        let in_order = [
            ((EARLIEST_START, earliest_start), (LATEST_START, latest_start)),
            ((EARLIEST_END, earliest_end), (LATEST_END, latest_end)),
            ((EARLIEST_START, earliest_start), (EARLIEST_END, earliest_end)),
            ((LATEST_START, latest_start), (LATEST_END, latest_end)),
        ];
        for ((first, from), (second, to)) in in_order {
            if from > to {
                let name =
                    |field: &str| field.trim_end_matches("_date").replace("contract_", "").replace('_', " ");
                let message =
                    format!("the {} ({from}) must not be after the {} ({to})", name(first), name(second));
                faults.refuse(first, ErrorCode::EndBeforeStart, message.clone());
                faults.refuse(second, ErrorCode::EndBeforeStart, message);
            }
        }
        faults.or(Self { earliest_start, latest_start, earliest_end, latest_end })
    }

    /// `contractEarliestStartDate`.
    pub const fn earliest_start(self) -> Date {
        self.earliest_start
    }

    /// `contractLatestStartDate`.
    pub const fn latest_start(self) -> Date {
        self.latest_start
    }

    /// `contractEarliestEndDate`.
    pub const fn earliest_end(self) -> Date {
        self.earliest_end
    }

    /// `contractLatestEndDate`.
    pub const fn latest_end(self) -> Date {
        self.latest_end
    }

    /// Whether a booking from `start` to `end` (the day of its check-out) keeps the four rules.
    pub fn admits(self, start: Date, end: Date) -> Result<(), OutsideWindow> {
        let broken = [
            start < self.earliest_start || end > self.latest_end,
            !(self.earliest_start..=self.latest_start).contains(&start),
            !(self.earliest_end..=self.latest_end).contains(&end),
            // The whole of it lies between the outer bounds.
            start < self.earliest_start || end > self.latest_end || start > end,
        ];
        let rules: Vec<u8> = (1..).zip(broken).filter(|(_, broken)| *broken).map(|(rule, _)| rule).collect();
        if rules.is_empty() { Ok(()) } else { Err(OutsideWindow { rules }) }
    }

    /// What is wrong with a booking from `check_in` to `check_out`, by its members. Where each may lie (rules 2 and 3)
    /// says where the whole may (1 and 4).
    pub fn check(self, check_in: Date, check_out: Date, faults: &mut Faults) {
        let sides = [
            ("check_in", check_in, self.earliest_start, self.latest_start),
            ("check_out", check_out, self.earliest_end, self.latest_end),
        ];
        for (field, day, first, last) in sides {
            if !(first..=last).contains(&day) {
                let message =
                    format!("must be from {first} to {last}: the contract window of the product's group");
                faults.refuse(field, ErrorCode::OutOfRange, message);
            }
        }
    }
}

/// An academic year: two consecutive years, `2026/2027`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AcademicYear(u16);

/// A text is no academic year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write two consecutive years, such as 2026/2027")]
pub struct NotAnAcademicYear;

impl FromStr for AcademicYear {
    type Err = NotAnAcademicYear;

    fn from_str(text: &str) -> Result<Self, NotAnAcademicYear> {
        let (first, second) = text.split_once('/').ok_or(NotAnAcademicYear)?;
        let year = |digits: &str| {
            let sound = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u16>().ok().filter(|_| sound).ok_or(NotAnAcademicYear)
        };
        let (first, second) = (year(first)?, year(second)?);
        if first.checked_add(1) == Some(second) { Ok(Self(first)) } else { Err(NotAnAcademicYear) }
    }
}

impl AcademicYear {
    /// Whether both years are ones that contracts may begin and end in. What is stored is read whatever it is.
    pub fn is_counted(self) -> bool {
        let years = [Some(self.0), self.0.checked_add(1)];
        years.iter().all(|year| {
            year.and_then(|year| i16::try_from(year).ok()).is_some_and(|year| calendar::YEARS.contains(&year))
        })
    }
}

impl fmt::Display for AcademicYear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}/{:04}", self.0, self.0.saturating_add(1))
    }
}

impl Serialize for AcademicYear {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AcademicYear {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn window() -> ContractWindow {
        ContractWindow::new(date(2026, 9, 1), date(2026, 10, 1), date(2027, 6, 1), date(2027, 8, 31)).unwrap()
    }

    #[test]
    fn each_pair_of_dates_is_in_order_or_both_are_named() {
        let (a, b) = (date(2026, 9, 1), date(2027, 9, 1));
        let fields = |window: Result<ContractWindow, Vec<FieldError>>| {
            window.unwrap_err().into_iter().map(|fault| fault.field).collect::<Vec<_>>()
        };
        assert_eq!(fields(ContractWindow::new(b, a, b, b)), [EARLIEST_START, LATEST_START]);
        assert_eq!(fields(ContractWindow::new(a, a, b, a)), [EARLIEST_END, LATEST_END]);
        let c = date(2028, 9, 1);
        assert_eq!(fields(ContractWindow::new(b, b, a, c)), [EARLIEST_START, EARLIEST_END]);
        assert_eq!(fields(ContractWindow::new(a, c, b, b)), [LATEST_START, LATEST_END]);
        let d = date(2029, 9, 1);
        assert_eq!(fields(ContractWindow::new(d, c, b, a)).len(), 8, "every pair at once");
        assert_eq!(fields(ContractWindow::new(date(-1, 1, 1), a, a, a)), [EARLIEST_START]);
        ContractWindow::new(a, a, a, a).unwrap();
    }

    #[test]
    fn a_stay_keeps_the_four_rules_or_is_told_which_it_breaks() {
        let rules = |start, end| window().admits(start, end).map_err(|outside| outside.rules);
        assert_eq!(rules(date(2026, 9, 1), date(2027, 8, 31)), Ok(()));
        assert_eq!(rules(date(2026, 10, 1), date(2027, 6, 1)), Ok(()));
        assert_eq!(rules(date(2026, 8, 31), date(2027, 8, 31)), Err(vec![1, 2, 4]));
        assert_eq!(rules(date(2026, 9, 1), date(2027, 9, 1)), Err(vec![1, 3, 4]));
        assert_eq!(rules(date(2026, 10, 2), date(2027, 6, 1)), Err(vec![2]));
        assert_eq!(rules(date(2026, 9, 1), date(2027, 5, 31)), Err(vec![3]));
    }

    #[test]
    fn a_booking_is_told_which_of_its_dates_is_outside() {
        let checked = |start, end| {
            let mut faults = Faults::default();
            window().check(start, end, &mut faults);
            faults.or(()).map_err(|faults| gateway_domain_input::sentence(&faults))
        };
        assert_eq!(checked(date(2026, 9, 1), date(2027, 8, 31)), Ok(()));
        assert_eq!(
            checked(date(2026, 10, 2), date(2027, 6, 1)).unwrap_err(),
            "check_in: must be from 2026-09-01 to 2026-10-01: the contract window of the product's group"
        );
        assert_eq!(
            checked(date(2026, 8, 31), date(2027, 9, 1)).unwrap_err(),
            "check_in: must be from 2026-09-01 to 2026-10-01: the contract window of the product's group; \
             check_out: must be from 2027-06-01 to 2027-08-31: the contract window of the product's group"
        );
    }

    #[test]
    fn an_academic_year_is_two_consecutive_years() {
        assert_eq!("2026/2027".parse::<AcademicYear>().unwrap().to_string(), "2026/2027");
        for text in [
            "2026/2028",
            "2026/2031",
            "2027/2026",
            "2026/2026",
            "2026-2027",
            "2026",
            "26/27",
            "2026/27",
            " 2026/2027",
            "+026/2027",
            "",
        ] {
            assert!(text.parse::<AcademicYear>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_a_window_admits_lies_between_its_outer_bounds(start in -60_i32..800, nights in 1_i32..800) {
            let start = date(2026, 8, 1).checked_add(jiff::Span::new().days(start)).unwrap();
            let end = start.checked_add(jiff::Span::new().days(nights)).unwrap();
            let mut faults = Faults::default();
            window().check(start, end, &mut faults);
            prop_assert_eq!(window().admits(start, end).is_ok(), faults.or(()).is_ok());
            if window().admits(start, end).is_ok() {
                prop_assert!(start >= window().earliest_start() && end <= window().latest_end());
            }
        }
    }
}
