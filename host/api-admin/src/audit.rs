//! The audit trail, for operators of the whole gateway.

use crate::AdminApi;
use crate::errors::ApiError;
use crate::errors::refuse;
use axum::extract::State;
use axum::http::StatusCode;
use gateway_access::Audit;
use gateway_domain::ErrorCode;
use gateway_domain::access::{Actor, Workspaces};
use gateway_domain::ids::{ClientId, InvoiceId};
use gateway_domain_events::{AuditEntry, AuditFilter};
use gateway_http::Authenticated;
use gateway_http::openapi::Unprocessable;
use gateway_http::query::{PageInfo, Params, cursor, page_key};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new().routes(routes!(list))
}

/// Which entries are asked for.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
struct AuditQuery {
    /// How many; above 25 is taken as 25.
    #[param(required = false, minimum = 1, default = 25, example = 25)]
    first: usize,
    /// The `end_cursor` of the page before.
    #[param(value_type = String, required = false)]
    after: Option<String>,
    /// Only what this actor did: `operator:ana`, `gateway`, or the id of a client.
    #[param(value_type = String, required = false, example = "operator:ana")]
    actor: Option<String>,
    /// Only what was done to this subject, or to those that begin so: `client:`, `workspace:1`.
    #[param(value_type = String, required = false, example = "client:")]
    subject: Option<String>,
}

/// The audit trail
///
/// The newest entry first. Entries tell of every workspace, so only a client that sees all of them may read it.
#[utoipa::path(
    get,
    path = "/admin/audit",
    operation_id = "listAudit",
    params(AuditQuery),
    responses(
        (status = 200, description = "A page of it.", body = AuditPage),
        (status = 422, response = Unprocessable)
    )
)]
async fn list(
    State(audit): State<Audit>,
    caller: Authenticated,
    params: Params,
) -> Result<axum::Json<AuditPage>, ApiError> {
    if caller.0.workspaces != Workspaces::All {
        let message = "the audit trail is for clients that see every workspace";
        return Err(ApiError::base(StatusCode::FORBIDDEN, ErrorCode::PermissionMissing, message));
    }
    params.only(&["first", "after", "actor", "subject"])?;
    let AuditQuery { first, after, actor, subject } = AuditQuery {
        first: params.first()?,
        after: params.text("after"),
        actor: params.text("actor"),
        subject: params.text("subject"),
    };
    let filter = AuditFilter {
        actor: actor.as_deref().unwrap_or_default(),
        subject: subject.as_deref().unwrap_or_default(),
    };
    let before = after.as_deref().map(|text| {
        let foreign = || {
            refuse(
                StatusCode::UNPROCESSABLE_ENTITY,
                "after",
                ErrorCode::CursorInvalid,
                "is no cursor of this list",
            )
        };
        page_key(text).map(|(at, id)| (at, id.0)).ok_or_else(foreign)
    });
    let (entries, more) = audit.page(filter, before.transpose()?, first).await?;
    let end = entries.last().map(|entry| cursor((entry.at, InvoiceId(entry.id))));
    let nodes = entries.into_iter().map(EntryView::from).collect();
    Ok(axum::Json(AuditPage { nodes, page_info: PageInfo { has_next_page: more, end_cursor: end } }))
}

/// A page of the audit trail.
#[derive(Debug, Serialize, ToSchema)]
struct AuditPage {
    /// The newest first.
    #[schema(max_items = 25)]
    nodes: Vec<EntryView>,
    /// What follows.
    page_info: PageInfo,
}

/// Who changed what outside of documents.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditEntry)]
struct EntryView {
    /// Its id.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000f2"))]
    id: Uuid,
    /// When.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    at: Timestamp,
    /// An end user, a client, `operator` or `gateway`.
    #[schema(value_type = String, examples("operator:ana"))]
    actor: Actor,
    /// The client that asked; null for what was done in the house.
    #[schema(required, value_type = Option<Uuid>)]
    client: Option<ClientId>,
    /// What was done.
    #[schema(examples("client.create"))]
    action: String,
    /// To what.
    #[schema(examples("client:0197f4f2-0000-7000-8000-0000000000c1"))]
    subject: String,
    /// Details, by action.
    data: Value,
}

impl From<AuditEntry> for EntryView {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { id, at, actor, action, subject, data } = entry;
        Self { id, at, client: actor.client(), actor, action, subject, data }
    }
}
