//! Workspaces, and how each sends its invoices.

use crate::AdminApi;
use crate::errors::{ApiError, refuse};
use crate::{JsonResult, malformed_id};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Address, DocumentKind};
use gateway_domain::ports::Regimes;
use gateway_domain::regime::RegimeKey;
use gateway_domain::workspace::{EInvoicing, RejectionStrategy};
use gateway_domain_finance::Connection;
use gateway_finance::Submissions;
use gateway_http::Authenticated;
use gateway_http::json::Json;
use gateway_http::openapi::BodyRefusals;
use gateway_http::openapi::{BadRequest, Conflict, NotFound};
use gateway_workspaces::settings;
use gateway_workspaces::views::{EInvoicingAnswer, WorkspaceList, WorkspaceView};
use gateway_workspaces::{EInvoicingForm, NewWorkspace, WorkspaceChange, WorkspaceError};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new()
        .routes(routes!(list_workspaces, create_workspace))
        .routes(routes!(set_workspace))
        .routes(routes!(show_e_invoicing, set_e_invoicing, clear_e_invoicing))
        .routes(routes!(test_connection))
}

/// Every workspace
///
/// Those that the client may operate.
#[utoipa::path(
    get,
    path = "/admin/workspaces",
    operation_id = "listWorkspaces",
    responses((status = 200, description = "The workspaces.", body = WorkspaceList))
)]
async fn list_workspaces(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
) -> JsonResult<WorkspaceList> {
    let all = workspaces.list().await?;
    let visible = all.iter().filter(|workspace| caller.0.workspaces.contain(workspace.id));
    Ok(axum::Json(WorkspaceList { workspaces: visible.map(WorkspaceView::from).collect() }))
}

/// A postal address of a supplier.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct SupplierAddressForm {
    /// Street and number.
    #[schema(max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("Calle Mayor 1"))]
    street: Option<String>,
    /// Town.
    #[schema(max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("Madrid"))]
    locality: Option<String>,
    /// Province or state.
    #[schema(max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$")]
    region: Option<String>,
    /// Postal code.
    #[schema(max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("28013"))]
    postcode: Option<String>,
    /// ISO 3166-1 alpha-2.
    #[schema(pattern = "^[A-Za-z]{2}$", examples("ES"))]
    country: Option<String>,
}

impl From<SupplierAddressForm> for Address {
    fn from(form: SupplierAddressForm) -> Self {
        let SupplierAddressForm { street, locality, region, postcode, country } = form;
        Self { street, locality, region, postcode, country }
    }
}

/// A workspace to be created.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct WorkspaceForm {
    /// For people.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$")]
    name: String,
    /// The registered name of who issues.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$")]
    legal_name: String,
    /// Without country prefix; separators are dropped.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$")]
    tax_id: String,
    /// ISO 3166-1 alpha-2.
    #[schema(pattern = "^[A-Za-z]{2}$")]
    country: String,
    /// IANA name; UTC unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// Where the supplier is registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<SupplierAddressForm>,
    /// Where to write to the supplier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    email: Option<String>,
    /// Needs `{year}` and `{number}` (or `{number:06}`) exactly once each; numbers of at most 60 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200, pattern = "^[!-~]+$", examples("F-{year}-{number:06}"))]
    invoice_pattern: Option<String>,
    /// Needs `{year}` and `{number}` (or `{number:06}`) exactly once each; numbers of at most 60 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200, pattern = "^[!-~]+$", examples("F-{year}-{number:06}"))]
    credit_pattern: Option<String>,
}

/// A workspace as it may be asked for.
pub(super) fn example() -> impl Serialize {
    let text = |text: &str| Some(text.to_owned());
    WorkspaceForm {
        name: "Casa".to_owned(),
        legal_name: "Casa S.L.".to_owned(),
        tax_id: "B98602642".to_owned(),
        country: "ES".to_owned(),
        time_zone: text("Europe/Madrid"),
        address: Some(SupplierAddressForm {
            street: text("Calle Mayor 1"),
            locality: text("Madrid"),
            region: None,
            postcode: text("28013"),
            country: text("ES"),
        }),
        ..WorkspaceForm::default()
    }
}

