//! The registry of plugins for operators.
//!
//! What everybody is served by is changed only by a client that may operate every workspace; the version of one
//! workspace by whoever operates that one.

use crate::components::{Wasm, body_limit};
use crate::errors::ApiError;
use crate::errors::refuse;
use crate::{AdminApi, JsonResult};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::{CanaryShare, RegimeKey};
use gateway_domain::{ErrorCode, FieldError};
use gateway_finance::Finance;
use gateway_http::Authenticated;
use gateway_http::Params;
use gateway_http::json::{Json, OptionalJson};
use gateway_http::openapi::BodyRefusals;
use gateway_http::openapi::{Conflict, NotFound, TooLarge, TooSlow, Unprocessable, UnsupportedMediaType};
use gateway_registry::Difference;
use gateway_registry::views::{ActivatedView, DisabledView, InstalledView, PluginList, ScheduleView};
use gateway_registry::{DueTime, InvalidDueTime, Order, PluginError, PluginName, Plugins};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

/// The version of a plugin in a path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes a part of the path")]
struct VersionInPath {
    /// `KEY@VERSION`.
    #[param(pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?@.+$", example = "es-verifactu@0.1.0")]
    id: String,
}

/// The routes of the registry. An id is `KEY@VERSION`, or the key alone where the version is not asked for.
pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new()
        .routes(routes!(list, install).layer(body_limit()))
        .routes(routes!(activate))
        .routes(routes!(schedule))
        .routes(routes!(unschedule))
        .routes(routes!(disable))
        .routes(routes!(roll_back))
}

/// The registry of tax-regime plugins
///
/// Every version with what it says of itself, and the processes that follow the registry.
#[utoipa::path(
    get,
    path = "/admin/plugins",
    operation_id = "listPlugins",
    responses((status = 200, description = "The registry.", body = PluginList))
)]
async fn list(State(plugins): State<Plugins>, caller: Authenticated) -> JsonResult<PluginList> {
    let listing = plugins.list().await?;
    let list = PluginList::new(&listing, &caller.0.workspaces).map_err(ApiError::internal)?;
    Ok(axum::Json(list))
}

/// Install a plugin
///
/// The component itself, with its detached signature in the header `plugin-signature` where signatures are required. A
/// version never changes: another content under the same version is refused.
#[utoipa::path(
    post,
    path = "/admin/plugins",
    operation_id = "installPlugin",
    params(
        ("activate" = Option<bool>, Query, description = "Activate it for everybody, too.", example = true),
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
    State(plugins): State<Plugins>,
    State(finance): State<Finance>,
    caller: Authenticated,
    params: Params,
    Wasm(component): Wasm,
) -> Result<Response, ApiError> {
    require_all(&caller, "installs a plugin")?;
    params.only(&["activate"])?;
    let activate = params.flag("activate")?;
    let installed = plugins.install(&caller.0.actor(), "in the upload", component).await?;
    let activated = if activate {
        let name = PluginName::from(&installed.plugin);
        let order = Order { name, workspace: None, share: None, force: false };
        Some(plugins.activate(&caller.0.actor(), &order, Some(&finance)).await?)
    } else {
        None
    };
    let view = InstalledView::new(&installed, activated.as_ref());
    let status = if installed.known { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, axum::Json(view)).into_response())
}

/// For whom to put a version in force.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ActivateForm {
    /// For one workspace; omitted: for everybody, which only a client that may see every workspace does.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    workspace_id: Option<WorkspaceId>,
    /// For this percent of the documents only, as a canary beside the version in force; omitted: for every document, which ends
    /// the canary.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 99, examples(10))]
    share: Option<i64>,
    /// Also when it refuses invoices that the version before accepts. Never when it breaks on them.
    #[serde(default)]
    force: bool,
}

