//! Which nights of a unit are free, what they cost, and whether a stay can be sold. Computed from bookings, rate plans
//! and tariffs; nothing of it is stored.

use crate::bookings::Booking;
use crate::catalog::{ActivationState, ContractWindow};
use crate::pricing::{RatePlan, Tariff};
use crate::spaces::UnitStatus;
use gateway_domain::money::Amount;
use jiff::ToSpan;
use jiff::civil::Date;

/// Most days of a calendar that is asked for at once.
pub const DAYS_MAX: i32 = 400;
/// Fewest nights of a stay where no rate plan says otherwise.
const MIN_STAY: i32 = 1;

gateway_domain::words! {
    /// Whether a stay can be sold. The first that holds is answered, in this order, with AVAILABLE when none does.
    StayStatus {
        /// Nothing is in the way.
        Available = "AVAILABLE",
        /// A booking takes one of the nights.
        Booked = "BOOKED",
        /// It breaks a contract window rule of the product's group, or begins on a day that is over.
        OutsideContractWindow = "OUTSIDE_CONTRACT_WINDOW",
        /// The product's group is inactive, or the unit is not in use.
        ProductInactive = "PRODUCT_INACTIVE",
        /// It is shorter than the unit may be booked for.
        MinStay = "MIN_STAY",
    }
}

/// Days from one date to another; negative when the other is earlier.
pub fn days_between(from: Date, to: Date) -> i32 {
    i32::try_from(to.duration_since(from).as_hours() / 24).unwrap_or(i32::MAX)
}

/// One night of a unit's calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    /// The day on whose evening the night begins.
    pub date: Date,
    /// Whether it can be booked; a night that is over cannot.
    pub available: bool,
    /// Fewest nights of a stay that begins here.
    pub min_stay: i32,
    /// What it costs; nothing when no tariff covers it.
    pub price: Option<Amount>,
}

/// What a rate plan says about a night.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Night {
    /// Fewest nights of a stay that begins here.
    pub min_stay: i32,
    /// What it costs.
    pub price: Option<Amount>,
}

/// What the calendar of a unit is computed from.
#[derive(Debug, Clone, Copy)]
pub struct UnitCalendar<'a> {
    /// Whether the unit is in use.
    pub status: UnitStatus,
    /// The day it is where the unit is: nights that began before it are over.
    pub today: Date,
    /// Its bookings; those that do not block are passed over.
    pub bookings: &'a [Booking],
    /// Its rate plans, the oldest first.
    pub rate_plans: &'a [RatePlan],
    /// The tariffs of those plans.
    pub tariffs: &'a [Tariff],
}

impl UnitCalendar<'_> {
    /// Price and minimum stay of a night: those of the oldest rate plan with a tariff for it. Without any, there is no
    /// price, and the oldest plan says the minimum stay.
    pub fn night(&self, night: Date) -> Night {
        let priced = self.rate_plans.iter().find_map(|plan| {
            let mut tariffs = self.tariffs.iter().filter(|tariff| tariff.rate_plan == plan.id);
            tariffs.find(|tariff| tariff.covers(night)).map(|tariff| (plan, tariff))
        });
        match (priced, self.rate_plans.first()) {
            (Some((plan, tariff)), _) => {
                Night { min_stay: tariff.min_stay.unwrap_or(plan.min_stay), price: Some(tariff.price) }
            }
            (None, Some(plan)) => Night { min_stay: plan.min_stay, price: None },
            (None, None) => Night { min_stay: MIN_STAY, price: None },
        }
    }

    /// Whether a night is over, so that nobody can book it any more. Bookings of it may still be recorded.
    pub fn is_over(&self, night: Date) -> bool {
        night < self.today
    }

    /// Whether a booking takes one of the nights from `check_in` up to `check_out`.
    pub fn is_booked(&self, check_in: Date, check_out: Date) -> bool {
        self.bookings.iter().any(|booking| booking.blocks() && booking.overlaps(check_in, check_out))
    }
}

/// The nights from `first` to `last`, both included, at most [`DAYS_MAX`].
pub fn calendar(unit: &UnitCalendar<'_>, first: Date, last: Date) -> Vec<Day> {
    let nights = first.series(1.day()).take_while(|night| *night <= last);
    nights
        .take(usize::try_from(DAYS_MAX).unwrap_or_default())
        .map(|date| {
            let Night { min_stay, price } = unit.night(date);
            let booked = date.tomorrow().is_ok_and(|next| unit.is_booked(date, next));
            let available = unit.status == UnitStatus::Active && !unit.is_over(date) && !booked;
            Day { date, available, min_stay, price }
        })
        .collect()
}

/// A stay that somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckedStay {
    /// The night that begins on this day is the first one.
    pub start_date: Date,
    /// The night that begins on this day is not part of the stay.
    pub end_date: Date,
}

/// What a stay is checked against.
#[derive(Debug, Clone, Copy)]
pub struct StayCheck<'a> {
    /// With its bookings, rate plans and tariffs.
    pub unit: UnitCalendar<'a>,
    /// The activation state of the product's group. Publishing says who sees it, not whether it can be sold.
    pub state: ActivationState,
    /// The contract window of the product's group.
    pub window: ContractWindow,
}

/// Whether a stay can be sold: the first obstacle in the order of [`StayStatus`], or AVAILABLE.
pub fn check_stay(against: &StayCheck<'_>, stay: CheckedStay) -> StayStatus {
    let CheckedStay { start_date, end_date } = stay;
    if against.unit.is_booked(start_date, end_date) {
        StayStatus::Booked
    } else if against.unit.is_over(start_date) || against.window.admits(start_date, end_date).is_err() {
        StayStatus::OutsideContractWindow
    } else if against.state != ActivationState::Active || against.unit.status != UnitStatus::Active {
        StayStatus::ProductInactive
    } else if days_between(start_date, end_date) < against.unit.night(start_date).min_stay {
        StayStatus::MinStay
    } else {
        StayStatus::Available
    }
}

#[cfg(test)]
mod tests;
