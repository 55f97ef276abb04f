//! Clients of the gateway.

use crate::AdminApi;
use crate::errors::{ApiError, refuse};
use crate::{JsonResult, malformed_id, unprocessable};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_access::views::{ClientList, ClientView, ClientWithUsesView, CredentialsView};
use gateway_access::{ClientChange, Clients, ClientsError, LegacyUses, NewClient};
use gateway_domain::ErrorCode;
use gateway_domain::access::{Client, Permission, Workspaces};
use gateway_domain::ids::{ClientId, WorkspaceId};
use gateway_http::Authenticated;
use gateway_http::json::Json;
use gateway_http::openapi::BodyRefusals;
use gateway_http::openapi::{BadRequest, Conflict, NotFound};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{AnyOfBuilder, ArrayBuilder, ObjectBuilder, Type};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new()
        .routes(routes!(list_clients, create_client))
        .routes(routes!(show_client, set_client))
        .routes(routes!(disable_client))
        .routes(routes!(rotate_secret))
}

/// Every client
///
/// Without secrets, the oldest first.
#[utoipa::path(
    get,
    path = "/admin/clients",
    operation_id = "listClients",
    responses((status = 200, description = "The clients.", body = ClientList))
)]
async fn list_clients(State(clients): State<Clients>, caller: Authenticated) -> JsonResult<ClientList> {
    let all = clients.list().await.map_err(ApiError::internal)?;
    let visible =
        all.iter().filter(|client| caller.0.workspaces.cover(&client.workspaces)).map(ClientView::from);
    Ok(axum::Json(ClientList { clients: visible.collect() }))
}

/// A client to be made.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ClientForm {
    /// For people.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$",
        examples("finance")
    )]
    name: String,
    /// What it may do; nothing unless given.
    #[serde(default)]
    permissions: Vec<Permission>,
    /// Ids, or `*`; none unless given.
    #[serde(default)]
    #[schema(schema_with = granted)]
    workspaces: Value,
}

/// A client as it may be asked for.
pub(super) fn example() -> impl Serialize {
    let permissions = vec![Permission::InvoicingRpc, Permission::FinanceRpc];
    ClientForm { name: "finance".to_owned(), permissions, workspaces: Value::from(vec![1]) }
}

/// As [`scope`] reads it.
fn granted() -> AnyOfBuilder {
    let all = || ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["*"]));
    let id = || ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1));
    AnyOfBuilder::new()
        .description(Some("Ids, or `*`; none unless given."))
        .examples([vec![1]])
        .item(all())
        .item(id())
        .item(ArrayBuilder::new().items(AnyOfBuilder::new().item(id()).item(all())))
        .item(ObjectBuilder::new().schema_type(Type::Null))
}

/// Create a client
///
/// With its first secret, shown this once. Without permissions or workspaces it is granted none.
#[utoipa::path(
    post,
    path = "/admin/clients",
    operation_id = "createClient",
    request_body = ClientForm,
    responses((status = 201, description = "It was created.", body = CredentialsView), BodyRefusals)
)]
async fn create_client(
    State(clients): State<Clients>,
    caller: Authenticated,
    Json(form): Json<ClientForm>,
) -> Result<Response, ApiError> {
    let workspaces = scope(&form.workspaces)?;
    if !caller.0.workspaces.cover(&workspaces) {
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
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            std::slice::from_ref(given)
        }
    };
    if items.iter().any(|item| item == "*") {
        return Ok(Workspaces::All);
    }
    let ids = items.iter().map(|item| item.as_i64().filter(|id| *id > 0).map(WorkspaceId));
    ids.collect::<Option<_>>().map(Workspaces::Only).ok_or_else(|| {
        unprocessable("workspaces", ErrorCode::InvalidFormat, "use a list of workspace ids, or \"*\"")
    })
}