/// Put a version in force
///
/// The last invoices go through the old and the new version first; where the new one fails and the old one does not, it
/// is refused unless forced. With a share it serves that percent of the documents, whose ids decide which, and the version in
/// force goes on serving the others: a greater share adds documents.
#[utoipa::path(
    post,
    path = "/admin/plugins/{id}/activate",
    operation_id = "activatePlugin",
    params(VersionInPath),
    request_body(content = Option<ActivateForm>, description = "May be empty."),
    responses(
        (status = 200, description = "It is in force.", body = ActivatedView),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn activate(
    State(plugins): State<Plugins>,
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(id): Path<String>,
    OptionalJson(form): OptionalJson<ActivateForm>,
) -> JsonResult<ActivatedView> {
    let workspace = scope(&caller, form.workspace_id)?;
    let name = name(&id)?;
    let share = form.share.map(CanaryShare::try_from).transpose().map_err(|error| {
        refuse(StatusCode::UNPROCESSABLE_ENTITY, "share", ErrorCode::OutOfRange, error.to_string())
    })?;
    let order = Order { name, workspace, share, force: form.force };
    let activated = plugins.activate(&caller.0.actor(), &order, Some(&finance)).await?;
    Ok(axum::Json(ActivatedView::from(&activated)))
}

/// When and for whom to put a version in force.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ScheduleForm {
    /// A time as RFC 3339, or a day, which begins where the workspaces are that are configured for the tax system.
    #[schema(examples("2027-01-01"))]
    at: String,
    /// For one workspace; omitted: for everybody, which only a client that may see every workspace does.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    workspace_id: Option<WorkspaceId>,
    /// Also when it refuses invoices that the version before accepts. Never when it breaks on them.
    #[serde(default)]
    force: bool,
}

