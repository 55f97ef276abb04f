//! Wrong secrets are counted, so that nobody tries many.
//!
//! Counted are failures of the last minute, for each address and within it for each client. Whoever has used them up
//! is not looked at until the minute has passed, whatever the secret; other addresses notice nothing.
//!
//! Not `governor`, which limits requests: it takes from a budget before an answer is known, and here only a wrong secret costs.

use jiff::{SignedDuration, Timestamp};
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

/// How long a failure counts.
const WINDOW: SignedDuration = SignedDuration::from_mins(1);
/// Failures for one client from one address.
const CLIENT_FAILURES_MAX: usize = 10;
/// Failures from one address, whatever the client.
const ADDRESS_FAILURES_MAX: usize = 100;
/// More addresses than this at once, and the one that failed longest ago is forgotten.
const ADDRESSES_MAX: usize = 10_000;

/// The failures of the last minute. Takes at most some 25 MB, whoever tries whatever.
#[derive(Debug, Default)]
pub(super) struct LoginThrottle {
    names: RandomState,
    addresses: Mutex<HashMap<IpAddr, VecDeque<Failure>>>,
}

#[derive(Debug, Clone, Copy)]
struct Failure {
    at: Timestamp,
    /// The hash of the client id as it was sent: it may be anything, of any length.
    client: u64,
}

impl LoginThrottle {
    /// How long the client has to wait before its secret is looked at; `None`: it may try.
    pub(super) fn wait(&self, client: &str, from: IpAddr, now: Timestamp) -> Option<SignedDuration> {
        let client = self.names.hash_one(client);
        let addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        wait_of(&addresses, client, network(from), now)
    }

    /// Notes whether a secret was right, once that is known. Others that were looked at meanwhile may have used up what
    /// may be tried: then the client has to wait, and is not to be told what was found.
    pub(super) fn settled(
        &self,
        client: &str,
        from: IpAddr,
        now: Timestamp,
        is_right: bool,
    ) -> Option<SignedDuration> {
        let client = self.names.hash_one(client);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = wait_of(&addresses, client, network(from), now);
        if wait.is_none() && !is_right {
            failed(&mut addresses, client, network(from), now);
        }
        wait
    }
}

fn wait_of(
    addresses: &HashMap<IpAddr, VecDeque<Failure>>,
    client: u64,
    from: IpAddr,
    now: Timestamp,
) -> Option<SignedDuration> {
    let failures = addresses.get(&from)?;
    let recent = || failures.iter().filter(|failure| counts(failure, now));
    let of_client = || recent().filter(|failure| failure.client == client);
    // The wait ends when the oldest failure too many ends to count.
    let end = |at: Timestamp| WINDOW - now.duration_since(at);
    let too_many = |count: usize, most: usize| count.checked_sub(most);
    let address = too_many(recent().count(), ADDRESS_FAILURES_MAX).and_then(|place| recent().nth(place));
    let own = too_many(of_client().count(), CLIENT_FAILURES_MAX).and_then(|place| of_client().nth(place));
    address.into_iter().chain(own).map(|failure| end(failure.at)).max()
}

/// Notes that a secret was wrong.
fn failed(addresses: &mut HashMap<IpAddr, VecDeque<Failure>>, client: u64, from: IpAddr, now: Timestamp) {
    if addresses.len() >= ADDRESSES_MAX && !addresses.contains_key(&from) {
        make_room(addresses, now);
    }
    let failures = addresses.entry(from).or_default();
    failures.retain(|failure| counts(failure, now));
    if failures.len() >= ADDRESS_FAILURES_MAX {
        failures.pop_front();
    }
    failures.push_back(Failure { at: now, client });
}

/// A clock that was set back does not make failures count longer.
fn counts(failure: &Failure, now: Timestamp) -> bool {
    let age = now.duration_since(failure.at);
    !age.is_negative() && age < WINDOW
}

fn make_room(addresses: &mut HashMap<IpAddr, VecDeque<Failure>>, now: Timestamp) {
    addresses.retain(|_, failures| failures.back().is_some_and(|failure| counts(failure, now)));
    if addresses.len() < ADDRESSES_MAX {
        return;
    }
    let last = |failures: &VecDeque<Failure>| failures.back().map(|failure| failure.at);
    let longest_ago = addresses.iter().min_by_key(|(_, failures)| last(failures)).map(|(from, _)| *from);
    if let Some(from) = longest_ago {
        addresses.remove(&from);
    }
}

