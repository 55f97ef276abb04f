//! How many requests a client, or an address, may send: a bucket of tokens for each, filled steadily.

use crate::errors::ApiErrors;
use arc_swap::ArcSwap;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_domain::ids::ClientId;
use governor::clock::{Clock, MonotonicClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

/// A bucket holds so many seconds' worth of requests.
const BURST: u32 = 2;
/// So many buckets are kept before those that are full are forgotten.
const BUCKETS_RETAINED_MIN: usize = 10_000;

type Buckets<K, C> = RateLimiter<K, HashMapStateStore<K>, C, StateInformationMiddleware>;

/// The limit of everybody who has a `K` of their own.
#[derive(Debug)]
pub struct Limits<K: Hash + Eq + Clone = ClientId, C: Clock = MonotonicClock> {
    rate: ArcSwap<Rate<K, C>>,
    clock: C,
}

/// How many requests each may send, and what each has sent.
#[derive(Debug)]
struct Rate<K: Hash + Eq + Clone, C: Clock> {
    per_s: u32,
    /// None without a limit.
    buckets: Option<Buckets<K, C>>,
    /// With so many buckets those that are full are forgotten.
    forget_at: AtomicUsize,
}

/// What the limit says to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it may go on.
    pub allowed: bool,
    /// Requests a second; 0 without a limit.
    per_s: u32,
    /// Requests that may follow at once.
    left: u32,
    /// Seconds until the bucket is full again, or until the next request may come if this one may not.
    wait_s: u64,
}

impl<K: Hash + Eq + Clone> Limits<K> {
    /// `per_s` requests a second for each, and twice as many at once; 0: no limit.
    pub fn new(per_s: u32) -> Self {
        Self::with_clock(per_s, MonotonicClock)
    }
}

impl<K: Hash + Eq + Clone, C: Clock + Clone> Limits<K, C> {
    fn with_clock(per_s: u32, clock: C) -> Self {
        Self { rate: ArcSwap::from_pointee(Rate::new(per_s, clock.clone())), clock }
    }

    /// Another limit from now on; everybody's bucket is full.
    pub fn set(&self, per_s: u32) {
        self.rate.store(Arc::new(Rate::new(per_s, self.clock.clone())));
    }

    /// Counts a request of whom `key` names.
    pub fn take(&self, key: &K) -> Verdict {
        let rate = self.rate.load();
        let per_s = rate.per_s;
        let Some(buckets) = &rate.buckets else {
            return Verdict { allowed: true, per_s, left: 0, wait_s: 0 };
        };
        rate.forget_full(buckets);
        match buckets.check_key(key) {
            Ok(bucket) => {
                let left = bucket.remaining_burst_capacity();
                let missing = per_s.saturating_mul(BURST).saturating_sub(left);
                Verdict { allowed: true, per_s, left, wait_s: missing.div_ceil(per_s).into() }
            }
            Err(refused) => {
                let wait = refused.wait_time_from(self.clock.now());
                let wait_s = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
                Verdict { allowed: false, per_s, left: 0, wait_s }
            }
        }
    }
}

impl<K: Hash + Eq + Clone, C: Clock + Clone> Rate<K, C> {
    fn new(per_s: u32, clock: C) -> Self {
        let buckets = NonZeroU32::new(per_s).map(|rate| {
            let burst = rate.saturating_mul(NonZeroU32::MIN.saturating_add(BURST - 1));
            let quota = Quota::per_second(rate).allow_burst(burst);
            RateLimiter::hashmap_with_clock(quota, clock).with_middleware()
        });
        Self { per_s, buckets, forget_at: AtomicUsize::new(BUCKETS_RETAINED_MIN) }
    }

    /// Forgets full buckets when there are many. They are looked through again when there are twice as many as stayed.
    fn forget_full(&self, buckets: &Buckets<K, C>) {
        if buckets.len() >= self.forget_at.load(Ordering::Relaxed) {
            buckets.retain_recent();
            self.forget_at
                .store(buckets.len().saturating_mul(2).max(BUCKETS_RETAINED_MIN), Ordering::Relaxed);
        }
    }
}

impl Verdict {
    /// The answer to a request that may go on, else 429 as an errors list; both say how much is left.
    pub async fn enforce(self, answer: impl Future<Output = Response>) -> Response {
        let mut response = if self.allowed {
            answer.await
        } else {
            let message = "too many requests: wait as the header Retry-After says";
            ApiErrors::base(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, message).into_response()
        };
        self.write(response.headers_mut());
        response
    }

