//! When a delivery is tried again, and how long an endpoint that fails is left alone.

use jiff::SignedDuration;

gateway_domain::words! {
    /// How far a delivery is.
    DeliveryState {
        /// It will be tried, now or later.
        Pending = "pending",
        /// It has arrived.
        Delivered = "delivered",
        /// It was tried often enough.
        Failed = "failed",
    }
}

/// Waits after the first try, the second, …, seconds (Standard Webhooks).
const WAITS_S: [i64; 9] =
    [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];
/// Waits of an endpoint as a whole after so many failures in a row, seconds; the last one goes on.
const ENDPOINT_WAITS_S: [i64; 6] = [5, 30, 2 * 60, 5 * 60, 15 * 60, 30 * 60];
/// How often one delivery is tried.
pub const ATTEMPTS_MAX: u32 = 10;
/// Longest wait that an endpoint may ask for.
pub const RETRY_AFTER_MAX: SignedDuration = SignedDuration::from_hours(24);

/// How far ahead a delivery or an endpoint may be due: longer than any wait with its tenth, which an endpoint asks for or the
/// schedule gives, and a minute for clocks that differ. What is due later was put off while the clock was ahead.
pub const DUE_HORIZON: SignedDuration = SignedDuration::from_mins(24 * 60 + 24 * 6 + 1);

/// The waits of this gateway: the usual ones, unless tests are in a hurry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// By how much every wait is shorter than usual.
    speed: u32,
}

impl Default for Schedule {
    fn default() -> Self {
        Self::faster(1)
    }
}

impl Schedule {
    /// Every wait divided by `speed`.
    pub fn faster(speed: u32) -> Self {
        Self { speed: speed.max(1) }
    }

    /// How long a delivery waits that was tried `attempts` times, none when it is tried no more. `spread`, any number,
    /// moves the wait by up to a tenth, so that what failed together does not come again together. What the endpoint asked
    /// for is kept up to a bound.
    pub fn after(
        self,
        attempts: u32,
        retry_after: Option<SignedDuration>,
        spread: u64,
    ) -> Option<SignedDuration> {
        let place = usize::try_from(attempts.checked_sub(1)?).ok()?;
        let usual = self.scaled(*WAITS_S.get(place)?, spread);
        Some(usual.max(retry_after.unwrap_or_default().min(RETRY_AFTER_MAX)))
    }

    /// How long an endpoint is left alone after so many failures in a row.
    pub fn pause(self, failures: u32, retry_after: Option<SignedDuration>, spread: u64) -> SignedDuration {
        let place = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
        let last = ENDPOINT_WAITS_S.len().saturating_sub(1);
        let usual = ENDPOINT_WAITS_S.get(place.min(last)).copied().unwrap_or_default();
        self.scaled(usual, spread).max(retry_after.unwrap_or_default().min(RETRY_AFTER_MAX))
    }

    fn scaled(self, seconds: i64, spread: u64) -> SignedDuration {
        let per_mille = i64::try_from(spread % 201).unwrap_or(100).saturating_add(900);
        let millis = seconds.saturating_mul(per_mille);
        SignedDuration::from_millis(millis.checked_div(i64::from(self.speed)).unwrap_or(millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_tried_ten_times_over_three_days() {
        let waits: Vec<_> = (1..=12).map_while(|tried| Schedule::default().after(tried, None, 100)).collect();
        let seconds: Vec<_> = waits.iter().map(SignedDuration::as_secs).collect();
        assert_eq!(seconds, [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]);
        assert_eq!(u32::try_from(waits.len()).unwrap() + 1, ATTEMPTS_MAX);
        assert!(waits.iter().sum::<SignedDuration>() > SignedDuration::from_hours(72));
        assert_eq!(Schedule::default().after(0, None, 0), None, "what was not tried does not wait");
    }

    #[test]
    fn waits_are_spread_by_a_tenth() {
        for spread in [0, 1, 57, 200, 201, u64::MAX] {
            let wait = Schedule::default().after(2, None, spread).unwrap();
            assert!(
                wait >= SignedDuration::from_secs(270) && wait <= SignedDuration::from_secs(330),
                "{wait:?}"
            );
        }
        assert_ne!(Schedule::default().after(2, None, 0), Schedule::default().after(2, None, 200));
    }

    #[test]
    fn what_an_endpoint_asks_for_is_kept_up_to_a_bound() {
        let after = |seconds: i64| {
            Schedule::default().after(1, Some(SignedDuration::from_secs(seconds)), 100).unwrap()
        };
        assert_eq!(after(1), SignedDuration::from_secs(5), "never earlier than usual");
        assert_eq!(after(90), SignedDuration::from_secs(90));
        assert_eq!(after(i64::MAX), RETRY_AFTER_MAX);
        assert_eq!(Schedule::default().after(10, Some(SignedDuration::from_secs(5)), 0), None);
        assert_eq!(
            Schedule::default().pause(1, Some(SignedDuration::from_secs(90)), 0),
            SignedDuration::from_secs(90)
        );
    }

    #[test]
    fn an_endpoint_that_fails_is_left_alone_longer_and_longer_up_to_half_an_hour() {
        let pauses: Vec<_> = [0, 1, 2, 3, 4, 5, 6, 7, u32::MAX]
            .map(|n| Schedule::default().pause(n, None, 100).as_secs())
            .to_vec();
        assert_eq!(pauses, [5, 5, 30, 120, 300, 900, 1800, 1800, 1800]);
    }

    #[test]
    fn no_wait_reaches_behind_the_horizon() {
        let longest = Some(SignedDuration::from_secs(i64::MAX));
        for retry_after in [None, longest] {
            for number in 0..=ATTEMPTS_MAX {
                let after = Schedule::default().after(number, retry_after, 200).unwrap_or_default();
                let pause = Schedule::default().pause(number, retry_after, 200);
                assert!(after < DUE_HORIZON && pause < DUE_HORIZON, "{number}: {after:?}, {pause:?}");
            }
        }
    }

    #[test]
    fn tests_may_be_in_a_hurry() {
        assert_eq!(Schedule::faster(1000).after(1, None, 100), Some(SignedDuration::from_millis(5)));
        assert_eq!(Schedule::faster(0).after(1, None, 100), Some(SignedDuration::from_secs(5)));
    }
}