/// What is counted of an address: who has one of IPv6 has a whole network of them.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl LoginThrottle {
        fn failed(&self, client: &str, from: IpAddr, now: Timestamp) {
            let client = self.names.hash_one(client);
            failed(&mut self.addresses.lock().unwrap(), client, network(from), now);
        }
    }

    fn at(s: i64) -> Timestamp {
        Timestamp::new(1_795_161_600 + s, 0).unwrap()
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn the_eleventh_try_within_a_minute_waits_until_the_first_is_a_minute_old() {
        let (login_throttle, here) = (LoginThrottle::default(), ip("192.0.2.1"));
        for second in 0..10 {
            assert_eq!(login_throttle.wait("one", here, at(second)), None);
            login_throttle.failed("one", here, at(second));
        }
        assert_eq!(login_throttle.wait("one", here, at(10)), Some(SignedDuration::from_secs(50)));
        assert_eq!(login_throttle.wait("another", here, at(10)), None, "another client from there");
        assert_eq!(login_throttle.wait("one", ip("192.0.2.2"), at(10)), None, "the client from elsewhere");
        assert_eq!(login_throttle.wait("one", here, at(59)), Some(SignedDuration::from_secs(1)));
        assert_eq!(login_throttle.wait("one", here, at(60)), None);
        login_throttle.failed("one", here, at(60));
        assert_eq!(login_throttle.wait("one", here, at(60)), Some(SignedDuration::from_secs(1)));
    }

    #[test]
    fn an_address_that_tries_many_clients_waits_too() {
        let (login_throttle, here) = (LoginThrottle::default(), ip("192.0.2.1"));
        for n in 0..100 {
            assert_eq!(login_throttle.wait(&n.to_string(), here, at(0)), None);
            login_throttle.failed(&n.to_string(), here, at(0));
        }
        assert_eq!(login_throttle.wait("fresh", here, at(20)), Some(SignedDuration::from_secs(40)));
        assert_eq!(login_throttle.wait("fresh", ip("192.0.2.2"), at(20)), None);
        assert_eq!(login_throttle.wait("fresh", here, at(60)), None);
    }

    #[test]
    fn failures_at_once_take_no_more_room_than_the_limit() {
        let (login_throttle, here) = (LoginThrottle::default(), ip("192.0.2.1"));
        for second in 0..1_000 {
            login_throttle.failed("one", here, at(second / 100));
        }
        let kept = login_throttle.addresses.lock().unwrap()[&here].len();
        assert_eq!(kept, ADDRESS_FAILURES_MAX);
        assert_eq!(login_throttle.wait("one", here, at(10)), Some(SignedDuration::from_secs(59)));
    }

    #[test]
    fn addresses_take_bounded_room_and_the_newest_are_kept() {
        let login_throttle = LoginThrottle::default();
        let nth = |n: u32| IpAddr::from(n.to_be_bytes());
        for n in 0..u32::try_from(ADDRESSES_MAX).unwrap() + 50 {
            login_throttle.failed("one", nth(n), at(i64::from(n / 1_000)));
        }
        let kept = login_throttle.addresses.lock().unwrap().len();
        assert_eq!(kept, ADDRESSES_MAX);
        assert!(login_throttle.addresses.lock().unwrap().contains_key(&nth(10_049)));
        login_throttle.failed("one", ip("198.51.100.1"), at(1_000));
        assert_eq!(login_throttle.addresses.lock().unwrap().len(), 1, "old ones make room first");
    }

    #[test]
    fn one_network_of_ipv6_is_one_address_and_a_mapped_one_is_its_own() {
        let login_throttle = LoginThrottle::default();
        for n in 0..10 {
            login_throttle.failed("one", ip(&format!("2001:db8:1:2::{n}")), at(0));
            login_throttle.failed("one", ip("::ffff:192.0.2.9"), at(0));
        }
        assert!(login_throttle.wait("one", ip("2001:db8:1:2:ffff::1"), at(0)).is_some());
        assert!(login_throttle.wait("one", ip("2001:db8:1:3::1"), at(0)).is_none());
        assert!(login_throttle.wait("one", ip("192.0.2.9"), at(0)).is_some());
    }

    #[test]
    fn a_clock_that_was_set_back_locks_nobody_out() {
        let (login_throttle, here) = (LoginThrottle::default(), ip("192.0.2.1"));
        for _ in 0..10 {
            login_throttle.failed("one", here, at(1_000));
        }
        assert_eq!(login_throttle.wait("one", here, at(0)), None);
    }
}
