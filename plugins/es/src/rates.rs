//! Tax rates in Spain, by date, and what the tax agency lets stand beside them.

use einvoice_plugin::Amount;

use crate::date::Date;

/// A rate with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// As the structured format names it: `general`.
    pub key: &'static str,
    /// For people.
    pub title: &'static str,
    /// Percent.
    pub percent: Amount,
    /// Equivalence surcharge for retailers, percent.
    pub surcharge: Option<Amount>,
    /// First day it holds.
    pub since: Option<Date>,
}

/// Tenths of a percent.
const fn tenths(units: i64) -> Amount {
    Amount::new(units, 1)
}

const fn named(key: &'static str, title: &'static str, percent: Amount) -> Rate {
    Rate { key, title, percent, surcharge: None, since: None }
}

const fn vat(key: &'static str, title: &'static str, percent: i64, surcharge: i64, since: Date) -> Rate {
    let surcharge = Some(tenths(surcharge));
    Rate { key, title, percent: tenths(percent), surcharge, since: Some(since) }
}

/// VAT on the mainland and the Balearic Islands. Temporary rates are in [`vat_percent`] only.
pub const VAT: &[Rate] = &[
    vat("general", "General rate", 210, 52, Date::new(2012, 9, 1)),
    vat("general", "General rate", 180, 40, Date::new(2010, 7, 1)),
    vat("reduced", "Reduced rate", 100, 14, Date::new(2012, 9, 1)),
    vat("reduced", "Reduced rate", 80, 10, Date::new(2010, 7, 1)),
    vat("super-reduced", "Super-reduced rate", 40, 5, Date::new(1995, 1, 1)),
    named("zero", "Zero rate", tenths(0)),
];

/// IGIC, the Canary Islands. The regional government adds rates, so others are not refused.
pub const IGIC: &[Rate] = &[
    named("zero", "Zero rate", tenths(0)),
    named("reduced", "Reduced rate", tenths(30)),
    named("reduced-housing", "Reduced rate for housing", tenths(50)),
    named("general", "General rate", tenths(70)),
    named("increased", "Increased rate", tenths(95)),
    named("increased-special", "Second increased rate", tenths(150)),
    named("special", "Special rate for tobacco", tenths(200)),
];

/// The highest IPSI of Ceuta and Melilla, percent. Both cities set their own rates below it.
pub const IPSI_MAX: Amount = tenths(100);

/// IRPF withheld by the recipient.
pub const IRPF: &[Rate] = &[
    named("pro", "Professionals", tenths(150)),
    named("pro-start", "Professionals in their first years", tenths(70)),
    named("capital", "Rents and interest", tenths(190)),
    named("modules", "Activities under objective assessment", tenths(10)),
];

/// A VAT percent the agency accepts, the surcharge beside it, and the days it holds.
struct AcceptedPercent {
    percent: Amount,
    surcharges: &'static [Amount],
    days: Option<(Date, Date)>,
}

/// The agency's list for VAT (error 1124, 1127, 1194, 1235, 1236), with its temporary rates for food and energy.
const ACCEPTED: &[AcceptedPercent] = &[
    AcceptedPercent { percent: tenths(210), surcharges: &[tenths(52), Amount::new(175, 2)], days: None },
    AcceptedPercent { percent: tenths(100), surcharges: &[tenths(14)], days: None },
    AcceptedPercent { percent: tenths(40), surcharges: &[tenths(5)], days: None },
    AcceptedPercent { percent: tenths(0), surcharges: &[tenths(0)], days: None },
    AcceptedPercent {
        percent: tenths(75),
        surcharges: &[tenths(10)],
        days: Some((Date::new(2024, 10, 1), Date::new(2024, 12, 31))),
    },
    AcceptedPercent {
        percent: tenths(50),
        surcharges: &[Amount::new(62, 2)],
        days: Some((Date::new(2022, 7, 1), Date::new(2024, 9, 30))),
    },
    AcceptedPercent {
        percent: tenths(20),
        surcharges: &[Amount::new(26, 2)],
        days: Some((Date::new(2024, 10, 1), Date::new(2024, 12, 31))),
    },
];

/// What the agency thinks of a VAT percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VatPercent {
    /// In use.
    Accepted,
    /// It was in use, between these days.
    Temporary(Date, Date),
    /// Never was.
    Unknown,
}

/// Whether VAT of this percent was in use on `day` (of the operation).
pub fn vat_percent(percent: Amount, day: Date) -> VatPercent {
    match ACCEPTED.iter().find(|accepted| accepted.percent.same_value(percent)).map(|known| known.days) {
        None => VatPercent::Unknown,
        Some(Some((from, to))) if day < from || day > to => VatPercent::Temporary(from, to),
        Some(_) => VatPercent::Accepted,
    }
}

/// The equivalence surcharges that may stand beside a VAT percent, the usual one first.
pub fn vat_surcharges(percent: Amount) -> &'static [Amount] {
    ACCEPTED.iter().find(|known| known.percent.same_value(percent)).map_or(&[], |known| known.surcharges)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Date = Date::new(2026, 11, 20);

    #[test]
    fn the_rates_in_use_are_accepted_whatever_their_decimals() {
        for percent in ["21", "21.0", "10.00", "4.0", "0"] {
            assert_eq!(vat_percent(percent.parse().unwrap(), TODAY), VatPercent::Accepted, "{percent}");
        }
        assert_eq!(vat_percent(Amount::new(7, 0), TODAY), VatPercent::Unknown);
    }

    #[test]
    fn a_temporary_rate_holds_in_its_days_only() {
        let seven_and_a_half = Amount::new(75, 1);
        assert_eq!(vat_percent(seven_and_a_half, Date::new(2024, 12, 31)), VatPercent::Accepted);
        assert!(matches!(vat_percent(seven_and_a_half, TODAY), VatPercent::Temporary(..)));
    }

    #[test]
    fn each_rate_has_its_surcharge() {
        let usual = |percent| vat_surcharges(Amount::new(percent, 0)).first().map(ToString::to_string);
        assert_eq!([21, 10, 4].map(usual), ["5.2", "1.4", "0.5"].map(|text| Some(text.to_owned())));
        assert!(vat_surcharges(Amount::new(3, 0)).is_empty());
    }

    #[test]
    fn newer_rates_stand_above_older_ones_of_the_same_key() {
        for pair in VAT.windows(2) {
            assert!(pair[0].key != pair[1].key || pair[0].since > pair[1].since);
        }
    }
}