/// Create a workspace
///
/// Only for a client that may see every workspace. Two workspaces with one tax id have different number patterns: where
/// the usual ones are taken, others are chosen.
#[utoipa::path(
    post,
    path = "/admin/workspaces",
    operation_id = "createWorkspace",
    request_body = WorkspaceForm,
    responses((status = 201, description = "It was created.", body = WorkspaceView), BodyRefusals)
)]
async fn create_workspace(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
    Json(form): Json<WorkspaceForm>,
) -> Result<Response, ApiError> {
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
        address: form.address.map(Address::from),
        email: form.email,
        invoice_pattern: form.invoice_pattern,
        credit_pattern: form.credit_pattern,
    };
    let created = workspaces.create(&caller.0.actor(), &new).await?;
    Ok((StatusCode::CREATED, axum::Json(WorkspaceView::from(&created.workspace))).into_response())
}

/// What to change of a workspace; what is not given stays.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct ChangeForm {
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$")]
    name: Option<String>,
    /// The registered name of who issues.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$")]
    legal_name: Option<String>,
    /// Without country prefix; separators are dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$")]
    tax_id: Option<String>,
    /// ISO 3166-1 alpha-2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z]{2}$")]
    country: Option<String>,
    /// IANA name.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// Where the supplier is registered; replaces the whole address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<SupplierAddressForm>,
    /// Where to write to the supplier; empty for nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    email: Option<String>,
    /// What happens after a rejection: `a` edits in place and resubmits, `b` makes a corrective draft beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejection_strategy: Option<RejectionStrategy>,
    /// Needs `{year}` and `{number}` (or `{number:06}`) exactly once each; numbers of at most 60 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200, pattern = "^[!-~]+$", examples("F-{year}-{number:06}"))]
    invoice_pattern: Option<String>,
    /// Needs `{year}` and `{number}` (or `{number:06}`) exactly once each; numbers of at most 60 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200, pattern = "^[!-~]+$", examples("F-{year}-{number:06}"))]
    credit_pattern: Option<String>,
    /// Where this year's invoice series starts; only before its first use.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 999_999_999)]
    next_number: Option<i64>,
    /// Where this year's credit notes start; only before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 999_999_999)]
    next_credit_number: Option<i64>,
}

/// One member is enough; shown as the example in the API's document.
pub(super) fn example_of_a_change() -> impl Serialize {
    ChangeForm { rejection_strategy: Some(RejectionStrategy::B), ..ChangeForm::default() }
}

/// Change a workspace
///
/// Members that are not given stay. `next_number` says where this year's invoice series starts, and `next_credit_number` where its
/// credit notes do, once, before the first use of the series.
#[utoipa::path(
    patch,
    path = "/admin/workspaces/{id}",
    operation_id = "setWorkspace",
    params(("id" = i64, Path, description = "The workspace.", example = 1)),
    request_body = ChangeForm,
    responses(
        (status = 200, description = "The workspace.", body = WorkspaceView),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn set_workspace(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
    Path(id): Path<String>,
    Json(form): Json<ChangeForm>,
) -> JsonResult<WorkspaceView> {
    let id = visible_workspace(&caller, &id)?;
    let change = WorkspaceChange {
        name: form.name,
        legal_name: form.legal_name,
        tax_id: form.tax_id,
        country: form.country,
        time_zone: form.time_zone,
        address: form.address.map(Address::from),
        email: form.email,
        rejection_strategy: form.rejection_strategy,
        invoice_pattern: form.invoice_pattern,
        credit_pattern: form.credit_pattern,
        next_number: form.next_number,
        next_credit_number: form.next_credit_number,
    };
    let workspace = workspaces.set(&caller.0.actor(), id, &change).await?;
    Ok(axum::Json(WorkspaceView::from(&workspace)))
}

/// How a workspace submits its invoices
///
/// The provider's token is never shown. 404 when it is not configured.
#[utoipa::path(
    get,
    path = "/admin/workspaces/{id}/e-invoicing",
    operation_id = "getEInvoicing",
    params(("id" = i64, Path, description = "The workspace.", example = 1)),
    responses(
        (status = 200, description = "The configuration.", body = EInvoicingAnswer),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound)
    )
)]
async fn show_e_invoicing(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> JsonResult<EInvoicingAnswer> {
    let id = visible_workspace(&caller, &id)?;
    let view = workspaces.e_invoicing(id).await?;
    view.map(|view| axum::Json(EInvoicingAnswer::new(id, &view))).ok_or_else(not_configured)
}

fn not_configured() -> ApiError {
    let sentence = "the workspace is not configured for e-invoicing";
    refuse(StatusCode::NOT_FOUND, "id", ErrorCode::EInvoicingNotConfigured, sentence)
}

/// How a workspace is to submit its invoices.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct EInvoicingBody {
    /// The key of a plugin.
    regime: RegimeKey,
    /// The supplier's UUID at the provider.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000d1"))]
    company_id: Uuid,
    /// Which pipeline of the provider.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000d2"))]
    workflow_id: Uuid,
    /// The provider's API token; stored encrypted.
    #[serde(default)]
    #[schema(value_type = Option<String>, examples("your-provider-api-token"))]
    token: Option<SecretString>,
    /// What the provider's webhook has to show; the stored one stays when it is omitted. DELETE takes it away.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    webhook_token: Option<SecretString>,
    /// Settings of the regime; those of the same regime stay when they are omitted.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    settings: Option<Map<String, Value>>,
}

