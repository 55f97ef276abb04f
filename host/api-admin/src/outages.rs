//! Spans in which nothing could be filed.

use crate::errors::{ApiError, refuse};
use crate::plugins::require_all;
use crate::{AdminApi, JsonResult, malformed_id, unprocessable};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use gateway_deadlines::{DeclareError, LegalClock};
use gateway_domain::ErrorCode;
use gateway_domain::regime::OutageSide;
use gateway_domain_deadline::{Declaration, KeptOutage, NotDeclared, Outage, OutageBody};
use gateway_http::json::Json;
use gateway_http::openapi::{BadRequest, BodyRefusals, Conflict, NotFound, Unprocessable};
use gateway_http::time::Rfc3339;
use gateway_http::{Authenticated, Params};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

/// Outages of one answer unless fewer are asked for, and at most.
const OUTAGES_MAX: i64 = 100;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new().routes(routes!(list_outages, declare)).routes(routes!(end))
}

/// Which outages are asked for.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
struct OutagesQuery {
    /// How many.
    #[param(required = false, minimum = 1, maximum = 100, default = 100, example = 100)]
    limit: i64,
}

impl OutagesQuery {
    fn read(params: &Params) -> Result<Self, ApiError> {
        params.only(&["limit"])?;
        let within = |text: &str| text.parse().ok().filter(|limit| (1..=OUTAGES_MAX).contains(limit));
        let limit = params.parse("limit", "use a number from 1 to 100", within)?.unwrap_or(OUTAGES_MAX);
        Ok(Self { limit })
    }
}

/// Some outages.
#[derive(Debug, Serialize, ToSchema)]
struct OutageList {
    /// The newest first.
    #[schema(max_items = 100)]
    outages: Vec<OutageBody>,
}

/// Outages
///
/// The evidence of what stood in the way of filings, the newest first: from when to when calls to the provider got no answer, which
/// failed first, and whether the row is as the gateway wrote it. They are the gateway's, whichever workspaces somebody sees.
#[utoipa::path(
    get,
    path = "/admin/outages",
    operation_id = "listOutages",
    params(OutagesQuery),
    responses(
        (status = 200, description = "The outages.", body = OutageList),
        (status = 422, response = Unprocessable)
    )
)]
async fn list_outages(
    State(deadlines): State<LegalClock>,
    _caller: Authenticated,
    params: Params,
) -> JsonResult<OutageList> {
    let OutagesQuery { limit } = OutagesQuery::read(&params)?;
    let kept = deadlines.outages(limit).await?;
    Ok(axum::Json(OutageList { outages: kept.iter().map(OutageBody::from).collect() }))
}

/// An outage of which calls tell nothing.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct OutageForm {
    /// Whose part does not work.
    #[schema(examples("authority"))]
    side: OutageSide,
    /// Since when.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    since: Rfc3339,
    /// Until when, which may lie ahead; it lasts unless this is given.
    #[schema(value_type = String, format = DateTime, required = false, examples("2026-11-20T11:00:00Z"))]
    until: Option<Rfc3339>,
    /// Why: where the authority announced it, or what was cut.
    #[schema(min_length = 1, max_length = 300, examples("announced by the agency"))]
    reason: String,
}

/// Declare an outage
///
/// One of which calls tell nothing: the authority announced it, or a line was cut. Documents that are converted while it lasts or
/// after it, and were issued before its end, carry the mark that their plugin names; the audit trail has who declared it. One of
/// each side lasts at a time. It holds for the whole gateway, so it takes a client of every workspace.
#[utoipa::path(
    post,
    path = "/admin/outages",
    operation_id = "declareOutage",
    request_body = OutageForm,
    responses(
        (status = 201, description = "The outage.", body = OutageBody),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn declare(
    State(deadlines): State<LegalClock>,
    caller: Authenticated,
    Json(form): Json<OutageForm>,
) -> Result<(StatusCode, axum::Json<OutageBody>), ApiError> {
    require_all(&caller, "declares an outage")?;
    let OutageForm { side, since, until, reason } = form;
    let declaration = Declaration { side, since: since.0, until: until.map(|until| until.0), reason };
    let outage = deadlines.declare(&caller.0.actor(), declaration).await?;
    Ok((StatusCode::CREATED, axum::Json(body(outage))))
}

/// When an outage ended.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct OutageEndForm {
    /// When it did; usually now.
    #[schema(value_type = String, format = DateTime, required = false, examples("2026-11-20T11:00:00Z"))]
    until: Option<Rfc3339>,
}

/// End an outage
///
/// Says when one ended that was declared. Those that calls showed end by themselves, with the next answer.
#[utoipa::path(
    post,
    path = "/admin/outages/{id}/end",
    operation_id = "endOutage",
    params(("id" = Uuid, Path, description = "The outage.", example = "0197f4f2-0000-7000-8000-0000000000a1")),
    request_body = OutageEndForm,
    responses(
        (status = 200, description = "The outage.", body = OutageBody),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        BodyRefusals
    )
)]
async fn end(
    State(deadlines): State<LegalClock>,
    caller: Authenticated,
    Path(id): Path<String>,
    Json(form): Json<OutageEndForm>,
) -> JsonResult<OutageBody> {
    require_all(&caller, "ends an outage")?;
    let id: Uuid = id.parse().map_err(|_| malformed_id("the id of an outage is a UUID"))?;
    let outage = deadlines.end_declared(&caller.0.actor(), id, form.until.map(|until| until.0)).await?;
    Ok(axum::Json(body(outage)))
}

/// As it was just sealed.
fn body(outage: Outage) -> OutageBody {
    OutageBody::from(&KeptOutage { outage, is_intact: true })
}

impl From<DeclareError> for ApiError {
    fn from(error: DeclareError) -> Self {
        let message = error.to_string();
        match error {
            DeclareError::Rules(NotDeclared::EndsBefore) => {
                unprocessable("until", ErrorCode::OutOfRange, &message)
            }
            DeclareError::Rules(NotDeclared::Reason) => {
                unprocessable("reason", ErrorCode::OutOfRange, &message)
            }
            DeclareError::Rules(NotDeclared::Lasts) => {
                refuse(StatusCode::CONFLICT, "side", ErrorCode::StateConflict, &message)
            }
            DeclareError::Rules(NotDeclared::Unknown) => {
                refuse(StatusCode::NOT_FOUND, "id", ErrorCode::NotFound, &message)
            }
            DeclareError::Store(cause) => Self::internal(cause),
        }
    }
}
