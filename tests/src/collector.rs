//! An OpenTelemetry collector: takes spans over HTTP (OTLP, protobuf) and keeps them.

use crate::http_server::{Reply, Server};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use prost::Message;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// A span as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedSpan {
    /// The trace, 32 hexadecimal digits.
    pub trace: String,
    /// Its own id, 16 hexadecimal digits.
    pub id: String,
    /// The id of the span that it is a part of; empty at the beginning of a trace.
    pub parent: String,
    /// What it is called.
    pub name: String,
    /// Its attributes that are text.
    pub attributes: BTreeMap<String, String>,
}

/// The collector; it ends when dropped.
#[derive(Debug)]
pub struct Collector {
    server: Server,
    spans: Arc<Mutex<Vec<ReceivedSpan>>>,
}

impl Collector {
    /// On a free port of this machine.
    pub async fn start() -> Self {
        let spans = Arc::<Mutex<Vec<ReceivedSpan>>>::default();
        let kept = Arc::clone(&spans);
        let server = Server::start(move |request| {
            if request.path != "/v1/traces" {
                return Reply::Answer(404, Vec::new(), String::new());
            }
            let Ok(export) = ExportTraceServiceRequest::decode(request.bytes.as_slice()) else {
                return Reply::Answer(400, Vec::new(), String::new());
            };
            kept.lock().unwrap_or_else(PoisonError::into_inner).extend(spans_of(export));
            Reply::Answer(200, Vec::new(), String::new())
        });
        Self { server: server.await, spans }
    }

    /// What `telemetry.otlp_endpoint` is set to.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.addr)
    }

    /// The spans of a trace that arrived so far.
    pub fn trace(&self, trace: &str) -> Vec<ReceivedSpan> {
        let spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        spans.iter().filter(|span| span.trace == trace).cloned().collect()
    }
}

fn spans_of(export: ExportTraceServiceRequest) -> Vec<ReceivedSpan> {
    let scopes = export.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
    let received = |span: opentelemetry_proto::tonic::trace::v1::Span| ReceivedSpan {
        trace: hex(&span.trace_id),
        id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        name: span.name,
        attributes: span
            .attributes
            .into_iter()
            .filter_map(|attribute| match attribute.value?.value? {
                Value::StringValue(text) => Some((attribute.key, text)),
                _ => None,
            })
            .collect(),
    };
    scopes.flat_map(|scope| scope.spans).map(received).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
