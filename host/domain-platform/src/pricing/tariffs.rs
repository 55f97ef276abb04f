//! A tariff replaces what it overlaps: its neighbours are trimmed, split or taken away.

use super::Tariff;
use gateway_domain::ids::TariffId;

/// What becomes of the tariffs of a plan when one is written over them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TariffChanges {
    /// They lie under the new one altogether, and are no more.
    pub removed: Vec<TariffId>,
    /// They lose some of their nights.
    pub trimmed: Vec<Tariff>,
    /// What is left behind the new one of a tariff that began before it, under an id of its own.
    pub split: Vec<Tariff>,
}

/// Writes `new` over the tariffs of its plan, which have no night in common. `id` gives fresh ids; none is asked for
/// unless a tariff is split.
pub fn replace(stored: &[Tariff], new: &Tariff, mut id: impl FnMut() -> TariffId) -> TariffChanges {
    let mut replaced = TariffChanges::default();
    for old in stored.iter().filter(|old| old.id != new.id && old.overlaps(new)) {
        // At the ends of the calendar there is no day before or after, and nothing left over.
        let before = new.start_date.yesterday().ok().filter(|_| old.start_date < new.start_date);
        let after = new.end_date.tomorrow().ok().filter(|_| old.end_date > new.end_date);
        match (before, after) {
            (None, None) => replaced.removed.push(old.id),
            (Some(end_date), None) => replaced.trimmed.push(Tariff { end_date, ..old.clone() }),
            (None, Some(start_date)) => replaced.trimmed.push(Tariff { start_date, ..old.clone() }),
            (Some(end_date), Some(start_date)) => {
                replaced.trimmed.push(Tariff { end_date, ..old.clone() });
                replaced.split.push(Tariff { id: id(), start_date, ..old.clone() });
            }
        }
    }
    replaced
}

impl TariffChanges {
    /// The tariffs of the plan after it, in the order of their nights.
    pub fn applied(self, stored: Vec<Tariff>, new: Tariff) -> Vec<Tariff> {
        let gone = |id: TariffId| {
            id == new.id || self.removed.contains(&id) || self.trimmed.iter().any(|tariff| tariff.id == id)
        };
        let mut all: Vec<Tariff> = stored.into_iter().filter(|tariff| !gone(tariff.id)).collect();
        all.extend(self.trimmed.clone());
        all.extend(self.split.clone());
        all.push(new);
        all.sort_by_key(|tariff| tariff.start_date);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::ids::RatePlanId;
    use gateway_domain::money::Amount;
    use jiff::ToSpan;
    use jiff::civil::{Date, date};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use uuid::Uuid;

    const FIRST: Date = date(2026, 12, 1);

    fn day(n: i32) -> Date {
        FIRST.checked_add(n.days()).unwrap()
    }

    fn tariff(id: u128, from: i32, to: i32, price: i64) -> Tariff {
        Tariff {
            id: TariffId(Uuid::from_u128(id)),
            rate_plan: RatePlanId(Uuid::nil()),
            start_date: day(from),
            end_date: day(to),
            price: Amount::new(price, 2).unwrap(),
            min_stay: None,
        }
    }

    fn written(stored: Vec<Tariff>, new: Tariff) -> Vec<(u128, Date, Date)> {
        let replaced = replace(&stored, &new, || TariffId(Uuid::from_u128(99)));
        let all = replaced.applied(stored, new);
        all.into_iter().map(|tariff| (tariff.id.0.as_u128(), tariff.start_date, tariff.end_date)).collect()
    }

    #[test]
    fn a_neighbour_is_trimmed_split_or_taken_away() {
        let stored = || vec![tariff(1, 0, 9, 100), tariff(2, 10, 19, 200)];
        assert_eq!(
            written(stored(), tariff(3, 5, 12, 300)),
            [(1, day(0), day(4)), (3, day(5), day(12)), (2, day(13), day(19))]
        );
        assert_eq!(
            written(stored(), tariff(3, 3, 5, 300)),
            [(1, day(0), day(2)), (3, day(3), day(5)), (99, day(6), day(9)), (2, day(10), day(19))]
        );
        assert_eq!(written(stored(), tariff(3, 0, 19, 300)), [(3, day(0), day(19))]);
        assert_eq!(
            written(stored(), tariff(3, 20, 25, 300)),
            [(1, day(0), day(9)), (2, day(10), day(19)), (3, day(20), day(25))]
        );
    }

    fn nights(tariffs: &[Tariff]) -> BTreeMap<Date, Vec<Amount>> {
        let mut nights: BTreeMap<Date, Vec<Amount>> = BTreeMap::new();
        for tariff in tariffs {
            for night in tariff.start_date.series(1.day()).take_while(|night| *night <= tariff.end_date) {
                nights.entry(night).or_default().push(tariff.price);
            }
        }
        nights
    }

    proptest! {
        #[test]
        fn every_night_has_one_price_the_last_that_was_written_for_it(
            writes in proptest::collection::vec((0_i32..60, 0_i32..20, 1_i64..1_000), 1..25)
        ) {
            let mut stored = Vec::new();
            let mut expected = BTreeMap::new();
            let mut fresh = 1_000;
            for (id, (from, length, price)) in (0_u128..).zip(writes) {
                let new = tariff(id, from, from + length, price);
                let replaced = replace(&stored, &new, || {
                    fresh += 1;
                    TariffId(Uuid::from_u128(fresh))
                });
                stored = replaced.applied(stored, new);
                for night in from..=from + length {
                    expected.insert(day(night), vec![Amount::new(price, 2).unwrap()]);
                }
            }
            prop_assert_eq!(nights(&stored), expected);
            let mut ids: Vec<_> = stored.iter().map(|tariff| tariff.id).collect();
            ids.sort_unstable();
            ids.dedup();
            prop_assert_eq!(ids.len(), stored.len());
            prop_assert!(stored.iter().all(|tariff| tariff.start_date <= tariff.end_date));
        }
    }
}