    /// The `RateLimit` headers, as the draft of the IETF names them and as most clients know them, and `Retry-After`
    /// when the request may not go on.
    pub fn write(self, headers: &mut HeaderMap) {
        if self.per_s == 0 {
            return;
        }
        let Self { left, wait_s, .. } = self;
        let burst = self.per_s.saturating_mul(BURST);
        let mut set = |name: &'static str, value: String| {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        };
        set("ratelimit-policy", format!("\"client\";q={burst};w={BURST}"));
        set("ratelimit", format!("\"client\";r={left};t={wait_s}"));
        set("ratelimit-limit", burst.to_string());
        set("ratelimit-remaining", left.to_string());
        set("ratelimit-reset", wait_s.to_string());
        if !self.allowed {
            set("retry-after", wait_s.max(1).to_string());
        }
    }
}

/// What a document says of these headers: absent where requests are not limited.
pub fn headers() -> [(&'static str, Header); 5] {
    let header = |kind, about| {
        let schema = ObjectBuilder::new().schema_type(SchemaType::from_iter([kind, Type::Null]));
        HeaderBuilder::new().schema(Some(schema)).description(Some(about)).build()
    };
    [
        ("RateLimit-Policy", header(Type::String, "The limit: requests (`q`) in a window of seconds (`w`).")),
        (
            "RateLimit",
            header(
                Type::String,
                "Requests that may follow at once (`r`), and seconds (`t`) until all may again.",
            ),
        ),
        ("RateLimit-Limit", header(Type::Integer, "Requests at once.")),
        ("RateLimit-Remaining", header(Type::Integer, "Requests that may follow at once.")),
        ("RateLimit-Reset", header(Type::Integer, "Seconds until all may again.")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use governor::clock::FakeRelativeClock;
    use std::time::Duration;
    use uuid::Uuid;

    fn client(n: u128) -> ClientId {
        ClientId(Uuid::from_u128(n))
    }

    #[test]
    fn a_client_may_send_a_burst_and_then_its_rate() {
        let clock = FakeRelativeClock::default();
        let limits = Limits::with_clock(5, clock.clone());
        let passed = (0..20).filter(|_| limits.take(&client(1)).allowed).count();
        assert_eq!(passed, 10);
        let refused = limits.take(&client(1));
        assert_eq!(refused, Verdict { allowed: false, per_s: 5, left: 0, wait_s: 1 });
        assert!(limits.take(&client(2)).allowed, "others are not concerned");
        clock.advance(Duration::from_millis(400));
        assert_eq!((0..5).filter(|_| limits.take(&client(1)).allowed).count(), 2);
        clock.advance(Duration::from_mins(1));
        assert_eq!(limits.take(&client(1)).left, 9);
    }

    #[test]
    fn a_client_that_asks_all_the_time_gets_its_rate_all_the_same() {
        let clock = FakeRelativeClock::default();
        let limits = Limits::with_clock(10, clock.clone());
        let take = |_: &u32| {
            let taken = limits.take(&client(1));
            clock.advance(Duration::from_micros(400));
            taken.allowed
        };
        let passed = (0..5_000).filter(take).count();
        assert_eq!(passed, 20 + 19, "a burst, and two seconds' worth");
    }

    #[test]
    fn a_refusal_says_when_to_come_back() {
        let limits = Limits::with_clock(1, FakeRelativeClock::default());
        let mut headers = HeaderMap::new();
        limits.take(&client(1)).write(&mut headers);
        assert_eq!(headers["ratelimit-limit"], "2");
        assert_eq!(headers["ratelimit"], "\"client\";r=1;t=1");
        assert!(!headers.contains_key("retry-after"));
        limits.take(&client(1));
        limits.take(&client(1)).write(&mut headers);
        assert_eq!(
            (&headers["retry-after"], &headers["ratelimit-remaining"]),
            (&"1".parse().unwrap(), &"0".parse().unwrap())
        );
    }

    #[test]
    fn another_limit_holds_from_the_next_request_on() {
        let limits = Limits::with_clock(1, FakeRelativeClock::default());
        let burst = |limits: &Limits<_, _>| (0..20).filter(|_| limits.take(&client(1)).allowed).count();
        assert_eq!(burst(&limits), 2);
        limits.set(5);
        assert_eq!(burst(&limits), 10);
        limits.set(0);
        assert_eq!(burst(&limits), 20, "no limit");
    }

    #[test]
    fn no_limit_writes_no_header() {
        let limits = Limits::new(0);
        let mut headers = HeaderMap::new();
        let verdict = limits.take(&client(1));
        verdict.write(&mut headers);
        assert!(verdict.allowed && headers.is_empty());
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let clock = FakeRelativeClock::default();
        let limits = Limits::with_clock(1, clock.clone());
        for n in 0..BUCKETS_RETAINED_MIN {
            limits.take(&client(u128::try_from(n).unwrap()));
        }
        clock.advance(Duration::from_secs(5));
        limits.take(&client(u128::MAX));
        assert_eq!(limits.rate.load().buckets.as_ref().unwrap().len(), 1);
    }
}
