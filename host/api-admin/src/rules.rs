//! Drafts that will be refused on a later day.

use crate::errors::{ApiError, refuse};
use crate::{AdminApi, JsonResult, unprocessable};
use axum::extract::State;
use axum::http::StatusCode;
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::WorkspaceId;
use gateway_finance::ReadError;
use gateway_http::Authenticated;
use gateway_http::openapi::Unprocessable;
use gateway_http::query::{PageInfo, Params, cursor, page_key};
use gateway_rules::{CheckedDraft, CheckedPage, RuleCheck, RuleCheckError, RuleChecks};
use jiff::civil::Date;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new().routes(routes!(check))
}

/// As of which day, and which drafts.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
struct CheckQuery {
    /// The day, in the time zone of each workspace; what comes in force in the course of it counts.
    #[param(value_type = String, format = Date, example = "2999-01-01")]
    at: Date,
    /// Only drafts of this workspace.
    #[param(value_type = i64, required = false, example = 1)]
    workspace_id: Option<WorkspaceId>,
    /// How many drafts are looked at; above 25 is taken as 25.
    #[param(required = false, minimum = 1, default = 25, example = 25)]
    first: usize,
    /// The `end_cursor` of the page before.
    #[param(value_type = String, required = false)]
    after: Option<String>,
}

impl CheckQuery {
    fn read(params: &Params) -> Result<Self, ApiError> {
        params.only(&["at", "workspace_id", "first", "after"])?;
        let message = "use a day such as 2027-01-01";
        // A time would be read as its day.
        let day = |text: &str| text.parse().ok().filter(|_| text.len() == "2027-01-01".len());
        let at = params.parse("at", message, day)?;
        let at = at.ok_or_else(|| unprocessable("at", ErrorCode::Required, message))?;
        let number = |text: &str| text.parse().ok().map(WorkspaceId);
        let workspace_id = params.parse("workspace_id", "use the number of a workspace", number)?;
        Ok(Self { at, workspace_id, first: params.first()?, after: params.text("after") })
    }
}

/// Some drafts, checked as of a later day.
#[derive(Debug, Serialize, ToSchema)]
struct CheckedDrafts {
    /// The day.
    #[schema(value_type = String, format = Date, examples("2999-01-01"))]
    at: Date,
    /// Drafts of this page that a tax authority would be sent.
    #[schema(examples(25))]
    checked: usize,
    /// Those that will be refused and are not today, and those that could not be checked, the oldest first.
    #[schema(max_items = 25)]
    nodes: Vec<CheckedDraft>,
    /// Where the next page begins.
    page_info: PageInfo,
}

/// Check drafts as of a later day
///
/// Each draft of the workspaces that send invoices to a tax authority goes through the `check` of its plugin twice: as issued today,
/// and as issued on the day, by the version that is in force by then. What stops it then and does not today is told. Nothing is
/// changed. A page may have no nodes and still be followed by others.
#[utoipa::path(
    get,
    path = "/admin/rules/check",
    operation_id = "checkRules",
    params(CheckQuery),
    responses(
        (status = 200, description = "A page of drafts.", body = CheckedDrafts),
        (status = 422, response = Unprocessable)
    )
)]
async fn check(
    State(rules): State<RuleChecks>,
    caller: Authenticated,
    params: Params,
) -> JsonResult<CheckedDrafts> {
    let CheckQuery { at, workspace_id, first, after } = CheckQuery::read(&params)?;
    let after = after.as_deref().map(|text| {
        let foreign = || unprocessable("after", ErrorCode::CursorInvalid, "is no cursor of this list");
        page_key(text).ok_or_else(foreign)
    });
    let acting = Acting { workspaces: caller.0.workspaces.clone(), actor: caller.0.actor(), request: None };
    let check = RuleCheck { at, workspace: workspace_id };
    let CheckedPage { checked, found, next } = rules.page(&acting, check, after.transpose()?, first).await?;
    let page_info = PageInfo { has_next_page: next.is_some(), end_cursor: next.map(cursor) };
    Ok(axum::Json(CheckedDrafts { at, checked, nodes: found, page_info }))
}

impl From<RuleCheckError> for ApiError {
    fn from(error: RuleCheckError) -> Self {
        let message = error.to_string();
        match error {
            RuleCheckError::PastDay(_) | RuleCheckError::DayOutOfRange(_) => {
                unprocessable("at", ErrorCode::OutOfRange, &message)
            }
            RuleCheckError::UnknownWorkspace(_) => {
                refuse(StatusCode::UNPROCESSABLE_ENTITY, "workspace_id", ErrorCode::NotFound, message)
            }
            RuleCheckError::Read(ReadError::Store(cause)) => Self::internal(cause),
            RuleCheckError::Read(ReadError::InvoiceData(cause)) => Self::internal(cause),
        }
    }
}
