//! How submissions fare: documents by state, what waits and for how long, and how the last day or month went.

use crate::Console;
use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::session::Viewer;
use askama::Template;
use axum::extract::State;
use gateway_domain::invoicing::Status;
use gateway_finance::SubmissionFilter;
use gateway_http::query::Params;
use gateway_presentation::{
    Advice,
    charts::{self, AxisLabel, Series, Span},
    format,
};
use gateway_read_models::Activity;
use gateway_registry::Plugins;
use gateway_watchdog::Watchdog;
use jiff::SignedDuration;

/// Alerts shown here; all of them are among the jobs.
const ALERTS_SHOWN: i64 = 10;
const UNSUBMITTED_COUNTED: i64 = 100;

#[derive(Debug)]
struct StateCount {
    status: &'static str,
    documents: i64,
}

/// A submission that waits for somebody.
#[derive(Debug)]
pub(crate) struct AlertRow {
    pub(crate) id: String,
    pub(crate) number: String,
    pub(crate) stage: &'static str,
    pub(crate) code: &'static str,
    pub(crate) advice: Option<Advice>,
    pub(crate) since: String,
    /// Whether a retry may help.
    pub(crate) is_open: bool,
}

impl AlertRow {
    pub(crate) fn of(view: &gateway_finance::SubmissionView) -> Self {
        let submission = &view.submission;
        let alert = submission.alert.as_ref();
        Self {
            id: submission.document.to_string(),
            number: submission.number().map_or(format::NONE, |number| &number.0).to_owned(),
            stage: submission.stage().as_str(),
            code: alert.map_or("", |alert| alert.code.as_str()),
            advice: alert.map(|alert| Advice::about(alert.code, submission.document, submission.workspace)),
            since: format::time(submission.updated_at),
            is_open: !submission.has_ended(),
        }
    }
}

/// A chart with its figures.
#[derive(Debug)]
struct Charts {
    accepted: String,
    rejected: String,
    most: i64,
    accepted_sum: i64,
    rejected_sum: i64,
    /// Of a hundred verdicts.
    rate: String,
    waiting: String,
    waiting_dots: String,
    waiting_mean: String,
    waiting_most: String,
    calls: String,
    calls_dots: String,
    calls_mean: String,
    calls_most: String,
    calls_sum: i64,
    calls_failed: i64,
}

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    layout: Layout,
    states: Vec<StateCount>,
    backlog: String,
    alerts: Vec<AlertRow>,
    more_alerts: bool,
    /// What else waits for somebody: a sentence, and the page that says more.
    others: Vec<(String, &'static str)>,
    provider: &'static str,
    charts: Charts,
    is_month: bool,
    from: String,
    /// The times below each chart.
    axis: Vec<AxisLabel>,
    width: i64,
    height: i64,
}

/// The first page.
pub(crate) async fn show(viewer: Viewer, State(console): State<Console>, params: Params) -> PageResult {
    let Console { documents, submissions, activity, watchdog, plugins, clock, .. } = console;
    params.only(&["range"])?;
    let now = clock.now();
    let is_month = params.text("range").as_deref() == Some("30d");
    let span = if is_month {
        Span::until(now, SignedDuration::from_hours(6), 120)
    } else {
        Span::until(now, SignedDuration::from_mins(15), 96)
    };
    let mut counts = documents.counts_by_status().await?;
    counts.retain(|count| viewer.workspaces().contain(count.workspace));
    let of_state = |status: &Status| {
        let matching = counts.iter().filter(|count| count.status == status.as_str());
        StateCount { status: status.as_str(), documents: matching.map(|count| count.documents).sum() }
    };
    let oldest = counts.iter().filter_map(|count| count.issuing_since).min();
    let filter = SubmissionFilter { stage: None, alerted: true };
    let alerts = submissions.list(viewer.workspaces(), filter, ALERTS_SHOWN).await?;
    page(&OverviewPage {
        layout: Layout::new(&viewer, Section::Overview, "Overview"),
        states: Status::ALL.iter().map(of_state).collect(),
        backlog: oldest
            .map_or_else(|| "nothing waits".to_owned(), |since| format::span(now.duration_since(since))),
        alerts: alerts.views.iter().map(AlertRow::of).collect(),
        more_alerts: alerts.more,
        others: others(&viewer, &watchdog, &plugins).await?,
        provider: format::provider(submissions.breaker_state().0),
        charts: charts_of(&activity, &viewer, &span).await?,
        is_month,
        from: format::time(span.from),
        axis: charts::axis(&span),
        width: charts::WIDTH,
        height: charts::HEIGHT,
    })
}

