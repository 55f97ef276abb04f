//! How the recipient of a document is identified to the tax authority.

use super::acting;
use super::failure::Failure;
use crate::rpc::document_id;
use axum::Json;
use axum::extract::{Path, State};
use gateway_domain::regime::IdentityMapping;
use gateway_finance::Finance;
use gateway_http::{Authenticated, Params};
use serde_json::{Value, json};

/// `GET /finance/rpc/documents/:uuid/identity`
pub(super) async fn show(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    params: Params,
) -> Result<Json<Value>, Failure> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    params.only(&[])?;
    Ok(Json(shown(&finance.identity(&acting, id).await?)))
}

/// Who maps what to what.
pub(super) fn shown(mapping: &IdentityMapping) -> Value {
    let plugin = &mapping.plugin;
    json!({
        "plugin": plugin.key,
        "plugin_version": plugin.version,
        "plugin_digest": plugin.digest,
        "rule": mapping.rule,
        "mapped_to": mapping.mapped_to,
        "faults": mapping.faults,
    })
}
