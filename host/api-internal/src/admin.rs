//! The operators' surface: JSON twins of the command line.
//!
//! A client that may operate only some workspaces sees and changes only those, and grants no others.

use crate::InternalApi;
use crate::errors::ApiError;
use crate::errors::refuse;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use gateway_access::views::{ClientList, ClientView, ClientWithUsesView, CredentialsView};
use gateway_access::{Clients, ClientsError, LegacyUses, NewClient};
use gateway_domain::ErrorCode;
use gateway_domain::access::{Client, Permission, Workspaces};
use gateway_domain::finance::Stage;
use gateway_domain::ids::{ClientId, WorkspaceId};
use gateway_domain::invoicing::Address;
use gateway_domain::ports::Regimes;
use gateway_domain::regime::RegimeKey;
use gateway_domain::workspace::{EInvoicing, RejectionStrategy};
use gateway_finance::watchdog;
use gateway_finance::{Finance, SubmissionFilter, SubmissionView};
use gateway_http::Authenticated;
use gateway_http::Params;
use gateway_http::json::Json;
use gateway_workspaces::settings;
use gateway_workspaces::views::{EInvoicingAnswer, WorkspaceList, WorkspaceView};
use gateway_workspaces::{EInvoicingForm, NewWorkspace, WorkspaceChange, WorkspaceError};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use uuid::Uuid;

/// Submissions of one answer unless fewer are asked for, and at most.
const SUBMISSIONS_MAX: i64 = 100;

/// The routes of operators.
pub(super) fn router() -> Router<InternalApi> {
    Router::new()
        .route("/admin/clients", get(list_clients).post(create_client))
        .route("/admin/clients/{id}", get(show_client))
        .route("/admin/clients/{id}/disable", post(disable_client))
        .route("/admin/clients/{id}/rotate-secret", post(rotate_secret))
        .route("/admin/workspaces", get(list_workspaces).post(create_workspace))
        .route("/admin/workspaces/{id}", patch(set_workspace))
        .route(
            "/admin/workspaces/{id}/e-invoicing",
            get(show_e_invoicing).put(set_e_invoicing).delete(clear_e_invoicing),
        )
        .route("/admin/submissions", get(list_submissions))
        .route("/admin/submissions/retry", post(retry_submissions))
}

/// An answer, or why there is none.
type Shown<T> = Result<axum::Json<T>, ApiError>;

