//! How the documents of a workspace look: its logo, and its own settings of the renderer.

use crate::errors::ApiError;
use crate::workspaces::visible_workspace;
use crate::{AdminApi, JsonResult, unprocessable};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway_domain::ErrorCode;
use gateway_domain::workspace::Printing;
use gateway_http::Authenticated;
use gateway_http::json::Json;
use gateway_http::openapi::{BadRequest, BodyRefusals, NotFound};
use gateway_workspaces::Workspaces;
use gateway_workspaces::views::PrintingAnswer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new().routes(routes!(show_printing, set_printing, clear_printing))
}

/// How the documents of a workspace look
///
/// Its logo, and its own settings of the renderer.
#[utoipa::path(
    get,
    path = "/admin/workspaces/{id}/printing",
    operation_id = "getPrinting",
    params(("id" = i64, Path, description = "The workspace.", example = 1)),
    responses(
        (status = 200, description = "Logo and template.", body = PrintingAnswer),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound)
    )
)]
async fn show_printing(
    State(workspaces): State<Workspaces>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> JsonResult<PrintingAnswer> {
    let id = visible_workspace(&caller, &id)?;
    let printing = workspaces.printing(id).await?;
    Ok(axum::Json(PrintingAnswer::new(id, &printing)))
}

/// How the documents of a workspace are to look; at least one of both.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct PrintingForm {
    /// A PNG of at most 256 KiB and 2,000,000 pixels, in base64.
    #[schema(content_encoding = "base64", content_media_type = "image/png", max_length = 349_528)]
    logo: Option<String>,
    /// A JSON object of at most 16 KiB that fits the schema of the renderer.
    #[schema(value_type = Option<Object>)]
    template: Option<Map<String, Value>>,
    /// Whether the record that the tax authority received lies in the file. What a provider sends there may tell more than the
    /// document does, so it does not unless it is set.
    attach_record: Option<bool>,
}

/// A template that the renderer of this repository takes, and a small logo.
pub(super) fn example() -> impl Serialize {
    let footer = "Registro Mercantil de Valencia, tomo 9876, folio 54";
    let settings = [("accent_color", "#0F766E"), ("footer", footer)];
    let settings = settings.map(|(name, value)| (name.to_owned(), Value::from(value)));
    PrintingForm {
        logo: Some(ONE_PIXEL_PNG.to_owned()),
        template: Some(Map::from_iter(settings)),
        attach_record: Some(false),
    }
}

/// A PNG of one grey pixel.
const ONE_PIXEL_PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";

/// Set the logo or the template of a workspace
///
/// Members that are not given stay; DELETE takes both away. The template is checked against the schema of the renderer in
/// force. Documents show them at once, those that were issued before too.
#[utoipa::path(
    put,
    path = "/admin/workspaces/{id}/printing",
    operation_id = "setPrinting",
    params(("id" = i64, Path, description = "The workspace.", example = 1)),
    request_body = PrintingForm,
    responses(
        (status = 200, description = "Logo and template as they are now.", body = PrintingAnswer),
        (status = 404, response = NotFound),
        BodyRefusals
    )
)]
async fn set_printing(
    State(workspaces): State<Workspaces>,
    caller: Authenticated,
    Path(id): Path<String>,
    Json(form): Json<PrintingForm>,
) -> JsonResult<PrintingAnswer> {
    let id = visible_workspace(&caller, &id)?;
    let logo = form.logo.map(|text| STANDARD.decode(text)).transpose().map_err(|_| {
        let message = "the logo is not written in base64 (RFC 4648, with padding)";
        unprocessable("logo", ErrorCode::InvalidFormat, message)
    })?;
    let given = Printing { logo, template: form.template, attach_record: form.attach_record };
    let changed = workspaces.set_printing(&caller.0.actor(), id, &given).await?;
    Ok(axum::Json(PrintingAnswer::new(id, &changed.printing)))
}

/// Take logo and template of a workspace away
///
/// Documents look as the renderer makes them from now on.
#[utoipa::path(
    delete,
    path = "/admin/workspaces/{id}/printing",
    operation_id = "clearPrinting",
    params(("id" = i64, Path, description = "The workspace.", example = 1)),
    responses(
        (status = 204, description = "They are gone."),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound)
    )
)]
async fn clear_printing(
    State(workspaces): State<Workspaces>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let id = visible_workspace(&caller, &id)?;
    workspaces.clear_printing(&caller.0.actor(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}
