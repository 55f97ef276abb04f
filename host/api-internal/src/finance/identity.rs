//! How the recipient of a document is identified to the tax authority.

use super::failure::{Failure, RefusedCommandResponse};
use crate::described::DocumentInPath;
use crate::rpc::document_id;
use axum::Json;
use axum::extract::{Path, State};
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::regime::{Identity, IdentityMapping, IdentityRule};
use gateway_finance::Finance;
use gateway_http::openapi::{BadGateway, BadRequest, Gone};
use gateway_http::{Authenticated, Params};
use serde::Serialize;
use utoipa::ToSchema;

/// How the recipient of a document is identified to the tax authority.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IdentityMapping)]
pub(super) struct IdentityView {
    /// Who maps it: the key of the tax regime.
    #[schema(examples("es-verifactu"))]
    plugin: String,
    #[schema(examples("0.4.0"))]
    plugin_version: String,
    /// SHA-256 of the component, hexadecimal.
    #[schema(examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))]
    plugin_digest: String,
    /// From what; null for a document without recipient, about which no plugin is asked.
    #[schema(required)]
    rule: Option<IdentityRule>,
    /// To what, in the terms of the tax system; null when there is nothing that the authority takes.
    #[schema(required)]
    mapped_to: Option<Identity>,
    /// Why it is mapped to nothing. Whether the document may go out all the same, a dry run of issue says.
    faults: Vec<Fault>,
}

/// How the tax authority knows the recipient
///
/// What the recipient is mapped from and to, by the plugin of the workspace's tax regime that is in force now, in any state of
/// the document. A workspace without e-invoicing, a regime without a plugin and a plugin that fails are refused with 422.
#[utoipa::path(
    get,
    path = "/finance/rpc/documents/{uuid}/identity",
    operation_id = "getIdentity",
    params(DocumentInPath),
    responses(
        (status = 200, description = "The mapping.", body = IdentityView),
        (status = 400, response = BadRequest),
        (status = 410, response = Gone),
        (status = 422, response = RefusedCommandResponse),
        (status = 502, response = BadGateway)
    )
)]
pub(super) async fn show(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    params: Params,
) -> Result<Json<IdentityView>, Failure> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    params.only(&[])?;
    Ok(Json(view(finance.identity(&acting, id).await?)))
}

pub(super) fn view(mapping: IdentityMapping) -> IdentityView {
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
