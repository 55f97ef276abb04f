//! How many requests a client may send: a bucket of tokens for each, filled steadily.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use gateway_domain::ids::ClientId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

/// A bucket holds so many seconds' worth of requests.
const BURST: u32 = 2;
/// More buckets than this at once and those that are full are forgotten.
const BUCKETS_MAX: usize = 10_000;

/// The limit of every client.
#[derive(Debug)]
pub struct Limits {
    per_s: u32,
    buckets: Mutex<HashMap<ClientId, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Thousandths of a request.
    left: u64,
    seen: Instant,
}

/// What the limit says to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it may go on.
    pub allowed: bool,
    /// Requests a second; 0 without a limit.
    per_s: u32,
    /// Requests that may follow at once.
    left: u64,
    /// Seconds until the bucket is full again, or until the next request may come if this one may not.
    wait_s: u64,
}

impl Limits {
    /// `per_s` requests a second for each client, and twice as many at once; 0: no limit.
    pub fn new(per_s: u32) -> Self {
        Self { per_s, buckets: Mutex::default() }
    }

    /// Counts a request of a client.
    pub fn take(&self, client: ClientId, now: Instant) -> Verdict {
        let rate = u64::from(self.per_s);
        if rate == 0 {
            return Verdict { allowed: true, per_s: 0, left: 0, wait_s: 0 };
        }
        let full = rate.saturating_mul(BURST.into()).saturating_mul(1000);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(&client) {
            buckets.retain(|_, bucket| bucket.filled(rate, full, now) < full);
        }
        let bucket = buckets.entry(client).or_insert(Bucket { left: full, seen: now });
        let left = bucket.filled(rate, full, now);
        // What is not a whole millisecond counts the next time, however often somebody asks.
        let part = now.saturating_duration_since(bucket.seen).subsec_nanos() % 1_000_000;
        let seen = now.checked_sub(Duration::from_nanos(part.into())).unwrap_or(now).max(bucket.seen);
        let allowed = left >= 1000;
        let left = if allowed { left.saturating_sub(1000) } else { left };
        *bucket = Bucket { left, seen };
        let missing = if allowed { full.saturating_sub(left) } else { 1000_u64.saturating_sub(left) };
        let wait_s = missing.div_ceil(rate.saturating_mul(1000));
        Verdict { allowed, per_s: self.per_s, left: left / 1000, wait_s }
    }
}

impl Bucket {
    /// A thousandth of a request for every `1 / rate` milliseconds.
    fn filled(self, rate: u64, full: u64, now: Instant) -> u64 {
        let since = u64::try_from(now.saturating_duration_since(self.seen).as_millis()).unwrap_or(u64::MAX);
        self.left.saturating_add(since.saturating_mul(rate)).min(full)
    }
}

impl Verdict {
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
    use uuid::Uuid;

    fn client(n: u128) -> ClientId {
        ClientId(Uuid::from_u128(n))
    }

    #[test]
    fn a_client_may_send_a_burst_and_then_its_rate() {
        let (limits, start) = (Limits::new(5), Instant::now());
        let passed = (0..20).filter(|_| limits.take(client(1), start).allowed).count();
        assert_eq!(passed, 10);
        let refused = limits.take(client(1), start);
        assert_eq!(refused, Verdict { allowed: false, per_s: 5, left: 0, wait_s: 1 });
        assert!(limits.take(client(2), start).allowed, "others are not concerned");
        let later = start + Duration::from_millis(400);
        assert_eq!((0..5).filter(|_| limits.take(client(1), later).allowed).count(), 2);
        let much_later = start + Duration::from_mins(1);
        assert_eq!(limits.take(client(1), much_later).left, 9);
    }

    #[test]
    fn a_client_that_asks_all_the_time_gets_its_rate_all_the_same() {
        let (limits, start) = (Limits::new(10), Instant::now());
        let asked = (0..5_000).map(|turn| start + Duration::from_micros(400 * turn));
        let passed = asked.filter(|at| limits.take(client(1), *at).allowed).count();
        assert_eq!(passed, 20 + 19, "a burst, and two seconds' worth");
    }

    #[test]
    fn a_refusal_says_when_to_come_back() {
        let limits = Limits::new(1);
        let now = Instant::now();
        let mut headers = HeaderMap::new();
        limits.take(client(1), now).write(&mut headers);
        assert_eq!(headers["ratelimit-limit"], "2");
        assert_eq!(headers["ratelimit"], "\"client\";r=1;t=1");
        assert!(!headers.contains_key("retry-after"));
        limits.take(client(1), now);
        limits.take(client(1), now).write(&mut headers);
        assert_eq!(
            (&headers["retry-after"], &headers["ratelimit-remaining"]),
            (&"1".parse().unwrap(), &"0".parse().unwrap())
        );
    }

    #[test]
    fn no_limit_writes_no_header() {
        let limits = Limits::new(0);
        let mut headers = HeaderMap::new();
        let verdict = limits.take(client(1), Instant::now());
        verdict.write(&mut headers);
        assert!(verdict.allowed && headers.is_empty());
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let (limits, start) = (Limits::new(1), Instant::now());
        for n in 0..BUCKETS_MAX {
            limits.take(client(u128::try_from(n).unwrap()), start);
        }
        limits.take(client(u128::MAX), start + Duration::from_secs(5));
        assert_eq!(limits.buckets.lock().unwrap().len(), 1);
    }
}
