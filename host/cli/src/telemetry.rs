//! Logs: to standard error, as text or JSON, so that standard output holds only what was asked for.

use crate::config::{Log, LogFormat, log_filter};
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Starts logging with the configured filter, else with `usual`; a second call changes nothing.
pub fn start(log: &Log, usual: &str) {
    let filter = log_filter(log.filter.as_deref().unwrap_or(usual)).unwrap_or_else(|_| EnvFilter::new(usual));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match log.format {
        LogFormat::Text => logs.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => logs.json().flatten_event(true).try_init(),
    };
    if started.is_err() {
        tracing::debug!("logging had started before");
    }
}