/// Documents that nobody submits, and versions of plugins that are blocked.
async fn others(
    viewer: &Viewer,
    watchdog: &Watchdog,
    plugins: &Plugins,
) -> Result<Vec<(String, &'static str)>, PageError> {
    let mut others = Vec::new();
    let unsubmitted = watchdog.unsubmitted(viewer.workspaces(), UNSUBMITTED_COUNTED).await?.len();
    if unsubmitted > 0 {
        let more = if i64::try_from(unsubmitted) == Ok(UNSUBMITTED_COUNTED) { " or more" } else { "" };
        let documents = format::count(unsubmitted, "issuing document", "issuing documents");
        let sentence = format!("{documents}{more} that nobody submits");
        others.push((sentence, "/console/jobs"));
    }
    let blocked = plugins.blocked_versions().await?;
    if blocked > 0 {
        let versions = format::count(blocked, "blocked version", "blocked versions");
        others.push((format!("{versions} of plugins"), "/console/plugins"));
    }
    Ok(others)
}

async fn charts_of(activity: &Activity, viewer: &Viewer, span: &Span) -> Result<Charts, PageError> {
    let empty = || Series::of(span);
    let (mut accepted, mut rejected, mut both, mut waited) = (empty(), empty(), empty(), empty());
    for count in activity.verdicts(viewer.workspaces(), span.from).await? {
        let Some(step) = span.at(count.bucket_start) else { continue };
        accepted.add(step, count.accepted);
        rejected.add(step, count.rejected);
        both.add(step, count.accepted.saturating_add(count.rejected));
        waited.add(step, count.waited_ms);
    }
    let (mut calls, mut failed, mut took) = (empty(), 0_i64, empty());
    for count in activity.provider_calls(span.from).await? {
        let Some(step) = span.at(count.bucket_start) else { continue };
        calls.add(step, count.calls);
        took.add(step, count.took_ms);
        failed = failed.saturating_add(count.failed);
    }
    let waiting = waited.over(&both);
    let call = took.over(&calls);
    let milliseconds = |ms: i64| format::span(SignedDuration::from_millis(ms));
    let mean =
        |sum: i64, count: i64| sum.checked_div(count).map_or_else(|| format::NONE.to_owned(), milliseconds);
    let rate = accepted.sum().saturating_mul(1_000).checked_div(both.sum());
    let rate = rate.map(|tenths| format!("{}.{} %", tenths / 10, tenths % 10));
    Ok(Charts {
        accepted: charts::bars(&accepted, None, both.most()),
        rejected: charts::bars(&rejected, Some(&accepted), both.most()),
        most: both.most(),
        accepted_sum: accepted.sum(),
        rejected_sum: rejected.sum(),
        rate: rate.unwrap_or_else(|| format::NONE.to_owned()),
        waiting: charts::line(&waiting, waiting.most()),
        waiting_dots: charts::dots(&waiting, waiting.most()),
        waiting_mean: mean(waited.sum(), both.sum()),
        waiting_most: milliseconds(waiting.most()),
        calls: charts::line(&call, call.most()),
        calls_dots: charts::dots(&call, call.most()),
        calls_mean: mean(took.sum(), calls.sum()),
        calls_most: milliseconds(call.most()),
        calls_sum: calls.sum(),
        calls_failed: failed,
    })
}
