//! How the recipient of a document is identified to the tax authority.

use super::acting;
use super::failure::Failure;
use crate::rpc::document_id;
use axum::Json;
use axum::extract::{Path, State};
use gateway_domain::fault::Fault;
use gateway_domain::regime::{Identity, IdentityMapping, IdentityRule};
use gateway_finance::Finance;
use gateway_http::{Authenticated, Params};
use serde::Serialize;

/// Who maps what to what.
#[derive(Debug, Serialize)]
pub(super) struct IdentityView {
    /// The plugin's regime key.
    plugin: String,
    plugin_version: String,
    /// SHA-256 of the component.
    plugin_digest: String,
    /// The row of the specification's table; null without a recipient.
    rule: Option<IdentityRule>,
    /// What the authority is told; null when the recipient cannot be identified.
    mapped_to: Option<Identity>,
    /// What the plugin finds wrong.
    faults: Vec<Fault>,
}

/// `GET /finance/rpc/documents/:uuid/identity`
pub(super) async fn show(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    params: Params,
) -> Result<Json<IdentityView>, Failure> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    params.only(&[])?;
    Ok(Json(shown(finance.identity(&acting, id).await?)))
}

pub(super) fn shown(mapping: IdentityMapping) -> IdentityView {
    let IdentityMapping { plugin, rule, mapped_to, faults } = mapping;
    IdentityView {
        plugin: plugin.key.to_string(),
        plugin_version: plugin.version,
        plugin_digest: plugin.digest,
        rule,
        mapped_to,
        faults,
    }
}
