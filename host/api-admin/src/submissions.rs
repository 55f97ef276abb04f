//! Submissions that operators look after.

use crate::AdminApi;
use crate::errors::ApiError;
use crate::{JsonResult, unprocessable};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_finance::Stage;
use gateway_domain_finance::SubmissionBody;
use gateway_finance::{SubmissionFilter, Submissions};
use gateway_http::json::Json;
use gateway_http::openapi::BodyRefusals;
use gateway_http::openapi::Unprocessable;
use gateway_http::{Authenticated, Params};
use gateway_watchdog::{UnsubmittedBody, Watchdog};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Submissions of one answer unless fewer are asked for, and at most.
const SUBMISSIONS_MAX: i64 = 100;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new().routes(routes!(list_submissions)).routes(routes!(retry_submissions))
}

/// Which submissions are asked for.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
struct SubmissionsQuery {
    /// Only those in this state.
    #[param(schema_with = stages)]
    state: Option<Stage>,
    /// Only those that wait for somebody.
    #[param(required = false)]
    alerted: bool,
    /// How many.
    #[param(required = false, minimum = 1, maximum = 100, default = 100, example = 100)]
    limit: i64,
}

fn stages() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(Stage::ALL.iter().map(|stage| stage.as_str())))
}

impl SubmissionsQuery {
    fn read(params: &Params) -> Result<Self, ApiError> {
        params.only(&["state", "alerted", "limit"])?;
        let known: Vec<_> = Stage::ALL.iter().map(|stage| stage.as_str()).collect();
        let state = params.parse("state", &format!("use one of {}", known.join(", ")), Stage::parse)?;
        let within = |text: &str| text.parse().ok().filter(|limit| (1..=SUBMISSIONS_MAX).contains(limit));
        let limit = params.parse("limit", "use a number from 1 to 100", within)?.unwrap_or(SUBMISSIONS_MAX);
        let alerted = params.flag("alerted")?;
        Ok(Self { state, alerted, limit })
    }
}

/// Some submissions, and documents that nobody submits.
#[derive(Debug, Serialize, ToSchema)]
struct SubmissionList<'a> {
    /// Those that wait for somebody first, then the last changed.
    #[schema(max_items = 100)]
    submissions: Vec<SubmissionBody<'a>>,
    /// Whether there are more submissions.
    #[schema(examples(false))]
    more: bool,
    /// Documents that are issuing and that nobody submits, the oldest first; none when a state is asked for.
    #[schema(max_items = 100)]
    unsubmitted: Vec<UnsubmittedBody>,
}

/// Submissions
///
/// Those that wait for somebody first, then the last changed.
#[utoipa::path(
    get,
    path = "/admin/submissions",
    operation_id = "listSubmissions",
    params(SubmissionsQuery),
    responses(
        (status = 200, description = "The submissions.", body = SubmissionList<'static>),
        (status = 422, response = Unprocessable)
    )
)]
async fn list_submissions(
    State(submissions): State<Submissions>,
    State(watchdog): State<Watchdog>,
    caller: Authenticated,
    params: Params,
) -> Result<Response, ApiError> {
    let SubmissionsQuery { state, alerted, limit } = SubmissionsQuery::read(&params)?;
    let filter = SubmissionFilter { stage: state, alerted };
    let list = submissions.list(&caller.0.workspaces, filter, limit).await?;
    // They have no submission, so no state of one.
    let unsubmitted =
        if state.is_none() { watchdog.unsubmitted(&caller.0.workspaces, limit).await? } else { Vec::new() };
    let body = SubmissionList {
        submissions: list.views.iter().map(SubmissionBody::from).collect(),
        more: list.more,
        unsubmitted: unsubmitted.iter().map(UnsubmittedBody::from).collect(),
    };
    Ok(axum::Json(body).into_response())
}

/// Where to retry.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RetryForm {
    /// The workspace.
    #[schema(examples(1))]
    workspace_id: i64,
}

/// How much was retried.
#[derive(Debug, Serialize, ToSchema)]
struct RetryResult {
    /// Whose.
    #[schema(value_type = i64, examples(1))]
    workspace_id: WorkspaceId,
    /// Submissions.
    #[schema(examples(0))]
    retried: u64,
}

/// Retry everything in a workspace that waits for somebody
///
/// The operator's retry for many.
#[utoipa::path(
    post,
    path = "/admin/submissions/retry",
    operation_id = "retrySubmissions",
    request_body = RetryForm,
    responses((status = 200, description = "How many were retried.", body = RetryResult), BodyRefusals)
)]
async fn retry_submissions(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    State(submissions): State<Submissions>,
    caller: Authenticated,
    Json(form): Json<RetryForm>,
) -> JsonResult<RetryResult> {
    let workspace = WorkspaceId(form.workspace_id);
    let known = caller.0.workspaces.contain(workspace) && workspaces.find(workspace).await?.is_some();
    if !known {
        return Err(unprocessable(
            "workspace_id",
            ErrorCode::NotFound,
            "names no workspace that you may operate",
        ));
    }
    let retried = submissions.retry_workspace(&caller.0.actor(), workspace).await?;
    Ok(axum::Json(RetryResult { workspace_id: workspace, retried }))
}
