//! The trace that work belongs to: one line of text ([W3C Trace Context], `traceparent`) that is kept with a job or an event, sent
//! with a call, and read from a request, so that whoever goes on later and elsewhere goes on in the same trace.
//!
//! Where traces go nowhere (`telemetry.otlp_endpoint` is not set) there is no trace, and nothing is kept or sent.
//!
//! Not here: where traces are sent (`gateway-cli`), what a request, a job or a call is named in them (their crates).
//!
//! To let another kind of work go on in the trace of its cause: a column `traceparent` in its row, written with [`current`],
//! and [`begin`] around the work.
//!
//! [W3C Trace Context]: https://www.w3.org/TR/trace-context/

#![deny(missing_docs)]

mod exemplar;

pub use exemplar::{TraceLabel, TracedHistogram, observe};

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use std::collections::HashMap;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The header and the member that it stands in.
pub const TRACEPARENT: &str = "traceparent";

/// The place in its trace of what runs now, as text of 55 characters; none where there is no trace.
pub fn current() -> Option<String> {
    let mut carrier = HashMap::new();
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut carrier);
    carrier.remove(TRACEPARENT)
}

/// Lets `span` go on in the trace of its cause, and gives it the field `trace_id`, which it has declared empty. A text that is no
/// `traceparent` begins a trace of its own.
pub fn begin(span: &Span, traceparent: Option<&str>) {
    if let Some(traceparent) = traceparent {
        let carrier = HashMap::from([(TRACEPARENT.to_owned(), traceparent.to_owned())]);
        // An error says that there is no trace to go on in: traces go nowhere.
        let _ = span.set_parent(TraceContextPropagator::new().extract(&carrier));
    }
    if let Some(id) = trace_id(span) {
        span.record("trace_id", id);
    }
}

/// The trace of a span, as 32 hexadecimal digits.
fn trace_id(span: &Span) -> Option<String> {
    let context = span.context();
    let span = context.span();
    let span = span.span_context();
    span.is_valid().then(|| span.trace_id().to_string())
}

/// The trace of what runs now, as 32 hexadecimal digits; none where there is no trace, or none that is sent.
pub fn sampled_trace_id() -> Option<String> {
    let context = Span::current().context();
    let span = context.span();
    let span = span.span_context();
    (span.is_valid() && span.is_sampled()).then(|| span.trace_id().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry::trace::TracerProvider;
    use opentelemetry_sdk::trace::SdkTracerProvider;
    use tracing::info_span;
    use tracing::subscriber::with_default;
    use tracing_subscriber::layer::SubscriberExt;

    const CAUSE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn work_goes_on_in_the_trace_of_its_cause() {
        let provider = SdkTracerProvider::builder().build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        with_default(tracing_subscriber::registry().with(layer), || {
            let span = info_span!("job", trace_id = tracing::field::Empty);
            begin(&span, Some(CAUSE));
            let traceparent = span.in_scope(current).unwrap();
            assert!(traceparent.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"), "{traceparent}");
            assert_ne!(traceparent, CAUSE, "a place of its own");
            assert_eq!(span.in_scope(sampled_trace_id).as_deref(), Some("4bf92f3577b34da6a3ce929d0e0e4736"));

            let other = info_span!("job", trace_id = tracing::field::Empty);
            begin(&other, Some("00-nonsense"));
            let traceparent = other.in_scope(current).unwrap();
            assert!(traceparent.len() == 55 && !traceparent.contains("4bf92f"), "{traceparent}");
        });
    }

    #[test]
    fn without_somebody_who_takes_traces_there_are_none() {
        with_default(tracing_subscriber::registry(), || {
            let span = info_span!("job", trace_id = tracing::field::Empty);
            begin(&span, Some(CAUSE));
            assert_eq!(span.in_scope(current), None);
            assert_eq!(span.in_scope(sampled_trace_id), None);
        });
    }
}
