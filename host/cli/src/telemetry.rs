//! Logs: to standard error, as text or JSON, so that standard output holds only what was asked for.

mod line_budget;

use gateway_config::{Log, LogFormat, log_filter};
use line_budget::{LineBudget, SuppressedLines, WINDOW};
use std::io::IsTerminal;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

/// Starts logging with the configured filter, else with `usual`; a second call changes nothing.
pub fn start(log: &Log, usual: &str) {
    let filter = log_filter(log.filter.as_deref().unwrap_or(usual)).unwrap_or_else(|_| EnvFilter::new(usual));
    let budget = LineBudget::default();
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match log.format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let subscriber = tracing_subscriber::registry().with(filter).with(lines.with_filter(budget.clone()));
    if subscriber.try_init().is_err() {
        tracing::debug!("logging had started before");
        return;
    }
    // Ends with the process; without it nothing is said of what was left out.
    let _ = std::thread::Builder::new().name("log-budget".to_owned()).spawn(move || log_suppressed(&budget));
}

fn log_suppressed(budget: &LineBudget) {
    loop {
        std::thread::sleep(WINDOW);
        for SuppressedLines { place, lines } in budget.take_suppressed() {
            tracing::warn!("{lines} lines of {place} were left out, because it logs more than its share");
        }
    }
}
