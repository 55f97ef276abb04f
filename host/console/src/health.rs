//! Whether the gateway does its work: everything that a process follows, and how far it is.

use crate::Console;
use crate::errors::PageResult;
use crate::page::{Layout, Section, page};
use crate::session::Viewer;
use askama::Template;
use axum::extract::State;
use gateway_domain_finance::BreakerState;
use gateway_presentation::format;
use jiff::SignedDuration;

/// More events than this before a consumer, and it is behind.
const LAG_MAX: i64 = 1_000;
/// Deliveries that are due for longer, seconds, say that somebody does not send.
const DUE_MAX_S: i64 = 300;

/// Something that is well, or not.
#[derive(Debug)]
struct Check {
    name: String,
    is_well: bool,
    sentence: String,
}

impl Check {
    fn new(name: &str, is_well: bool, sentence: String) -> Self {
        Self { name: name.to_owned(), is_well, sentence }
    }
}

#[derive(Template)]
#[template(path = "health.html")]
struct HealthPage {
    layout: Layout,
    checks: Vec<Check>,
    is_well: bool,
}

/// The checks.
pub(crate) async fn show(viewer: Viewer, State(console): State<Console>) -> PageResult {
    let Console { consumers, submissions, plugins, webhooks, watchdog, jobs, rendering, .. } = console;
    // Whoever reads this has been looked up in the database.
    let mut checks = vec![Check::new("Database", true, "it answers".to_owned())];
    let (breaker, opened) = submissions.breaker_state();
    let pauses = format::count(opened, "pause", "pauses");
    let sentence = format!("{}; {pauses} of calls since the process started", format::provider(breaker));
    checks.push(Check::new("Provider", breaker == BreakerState::Closed, sentence));
    let events = consumers.stats().await?;
    for (name, lag) in &events.lags {
        let sentence = format!("{} before it", format::count(*lag, "event", "events"));
        checks.push(Check::new(&format!("Consumer {name}"), *lag <= LAG_MAX, sentence));
    }
    let sentence = format!(
        "events without a place in the feed yet: {}; unreadable ones: {}; failures of the bus: {}",
        events.not_relayed, events.unreadable, events.bus_failures
    );
    checks.push(Check::new("Events", events.unreadable == 0 && events.not_relayed <= LAG_MAX, sentence));
    let status = plugins.status();
    let sentence = status.problem.clone();
    let sentence = sentence
        .unwrap_or_else(|| format!("this process follows the registry up to change {}", status.generation));
    checks.push(Check::new("Plugins", status.problem.is_none(), sentence));
    let sent = webhooks.stats().await?;
    let due = format::span(SignedDuration::from_secs(sent.oldest_due_s));
    let sentence = format!("deliveries that wait: {}; the longest waits for {due}", sent.backlog);
    checks.push(Check::new("Webhooks", sent.oldest_due_s <= DUE_MAX_S, sentence));
    let watched = watchdog.watched().await?;
    let waiting: i64 = watched.alerts.iter().map(|(_, documents)| *documents).sum();
    let sentence = format!(
        "issuing documents that no submission moves: {waiting}; submissions repaired by this process: {}",
        watched.repaired
    );
    checks.push(Check::new("Watchdog", waiting == 0, sentence));
    let unknown: i64 = jobs.unknown().await?.iter().map(|(_, jobs)| *jobs).sum();
    let sentence = format!("jobs that wait for a version that knows their kind: {unknown}");
    checks.push(Check::new("Jobs", unknown == 0, sentence));
    checks.push(match rendering.renderer().await {
        Ok(Some(renderer)) => Check::new("Renderer", true, format!("{} is in force", renderer.name)),
        Ok(None) => {
            Check::new("Renderer", true, "none is installed: documents are pages to print".to_owned())
        }
        Err(error) => Check::new("Renderer", false, error.to_string()),
    });
    page(&HealthPage {
        layout: Layout::new(&viewer, Section::Health, "Health"),
        is_well: checks.iter().all(|check| check.is_well),
        checks,
    })
}
