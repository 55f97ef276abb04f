//! How jobs fare in this process.

use gateway_trace_context::{TracedHistogram, observe};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use std::fmt;
use std::time::Duration;

/// Seconds: a step between two commits takes milliseconds, one with a call seconds.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 10.0, 60.0];

/// What a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunOutcome {
    Done,
    Again,
    TooLong,
    Unreadable,
}

impl RunOutcome {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Again => "again",
            Self::TooLong => "too_long",
            Self::Unreadable => "unreadable",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RunLabels {
    kind: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: String,
}

/// How long runs of jobs take, and how often jobs are taken again. Cheap to clone.
#[derive(Clone)]
pub struct JobMetrics {
    runs: Family<RunLabels, TracedHistogram, fn() -> TracedHistogram>,
    retries: Family<KindLabels, Counter>,
}

impl Default for JobMetrics {
    fn default() -> Self {
        Self {
            runs: Family::new_with_constructor(|| TracedHistogram::new(BUCKETS.into_iter())),
            retries: Family::default(),
        }
    }
}

impl fmt::Debug for JobMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JobMetrics")
    }
}

impl JobMetrics {
    /// Puts them where they are read.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "job_run_duration_seconds",
            "How long runs of jobs take in this process, by kind and what they came to",
            self.runs.clone(),
        );
        registry.register(
            "job_retries",
            "Runs in this process of jobs that had run before",
            self.retries.clone(),
        );
    }

    pub(crate) fn ran(&self, kind: &str, attempts: i64, outcome: RunOutcome, took: Duration) {
        let labels = RunLabels { kind: kind.to_owned(), outcome: outcome.as_str() };
        observe(&self.runs.get_or_create(&labels), took);
        if attempts > 1 {
            self.retries.get_or_create(&KindLabels { kind: kind.to_owned() }).inc();
        }
    }
}
