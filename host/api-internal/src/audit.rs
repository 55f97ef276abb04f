//! The audit trail, for operators of the whole gateway.

use crate::InternalApi;
use crate::errors::ApiError;
use crate::errors::refuse;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use gateway_access::Audit;
use gateway_access::AuditEntry;
use gateway_domain::ErrorCode;
use gateway_domain::access::{Actor, Permission, Workspaces};
use gateway_domain::ids::{ClientId, InvoiceId};
use gateway_http::Authenticated;
use gateway_http::query::{Params, cursor, place};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

pub(super) fn router() -> Router<InternalApi> {
    Router::new().route("/admin/audit", get(list))
}

/// The newest first. Entries tell of every workspace, so only a client that sees all of them may read it.
async fn list(
    State(audit): State<Audit>,
    caller: Authenticated,
    params: Params,
) -> Result<axum::Json<AuditPage>, ApiError> {
    caller.require(Permission::Admin)?;
    if caller.0.workspaces != Workspaces::All {
        let message = "the audit trail is for clients that see every workspace";
        return Err(ApiError::base(StatusCode::FORBIDDEN, ErrorCode::PermissionMissing, message));
    }
    params.only(&["first", "after"])?;
    let first = params.first()?;
    let after = params.text("after");
    let before = after.as_deref().map(|text| {
        let foreign = || {
            refuse(
                StatusCode::UNPROCESSABLE_ENTITY,
                "after",
                ErrorCode::CursorInvalid,
                "is no cursor of this list",
            )
        };
        place(text).map(|(at, id)| (at, id.0)).ok_or_else(foreign)
    });
    let (entries, more) = audit.page(before.transpose()?, first).await?;
    let end = entries.last().map(|entry| cursor((entry.at, InvoiceId(entry.id))));
    let nodes = entries.into_iter().map(EntryView::from).collect();
    Ok(axum::Json(AuditPage { nodes, page_info: PageInfo { has_next_page: more, end_cursor: end } }))
}

/// A page of the audit trail.
#[derive(Debug, Serialize)]
struct AuditPage {
    /// The newest first.
    nodes: Vec<EntryView>,
    /// What follows.
    page_info: PageInfo,
}

/// Where a page ends.
#[derive(Debug, Serialize)]
struct PageInfo {
    /// Whether there are more behind it.
    has_next_page: bool,
    /// Give it as `after` for the next page; null on an empty page.
    end_cursor: Option<String>,
}

/// Who changed what outside of documents.
#[derive(Debug, Serialize)]
struct EntryView {
    /// Its id.
    id: Uuid,
    /// When.
    at: Timestamp,
    /// An end user, a client, `operator` or `gateway`.
    actor: Actor,
    /// The client that asked; null for what was done in the house.
    client: Option<ClientId>,
    /// What was done.
    action: String,
    /// To what.
    subject: String,
    /// Details, by action.
    data: Value,
}

impl From<AuditEntry> for EntryView {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { id, at, actor, action, subject, data } = entry;
        let data = serde_json::from_str(&data).unwrap_or_default();
        Self { id, at, client: actor.client(), actor, action, subject, data }
    }
}
