//! What the process and its runtime take, read when somebody asks (names of OpenTelemetry's `process.*`).

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use std::fmt;
use std::time::Instant;
use tokio::runtime::Handle;

/// Reads them. Where the system does not tell (other than Linux) there are only uptime and runtime.
#[derive(Debug)]
pub(super) struct ProcessCollector {
    started: Instant,
}

impl ProcessCollector {
    pub(super) fn new() -> Self {
        Self { started: Instant::now() }
    }
}

/// What the system tells of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Usage {
    cpu_s: f64,
    resident_bytes: u64,
    threads: i64,
    files: u64,
}

#[cfg(target_os = "linux")]
fn usage() -> Option<Usage> {
    let process = procfs::process::Process::myself().ok()?;
    let stat = process.stat().ok()?;
    let ticks = stat.utime.saturating_add(stat.stime);
    Some(Usage {
        cpu_s: seconds(ticks) / seconds(procfs::ticks_per_second()),
        resident_bytes: stat.rss.saturating_mul(procfs::page_size()),
        threads: stat.num_threads,
        files: u64::try_from(process.fd_count().ok()?).unwrap_or(u64::MAX),
    })
}

#[cfg(not(target_os = "linux"))]
const fn usage() -> Option<Usage> {
    None
}

/// A count that no float is too small for: it would take millions of years.
#[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "a count of ticks, far below 2^52")]
#[cfg(target_os = "linux")]
const fn seconds(ticks: u64) -> f64 {
    ticks as f64
}

fn put(
    encoder: &mut DescriptorEncoder<'_>,
    (name, about): (&str, &str),
    metric: &impl EncodeMetric,
) -> Result<(), fmt::Error> {
    let encoder = encoder.encode_descriptor(name, about, None, metric.metric_type())?;
    metric.encode(encoder)
}

fn gauge(value: u64) -> ConstGauge<i64> {
    ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX))
}

impl Collector for ProcessCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let encoder = &mut encoder;
        let uptime = ConstGauge::new(self.started.elapsed().as_secs_f64());
        put(encoder, ("process_uptime_seconds", "How long the process has run"), &uptime)?;
        if let Some(usage) = usage() {
            let cpu = ConstCounter::new(usage.cpu_s);
            put(encoder, ("process_cpu_time_seconds", "Processor time that the process took"), &cpu)?;
            let resident = gauge(usage.resident_bytes);
            put(
                encoder,
                ("process_memory_usage_bytes", "Memory of the process that is resident"),
                &resident,
            )?;
            let threads = ConstGauge::new(usage.threads);
            put(encoder, ("process_thread_count", "Threads of the process"), &threads)?;
            let files = gauge(usage.files);
            let about = "Files and connections that the process has open";
            put(encoder, ("process_open_file_descriptor_count", about), &files)?;
        }
        let Ok(runtime) = Handle::try_current() else { return Ok(()) };
        let metrics = runtime.metrics();
        let count = |count: usize| gauge(u64::try_from(count).unwrap_or(u64::MAX));
        put(encoder, ("tokio_runtime_workers", "Threads of the runtime"), &count(metrics.num_workers()))?;
        let about = "Tasks of the runtime that have not ended";
        put(encoder, ("tokio_runtime_alive_tasks", about), &count(metrics.num_alive_tasks()))?;
        let about = "Tasks that wait for a thread of the runtime";
        put(encoder, ("tokio_runtime_global_queue_depth", about), &count(metrics.global_queue_depth()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_what_the_process_takes() {
        let usage = usage().unwrap();
        assert!(usage.resident_bytes > 1 << 20 && usage.threads >= 1 && usage.files >= 3, "{usage:?}");
    }
}
