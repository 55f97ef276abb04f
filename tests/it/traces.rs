//! Traces: one leads from a command over its job, the plugin and the provider to the webhook of a customer.

use gateway_tests::{Collector, Engine, Options, ReceivedSpan, Receiver, World, on_both, until};
use serde_json::json;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn traced(collector: &Collector) -> Options {
    Options::sandbox()
        .variable("GATEWAY_TELEMETRY__OTLP_ENDPOINT", &collector.url())
        .variable("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "true")
        .variable("GATEWAY_LOG__FILTER", "info,gateway=debug")
        // As the SDK of OpenTelemetry reads it: how long spans wait to be sent, milliseconds.
        .variable("OTEL_BSP_SCHEDULE_DELAY", "50")
}

fn named<'s>(spans: &'s [ReceivedSpan], begins: &str) -> Option<&'s ReceivedSpan> {
    spans.iter().find(|span| span.name.starts_with(begins))
}

#[tokio::test]
async fn one_trace_leads_from_a_command_to_the_webhook_of_a_customer() {
    on_both(|engine| async move {
        let (collector, receiver) = (Collector::start().await, Receiver::start().await);
        let world = World::with(engine, traced(&collector)).await;
        let webhook = json!({"notification_url": receiver.url("/hook"), "workspace_id": world.workspace, "events": ["invoice.issued"]});
        world.gateway.public().with_token(world.api.token()).post("/v1/webhooks", &webhook).await.expect(201);
        let uuid = world.draft(&world.document()).await;
        let path = format!("/finance/rpc/documents/{uuid}/commands/issue");
        let headers = [("traceparent", TRACEPARENT), ("content-type", "application/json")];
        world.api.send("POST", &path, &headers, Some(b"{}".to_vec())).await.expect(200);
        world.until(&uuid, "issued").await;
        let arrived = receiver.until("/hook", 1).await;
        assert!(arrived[0].traceparent.starts_with(&format!("00-{TRACE}-")), "{:?}", arrived[0].traceparent);

        let parts = ["POST /finance/rpc/documents/{uuid}/commands/issue", "job submission", "plugin", "call", "webhook"];
        let spans = until("every part of the trace arrived", || async {
            let spans = collector.trace(TRACE);
            parts.iter().all(|part| named(&spans, part).is_some()).then_some(spans)
        })
        .await;
        let begin = named(&spans, "POST /finance").unwrap();
        assert_eq!(begin.parent, "00f067aa0ba902b7", "it goes on in the caller's trace");
        let peers: Vec<_> = spans.iter().filter_map(|span| span.attributes.get("peer")).collect();
        assert!(peers.iter().any(|peer| *peer == "provider") && peers.iter().any(|peer| *peer == "webhook"), "{peers:?}");
        for span in &spans {
            let is_part = span.parent == "00f067aa0ba902b7" || spans.iter().any(|other| other.id == span.parent);
            assert!(is_part || span.parent.is_empty(), "{span:?}");
            let text = format!("{span:?}");
            assert!(!text.contains(gateway_tests::PROVIDER_TOKEN), "no secret: {text}");
        }
        assert!(world.gateway.log().contains(TRACE), "the log names the trace");
        let open = [("accept", "application/openmetrics-text;version=1.0.0")];
        let metrics = world.gateway.internal().send("GET", "/metrics", &open, None).await.text;
        let exemplar = format!("# {{trace_id=\"{TRACE}\"}}");
        for name in ["http_server_request_duration_seconds", "http_client_request_duration_seconds", "job_run_duration_seconds"] {
            let bucket = format!("{name}_bucket{{");
            assert!(metrics.lines().any(|line| line.starts_with(&bucket) && line.contains(&exemplar)), "{name}: {metrics}");
        }
        let plain = world.gateway.internal().get("/metrics").await.text;
        assert!(!plain.contains("trace_id"), "the older format has no exemplars: {plain}");
        let events = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
        let kept = events["events"][0]["traceparent"].as_str().unwrap_or_default();
        assert!(kept.starts_with(&format!("00-{TRACE}-")), "{events}");
    })
    .await;
}

#[tokio::test]
async fn a_collector_that_is_away_changes_nothing() {
    let options = Options::sandbox()
        .variable("GATEWAY_TELEMETRY__OTLP_ENDPOINT", "http://127.0.0.1:1")
        .variable("OTEL_BSP_SCHEDULE_DELAY", "50");
    let mut world = World::with(Engine::Sqlite, options).await;
    let uuid = world.issue(&world.document()).await;
    world.until(&uuid, "issued").await;
    assert!(world.gateway.stop().await.is_some_and(|status| status.success()), "it ends as it should");
}