/// Put a version in force at a time
///
/// It has to prove itself now as in an activation. When it is due it comes in force by itself, if it is still trusted, not blocked
/// and true to its own samples; else the version before goes on, and a notice says why. Another version for the same and the same
/// time takes its place.
#[utoipa::path(
    post,
    path = "/admin/plugins/{id}/schedule",
    operation_id = "schedulePlugin",
    params(VersionInPath),
    request_body(content = ScheduleForm),
    responses(
        (status = 201, description = "It is scheduled.", body = ScheduleView),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn schedule(
    State(plugins): State<Plugins>,
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(id): Path<String>,
    Json(form): Json<ScheduleForm>,
) -> Result<Response, ApiError> {
    let workspace = scope(&caller, form.workspace_id)?;
    let name = name(&id)?;
    let at = form.at.parse::<DueTime>().map_err(|error: InvalidDueTime| {
        refuse(StatusCode::UNPROCESSABLE_ENTITY, "at", ErrorCode::InvalidFormat, error.to_string())
    })?;
    let order = Order { name, workspace, share: None, force: form.force };
    let scheduled = plugins.schedule(&caller.0.actor(), (&order, at), Some(&finance)).await?;
    Ok((StatusCode::CREATED, axum::Json(ScheduleView::from(&scheduled))).into_response())
}

/// Take back that a version comes in force at a time
///
/// Every time at which it was to come in force there.
#[utoipa::path(
    post,
    path = "/admin/plugins/{id}/unschedule",
    operation_id = "unschedulePlugin",
    params(VersionInPath),
    request_body(content = Option<ScopeForm>, description = "May be empty."),
    responses(
        (status = 204, description = "It does not come in force by itself any more."),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn unschedule(
    State(plugins): State<Plugins>,
    caller: Authenticated,
    Path(id): Path<String>,
    OptionalJson(form): OptionalJson<ScopeForm>,
) -> Result<StatusCode, ApiError> {
    let workspace = scope(&caller, form.workspace_id)?;
    plugins.unschedule(&caller.0.actor(), &name(&id)?, workspace).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// For whom to take a version out of force.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct ScopeForm {
    /// For one workspace; omitted: for everybody, which only a client that may see every workspace does.
    #[schema(value_type = Option<i64>)]
    workspace_id: Option<WorkspaceId>,
}

/// Take a plugin out of force
///
/// Submissions of its regime wait until another version is activated.
#[utoipa::path(
    post,
    path = "/admin/plugins/{id}/disable",
    operation_id = "disablePlugin",
    params(("id" = String, Path, description = "`KEY@VERSION`, or the key alone where the version is not asked for.", pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?(@.+)?$", example = "es-verifactu")),
    request_body(content = Option<ScopeForm>, description = "May be empty."),
    responses(
        (status = 200, description = "It is out of force.", body = DisabledView),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn disable(
    State(plugins): State<Plugins>,
    caller: Authenticated,
    Path(id): Path<String>,
    OptionalJson(form): OptionalJson<ScopeForm>,
) -> JsonResult<DisabledView> {
    let workspace = scope(&caller, form.workspace_id)?;
    let key = key(&id)?;
    let served = plugins.disable(&caller.0.actor(), &key, workspace).await?;
    Ok(axum::Json(DisabledView::new(&key, workspace, &served)))
}

/// Return to the version before
///
/// What served before the last change serves again; while there is a canary, that one ends, and the version in force serves every
/// document.
#[utoipa::path(
    post,
    path = "/admin/plugins/{id}/rollback",
    operation_id = "rollBackPlugin",
    params(("id" = String, Path, description = "`KEY@VERSION`, or the key alone where the version is not asked for.", pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?(@.+)?$", example = "es-verifactu")),
    request_body(content = Option<ScopeForm>, description = "May be empty."),
    responses(
        (status = 200, description = "The version in force.", body = ActivatedView),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn roll_back(
    State(plugins): State<Plugins>,
    caller: Authenticated,
    Path(id): Path<String>,
    OptionalJson(form): OptionalJson<ScopeForm>,
) -> JsonResult<ActivatedView> {
    let workspace = scope(&caller, form.workspace_id)?;
    let activated = plugins.roll_back(&caller.0.actor(), &key(&id)?, workspace.into()).await?;
    Ok(axum::Json(ActivatedView::from(&activated)))
}

fn name(id: &str) -> Result<PluginName, ApiError> {
    let name = id.parse::<PluginName>();
    name.map_err(|error| refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, error.to_string()))
}

fn key(id: &str) -> Result<RegimeKey, ApiError> {
    let key = id.split('@').next().unwrap_or_default();
    key.parse().map_err(|error: gateway_domain::regime::NotARegimeKey| {
        refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, error.to_string())
    })
}

/// For whom the caller changes what is in force.
fn scope(caller: &Authenticated, workspace: Option<WorkspaceId>) -> Result<Option<WorkspaceId>, ApiError> {
    match workspace {
        None => require_all(caller, "changes what every workspace is served by")?,
        Some(id) if caller.0.workspaces.contain(id) => {}
        Some(id) => return Err(PluginError::UnknownWorkspace(id).into()),
    }
    Ok(workspace)
}

pub(super) fn require_all(caller: &Authenticated, does: &str) -> Result<(), ApiError> {
    if caller.0.workspaces == Workspaces::All {
        return Ok(());
    }
    let message = format!("only a client that may see every workspace {does}");
    Err(ApiError::base(StatusCode::FORBIDDEN, ErrorCode::PermissionMissing, message))
}

impl From<PluginError> for ApiError {
    fn from(error: PluginError) -> Self {
        let message = error.to_string();
        let refused = |status, field, code| refuse(status, field, code, message.as_str());
        match error {
            PluginError::Unreadable(_)
            | PluginError::NotTrusted(_)
            | PluginError::NotLoaded(_)
            | PluginError::ComponentMismatch { .. }
            | PluginError::NotTried(_)
            | PluginError::UnstableDescription(_) => {
                refused(StatusCode::UNPROCESSABLE_ENTITY, "base", ErrorCode::PluginRefused)
            }
            PluginError::Immutable { .. } => {
                refused(StatusCode::CONFLICT, "version", ErrorCode::PluginConflict)
            }
            PluginError::Unknown { .. } => refused(StatusCode::NOT_FOUND, "id", ErrorCode::NotFound),
            PluginError::DueInThePast(_) | PluginError::DayOutOfRange(_) => {
                refused(StatusCode::UNPROCESSABLE_ENTITY, "at", ErrorCode::OutOfRange)
            }
            PluginError::AmbiguousDay(_) => {
                refused(StatusCode::UNPROCESSABLE_ENTITY, "at", ErrorCode::InvalidFormat)
            }
            PluginError::NotActive { .. }
            | PluginError::NotScheduled(_)
            | PluginError::ScheduledBlocked(_)
            | PluginError::NothingBefore(_)
            | PluginError::NothingBeside(_)
            | PluginError::InForce(_)
            | PluginError::Blocked(_) => refused(StatusCode::CONFLICT, "id", ErrorCode::StateConflict),
            PluginError::UnknownWorkspace(_) => {
                refused(StatusCode::UNPROCESSABLE_ENTITY, "workspace_id", ErrorCode::NotFound)
            }
            PluginError::CanaryFailed { canary, .. } => {
                let tried = canary.documents.iter().flat_map(|tried| {
                    let place = |difference: &Difference| {
                        let field = format!("{}{}", tried.number, difference.pointer);
                        FieldError::new(field, ErrorCode::PluginUnusable, "differs")
                    };
                    tried.differences.iter().map(place)
                });
                let first = FieldError::new("base", ErrorCode::PluginUnusable, message);
                Self::new(StatusCode::CONFLICT, std::iter::once(first).chain(tried).collect())
            }
            PluginError::ConcurrentChange(_) => refused(StatusCode::CONFLICT, "base", ErrorCode::Stale),
            PluginError::Busy | PluginError::Documents(_) => {
                refused(StatusCode::SERVICE_UNAVAILABLE, "base", ErrorCode::Unavailable)
            }
            PluginError::Store(cause) => Self::internal(cause),
        }
    }
}