/// Configure e-invoicing for a workspace
///
/// Tokens that are not given stay as they are; the first time `token` is required. The settings are checked against the
/// schema of the regime's plugin.
#[utoipa::path(
    put,
    path = "/admin/workspaces/{id}/e-invoicing",
    operation_id = "setEInvoicing",
    params(("id" = i64, Path, description = "The workspace.", example = 1)),
    request_body = EInvoicingBody,
    responses(
        (status = 200, description = "The configuration.", body = EInvoicingAnswer),
        (status = 404, response = NotFound),
        BodyRefusals
    )
)]
async fn set_e_invoicing(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    State(regimes): State<Arc<dyn Regimes>>,
    caller: Authenticated,
    Path(id): Path<String>,
    Json(body): Json<EInvoicingBody>,
) -> JsonResult<EInvoicingAnswer> {
    let id = visible_workspace(&caller, &id)?;
    let given = body.settings.map(Value::Object);
    let settings = workspaces.settings_under(id, &body.regime, given).await?;
    if let settings::SettingsCheck::Mistakes(mistakes) =
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

/// Go back to the standard flow
///
/// Documents are issued without submission from now on.
#[utoipa::path(
    delete,
    path = "/admin/workspaces/{id}/e-invoicing",
    operation_id = "clearEInvoicing",
    params(("id" = i64, Path, description = "The workspace.", example = 1)),
    responses(
        (status = 204, description = "It is gone."),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound)
    )
)]
async fn clear_e_invoicing(
    State(workspaces): State<gateway_workspaces::Workspaces>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let id = visible_workspace(&caller, &id)?;
    workspaces.clear_e_invoicing(&caller.0.actor(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What came of asking the provider.
#[derive(Debug, Serialize, ToSchema)]
struct ConnectionResult {
    /// Whether the provider answered and takes the token.
    #[schema(examples(true))]
    good: bool,
    /// What came of it, and what to do next.
    #[schema(examples("the provider answered and takes the token"))]
    message: String,
}

/// Ask the provider whether it takes the token of a workspace
///
/// Nothing changes, here or there. 404 when it is not configured.
#[utoipa::path(
    post,
    path = "/admin/workspaces/{id}/e-invoicing/test",
    operation_id = "testEInvoicing",
    params(("id" = i64, Path, description = "The workspace.", example = 1)),
    responses(
        (status = 200, description = "What came of it.", body = ConnectionResult),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound)
    )
)]
async fn test_connection(
    State(submissions): State<Submissions>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> JsonResult<ConnectionResult> {
    let id = visible_workspace(&caller, &id)?;
    let connection = submissions.test_connection(id).await?;
    if connection == Connection::NotConfigured {
        return Err(not_configured());
    }
    let good = connection == Connection::Good;
    Ok(axum::Json(ConnectionResult { good, message: connection.sentence() }))
}

/// The workspace a path names, if the caller may operate it.
pub(super) fn visible_workspace(caller: &Authenticated, id: &str) -> Result<WorkspaceId, ApiError> {
    let id = id.parse().map(WorkspaceId).map_err(|_| malformed_id("a workspace id is a number"))?;
    if caller.0.workspaces.contain(id) { Ok(id) } else { Err(WorkspaceError::Unknown(id).into()) }
}

impl From<WorkspaceError> for ApiError {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Unknown(_) => {
                refuse(StatusCode::NOT_FOUND, "id", ErrorCode::NotFound, error.to_string())
            }
            WorkspaceError::Invalid(mistakes) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, mistakes),
            WorkspaceError::SeriesStarted { kind, .. } => {
                let member =
                    if kind == DocumentKind::CreditNote { "next_credit_number" } else { "next_number" };
                refuse(StatusCode::CONFLICT, member, ErrorCode::SeriesStarted, error.to_string())
            }
            WorkspaceError::Secret(cause) => Self::internal(cause),
            WorkspaceError::Store(cause) => Self::internal(cause),
        }
    }
}
