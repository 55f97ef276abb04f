//! How requests fare, measured where they are answered.

use gateway_trace_context::{TracedHistogram, observe};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
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

/// What became of a GraphQL operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationOutcome {
    /// It was run without an error.
    Ok,
    /// It was run, and some of it failed or was refused.
    Errors,
    /// It was not run.
    Refused,
    /// No answer was there in time.
    TimedOut,
    /// The gateway failed.
    Failed,
}

impl OperationOutcome {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Errors => "errors",
            Self::Refused => "refused",
            Self::TimedOut => "timed_out",
            Self::Failed => "failed",
        }
    }
}

/// Clients name their operations: so many names have rows of their own.
const OPERATION_NAMES_MAX: usize = 64;
/// The row of an operation without a name.
const UNNAMED: &str = "(none)";
/// The row of all names beyond those that have one.
const OTHER_NAMES: &str = "(other)";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    graphql_operation_name: String,
    outcome: &'static str,
}

/// The measures of the requests of this process, by matched route. Cheap to clone.
#[derive(Clone)]
pub struct RequestMetrics {
    durations: Family<RequestLabels, TracedHistogram, fn() -> TracedHistogram>,
    legacy: Family<LegacyLabels, Counter>,
    operations: Family<OperationLabels, TracedHistogram, fn() -> TracedHistogram>,
    operation_names: Arc<Mutex<BTreeSet<String>>>,
}

impl fmt::Debug for RequestMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestMetrics")
    }
}

impl Default for RequestMetrics {
    fn default() -> Self {
        Self {
            durations: Family::new_with_constructor(|| TracedHistogram::new(BUCKETS.into_iter())),
            legacy: Family::default(),
            operations: Family::new_with_constructor(|| TracedHistogram::new(BUCKETS.into_iter())),
            operation_names: Arc::default(),
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
        registry.register(
            "graphql_server_operation_duration_seconds",
            "How long GraphQL operations take, by the name that the client gives them and what became of them",
            self.operations.clone(),
        );
    }

    /// Observes a GraphQL operation, by the name that the client gave it.
    pub fn operation(&self, name: Option<&str>, outcome: OperationOutcome, took: Duration) {
        let labels = OperationLabels {
            graphql_operation_name: self.operation_name(name.unwrap_or(UNNAMED)).to_owned(),
            outcome: outcome.as_str(),
        };
        observe(&self.operations.get_or_create(&labels), took);
    }

    /// The name, while there is room for one more.
    fn operation_name<'n>(&self, name: &'n str) -> &'n str {
        let mut names = self.operation_names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.contains(name) {
            return name;
        }
        if names.len() >= OPERATION_NAMES_MAX {
            return OTHER_NAMES;
        }
        names.insert(name.to_owned());
        name
    }

    /// Observes an answered request; `route` is the matched pattern, never the path as sent.
    pub fn answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        let labels = RequestLabels { method: method.to_owned(), route: route.to_owned(), status };
        observe(&self.durations.get_or_create(&labels), took);
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
    fn operations_beyond_a_bound_share_a_row() {
        let (metrics, mut registry) = (RequestMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        for name in 0..200 {
            metrics.operation(Some(&format!("Query{name}")), OperationOutcome::Ok, Duration::from_millis(1));
        }
        metrics.operation(Some("Query7"), OperationOutcome::Ok, Duration::from_millis(1));
        let mut text = String::new();
        text::encode(&mut text, &registry).unwrap();
        let rows =
            text.lines().filter(|line| line.starts_with("graphql_server_operation_duration_seconds_count"));
        assert_eq!(rows.count(), OPERATION_NAMES_MAX + 1);
        assert!(text.contains("_count{graphql_operation_name=\"Query7\",outcome=\"ok\"} 2"), "{text}");
        assert!(text.contains("_count{graphql_operation_name=\"(other)\",outcome=\"ok\"} 136"), "{text}");
    }

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
