//! What is known about the guests of bookings.

use super::paths::{self, BookingPath};
use super::{ApiError, LegacyCaller, Reference};
use crate::PublicState;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use gateway_domain::ids::BookingId;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::Patch;
use gateway_domain_platform::bookings::{VerificationChange, VettingStatus};
use gateway_http::openapi::{BodyRefusals, Conflict, NotFound};
use gateway_http::{Json, Params};
use gateway_platform::Bookings;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(verify_guest))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = GuestVerificationBody)]
struct VerificationBody {
    guest_verification: VerificationForm,
}

/// Members that are not sent stay as they are; null takes them away.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = GuestVerificationForm)]
struct VerificationForm {
    #[serde(default, deserialize_with = "patch")]
    #[schema(
        value_type = Option<String>, min_length = 1, max_length = 500,
        pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("vetting-desk")
    )]
    source: Patch<String>,
    #[serde(default, deserialize_with = "patch")]
    #[schema(
        value_type = Option<String>, min_length = 1, max_length = 500,
        pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("v-7")
    )]
    external_id: Patch<String>,
    /// Details in the words of who vets, at most 16 KiB.
    #[serde(default, deserialize_with = "patch")]
    #[schema(value_type = Option<Map<String, Value>>)]
    guest: Patch<Map<String, Value>>,
    #[serde(default)]
    status: Option<VettingStatus>,
}

/// A member that is there, perhaps null.
fn patch<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Patch<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.map_or(Patch::Clear, Patch::Set))
}

/// Whole numbers from here on are not kept as they were sent.
const INEXACT_INTEGERS_FROM: f64 = 9_007_199_254_740_992.0;

/// Numbers that would be rounded: those of documents are texts.
fn refuse_rounded_numbers(value: &Value, path: &str, faults: &mut Vec<FieldError>) {
    match value {
        Value::Number(number)
            if number.is_f64() && number.as_f64().is_some_and(|it| it.abs() >= INEXACT_INTEGERS_FROM) =>
        {
            faults.push(FieldError::new(
                path,
                ErrorCode::OutOfRange,
                "is too large for a number: write it as a text",
            ));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                refuse_rounded_numbers(item, &format!("{path}[{index}]"), faults);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                refuse_rounded_numbers(member, &format!("{path}.{name}"), faults);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What is known about the guest of a booking.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = GuestVerification)]
struct VerificationView {
    booking: Reference,
    #[schema(required, examples("vetting-desk"))]
    source: Option<String>,
    #[schema(required, examples("v-7"))]
    external_id: Option<String>,
    #[schema(required)]
    guest: Option<Map<String, Value>>,
    status: VettingStatus,
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    updated_at: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = GuestVerificationAnswer)]
struct Verified {
    guest_verification: VerificationView,
}

/// Note what is known about the guest of a booking
///
/// The only way to write a vetting; GraphQL only reads it (`booking.vetting.status`), so keep using this route. UNVETTED becomes
/// PENDING; PENDING becomes NEEDS_REVIEW, APPROVED or FAILED; NEEDS_REVIEW becomes APPROVED or FAILED; FAILED becomes PENDING;
/// another move is refused. Members that are not sent stay, null takes them away, and the same again changes nothing. The
/// permission `legacy` or `bookings.write` is enough: who has moved to GraphQL needs no other route of this API.
#[utoipa::path(
    patch,
    path = "/api/dev/bookings/{id}/guest_verification",
    operation_id = "verifyGuest",
    params(BookingPath),
    request_body = VerificationBody,
    responses(
        (status = 200, description = "What is known now.", body = Verified),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn verify_guest(
    State(bookings): State<Bookings>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
    Json(body): Json<VerificationBody>,
) -> Result<axum::Json<Verified>, ApiError> {
    params.only(&[])?;
    let booking: BookingId = paths::id("booking_id", &id)?;
    let VerificationForm { source, external_id, guest, status } = body.guest_verification;
    if let Patch::Set(guest) = &guest {
        let mut faults = Vec::new();
        for (name, value) in guest {
            refuse_rounded_numbers(value, &format!("guest_verification.guest.{name}"), &mut faults);
        }
        if !faults.is_empty() {
            return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, faults));
        }
    }
    let change = VerificationChange { source, external_id, guest, status };
    let known = bookings.verify_guest(&caller.acting, booking, &change).await?;
    Ok(axum::Json(Verified {
        guest_verification: VerificationView {
            booking: Reference::to(booking),
            source: known.source.clone(),
            external_id: known.external_id.clone(),
            guest: known.guest.clone(),
            status: known.status,
            updated_at: known.updated_at,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_would_be_rounded_is_not_kept() {
        let guest = r#"{"a": 18446744073709551615, "b": 12345678901234567890123456789, "c": [1.5, {"d": -1e300}], "e": "9"}"#;
        let mut faults = Vec::new();
        refuse_rounded_numbers(&serde_json::from_str(guest).unwrap(), "guest", &mut faults);
        let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["guest.b", "guest.c[1].d"]);
    }
}
