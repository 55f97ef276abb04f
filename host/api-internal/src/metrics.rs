//! What Prometheus reads. Durations are observed as they happen, figures about documents are counted when asked.

mod care;
mod plain;
mod plugins;
mod webhooks;

use care::CareMetrics;
use gateway_domain::StoreError;
use gateway_domain::invoicing::Status;
use gateway_domain::ports::Clock;
use gateway_domain::regime::PluginRef;
use gateway_domain_finance::AlertCode;
use gateway_events::{Consumers, EventStats};
use gateway_finance::{Finance, FinanceStats, Submissions};
use gateway_http::RequestMetrics;
use gateway_invoicing::Documents;
use gateway_jobs::JobQueue;
use gateway_registry::Plugins;
use gateway_watchdog::Watchdog;
use gateway_webhooks::Webhooks;
use gateway_workspaces::Workspaces;
use plugins::PluginMetrics;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use std::fmt::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use webhooks::WebhookMetrics;

/// Seconds; a plugin answers within fractions of a millisecond.
const PLUGIN_BUCKETS: [f64; 11] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0];

/// Name, help and type of the metrics that have no rows at first.
type Announcement = (&'static str, &'static str, &'static str);
const REQUESTS: Announcement = (RequestMetrics::DURATIONS.0, RequestMetrics::DURATIONS.1, "histogram");
const CALLS: Announcement =
    ("plugin_call_duration_seconds", "How long calls of tax-regime plugins take", "histogram");
const DOCUMENTS: Announcement = ("einvoicing_documents", "Documents by workspace and state", "gauge");
const UNKNOWN_JOBS: Announcement =
    ("einvoicing_jobs_unknown", "Jobs that wait for a version that knows their kind", "gauge");

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    plugin: String,
    function: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DocumentLabels {
    workspace: String,
    status: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AlertLabels {
    code: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ConsumerLabels {
    consumer: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobLabels {
    kind: String,
}

type CallDurations = Family<CallLabels, Histogram, fn() -> Histogram>;

/// How events fare, counted when asked.
#[derive(Debug, Clone, Default)]
struct EventMetrics {
    syncs_failed: Counter,
    unreadable: Counter,
    bus_failures: Counter,
    feed_failures: Counter,
    not_relayed: Gauge,
    lags: Family<ConsumerLabels, Gauge>,
}

impl EventMetrics {
    fn register(&self, registry: &mut Registry) {
        registry.register(
            "finance_copy_sync_failures",
            "Times the issue flow could not bring finance's copy of a document up to date",
            self.syncs_failed.clone(),
        );
        registry.register(
            "events_unreadable",
            "Events that a consumer passed over because it could not read them",
            self.unreadable.clone(),
        );
        registry.register(
            "event_bus_failures",
            "Times the message bus did not take events",
            self.bus_failures.clone(),
        );
        registry.register(
            "invoicing_feed_failures",
            "Times the event feed of a remote invoice data service could not be read",
            self.feed_failures.clone(),
        );
        registry.register(
            "events_not_relayed",
            "Committed events that have no place in the feed yet",
            self.not_relayed.clone(),
        );
        registry.register(
            "event_consumer_lag",
            "Events of the feed that a consumer has before it",
            self.lags.clone(),
        );
    }

    fn set(&self, stats: &EventStats, finance: FinanceStats) {
        self.syncs_failed.inner().store(finance.syncs_failed, Ordering::Relaxed);
        self.unreadable.inner().store(stats.unreadable, Ordering::Relaxed);
        self.bus_failures.inner().store(stats.bus_failures, Ordering::Relaxed);
        self.feed_failures.inner().store(finance.feed_failures, Ordering::Relaxed);
        self.not_relayed.set(stats.not_relayed);
        for (consumer, lag) in &stats.lags {
            self.lags.get_or_create(&ConsumerLabels { consumer }).set(*lag);
        }
    }
}

/// Who is asked for what is counted when somebody reads.
#[derive(Debug)]
pub(crate) struct Sources<'s> {
    pub(crate) clock: &'s dyn Clock,
    pub(crate) consumers: &'s Consumers,
    pub(crate) documents: &'s Documents,
    pub(crate) finance: &'s Finance,
    pub(crate) submissions: &'s Submissions,
    pub(crate) watchdog: &'s Watchdog,
    pub(crate) jobs: &'s JobQueue,
    pub(crate) plugins: &'s Plugins,
    pub(crate) webhooks: &'s Webhooks,
    pub(crate) workspaces: &'s Workspaces,
}

/// The metrics of this process. Cheap to clone.
#[derive(Clone)]
pub struct Metrics {
    calls: CallDurations,
    documents: Family<DocumentLabels, Gauge>,
    issuing_age: Gauge<f64, AtomicU64>,
    alerts: Family<AlertLabels, Gauge>,
    unknown_jobs: Family<JobLabels, Gauge>,
    care: CareMetrics,
    plugins: PluginMetrics,
    events: EventMetrics,
    webhooks: WebhookMetrics,
    registry: Arc<Registry>,
    /// Counting and writing are one step, so that two readers do not mix their figures.
    write_lock: Arc<Mutex<()>>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

impl Metrics {
    /// With those of the requests of both listeners.
    pub fn new(requests: &RequestMetrics) -> Self {
        let calls = CallDurations::new_with_constructor(|| Histogram::new(PLUGIN_BUCKETS));
        let (documents, alerts, unknown_jobs) = (Family::default(), Family::default(), Family::default());
        let issuing_age = Gauge::default();
        let mut registry = Registry::default();
        let build = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "What is running", build);
        requests.register(&mut registry);
        registry.register(CALLS.0, CALLS.1, calls.clone());
        registry.register(DOCUMENTS.0, DOCUMENTS.1, documents.clone());
        registry.register(
            "einvoicing_issuing_age_seconds",
            "Age of the document that waits longest for the tax authority",
            issuing_age.clone(),
        );
        registry.register(
            "einvoicing_alerts",
            "Submissions that wait for somebody, by alert",
            alerts.clone(),
        );
        registry.register(UNKNOWN_JOBS.0, UNKNOWN_JOBS.1, unknown_jobs.clone());
        let care = CareMetrics::default();
        care.register(&mut registry);
        let events = EventMetrics::default();
        events.register(&mut registry);
        let plugins = PluginMetrics::default();
        plugins.register(&mut registry);
        let webhooks = WebhookMetrics::default();
        webhooks.register(&mut registry);
        let write_lock = Arc::default();
        Self {
            calls,
            documents,
            issuing_age,
            alerts,
            unknown_jobs,
            care,
            plugins,
            events,
            webhooks,
            registry: Arc::new(registry),
            write_lock,
        }
    }

    /// Observes a call of a plugin: what was called, and what became of it.
    pub fn plugin_called(
        &self,
        plugin: &PluginRef,
        (function, outcome): (&'static str, &'static str),
        duration: Duration,
        memory_peak_bytes: usize,
    ) {
        let plugin = format!("{} {}", plugin.key, plugin.version);
        self.plugins.used(&plugin, memory_peak_bytes);
        let labels = CallLabels { plugin, function, outcome };
        self.calls.get_or_create(&labels).observe(duration.as_secs_f64());
    }

    /// Everything, in the text format that Prometheus read before OpenMetrics.
    pub(crate) async fn plain(&self, sources: &Sources<'_>) -> Result<String, StoreError> {
        Ok(plain::plain(&self.text(sources).await?))
    }

    /// Everything, in the text format of OpenMetrics.
    pub(crate) async fn text(&self, sources: &Sources<'_>) -> Result<String, StoreError> {
        let counts_by_status = sources.documents.counts_by_status().await?;
        let workspaces: Vec<_> =
            sources.workspaces.list().await?.into_iter().map(|workspace| workspace.id).collect();
        let alerts = sources.submissions.alerts().await?;
        let watched = sources.watchdog.watched().await?;
        let unknown_jobs = sources.jobs.unknown().await?;
        let events = sources.consumers.stats().await?;
        let webhooks = sources.webhooks.stats().await?;
        let listing = sources.plugins.list().await?;
        let _writing = self.write_lock.lock().await;
        self.events.set(&events, sources.finance.stats());
        self.webhooks.set(webhooks);
        self.plugins.set(&listing, &sources.plugins.status());
        self.care.set(watched, sources.submissions.breaker_state());
        self.documents.clear();
        let mut oldest = None;
        // A state without documents reads 0 instead of disappearing.
        for workspace in workspaces.into_iter().chain(counts_by_status.iter().map(|row| row.workspace)) {
            for status in Status::ALL.iter().map(|status| status.as_str()) {
                let labels = DocumentLabels { workspace: workspace.to_string(), status: status.to_owned() };
                drop(self.documents.get_or_create(&labels));
            }
        }
        for row in counts_by_status {
            oldest = oldest.into_iter().chain(row.issuing_since).min();
            let labels = DocumentLabels { workspace: row.workspace.to_string(), status: row.status };
            self.documents.get_or_create(&labels).set(row.documents);
        }
        let age = oldest.map_or(0.0, |since| sources.clock.now().duration_since(since).as_secs_f64());
        self.issuing_age.set(age.max(0.0));
        self.alerts.clear();
        for code in AlertCode::ALL {
            drop(self.alerts.get_or_create(&AlertLabels { code: code.as_str().to_owned() }));
        }
        for (code, count) in alerts {
            self.alerts.get_or_create(&AlertLabels { code }).set(count);
        }
        self.unknown_jobs.clear();
        for (kind, count) in unknown_jobs {
            self.unknown_jobs.get_or_create(&JobLabels { kind }).set(count);
        }
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = text::encode(&mut text, &self.registry);
        Ok(announced(text))
    }
}

/// The encoder leaves out a metric without rows; whoever sets up a dashboard wants to find its name.
fn announced(mut text: String) -> String {
    const END: &str = "# EOF\n";
    text.truncate(text.strip_suffix(END).map_or(text.len(), str::len));
    for (name, help, kind) in [REQUESTS, CALLS, DOCUMENTS, UNKNOWN_JOBS] {
        if !text.contains(&format!("# TYPE {name} ")) {
            // Writing into a string does not fail.
            let _ = writeln!(text, "# HELP {name} {help}.\n# TYPE {name} {kind}");
        }
    }
    text + END
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_announced_once_from_the_start() {
        let text = announced("# TYPE einvoicing_documents gauge\nx 1\n# EOF\n".to_owned());
        for (name, ..) in [REQUESTS, CALLS, DOCUMENTS, UNKNOWN_JOBS] {
            assert_eq!(text.matches(&format!("# TYPE {name} ")).count(), 1, "{text}");
        }
        assert!(text.ends_with("# EOF\n") && text.matches("# EOF").count() == 1);
    }
}
