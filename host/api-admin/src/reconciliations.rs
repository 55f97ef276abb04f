//! Comparisons of what was filed with what provider and tax authority hold.

use crate::errors::{ApiError, refuse};
use crate::{AdminApi, JsonResult, malformed_id, unprocessable};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::{ReconciliationId, WorkspaceId};
use gateway_http::json::Json;
use gateway_http::openapi::{BadRequest, BodyRefusals, NotFound, Unprocessable};
use gateway_http::time::Rfc3339;
use gateway_http::{Authenticated, Params, query};
use gateway_reconciliation::views::{ReconciledEntryBody, ReconciliationBody};
use gateway_reconciliation::{Reconciliations, StartError};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

/// Runs of one answer.
const RUNS_MAX: i64 = 100;
/// Entries of one answer.
const ENTRIES_MAX: i64 = 500;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new().routes(routes!(list, start)).routes(routes!(show))
}

/// Which runs are asked for.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
struct RunsQuery {
    /// Only those of this workspace.
    #[param(value_type = i64, required = false, example = 1)]
    workspace_id: Option<WorkspaceId>,
    /// How many.
    #[param(required = false, minimum = 1, maximum = 100, default = 100, example = 100)]
    limit: i64,
}

impl RunsQuery {
    fn read(params: &Params) -> Result<Self, ApiError> {
        params.only(&["workspace_id", "limit"])?;
        let workspace_id = params.parse("workspace_id", "use the number of a workspace", query::workspace)?;
        let within = |text: &str| text.parse().ok().filter(|limit| (1..=RUNS_MAX).contains(limit));
        let limit = params.parse("limit", "use a number from 1 to 100", within)?.unwrap_or(RUNS_MAX);
        Ok(Self { workspace_id, limit })
    }
}

/// Some runs.
#[derive(Debug, Serialize, ToSchema)]
struct ReconciliationList {
    /// The newest first.
    #[schema(max_items = 100)]
    reconciliations: Vec<ReconciliationBody>,
}

/// Reconciliations
///
/// Comparisons of what was filed with what provider and tax authority hold, the newest first.
#[utoipa::path(
    get,
    path = "/admin/reconciliations",
    operation_id = "listReconciliations",
    params(RunsQuery),
    responses(
        (status = 200, description = "The runs.", body = ReconciliationList),
        (status = 422, response = Unprocessable)
    )
)]
async fn list(
    State(reconciliations): State<Reconciliations>,
    caller: Authenticated,
    params: Params,
) -> JsonResult<ReconciliationList> {
    let RunsQuery { workspace_id, limit } = RunsQuery::read(&params)?;
    let runs = reconciliations.newest(&caller.0.workspaces, workspace_id, limit).await?;
    let mut bodies = Vec::with_capacity(runs.len());
    for run in &runs {
        bodies.push(reconciliations.body(run).await?);
    }
    Ok(axum::Json(ReconciliationList { reconciliations: bodies }))
}

/// What to compare.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ReconciliationForm {
    /// The workspace.
    #[schema(examples(1))]
    workspace_id: i64,
    /// Entries that the provider made from this instant on; usually `reconciliation.days` before the end.
    #[schema(value_type = String, format = DateTime, required = false, examples("2026-11-01T00:00:00Z"))]
    from: Option<Rfc3339>,
    /// Entries that the provider made before this instant; usually now.
    #[schema(value_type = String, format = DateTime, required = false, examples("2026-11-20T00:00:00Z"))]
    to: Option<Rfc3339>,
}

/// Begin a reconciliation
///
/// Compares what was filed with what the provider holds, and with the tax authority's own list where it is set how that is reached
/// and the plugin of the tax regime reads it. The run goes on in the background; a workspace that has one
/// which has not ended is answered with that. Where a document waits and the provider shows exactly what was sent as done,
/// its submission looks again; everything else is somebody's to settle. The authority's list settles nothing by itself.
#[utoipa::path(
    post,
    path = "/admin/reconciliations",
    operation_id = "startReconciliation",
    request_body = ReconciliationForm,
    responses((status = 202, description = "The run.", body = ReconciliationBody), BodyRefusals)
)]
async fn start(
    State(reconciliations): State<Reconciliations>,
    caller: Authenticated,
    Json(form): Json<ReconciliationForm>,
) -> Result<(StatusCode, axum::Json<ReconciliationBody>), ApiError> {
    let (workspace, acting) = (WorkspaceId(form.workspace_id), Acting::from(&caller.0));
    let instant = |at: Option<Rfc3339>| at.map(|at| at.0);
    let run = reconciliations.start(&acting, workspace, instant(form.from), instant(form.to)).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(reconciliations.body(&run).await?)))
}

/// A run, and what it found beside what matches.
#[derive(Debug, Serialize, ToSchema)]
struct ReconciliationReport {
    /// The run.
    reconciliation: ReconciliationBody,
    /// In the order of the entries' ids.
    #[schema(max_items = 500)]
    entries: Vec<ReconciledEntryBody>,
    /// Whether more follow: ask for those behind the last.
    #[schema(examples(false))]
    more: bool,
}

/// A reconciliation
///
/// With what it found beside what matches, and what settles it.
#[utoipa::path(
    get,
    path = "/admin/reconciliations/{id}",
    operation_id = "getReconciliation",
    params(
        ("id" = Uuid, Path, description = "The run.", example = "0197f4f2-0000-7000-8000-0000000000e5"),
        ("after" = inline(Option<Uuid>), Query, description = "Only entries behind this one.")
    ),
    responses(
        (status = 200, description = "The run.", body = ReconciliationReport),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable)
    )
)]
async fn show(
    State(reconciliations): State<Reconciliations>,
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
) -> JsonResult<ReconciliationReport> {
    params.only(&["after"])?;
    let after: Option<Uuid> = params.parse("after", "use the id of an entry", |text| text.parse().ok())?;
    let id: ReconciliationId =
        id.parse().map_err(|_| malformed_id("the id of a reconciliation is a UUID"))?;
    let run = reconciliations.find(&caller.0.workspaces, id).await?.ok_or_else(|| {
        refuse(StatusCode::NOT_FOUND, "id", ErrorCode::NotFound, "there is no such reconciliation")
    })?;
    let mut entries = reconciliations.entries(&run, after, ENTRIES_MAX.saturating_add(1)).await?;
    let size = usize::try_from(ENTRIES_MAX).unwrap_or_default();
    let more = entries.len() > size;
    entries.truncate(size);
    Ok(axum::Json(ReconciliationReport { reconciliation: reconciliations.body(&run).await?, entries, more }))
}

impl From<StartError> for ApiError {
    fn from(error: StartError) -> Self {
        let (field, code) = match &error {
            StartError::UnknownWorkspace(_) => ("workspace_id", ErrorCode::NotFound),
            StartError::NotConfigured(_) => ("workspace_id", ErrorCode::EInvoicingNotConfigured),
            StartError::Time => ("to", ErrorCode::OutOfRange),
            StartError::Store(_) => return Self::internal(error),
        };
        unprocessable(field, code, &error.to_string())
    }
}
