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
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ids::InvoiceId;
use gateway_http::Authenticated;
use gateway_http::query::{Params, cursor, place};
use serde_json::{Value, json};

pub(super) fn router() -> Router<InternalApi> {
    Router::new().route("/admin/audit", get(list))
}

/// The newest first. Entries tell of every workspace, so only a client that sees all of them may read it.
async fn list(
    State(audit): State<Audit>,
    caller: Authenticated,
    params: Params,
) -> Result<axum::Json<Value>, ApiError> {
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
    let nodes: Vec<Value> = entries.iter().map(shown).collect();
    Ok(axum::Json(json!({"nodes": nodes, "page_info": {"has_next_page": more, "end_cursor": end}})))
}

fn shown(entry: &AuditEntry) -> Value {
    let data: Value = serde_json::from_str(&entry.data).unwrap_or_default();
    json!({
        "id": entry.id,
        "at": entry.at,
        "actor": entry.actor,
        "client": entry.actor.client(),
        "action": entry.action,
        "subject": entry.subject,
        "data": data,
    })
}
