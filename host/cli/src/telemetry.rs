//! Logs, to standard error, as text or JSON, so that standard output holds only what was asked for; and traces, to an
//! OpenTelemetry collector where one is configured.

mod line_budget;

use gateway_config::{Config, LogFormat, log_filter};
use line_budget::{LineBudget, SuppressedLines, WINDOW};
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{ExporterBuildError, Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use std::io::IsTerminal;
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{FilterExt, ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, reload};
use url::Url;

/// The name of the service in traces.
const SERVICE: &str = "einvoicing-gateway";
/// How long a collector may take.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);

/// Logs and traces of a process, as they were started.
#[derive(Debug, Default)]
pub struct Telemetry {
    /// What is logged.
    pub log: LogControl,
    traces: Option<SdkTracerProvider>,
}

/// Changes what is logged while the process runs. Cheap to clone.
#[derive(Clone, Default)]
pub struct LogControl(Option<FilterChange>);

/// Replaces the directives of the filter.
type FilterChange = std::sync::Arc<dyn Fn(EnvFilter) -> Result<(), reload::Error> + Send + Sync>;

impl std::fmt::Debug for LogControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LogControl")
    }
}

/// Why the filter stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// The directives say nothing that is understood.
    #[error("the log filter cannot be read: {0}")]
    Directives(#[from] ParseError),
    /// Logging ends.
    #[error("the log filter cannot be changed: {0}")]
    Ended(#[from] reload::Error),
}

impl LogControl {
    /// Logs by these directives from now on.
    ///
    /// # Errors
    /// They cannot be read: what is logged stays as it is.
    pub fn set(&self, directives: &str) -> Result<(), FilterError> {
        let filter = log_filter(directives)?;
        if let Some(change) = &self.0 {
            change(filter)?;
        }
        Ok(())
    }
}

impl Telemetry {
    /// Sends what traces are not sent yet; at the end of the process.
    pub fn finish(self) {
        if let Some(traces) = self.traces
            && let Err(error) = traces.shutdown()
        {
            tracing::warn!("The last traces did not reach the collector: {error}");
        }
    }
}

/// Starts logging with the configured filter, else with `usual`, and sends traces where one is configured; a second call
/// changes nothing. Outside of an async runtime where traces are sent.
pub fn start(config: &Config, usual: &str) -> Telemetry {
    let log = &config.log;
    let filter = log_filter(log.filter.as_deref().unwrap_or(usual)).unwrap_or_else(|_| EnvFilter::new(usual));
    let (filter, change) = reload::Layer::new(filter);
    let budget = LineBudget::default();
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match log.format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let endpoint = config.telemetry.otlp_endpoint.as_ref();
    let traces = endpoint.map(|endpoint| traces(endpoint, config.telemetry.sample_percent));
    let (traces, not_traced) = match traces.transpose() {
        Ok(traces) => (traces, None),
        Err(error) => (None, Some(error)),
    };
    // What others call is not the gateway's: no span of a library, and none of the exporter itself.
    let own = Targets::new().with_target("gateway", LevelFilter::INFO);
    let spans = traces.as_ref().map(|provider| {
        tracing_opentelemetry::layer()
            .with_tracer(provider.tracer(SERVICE))
            .with_location(false)
            .with_filter(own)
    });
    let subscriber =
        tracing_subscriber::registry().with(spans).with(lines.with_filter(filter.and(budget.clone())));
    if subscriber.try_init().is_err() {
        tracing::debug!("logging had started before");
        return Telemetry::default();
    }
    if let Some(error) = not_traced {
        tracing::error!("No traces are sent, telemetry.otlp_endpoint cannot be used: {error}");
    }
    // Ends with the process; without it nothing is said of what was left out.
    let _ = std::thread::Builder::new().name("log-budget".to_owned()).spawn(move || log_suppressed(&budget));
    let log = LogControl(Some(std::sync::Arc::new(move |filter| change.reload(filter))));
    Telemetry { log, traces }
}

/// Who takes the spans of traces.
fn traces(endpoint: &Url, sample_percent: u32) -> Result<SdkTracerProvider, ExporterBuildError> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{}/v1/traces", endpoint.as_str().trim_end_matches('/')))
        .with_timeout(EXPORT_TIMEOUT)
        .build()?;
    let own = Sampler::TraceIdRatioBased(f64::from(sample_percent.min(100)) / 100.0);
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_sampler(Sampler::ParentBased(Box::new(own)))
        .with_resource(Resource::builder().with_service_name(SERVICE).with_attribute(version).build())
        .build())
}

fn log_suppressed(budget: &LineBudget) {
    loop {
        std::thread::sleep(WINDOW);
        for SuppressedLines { place, lines } in budget.take_suppressed() {
            tracing::warn!("{lines} lines of {place} were left out, because it logs more than its share");
        }
    }
}
