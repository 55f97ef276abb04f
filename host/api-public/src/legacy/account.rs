//! The account: the workspace of the request.

use super::{ApiError, LegacyCaller};
use crate::PublicState;
use axum::Json;
use axum::extract::State;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_platform::workspaces::WorkspaceStatus;
use gateway_http::Params;
use gateway_http::openapi::Unprocessable;
use gateway_platform::Spaces;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(account))
}

/// A workspace, as integrators see it.
#[derive(Debug, Serialize, ToSchema)]
struct Account {
    #[schema(value_type = i64, examples(1))]
    id: WorkspaceId,
    #[schema(examples("Casa Azul"))]
    name: String,
    #[schema(examples("casa-azul"))]
    slug: String,
    status: WorkspaceStatus,
    #[schema(required)]
    logo_url: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct AccountAnswer {
    account: Account,
}

/// The workspace of the request
///
/// That of the header `XX-SUBSCRIPTION-PORTAL-ID`.
#[utoipa::path(
    get,
    path = "/api/dev/account",
    operation_id = "getAccount",
    responses(
        (status = 200, description = "The account.", body = AccountAnswer),
        (status = 422, response = Unprocessable),
    )
)]
async fn account(
    State(spaces): State<Spaces>,
    caller: LegacyCaller,
    params: Params,
) -> Result<Json<AccountAnswer>, ApiError> {
    params.only(&[])?;
    let found = spaces.profiles_by_ids(&caller.acting, &[caller.workspace]).await?;
    let profile = found.get(&caller.workspace).ok_or_else(ApiError::fault)?;
    Ok(Json(AccountAnswer {
        account: Account {
            id: profile.id,
            name: profile.name.clone(),
            slug: profile.slug.clone(),
            status: profile.status,
            logo_url: profile.logo_url.clone(),
        },
    }))
}
