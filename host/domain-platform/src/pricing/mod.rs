//! What nights cost: rate plans of units, and their tariffs.

mod tariffs;

pub use tariffs::{TariffChanges, replace};

use gateway_domain::ids::{RatePlanId, TariffId, UnitId, WorkspaceId};
use gateway_domain::invoicing::{currency_decimals, is_currency};
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::Faults;
use gateway_domain_lists::Keyed;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Most rate plans changed at once.
pub const RATE_PLANS_MAX: usize = 100;
/// Most tariffs written at once.
pub const TARIFFS_MAX: usize = 500;
/// Longest minimum stay, nights.
const MIN_STAY_MAX: i32 = 1_000;

const fn one() -> i32 {
    1
}

/// Prices a unit by its tariffs. Where a unit has several plans, the oldest with a tariff for the night counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatePlan {
    /// Made by the gateway with the first rate of a unit that has no plan, or as the import gave it.
    pub id: RatePlanId,
    /// Whose.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// What it prices.
    #[serde(rename = "unit_id")]
    pub unit: UnitId,
    /// For people.
    pub name: String,
    /// ISO 4217.
    pub currency: String,
    /// Fewest nights of a stay; 1 unless given.
    #[serde(default = "one")]
    pub min_stay: i32,
}

/// A price for some nights of a rate plan. No two tariffs of a plan share a night.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tariff {
    /// Made by the gateway, or as the import gave it; kept while the tariff is trimmed.
    pub id: TariffId,
    /// Says in which currency the price is.
    #[serde(rename = "rate_plan_id")]
    pub rate_plan: RatePlanId,
    /// The night that begins on this day is the first one priced.
    pub start_date: Date,
    /// The night that begins on this day is priced too, unlike on a day of departure.
    pub end_date: Date,
    /// Of each night, in the currency of the plan; read from a number or a decimal string.
    #[serde(deserialize_with = "gateway_domain_input::required_decimal")]
    pub price: Amount,
    /// Fewest nights of a stay that begins in one of these nights, where it differs from the plan's.
    #[serde(default)]
    pub min_stay: Option<i32>,
}

impl Keyed for RatePlan {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Keyed for Tariff {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

fn check_min_stay(nights: i32, faults: &mut Faults) {
    if !(1..=MIN_STAY_MAX).contains(&nights) {
        faults.refuse("min_stay", ErrorCode::OutOfRange, format!("use 1 to {MIN_STAY_MAX} nights"));
    }
}

impl RatePlan {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("name", &self.name);
        if !is_currency(&self.currency) {
            faults.refuse("currency", ErrorCode::InvalidFormat, "use an ISO 4217 currency code, such as EUR");
        }
        check_min_stay(self.min_stay, faults);
    }

    /// A price of the plan as its currency is written: with exactly its decimals. Says what is wrong with one that has
    /// more.
    pub fn priced(&self, price: Amount) -> Result<Amount, String> {
        let (currency, decimals) = (&self.currency, currency_decimals(&self.currency));
        if price.scale() > decimals {
            return Err(match decimals {
                0 => format!("use no decimals: {currency} has none"),
                some => format!("use at most {some} decimals: {currency} has no more"),
            });
        }
        price.rescale(decimals).map_err(|_| "is too large".to_owned())
    }

    /// Whether prices of this plan are written as those of `before` are.
    pub fn is_written_as(&self, before: &Self) -> bool {
        currency_decimals(&self.currency) == currency_decimals(&before.currency)
    }
}

/// Why a plan with tariffs does not change to a currency of other decimals.
pub const OTHER_DECIMALS: &str =
    "the plan has tariffs, whose prices have other decimals: use another plan for this currency";

impl Tariff {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.date("start_date", self.start_date);
        faults.date("end_date", self.end_date);
        if self.start_date > self.end_date {
            faults.refuse("end_date", ErrorCode::EndBeforeStart, "must not be before the start date");
        }
        if self.price.is_negative() {
            faults.refuse("price", ErrorCode::OutOfRange, "must be 0 or more");
        }
        if let Some(nights) = self.min_stay {
            check_min_stay(nights, faults);
        }
    }

    /// Whether `night` is one of its nights.
    pub fn covers(&self, night: Date) -> bool {
        (self.start_date..=self.end_date).contains(&night)
    }

    /// Whether both have a night in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start_date <= other.end_date && other.start_date <= self.end_date
    }
}

/// What to change of a rate plan; what is not given stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatePlanChange {
    /// Which one.
    pub id: RatePlanId,
    /// Fewest nights of a stay.
    pub min_stay: Option<i32>,
    /// For people.
    pub name: Option<String>,
    /// ISO 4217.
    pub currency: Option<String>,
}

impl RatePlanChange {
    /// The plan after the change, or everything that is wrong with it; `prefix` stands before the members' names.
    pub fn over(&self, plan: &RatePlan, prefix: &str) -> Result<RatePlan, Vec<FieldError>> {
        let edited = RatePlan {
            min_stay: self.min_stay.unwrap_or(plan.min_stay),
            name: self.name.as_ref().unwrap_or(&plan.name).clone(),
            currency: self.currency.as_ref().unwrap_or(&plan.currency).clone(),
            ..plan.clone()
        };
        let mut faults = Faults::within(prefix);
        edited.check(&mut faults);
        faults.or(edited)
    }
}

/// A tariff to be written: it replaces whatever it overlaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTariff {
    /// Says how many decimals the price may have, by its currency.
    pub rate_plan: RatePlanId,
    /// The night that begins on this day is the first one priced.
    pub start_date: Date,
    /// The night that begins on this day is priced too, unlike on a day of departure.
    pub end_date: Date,
    /// Of each night.
    pub price: Amount,
    /// Fewest nights of a stay that begins in one of these nights; the plan says it unless given.
    pub min_stay: Option<i32>,
}

impl NewTariff {
    /// The tariff under an id, or everything that is wrong with it.
    pub fn check(&self, id: TariffId, prefix: &str) -> Result<Tariff, Vec<FieldError>> {
        let tariff = Tariff {
            id,
            rate_plan: self.rate_plan,
            start_date: self.start_date,
            end_date: self.end_date,
            price: self.price,
            min_stay: self.min_stay,
        };
        let mut faults = Faults::within(prefix);
        tariff.check(&mut faults);
        faults.or(tariff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_has_the_decimals_of_its_currency() {
        for (currency, given, written) in [
            ("EUR", "30", Ok("30.00")),
            ("EUR", "20.5", Ok("20.50")),
            ("EUR", "89.90", Ok("89.90")),
            ("EUR", "1.005", Err("use at most 2 decimals: EUR has no more")),
            ("JPY", "30", Ok("30")),
            ("JPY", "30.0", Err("use no decimals: JPY has none")),
            ("KWD", "1.5", Ok("1.500")),
            ("EUR", "999999999999999999", Err("is too large")),
        ] {
            let plan = RatePlan {
                id: RatePlanId(Uuid::nil()),
                workspace: WorkspaceId(1),
                unit: UnitId(Uuid::nil()),
                name: "Standard".to_owned(),
                currency: currency.to_owned(),
                min_stay: 1,
            };
            let priced = plan.priced(given.parse().unwrap()).map(|price| price.to_string());
            assert_eq!(priced.as_deref().map_err(String::as_str), written, "{given} {currency}");
        }
    }
}
