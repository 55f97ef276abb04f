//! The registry of plugins for operators.
//!
//! What everybody is served by is changed only by a client that may operate every workspace; the version of one
//! workspace by whoever operates that one.

use crate::InternalApi;
use crate::errors::ApiError;
use crate::errors::refuse;
use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::RegimeKey;
use gateway_domain::{ErrorCode, FieldError};
use gateway_finance::Finance;
use gateway_http::Authenticated;
use gateway_http::Params;
use gateway_http::json::{OptionalJson, whole};
use gateway_registry::views::{ActivatedView, DisabledView, InstalledView, PluginList};
use gateway_registry::{COMPONENT_BYTES_MAX, Difference};
use gateway_registry::{Order, PluginError, PluginName, Plugins};
use gateway_storage::plugins::Component;
use serde::Deserialize;

/// Where a component is posted.
const INSTALL: &str = "/admin/plugins";
/// Carries the detached signature of a component.
const SIGNATURE: &str = "plugin-signature";

/// A plugin comes in one piece; everything else is small.
pub fn body_bytes_max(request: &Request) -> Option<u64> {
    let installs = request.method() == Method::POST && request.uri().path() == INSTALL;
    installs.then_some(COMPONENT_BYTES_MAX)
}

/// The routes of the registry. An id is `KEY@VERSION`, or the key alone where the version is not asked for.
pub(super) fn router() -> Router<InternalApi> {
    let most = usize::try_from(COMPONENT_BYTES_MAX).unwrap_or(usize::MAX);
    Router::new()
        .route(INSTALL, get(list).post(install).layer(DefaultBodyLimit::max(most)))
        .route("/admin/plugins/{id}/activate", post(activate))
        .route("/admin/plugins/{id}/disable", post(disable))
        .route("/admin/plugins/{id}/rollback", post(roll_back))
}

/// An answer, or why there is none.
type Shown<T> = Result<axum::Json<T>, ApiError>;

async fn list(State(plugins): State<Plugins>, caller: Authenticated) -> Shown<PluginList> {
    caller.require(Permission::Admin)?;
    let listing = plugins.list().await?;
    Ok(axum::Json(PluginList::new(&listing, &caller.0.workspaces)))
}

/// A component as it comes: the media type of WebAssembly, or none.
#[derive(Debug)]
struct Wasm(Component);

impl<S: Send + Sync> FromRequest<S> for Wasm {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (headers, body) = whole(request, state).await?;
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        let given = text(header::CONTENT_TYPE.as_str()).unwrap_or_default();
        if !matches!(given, "" | "application/wasm" | "application/octet-stream") {
            let message = "send the component itself, with Content-Type: application/wasm";
            return Err(refuse(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "base",
                ErrorCode::MediaTypeUnsupported,
                message,
            ));
        }
        let signature = text(SIGNATURE).map(str::to_owned);
        Ok(Self(Component { bytes: body.to_vec(), signature }))
    }
}

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
    let installed = plugins.install(&caller.0.actor(), "the upload", component).await?;
    let activated = if activate {
        let name = PluginName::from(&installed.plugin);
        let order = Order { name, workspace: None, force: false };
        Some(plugins.activate(&caller.0.actor(), &order, Some(&finance)).await?)
    } else {
        None
    };
    let shown = InstalledView::new(&installed, activated.as_ref());
    let status = if installed.known { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, axum::Json(shown)).into_response())
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ActivateForm {
    workspace_id: Option<WorkspaceId>,
    force: bool,
}

async fn activate(
    State(plugins): State<Plugins>,
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(id): Path<String>,
    OptionalJson(form): OptionalJson<ActivateForm>,
) -> Shown<ActivatedView> {
    let workspace = scope(&caller, form.workspace_id)?;
    let name = id.parse::<PluginName>();
    let name = name.map_err(|error| {
        refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, error.to_string())
    })?;
    let order = Order { name, workspace, force: form.force };
    let activated = plugins.activate(&caller.0.actor(), &order, Some(&finance)).await?;
    Ok(axum::Json(ActivatedView::from(&activated)))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ScopeForm {
    workspace_id: Option<WorkspaceId>,
}