async fn list_clients(State(clients): State<Clients>, caller: Authenticated) -> Shown<ClientList> {
    caller.require(Permission::Admin)?;
    let all = clients.list().await.map_err(ApiError::internal)?;
    let seen = all.iter().filter(|client| covers(&caller, &client.workspaces)).map(ClientView::from);
    Ok(axum::Json(ClientList { clients: seen.collect() }))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClientForm {
    name: String,
    #[serde(default)]
    permissions: Vec<Permission>,
    #[serde(default)]
    workspaces: Value,
}

async fn create_client(
    State(clients): State<Clients>,
    caller: Authenticated,
    Json(form): Json<ClientForm>,
) -> Result<Response, ApiError> {
    caller.require(Permission::Admin)?;
    let workspaces = scope(&form.workspaces)?;
    if !covers(&caller, &workspaces) {
        return Err(unprocessable(
            "workspaces",
            ErrorCode::PermissionMissing,
            "grant only workspaces that you may see",
        ));
    }
    let new = NewClient { name: form.name, permissions: form.permissions, workspaces };
    let created = clients.create(new, &caller.0.actor()).await?;
    Ok((StatusCode::CREATED, axum::Json(CredentialsView::from(&created))).into_response())
}

/// `"*"`, or a list of ids that may hold `"*"`.
fn scope(given: &Value) -> Result<Workspaces, ApiError> {
    let items = match given {
        Value::Null => return Ok(Workspaces::Only(Vec::new())),
        Value::Array(items) => items.as_slice(),
        single => std::slice::from_ref(single),
    };
    if items.iter().any(|item| item == "*") {
        return Ok(Workspaces::All);
    }
    let ids = items.iter().map(|item| item.as_i64().filter(|id| *id > 0).map(WorkspaceId));
    ids.collect::<Option<_>>().map(Workspaces::Only).ok_or_else(|| {
        unprocessable("workspaces", ErrorCode::InvalidFormat, "use a list of workspace ids, or \"*\"")
    })
}

/// A client, with what it used of the legacy API.
async fn show_client(
    State(clients): State<Clients>,
    State(legacy_uses): State<LegacyUses>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> Shown<ClientWithUsesView> {
    caller.require(Permission::Admin)?;
    let client = visible_client(&clients, &caller, &id).await?;
    let uses = legacy_uses.of_client(client.id).await?;
    Ok(axum::Json(ClientWithUsesView::new(&client, &uses)))
}

async fn disable_client(
    State(clients): State<Clients>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> Shown<ClientView> {
    caller.require(Permission::Admin)?;
    let client = visible_client(&clients, &caller, &id).await?;
    clients.disable(client.id, &caller.0.actor()).await?;
    Ok(axum::Json(ClientView::from(&Client { disabled: true, ..client })))
}

async fn rotate_secret(
    State(clients): State<Clients>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> Shown<CredentialsView> {
    caller.require(Permission::Admin)?;
    let client = visible_client(&clients, &caller, &id).await?;
    let credentials = clients.rotate_secret(client.id, &caller.0.actor()).await?;
    Ok(axum::Json(CredentialsView::from(&credentials)))
}

async fn visible_client(clients: &Clients, caller: &Authenticated, id: &str) -> Result<Client, ApiError> {
    let id: ClientId = id.parse().map_err(|_| malformed_id("a client id is a UUID"))?;
    let all = clients.list().await.map_err(ApiError::internal)?;
    all.into_iter()
        .find(|client| client.id == id && covers(caller, &client.workspaces))
        .ok_or_else(|| ApiError::from(ClientsError::Unknown(id)))
}

/// Whether the caller may operate everything in `workspaces`.
fn covers(caller: &Authenticated, workspaces: &Workspaces) -> bool {
    match (&caller.0.workspaces, workspaces) {
        (Workspaces::All, _) => true,
        (Workspaces::Only(_), Workspaces::All) => false,
        (own, Workspaces::Only(list)) => list.iter().all(|workspace| own.contain(*workspace)),
    }
}

async fn list_workspaces(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
) -> Shown<WorkspaceList> {
    caller.require(Permission::Admin)?;
    let all = workspaces.list().await?;
    let seen = all.iter().filter(|workspace| caller.0.workspaces.contain(workspace.id));
    Ok(axum::Json(WorkspaceList { workspaces: seen.map(WorkspaceView::from).collect() }))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkspaceForm {
    name: String,
    legal_name: String,
    tax_id: String,
    country: String,
    #[serde(default)]
    time_zone: Option<String>,
    #[serde(default)]
    address: Option<Address>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    invoice_pattern: Option<String>,
    #[serde(default)]
    credit_pattern: Option<String>,
}

async fn create_workspace(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
    Json(form): Json<WorkspaceForm>,
) -> Result<Response, ApiError> {
    caller.require(Permission::Admin)?;
    if caller.0.workspaces != Workspaces::All {
        let message = "only a client that may see every workspace creates one";
        return Err(ApiError::base(StatusCode::FORBIDDEN, ErrorCode::PermissionMissing, message));
    }
    let new = NewWorkspace {
        name: form.name,
        legal_name: form.legal_name,
        tax_id: form.tax_id,
        country: form.country,
        time_zone: form.time_zone,
        address: form.address,
        email: form.email,
        invoice_pattern: form.invoice_pattern,
        credit_pattern: form.credit_pattern,
    };
    let created = workspaces.create(&caller.0.actor(), &new).await?;
    Ok((StatusCode::CREATED, axum::Json(WorkspaceView::from(&created.workspace))).into_response())
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ChangeForm {
    name: Option<String>,
    legal_name: Option<String>,
    tax_id: Option<String>,
    country: Option<String>,
    time_zone: Option<String>,
    address: Option<Address>,
    email: Option<String>,
    rejection_strategy: Option<RejectionStrategy>,
    invoice_pattern: Option<String>,
    credit_pattern: Option<String>,
    next_number: Option<i64>,
}

async fn set_workspace(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
    Path(id): Path<String>,
    Json(form): Json<ChangeForm>,
) -> Shown<WorkspaceView> {
    let id = visible_workspace(&caller, &id)?;
    let change = WorkspaceChange {
        name: form.name,
        legal_name: form.legal_name,
        tax_id: form.tax_id,
        country: form.country,
        time_zone: form.time_zone,
        address: form.address,
        email: form.email,
        rejection_strategy: form.rejection_strategy,
        invoice_pattern: form.invoice_pattern,
        credit_pattern: form.credit_pattern,
        next_number: form.next_number,
    };
    let workspace = workspaces.set(&caller.0.actor(), id, &change).await?;
    Ok(axum::Json(WorkspaceView::from(&workspace)))
}

async fn show_e_invoicing(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> Shown<EInvoicingAnswer> {
    let id = visible_workspace(&caller, &id)?;
    let view = workspaces.e_invoicing(id).await?;
    view.map(|view| axum::Json(EInvoicingAnswer::new(id, &view))).ok_or_else(|| {
        let sentence = "the workspace is not configured for e-invoicing";
        refuse(StatusCode::NOT_FOUND, "id", ErrorCode::EInvoicingNotConfigured, sentence)
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EInvoicingBody {
    regime: RegimeKey,
    company_id: Uuid,
    workflow_id: Uuid,
    #[serde(default)]
    token: Option<SecretString>,
    #[serde(default)]
    webhook_token: Option<SecretString>,
    /// Omitted: those of the same regime stay.
    #[serde(default)]
    settings: Option<Map<String, Value>>,
}

async fn set_e_invoicing(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    State(regimes): State<Arc<dyn Regimes>>,
    caller: Authenticated,
    Path(id): Path<String>,
    Json(body): Json<EInvoicingBody>,
) -> Shown<EInvoicingAnswer> {
    let id = visible_workspace(&caller, &id)?;
    let given = body.settings.map(Value::Object);
    let settings = workspaces.settings_under(id, &body.regime, given).await?;
    if let settings::Checked::Mistakes(mistakes) =
        settings::check(regimes.within(id).as_ref(), &body.regime, &settings)
    {
        return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, mistakes));
    }
    let form = EInvoicingForm {
        configuration: EInvoicing {
            regime: body.regime,
            company_id: body.company_id,
            workflow_id: body.workflow_id,
            settings,
        },
        token: body.token,
        webhook_token: body.webhook_token,
    };
    let view = workspaces.set_e_invoicing(&caller.0.actor(), id, &form).await?;
    Ok(axum::Json(EInvoicingAnswer::new(id, &view)))
}

async fn clear_e_invoicing(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let id = visible_workspace(&caller, &id)?;
    workspaces.clear_e_invoicing(&caller.0.actor(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The workspace a path names, if the caller may operate it.
fn visible_workspace(caller: &Authenticated, id: &str) -> Result<WorkspaceId, ApiError> {
    caller.require(Permission::Admin)?;
    let id = id.parse().map(WorkspaceId).map_err(|_| malformed_id("a workspace id is a number"))?;
    if caller.0.workspaces.contain(id) { Ok(id) } else { Err(WorkspaceError::Unknown(id).into()) }
}

/// Some submissions, and documents that nobody submits.
#[derive(Debug, Serialize)]
struct SubmissionList {
    /// Those that wait for somebody first, then the last changed.
    submissions: Vec<Value>,
    /// Whether there are more submissions.
    more: bool,
    /// Documents that are issuing and that nobody submits, the oldest first; none when a state is asked for.
    unsubmitted: Vec<Value>,
}

async fn list_submissions(
    State(finance): State<Finance>,
    caller: Authenticated,
    params: Params,
) -> Shown<SubmissionList> {
    caller.require(Permission::Admin)?;
    params.only(&["state", "alerted", "limit"])?;
    let known: Vec<_> = Stage::ALL.iter().map(|stage| stage.as_str()).collect();
    let state = params.parse("state", &format!("use one of {}", known.join(", ")), Stage::parse)?;
    let within = |text: &str| text.parse().ok().filter(|limit| (1..=SUBMISSIONS_MAX).contains(limit));
    let limit = params.parse("limit", "use a number from 1 to 100", within)?.unwrap_or(SUBMISSIONS_MAX);
    let alerted = params.flag("alerted")?;
    let filter = SubmissionFilter { stage: state, alerted };
    let list = finance.submissions(&caller.0.workspaces, filter, limit).await?;
    // They have no submission, so no state of one.
    let unsubmitted =
        if state.is_none() { finance.unsubmitted(&caller.0.workspaces, limit).await? } else { Vec::new() };
    Ok(axum::Json(SubmissionList {
        submissions: list.views.iter().map(SubmissionView::to_json).collect(),
        more: list.more,
        unsubmitted: unsubmitted.iter().map(watchdog::shown).collect(),
    }))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryForm {
    workspace_id: i64,
}

/// How much was retried.
#[derive(Debug, Serialize)]
struct Retried {
    /// Whose.
    workspace_id: WorkspaceId,
    /// Submissions.
    retried: u64,
}

/// The operator's retry of everything in a workspace that waits for somebody.
async fn retry_submissions(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    State(finance): State<Finance>,
    caller: Authenticated,
    Json(form): Json<RetryForm>,
) -> Shown<Retried> {
    caller.require(Permission::Admin)?;
    let workspace = WorkspaceId(form.workspace_id);
    let known = caller.0.workspaces.contain(workspace)
        && workspaces.list().await?.iter().any(|found| found.id == workspace);
    if !known {
        return Err(unprocessable(
            "workspace_id",
            ErrorCode::NotFound,
            "names no workspace that you may operate",
        ));
    }
    let retried = finance.retry_workspace(workspace).await?;
    Ok(axum::Json(Retried { workspace_id: workspace, retried }))
}

fn unprocessable(field: &str, code: ErrorCode, message: &str) -> ApiError {
    refuse(StatusCode::UNPROCESSABLE_ENTITY, field, code, message)
}

fn malformed_id(message: &str) -> ApiError {
    refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, message)
}

impl From<ClientsError> for ApiError {
    fn from(error: ClientsError) -> Self {
        match error {
            ClientsError::Unknown(_) => {
                refuse(StatusCode::NOT_FOUND, "id", ErrorCode::NotFound, error.to_string())
            }
            ClientsError::Disabled(_) => {
                refuse(StatusCode::CONFLICT, "id", ErrorCode::StateConflict, error.to_string())
            }
            ClientsError::BadName => unprocessable("name", ErrorCode::InvalidFormat, &error.to_string()),
            ClientsError::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<WorkspaceError> for ApiError {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Unknown(_) => {
                refuse(StatusCode::NOT_FOUND, "id", ErrorCode::NotFound, error.to_string())
            }
            WorkspaceError::Invalid(mistakes) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, mistakes),
            WorkspaceError::SeriesStarted(_) => {
                refuse(StatusCode::CONFLICT, "next_number", ErrorCode::SeriesStarted, error.to_string())
            }
            WorkspaceError::Secret(cause) => Self::internal(cause),
            WorkspaceError::Store(cause) => Self::internal(cause),
        }
    }
}