/// A client, and what it used of the legacy API
///
/// Who still has to move: each route of the legacy API that the client called, how often, and when first and last.
#[utoipa::path(
    get,
    path = "/admin/clients/{id}",
    operation_id = "getClient",
    params(("id" = Uuid, Path, description = "The client.", example = "0197f4f2-0000-7000-8000-0000000000c1")),
    responses(
        (status = 200, description = "The client.", body = ClientWithUsesView),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound)
    )
)]
async fn show_client(
    State(clients): State<Clients>,
    State(legacy_uses): State<LegacyUses>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> JsonResult<ClientWithUsesView> {
    let client = visible_client(&clients, &caller, &id).await?;
    let uses = legacy_uses.of_client(client.id).await?;
    Ok(axum::Json(ClientWithUsesView::new(&client, &uses)))
}

/// What to change of a client; what is not given stays.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct ClientChangeForm {
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$",
        examples("finance")
    )]
    name: Option<String>,
    /// What it may do, instead of what it may do now.
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<Vec<Permission>>,
    /// Ids, or `*`, instead of those it may see now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = granted)]
    workspaces: Option<Value>,
    /// Whether a disabled client may call again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    enable: bool,
}

/// One member is enough; shown as the example in the API's document.
pub(super) fn example_of_a_change() -> impl Serialize {
    let permissions = Some(vec![Permission::InvoicingRpc]);
    ClientChangeForm { permissions, ..ClientChangeForm::default() }
}

/// Change a client
///
/// Members that are not given stay. What it may do changes at its next request, within two seconds on every replica.
#[utoipa::path(
    patch,
    path = "/admin/clients/{id}",
    operation_id = "setClient",
    params(("id" = Uuid, Path, description = "The client.", example = "0197f4f2-0000-7000-8000-0000000000c1")),
    request_body = ClientChangeForm,
    responses(
        (status = 200, description = "The client.", body = ClientView),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn set_client(
    State(clients): State<Clients>,
    caller: Authenticated,
    Path(id): Path<String>,
    Json(form): Json<ClientChangeForm>,
) -> JsonResult<ClientView> {
    let client = visible_client(&clients, &caller, &id).await?;
    let workspaces = form.workspaces.as_ref().map(scope).transpose()?;
    if workspaces.as_ref().is_some_and(|requested| !caller.0.workspaces.cover(requested)) {
        return Err(unprocessable(
            "workspaces",
            ErrorCode::PermissionMissing,
            "grant only workspaces that you may see",
        ));
    }
    let change =
        ClientChange { name: form.name, permissions: form.permissions, workspaces, enable: form.enable };
    let changed = clients.set(client.id, change, &caller.0.actor()).await?;
    Ok(axum::Json(ClientView::from(&changed)))
}

/// Disable a client
///
/// It gets no tokens any more, and those it has end within two seconds; so do its sessions of the console. A second time changes nothing.
#[utoipa::path(
    post,
    path = "/admin/clients/{id}/disable",
    operation_id = "disableClient",
    params(("id" = Uuid, Path, description = "The client.", example = "0197f4f2-0000-7000-8000-0000000000c1")),
    responses(
        (status = 200, description = "The client.", body = ClientView),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound)
    )
)]
async fn disable_client(
    State(clients): State<Clients>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> JsonResult<ClientView> {
    let client = visible_client(&clients, &caller, &id).await?;
    clients.disable(client.id, &caller.0.actor()).await?;
    Ok(axum::Json(ClientView::from(&Client { disabled: true, ..client })))
}

/// Give a client another secret
///
/// The one before it stays good until the next rotation.
#[utoipa::path(
    post,
    path = "/admin/clients/{id}/rotate-secret",
    operation_id = "rotateClientSecret",
    params(("id" = Uuid, Path, description = "The client.", example = "0197f4f2-0000-7000-8000-0000000000c1")),
    responses(
        (status = 200, description = "The client with its new secret.", body = CredentialsView),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict)
    )
)]
async fn rotate_secret(
    State(clients): State<Clients>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> JsonResult<CredentialsView> {
    let client = visible_client(&clients, &caller, &id).await?;
    let credentials = clients.rotate_secret(client.id, &caller.0.actor()).await?;
    Ok(axum::Json(CredentialsView::from(&credentials)))
}

async fn visible_client(clients: &Clients, caller: &Authenticated, id: &str) -> Result<Client, ApiError> {
    let id: ClientId = id.parse().map_err(|_| malformed_id("a client id is a UUID"))?;
    let client = clients.find(id).await?;
    let is_visible = caller.0.workspaces.cover(&client.workspaces);
    is_visible.then_some(client).ok_or_else(|| ClientsError::Unknown(id).into())
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