async fn disable(
    State(plugins): State<Plugins>,
    caller: Authenticated,
    Path(id): Path<String>,
    OptionalJson(form): OptionalJson<ScopeForm>,
) -> Shown<DisabledView> {
    let workspace = scope(&caller, form.workspace_id)?;
    let key = key(&id)?;
    let served = plugins.disable(&caller.0.actor(), &key, workspace).await?;
    Ok(axum::Json(DisabledView::new(&key, workspace, &served)))
}

async fn roll_back(
    State(plugins): State<Plugins>,
    caller: Authenticated,
    Path(id): Path<String>,
    OptionalJson(form): OptionalJson<ScopeForm>,
) -> Shown<ActivatedView> {
    let workspace = scope(&caller, form.workspace_id)?;
    let activated = plugins.roll_back(&caller.0.actor(), &key(&id)?, workspace).await?;
    Ok(axum::Json(ActivatedView::from(&activated)))
}

fn key(id: &str) -> Result<RegimeKey, ApiError> {
    let key = id.split('@').next().unwrap_or_default();
    key.parse().map_err(|error: gateway_domain::regime::NotARegimeKey| {
        refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, error.to_string())
    })
}

/// For whom the caller changes what is in force.
fn scope(caller: &Authenticated, workspace: Option<WorkspaceId>) -> Result<Option<WorkspaceId>, ApiError> {
    caller.require(Permission::Admin)?;
    match workspace {
        None => require_all(caller, "changes what every workspace is served by")?,
        Some(id) if caller.0.workspaces.contain(id) => {}
        Some(id) => return Err(PluginError::UnknownWorkspace(id).into()),
    }
    Ok(workspace)
}

pub(super) fn require_all(caller: &Authenticated, does: &str) -> Result<(), ApiError> {
    caller.require(Permission::Admin)?;
    if caller.0.workspaces == Workspaces::All {
        return Ok(());
    }
    let message = format!("only a client that may see every workspace {does}");
    Err(ApiError::base(StatusCode::FORBIDDEN, ErrorCode::PermissionMissing, message))
}

impl From<PluginError> for ApiError {
    fn from(error: PluginError) -> Self {
        let refused = |status, field, code| refuse(status, field, code, error.to_string());
        match &error {
            PluginError::Refused(_) | PluginError::Shifty(_) => {
                refused(StatusCode::UNPROCESSABLE_ENTITY, "base", ErrorCode::PluginRefused)
            }
            PluginError::Immutable { .. } => {
                refused(StatusCode::CONFLICT, "version", ErrorCode::PluginConflict)
            }
            PluginError::Unknown(_) => refused(StatusCode::NOT_FOUND, "id", ErrorCode::NotFound),
            PluginError::NotActive(_) | PluginError::NothingBefore(_) | PluginError::Blocked(_) => {
                refused(StatusCode::CONFLICT, "id", ErrorCode::StateConflict)
            }
            PluginError::UnknownWorkspace(_) => {
                refused(StatusCode::UNPROCESSABLE_ENTITY, "workspace_id", ErrorCode::NotFound)
            }
            PluginError::Worse { canary, .. } => {
                let tried = canary.documents.iter().flat_map(|tried| {
                    let place = |difference: &Difference| {
                        let field = format!("{}{}", tried.number, difference.pointer);
                        FieldError::new(field, ErrorCode::PluginUnusable, "differs")
                    };
                    tried.differences.iter().map(place)
                });
                let first = FieldError::new("base", ErrorCode::PluginUnusable, error.to_string());
                Self::new(StatusCode::CONFLICT, std::iter::once(first).chain(tried).collect())
            }
            PluginError::Moved(_) => refused(StatusCode::CONFLICT, "base", ErrorCode::Stale),
            PluginError::Busy => refused(StatusCode::SERVICE_UNAVAILABLE, "base", ErrorCode::Unavailable),
            PluginError::Store(_) => match error {
                PluginError::Store(cause) => Self::internal(cause),
                other => Self::internal(other),
            },
        }
    }
}
