//! What Prometheus reads. Durations are observed as they happen; what the database holds comes from the last [`sample`].

mod care;
mod documents;
mod events;
mod plain;
mod plugins;
mod process;
mod sample;
mod webhooks;

pub use plugins::PluginMetrics;
pub use sample::{MetricSources, Sampler};

use care::CareMetrics;
use documents::DocumentMetrics;
use events::EventMetrics;
use gateway_http::RequestMetrics;
use process::ProcessCollector;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use std::fmt::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::Mutex;
use webhooks::WebhookMetrics;

/// Name, help and type of the metrics that have no rows at first.
type Announcement = (&'static str, &'static str, &'static str);
const REQUESTS: Announcement = (RequestMetrics::DURATIONS.0, RequestMetrics::DURATIONS.1, "histogram");
const CALLS: Announcement = (plugins::CALLS.0, plugins::CALLS.1, "histogram");
const DOCUMENTS: Announcement = (documents::DOCUMENTS.0, documents::DOCUMENTS.1, "gauge");
const UNKNOWN_JOBS: Announcement = (documents::UNKNOWN_JOBS.0, documents::UNKNOWN_JOBS.1, "gauge");

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AlertLabels {
    code: String,
}

/// The metrics of this process. Cheap to clone.
#[derive(Clone)]
pub struct Metrics {
    sample_age: Gauge<f64, AtomicU64>,
    documents: DocumentMetrics,
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
    /// With those of plugins and, put beside them by `register`, of whatever else is measured where it happens.
    pub fn new(plugins: PluginMetrics, register: impl FnOnce(&mut Registry)) -> Self {
        let mut registry = Registry::default();
        let build = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "What is running", build);
        register(&mut registry);
        registry.register_collector(Box::new(ProcessCollector::new()));
        let sample_age = Gauge::default();
        registry.register(
            "einvoicing_sample_age_seconds",
            "Age of what these metrics tell of the database; it grows while the database does not answer",
            sample_age.clone(),
        );
        let documents = DocumentMetrics::default();
        documents.register(&mut registry);
        let care = CareMetrics::default();
        care.register(&mut registry);
        let events = EventMetrics::default();
        events.register(&mut registry);
        plugins.register(&mut registry);
        let webhooks = WebhookMetrics::default();
        webhooks.register(&mut registry);
        let write_lock = Arc::default();
        Self {
            sample_age,
            documents,
            care,
            plugins,
            events,
            webhooks,
            registry: Arc::new(registry),
            write_lock,
        }
    }

    /// Everything, in the text format that Prometheus read before OpenMetrics.
    pub(crate) async fn plain(&self, sampler: &Sampler) -> String {
        plain::plain(&self.text(sampler).await)
    }

    /// Everything, in the text format of OpenMetrics.
    pub(crate) async fn text(&self, sampler: &Sampler) -> String {
        let latest = sampler.latest().await;
        let sources = sampler.sources();
        let _writing = self.write_lock.lock().await;
        self.sample_age.set(latest.age.as_secs_f64());
        if let Some(sample) = latest.sample() {
            self.documents.set(sample, sources.clock.now());
            self.events.set(&sample.events, sources.finance.stats());
            self.webhooks.set(&sample.webhooks);
            self.plugins.set(&sample.plugins, &sources.plugins.status());
            self.care.set(&sample.watched);
            self.care.set_reconciled(&sample.reconciled);
            self.care.set_amendments(&sample.amendments);
            self.care.set_accepted_with_errors(sample.with_errors);
        }
        self.care.set_breaker(sources.submissions.breaker_state());
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = text::encode(&mut text, &self.registry);
        announced(text)
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
