//! When whoever answered wants to be asked again.

use crate::clock_difference::answered_at;
use jiff::fmt::rfc2822;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Seconds of `Retry-After` (RFC 9110, 10.2.3): given as seconds, or as a time beside the answer's own `Date`, since clocks differ.
pub fn retry_after_s(headers: &HeaderMap) -> Option<u64> {
    let retry_after = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = retry_after.parse() {
        return Some(seconds);
    }
    let again_at = rfc2822::parse(retry_after).ok()?.timestamp();
    let wait = again_at.as_second().saturating_sub(answered_at(headers)?.as_second());
    Some(u64::try_from(wait).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::DATE;

    #[test]
    fn the_wait_is_read_as_seconds_or_as_a_time() {
        let wait = |after: &str, date: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, after.parse().unwrap());
            if let Some(date) = date {
                headers.insert(DATE, date.parse().unwrap());
            }
            retry_after_s(&headers)
        };
        assert_eq!(wait("120", None), Some(120));
        let (at, now) = ("Fri, 20 Nov 2026 09:00:30 GMT", "Fri, 20 Nov 2026 09:00:00 GMT");
        assert_eq!(wait(at, Some(now)), Some(30));
        assert_eq!(wait(now, Some(at)), Some(0));
        assert_eq!(wait(at, None), None);
        assert_eq!(wait("soon", Some(now)), None);
        assert_eq!(wait("-5", None), None);
    }
}
