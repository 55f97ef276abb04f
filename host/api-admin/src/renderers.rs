//! Versions of renderers for operators. A renderer serves everybody, so only a client that may operate every workspace changes
//! anything.

use crate::components::{Wasm, body_limit};
use crate::errors::{ApiError, refuse};
use crate::plugins::require_all;
use crate::{AdminApi, JsonResult};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_http::openapi::{
    BadRequest, Conflict, NotFound, TooLarge, TooSlow, Unprocessable, UnsupportedMediaType,
};
use gateway_http::{Authenticated, Params};
use gateway_rendering::views::{ActivatedView, DisabledView, InstalledView, RendererList};
use gateway_rendering::{RendererError, RendererVersions};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

/// What a client needs for every change.
const CHANGES: &str = "changes what makes the documents of every workspace";

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new()
        .routes(routes!(list, install).layer(body_limit()))
        .routes(routes!(activate))
        .routes(routes!(disable))
        .routes(routes!(roll_back))
}

/// The versions of renderers
///
/// Every version in the database, and which one makes documents for people. Where none is active, the folder `render` serves.
#[utoipa::path(
    get,
    path = "/admin/renderers",
    operation_id = "listRenderers",
    responses((status = 200, description = "The versions.", body = RendererList))
)]
async fn list(State(renderers): State<RendererVersions>, _: Authenticated) -> JsonResult<RendererList> {
    let listed = renderers.list().await.map_err(ApiError::internal)?;
    Ok(axum::Json(RendererList::from(listed.as_slice())))
}

/// Install a renderer
///
/// The component itself, with its detached signature in the header `plugin-signature` where signatures are required. A
/// version never changes: another content under the same version is refused.
#[utoipa::path(
    post,
    path = "/admin/renderers",
    operation_id = "installRenderer",
    params(
        ("activate" = Option<bool>, Query, description = "Activate it, too.", example = true),
        ("plugin-signature" = Option<String>, Header, nullable = false, description = "The detached signature, as `gateway plugin sign` writes it.")
    ),
    request_body(content = inline(Wasm), content_type = "application/wasm"),
    responses(
        (status = 200, description = "It was installed before.", body = InstalledView),
        (status = 201, description = "It was installed.", body = InstalledView),
        (status = 408, response = TooSlow),
        (status = 409, response = Conflict),
        (status = 413, response = TooLarge),
        (status = 415, response = UnsupportedMediaType),
        (status = 422, response = Unprocessable)
    )
)]
async fn install(
    State(renderers): State<RendererVersions>,
    caller: Authenticated,
    params: Params,
    Wasm(component): Wasm,
) -> Result<Response, ApiError> {
    require_all(&caller, CHANGES)?;
    params.only(&["activate"])?;
    let (activate, actor) = (params.flag("activate")?, caller.0.actor());
    let installed = renderers.install(&actor, "in the upload", component).await?;
    let activated = if activate { Some(renderers.activate(&actor, &installed.digest).await?) } else { None };
    let view = InstalledView::new(&installed, activated.as_ref());
    let status = if installed.known { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, axum::Json(view)).into_response())
}

/// Put a renderer in force
///
/// It makes every file from now on, also of documents that were issued before. It is verified and loaded first.
#[utoipa::path(
    post,
    path = "/admin/renderers/{id}/activate",
    operation_id = "activateRenderer",
    params(("id" = String, Path, description = "`NAME@VERSION`, or the SHA-256 of the component.", example = "render-pdf@0.1.0")),
    responses(
        (status = 200, description = "It is in force.", body = ActivatedView),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable)
    )
)]
async fn activate(
    State(renderers): State<RendererVersions>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> JsonResult<ActivatedView> {
    require_all(&caller, CHANGES)?;
    let activated = renderers.activate(&caller.0.actor(), &id).await?;
    Ok(axum::Json(ActivatedView::from(&activated)))
}

/// Take the renderer out of force
///
/// The folder `render` serves again; where it is empty, no files are made.
#[utoipa::path(
    post,
    path = "/admin/renderers/disable",
    operation_id = "disableRenderer",
    responses(
        (status = 200, description = "It is out of force.", body = DisabledView),
        (status = 409, response = Conflict)
    )
)]
async fn disable(
    State(renderers): State<RendererVersions>,
    caller: Authenticated,
) -> JsonResult<DisabledView> {
    require_all(&caller, CHANGES)?;
    let disabled = renderers.disable(&caller.0.actor()).await?;
    Ok(axum::Json(DisabledView { disabled }))
}

/// Return to the renderer before
///
/// What was in force before the last change is in force again.
#[utoipa::path(
    post,
    path = "/admin/renderers/rollback",
    operation_id = "rollBackRenderer",
    responses(
        (status = 200, description = "The version in force.", body = ActivatedView),
        (status = 409, response = Conflict),
        (status = 422, response = Unprocessable)
    )
)]
async fn roll_back(
    State(renderers): State<RendererVersions>,
    caller: Authenticated,
) -> JsonResult<ActivatedView> {
    require_all(&caller, CHANGES)?;
    let activated = renderers.roll_back(&caller.0.actor()).await?;
    Ok(axum::Json(ActivatedView::from(&activated)))
}

impl From<RendererError> for ApiError {
    fn from(error: RendererError) -> Self {
        let message = error.to_string();
        let refused = |status, field, code| refuse(status, field, code, message.as_str());
        match error {
            RendererError::NotTrusted(_)
            | RendererError::NotLoaded(_)
            | RendererError::Mismatch(_)
            | RendererError::Unnamed => {
                refused(StatusCode::UNPROCESSABLE_ENTITY, "base", ErrorCode::PluginRefused)
            }
            RendererError::Immutable { .. } => {
                refused(StatusCode::CONFLICT, "version", ErrorCode::PluginConflict)
            }
            RendererError::Unknown(_) => refused(StatusCode::NOT_FOUND, "id", ErrorCode::NotFound),
            RendererError::NotActive | RendererError::NothingBefore => {
                refused(StatusCode::CONFLICT, "base", ErrorCode::StateConflict)
            }
            RendererError::ConcurrentChange => refused(StatusCode::CONFLICT, "base", ErrorCode::Stale),
            RendererError::Start(cause) => Self::internal(cause),
            RendererError::Store(cause) => Self::internal(cause),
        }
    }
}
