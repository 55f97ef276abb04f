//! What waits: submissions with an alert, documents that nobody submits, submissions on their way, and work that no version here
//! knows.

use crate::Console;
use crate::errors::PageResult;
use crate::overview::AlertRow;
use crate::page::{Layout, Section, page};
use crate::pages::skip;
use crate::session::Viewer;
use crate::workspaces::names;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use gateway_domain::invoicing::DocumentFilter;
use gateway_domain_finance::Stage;
use gateway_domain_lists::Window;
use gateway_finance::{DocumentLists, SubmissionFilter, Submissions};
use gateway_http::Params;
use gateway_jobs::JobQueue;
use gateway_presentation::{ListAddress, PageLinks, format};
use gateway_watchdog::Watchdog;
use gateway_workspaces::Workspaces;

/// Rows of each kind, unless fewer are asked for.
const ROWS: i64 = 100;
/// Where submissions on their way are, and how many of each are shown.
const OPEN: [Stage; 6] =
    [Stage::Requested, Stage::Converting, Stage::Uploading, Stage::Starting, Stage::Waiting, Stage::Settling];
const OPEN_ROWS: i64 = 25;

pub(crate) fn routes() -> Router<Console> {
    Router::new().route("/console/jobs", get(show))
}

#[derive(Debug)]
struct UnsubmittedRow {
    id: String,
    number: String,
    since: String,
}

/// A submission on its way.
#[derive(Debug)]
struct OpenRow {
    id: String,
    number: String,
    stage: &'static str,
    next_step: String,
    due_in: String,
    retries: u32,
    last_error: String,
}

#[derive(Template)]
#[template(path = "jobs.html")]
struct JobsPage {
    layout: Layout,
    alerts: Vec<AlertRow>,
    /// Documents that the authority accepted with errors.
    with_errors: i64,
    more_alerts: bool,
    /// Other pages of what has an alert.
    pages: PageLinks,
    unsubmitted: Vec<UnsubmittedRow>,
    open: Vec<OpenRow>,
    unknown: Vec<(String, i64)>,
    workspaces: Vec<(String, String)>,
}

/// What waits for somebody, with what to do, and what is on its way.
async fn show(
    viewer: Viewer,
    State(submissions): State<Submissions>,
    State(watchdog): State<Watchdog>,
    State(jobs): State<JobQueue>,
    State(lists): State<DocumentLists>,
    State(workspaces): State<Workspaces>,
    params: Params,
) -> PageResult {
    params.only(&["skip", "first"])?;
    let skip = skip(&params)?;
    let within = |text: &str| text.parse().ok().filter(|first| (1..=ROWS).contains(first));
    let first = params.parse("first", "use a number from 1 to 100", within)?;
    let visible = viewer.workspaces();
    let window = Window { offset: skip, size: first.unwrap_or(ROWS) };
    let alerted = submissions.page(visible, SubmissionFilter { stage: None, alerted: true }, window).await?;
    let narrowed =
        format::query([("first", first.map(|first| first.to_string()).unwrap_or_default().as_str())]);
    let list = ListAddress { path: "/console/jobs", query: &narrowed };
    let mut on_their_way = Vec::new();
    for stage in OPEN {
        let filter = SubmissionFilter { stage: Some(stage), alerted: false };
        on_their_way.extend(submissions.list(visible, filter, OPEN_ROWS).await?.views);
    }
    let open = on_their_way.iter().filter(|view| view.submission.alert.is_none());
    let open = open.map(|view| OpenRow {
        id: view.submission.document.to_string(),
        number: view.submission.number().map_or(format::NONE, |number| &number.0).to_owned(),
        stage: view.submission.stage().as_str(),
        next_step: format::time_or_none(view.next_step_at),
        due_in: view.due_in().unwrap_or_else(|| format::NONE.to_owned()),
        retries: view.submission.retries(),
        last_error: view
            .submission
            .calls()
            .and_then(|calls| calls.last_error.as_ref())
            .map(|error| error.message.clone())
            .unwrap_or_default(),
    });
    let unsubmitted = watchdog.unsubmitted(visible, ROWS).await?;
    let unsubmitted = unsubmitted.iter().map(|found| UnsubmittedRow {
        id: found.document.to_string(),
        number: found.number.0.clone(),
        since: format::time(found.since),
    });
    let with_errors = DocumentFilter { accepted_with_errors: true, ..DocumentFilter::default() };
    let with_errors = lists.count(&viewer.acting(), &with_errors).await?;
    let known = names(&workspaces, &viewer).await?;
    page(&JobsPage {
        layout: Layout::new(&viewer, Section::Jobs, "Jobs and alerts"),
        alerts: alerted.views.iter().map(AlertRow::of).collect(),
        with_errors,
        more_alerts: alerted.more || skip > 0,
        pages: PageLinks::by_counting(list, (skip, window.size), alerted.more),
        unsubmitted: unsubmitted.collect(),
        open: open.collect(),
        unknown: jobs.unknown().await?,
        workspaces: known.into_iter().map(|(id, name)| (id.to_string(), name)).collect(),
    })
}
