//! Calls as they leave: measured by whom they go to, and in the trace of what caused them.

use gateway_trace_context::{TracedHistogram, observe};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use reqwest::{RequestBuilder, Response};
use std::fmt;
use std::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument, info_span};

/// Seconds: an authority behind a provider takes its time.
const BUCKETS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Who is called. A word, not an address: customers have many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// The e-invoicing provider.
    Provider,
    /// An invoice data service elsewhere.
    Invoicing,
    /// A webhook of a customer.
    Webhook,
    /// The VAT register of the Union.
    VatRegister,
    /// A tax authority, for its own list.
    Authority,
    /// Whoever publishes what a participant of the delivery network receives.
    Publisher,
}

impl Peer {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Invoicing => "invoicing",
            Self::Webhook => "webhook",
            Self::VatRegister => "vies",
            Self::Authority => "authority",
            Self::Publisher => "smp",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    peer: &'static str,
    http_request_method: String,
    /// The status, or `error` where there is no answer.
    http_response_status_code: String,
}

/// How long the calls of this process take. Cheap to clone.
#[derive(Clone)]
pub struct CallMetrics(Family<CallLabels, TracedHistogram, fn() -> TracedHistogram>);

impl Default for CallMetrics {
    fn default() -> Self {
        Self(Family::new_with_constructor(|| TracedHistogram::new(BUCKETS.into_iter())))
    }
}

impl fmt::Debug for CallMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallMetrics")
    }
}

impl CallMetrics {
    /// Name and help.
    pub const DURATIONS: (&str, &str) = (
        "http_client_request_duration_seconds",
        "How long calls take until their answer begins, by whom they go to",
    );

    /// Puts them where they are read.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(Self::DURATIONS.0, Self::DURATIONS.1, self.0.clone());
    }

    /// Calls to `peer`.
    pub fn calls(&self, peer: Peer) -> Calls {
        Calls { peer, metrics: self.clone() }
    }
}

/// Sends requests to one kind of peer. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Calls {
    peer: Peer,
    metrics: CallMetrics,
}

impl Calls {
    /// Measured nowhere.
    pub fn unmeasured(peer: Peer) -> Self {
        CallMetrics::default().calls(peer)
    }

    /// Sends a request, with the trace it belongs to. A request that cannot be built is measured as one without an answer.
    ///
    /// # Errors
    /// As [`RequestBuilder::send`].
    pub async fn send(&self, request: RequestBuilder) -> reqwest::Result<Response> {
        let (client, request) = request.build_split();
        let mut request = request?;
        let method = request.method().clone();
        let span = info_span!(
            "call",
            otel.kind = "client",
            peer = self.peer.as_str(),
            http.request.method = %method,
            http.response.status_code = Empty,
        );
        let began = Instant::now();
        if let Some(traceparent) = span.in_scope(gateway_trace_context::current)
            && let Ok(value) = traceparent.parse()
        {
            request.headers_mut().insert(gateway_trace_context::TRACEPARENT, value);
        }
        let answer = client.execute(request).instrument(span.clone()).await;
        let status = answer
            .as_ref()
            .map_or_else(|_| "error".to_owned(), |answer| answer.status().as_u16().to_string());
        span.record("http.response.status_code", &status);
        let labels = CallLabels {
            peer: self.peer.as_str(),
            http_request_method: method.to_string(),
            http_response_status_code: status,
        };
        observe(&self.metrics.0.get_or_create(&labels), began.elapsed());
        answer
    }
}
