//! Whether provider and gateway hold the same: the runs, what each found, and a new one.

use crate::Console;
use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::rights::Right;
use crate::session::{SentForm, Viewer, see_other};
use crate::workspaces::names;
use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use gateway_domain::ids::{ReconciliationId, WorkspaceId};
use gateway_domain_reconciliation::Reconciliation;
use gateway_http::Params;
use gateway_http::download;
use gateway_presentation::{ListAddress, PageLinks, format};
use gateway_reconciliation::views::{self, ReconciledEntryBody, ReconciliationBody};
use gateway_reconciliation::{Reconciliations, StartError};
use gateway_workspaces::Workspaces;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Runs of the list.
const RUNS: i64 = 50;
/// Entries of a page.
const ROWS: i64 = 100;

pub(crate) fn routes() -> Router<Console> {
    Router::new()
        .route("/console/reconciliations", get(list).merge(post(start)))
        .route("/console/reconciliations/{id}", get(show))
        .route("/console/reconciliations/{id}/csv", get(file))
}

/// A run as it is shown.
#[derive(Debug)]
struct RunRow {
    id: String,
    workspace: String,
    from: String,
    to: String,
    started: String,
    body: ReconciliationBody,
}

impl RunRow {
    fn of(body: ReconciliationBody, known: &BTreeMap<WorkspaceId, String>) -> Self {
        Self {
            id: body.id.to_string(),
            workspace: known
                .get(&body.workspace_id)
                .cloned()
                .unwrap_or_else(|| body.workspace_id.to_string()),
            from: format::time(body.from),
            to: format::time(body.to),
            started: format::time(body.started_at),
            body,
        }
    }
}

#[derive(Template)]
#[template(path = "reconciliations.html")]
struct ListPage {
    layout: Layout,
    rows: Vec<RunRow>,
    workspaces: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "reconciliation.html")]
struct RunPage {
    layout: Layout,
    run: RunRow,
    entries: Vec<ReconciledEntryBody>,
    pages: PageLinks,
}

async fn list(
    viewer: Viewer,
    State(reconciliations): State<Reconciliations>,
    State(workspaces): State<Workspaces>,
    params: Params,
) -> PageResult {
    params.only(&[])?;
    let known = names(&workspaces, &viewer).await?;
    let mut rows = Vec::new();
    for run in reconciliations.newest(viewer.workspaces(), None, RUNS).await? {
        rows.push(RunRow::of(reconciliations.body(&run).await?, &known));
    }
    page(&ListPage {
        layout: Layout::new(&viewer, Section::Reconciliations, "Reconciliations"),
        rows,
        workspaces: known.into_iter().map(|(id, name)| (id.to_string(), name)).collect(),
    })
}

/// Begins a run, as far back as a nightly one looks.
async fn start(
    State(reconciliations): State<Reconciliations>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let workspace = fields.text("workspace_id").parse().map(WorkspaceId);
    let workspace = workspace.map_err(|_| PageError::not_found("there is no such workspace"))?;
    let run = reconciliations.start(&viewer.acting(), workspace, None, None).await?;
    Ok(see_other(&format!("/console/reconciliations/{}", run.id)))
}

async fn show(
    viewer: Viewer,
    State(reconciliations): State<Reconciliations>,
    State(workspaces): State<Workspaces>,
    Path(id): Path<String>,
    params: Params,
) -> PageResult {
    params.only(&["after"])?;
    let after: Option<Uuid> = params.parse("after", "use the end of a page", |text| text.parse().ok())?;
    let run = find(&reconciliations, &viewer, &id).await?;
    let mut entries = reconciliations.entries(&run, after, ROWS.saturating_add(1)).await?;
    let size = usize::try_from(ROWS).unwrap_or_default();
    let has_more = entries.len() > size;
    entries.truncate(size);
    let end = entries.last().filter(|_| has_more).map(|last| last.entry_id.to_string());
    let path = format!("/console/reconciliations/{id}");
    let list = ListAddress { path: &path, query: "" };
    let first = after.map(|_| list.with("", ""));
    let pages = PageLinks { first, ..PageLinks::by_places(list, None, end.as_deref()) };
    let known = names(&workspaces, &viewer).await?;
    page(&RunPage {
        layout: Layout::new(&viewer, Section::Reconciliations, "Reconciliation"),
        run: RunRow::of(reconciliations.body(&run).await?, &known),
        entries,
        pages,
    })
}

/// What a run found, as CSV.
async fn file(
    viewer: Viewer,
    State(reconciliations): State<Reconciliations>,
    Path(id): Path<String>,
) -> PageResult {
    let run = find(&reconciliations, &viewer, &id).await?;
    let text = views::csv(&reconciliations.all_entries(&run).await?)?;
    Ok(download::file("text/csv; charset=utf-8", &format!("reconciliation-{}.csv", run.id), text))
}

async fn find(
    reconciliations: &Reconciliations,
    viewer: &Viewer,
    id: &str,
) -> Result<Reconciliation, PageError> {
    let unknown = || PageError::not_found("there is no such reconciliation");
    let id: ReconciliationId = id.parse().map_err(|_| unknown())?;
    reconciliations.find(viewer.workspaces(), id).await?.ok_or_else(unknown)
}

impl From<StartError> for PageError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::UnknownWorkspace(_) => Self::not_found("there is no such workspace"),
            StartError::NotConfigured(_) | StartError::Time => {
                Self::refused(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
            }
            StartError::Store(cause) => Self::internal(cause),
        }
    }
}
