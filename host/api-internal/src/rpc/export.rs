//! The export: every issued document on a line of its own, sent page by page while it is read.

use super::document_stream::NDJSON;
use crate::errors::ApiError;
use crate::errors::refuse;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::stream;
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::invoicing::IssuePeriod;
use gateway_http::Authenticated;
use gateway_http::openapi::Unprocessable;
use gateway_http::query::{self, Params};
use gateway_invoicing::{Documents, Export, ListingError, json_lines};
use jiff::civil::Date;
use utoipa::IntoParams;

/// Which documents are asked for.
#[derive(Debug, Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportQuery {
    /// Only documents of this workspace.
    #[param(value_type = i64, required = false, example = 1)]
    workspace_id: Option<WorkspaceId>,
    /// First `issue_date`, inclusive.
    #[param(value_type = String, required = false, format = Date, example = "2026-11-01")]
    from: Option<Date>,
    /// Last `issue_date`, inclusive.
    #[param(value_type = String, required = false, format = Date, example = "2026-11-30")]
    to: Option<Date>,
}

impl ExportQuery {
    fn read(params: &Params) -> Result<Self, ApiError> {
        params.only(&["workspace_id", "from", "to"])?;
        let workspace_id = params.parse("workspace_id", "use the number of a workspace", query::workspace)?;
        let day = |name| params.parse(name, "use a date as YYYY-MM-DD", query::date);
        Ok(Self { workspace_id, from: day("from")?, to: day("to")? })
    }
}

/// Every issued document, one a line
///
/// The export scope excludes draft, issuing and rejected documents. A connection that breaks before the end breaks off the
/// answer, so a reader who got its end got everything.
#[utoipa::path(
    get,
    path = "/invoicing/rpc/documents/export",
    operation_id = "exportDocuments",
    params(ExportQuery),
    responses(
        (
            status = 200,
            description = "One document a line, as `GET` of a document returns it.",
            body = String,
            content_type = "application/x-ndjson"
        ),
        (status = 422, response = Unprocessable)
    )
)]
pub(super) async fn export(
    State(documents): State<Documents>,
    caller: Authenticated,
    params: Params,
) -> Result<Response, ApiError> {
    let acting = Acting::from(&caller.0);
    let ExportQuery { workspace_id: workspace, from, to } = ExportQuery::read(&params)?;
    let period = IssuePeriod { from, to };
    if period.is_backwards() {
        return Err(refuse(
            StatusCode::UNPROCESSABLE_ENTITY,
            "to",
            ErrorCode::EndBeforeStart,
            "is before 'from': swap the two",
        ));
    }
    let mut export = documents.export(&acting, workspace, period).await?;
    // Read before the answer begins, so that a database that is away is told by the status.
    let first = export.next_page().await?;
    let pages = stream::try_unfold(Some((first, export)), move |state| {
        let documents = documents.clone();
        async move {
            let Some((page, export)) = state.filter(|(page, _)| !page.is_empty()) else { return Ok(None) };
            let lines = json_lines(&documents, &page).await?;
            drop(page);
            following(export).await.map(|next| Some((lines, next)))
        }
    });
    let body = Body::from_stream(pages);
    Ok(([(header::CONTENT_TYPE, NDJSON)], body).into_response())
}

async fn following(mut export: Export) -> Result<Option<(Vec<Invoice>, Export)>, ListingError> {
    match export.next_page().await {
        Ok(page) => Ok(Some((page, export))),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "An export was broken off: {error}");
            Err(error.into())
        }
    }
}
