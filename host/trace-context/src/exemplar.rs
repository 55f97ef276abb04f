//! Histograms whose buckets each name the trace of one of their observations, so that whoever looks at a slow bucket finds a slow
//! request ([OpenMetrics, exemplars]). The older text format has none.
//!
//! [OpenMetrics, exemplars]: https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md#exemplars

use crate::sampled_trace_id;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::exemplar::HistogramWithExemplars;
use std::time::Duration;

/// The label of an exemplar.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct TraceLabel {
    /// 32 hexadecimal digits.
    trace_id: String,
}

/// A histogram with the newest trace of each bucket.
pub type TracedHistogram = HistogramWithExemplars<TraceLabel>;

/// Observes what took so long and ends now, in the trace of what runs now.
pub fn observe(histogram: &TracedHistogram, took: Duration) {
    let label = sampled_trace_id().map(|trace_id| TraceLabel { trace_id });
    histogram.observe(took.as_secs_f64(), label, None);
}
