//! How requests fare, measured where they are answered.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::fmt;
use std::time::Duration;

/// Seconds; requests take between one and a few hundred milliseconds.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    route: String,
    status: u16,
}

/// Who asks is not a label: clients are many, and `gateway client show` tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LegacyLabels {
    method: String,
    route: String,
}

/// The measures of the requests of this process, by matched route. Cheap to clone.
#[derive(Clone)]
pub struct RequestMetrics {
    durations: Family<RequestLabels, Histogram, fn() -> Histogram>,
    legacy: Family<LegacyLabels, Counter>,
}

impl fmt::Debug for RequestMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestMetrics")
    }
}

impl Default for RequestMetrics {
    fn default() -> Self {
        Self {
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            legacy: Family::default(),
        }
    }
}

impl RequestMetrics {
    /// Name and help of the durations.
    pub const DURATIONS: (&str, &str) =
        ("http_server_request_duration_seconds", "How long requests take, by matched route");

    /// Puts them where they are read.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(Self::DURATIONS.0, Self::DURATIONS.1, self.durations.clone());
        registry.register(
            "legacy_api_requests",
            "Requests to the legacy API that were let in, by matched route",
            self.legacy.clone(),
        );
    }

    /// Observes an answered request; `route` is the matched pattern, never the path as sent.
    pub fn answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        let labels = RequestLabels { method: method.to_owned(), route: route.to_owned(), status };
        self.durations.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Counts a request to the legacy API.
    pub fn legacy(&self, method: &str, route: &str) {
        let labels = LegacyLabels { method: method.to_owned(), route: route.to_owned() };
        self.legacy.get_or_create(&labels).inc();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::encoding::text;

    #[test]
    fn a_route_is_measured_by_its_pattern() {
        let (metrics, mut registry) = (RequestMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        metrics.answered("GET", "/admin/clients", 200, Duration::from_millis(3));
        let mut text = String::new();
        text::encode(&mut text, &registry).unwrap();
        let row = "http_server_request_duration_seconds_count{method=\"GET\",route=\"/admin/clients\",status=\"200\"} 1";
        assert!(text.contains(row), "{text}");
    }
}
