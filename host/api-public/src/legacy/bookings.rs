//! Bookings: stays of guests in units.

use super::caller::Portal;
use super::errors::ApiError;
use super::pages::Listing;
use super::read;
use crate::PublicApi;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use gateway_domain::Stamped;
use gateway_domain::ids::{BookingId, ConversationId, ProductId};
use gateway_domain::input::Patch;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_platform::bookings::{Booking, VerificationChange, VettingStatus};
use gateway_domain_platform::catalog::Product;
use gateway_http::Json;
use gateway_http::Params;
use gateway_platform::BookingFilter;
use gateway_platform::Platform;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

pub(super) fn router() -> Router<PublicApi> {
    Router::new()
        .route("/api/dev/bookings", get(bookings))
        .route("/api/dev/bookings/{id}/messages", post(send_message))
        .route("/api/dev/bookings/{id}/guest_verification", patch(verify_guest))
}

/// The bookings of the workspace; days are those in which the stay has a night.
async fn bookings(
    State(platform): State<Platform>,
    portal: Portal,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["property_id", "start_date", "end_date", "last_modified"]);
    let (from, to) = listing.days();
    let filter = BookingFilter {
        unit: listing.property(),
        from,
        to,
        updated_since: listing.last_modified(),
        ..BookingFilter::default()
    };
    let (platform, Portal { workspace, acting, .. }) = (&platform, portal);
    let found = platform.bookings_window(&acting, workspace, &filter, listing.window()?).await?;
    let ids: Vec<BookingId> = found.nodes.iter().map(|booking| booking.id).collect();
    let sold: Vec<ProductId> = found.nodes.iter().filter_map(|booking| booking.product).collect();
    let products = platform.products_by_ids(&acting, &sold).await?;
    let conversations = platform.conversations_of_bookings(&acting, &ids).await?;
    let shown = found.nodes.iter().map(|booking| {
        let product = booking.product.and_then(|id| products.get(&id));
        shape(
            booking,
            product.map(|product| &product.value),
            conversations.get(&booking.id).map(|conversation| conversation.id),
        )
    });
    Ok(listing.answer(json!({"bookings": shown.collect::<Vec<_>>()}), found.total))
}

fn shape(
    booking: &Stamped<Booking>,
    product: Option<&Product>,
    conversation: Option<ConversationId>,
) -> Value {
    let guests = booking.guests;
    json!({
        "id": booking.id,
        "confirmation_code": booking.confirmation_code,
        "status": booking.status,
        "check_in": booking.check_in,
        "check_out": booking.check_out,
        "guests": {"adults": guests.adults, "children": guests.children, "total": guests.total()},
        "guests_count": guests.total(),
        "nights_count": booking.nights(),
        "contacts": booking.contacts,
        "platform": booking.platform,
        "product": product.map(|product| json!({"id": product.id, "name": product.name})),
        "payment_status": booking.payment_status,
        "unit": {"id": booking.unit},
        "vetting": {"status": booking.vetting},
        "conversation": conversation.map(|id| json!({"id": id})),
        "created_at": booking.created_at,
        "updated_at": booking.updated_at,
    })
}

/// Through what a message came, unless it says its own.
const SOURCE: &str = "legacy_api";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageForm {
    body: String,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    source: Option<String>,
}

/// Writes a message about a booking; its conversation is made when there is none yet.
async fn send_message(
    State(platform): State<Platform>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<MessageForm>,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let MessageForm { body, content_type, source } = form;
    let booking: BookingId = read::id("booking_id", &id)?;
    let source = source.as_deref().unwrap_or(SOURCE);
    let sent =
        platform.write_about_booking(&portal.acting, booking, &body, content_type.as_deref(), source).await?;
    let shown = json!({
        "message": {
            "id": sent.id,
            "body": sent.body,
            "content_type": sent.content_type,
            "source": sent.source,
            "sent_at": sent.sent_at,
        },
        "conversation": {"id": sent.conversation},
    });
    Ok((StatusCode::CREATED, axum::Json(shown)).into_response())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerificationBody {
    guest_verification: VerificationForm,
}

/// Members that are not sent stay as they are; null takes them away.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerificationForm {
    #[serde(default, deserialize_with = "sent")]
    source: Patch<String>,
    #[serde(default, deserialize_with = "sent")]
    external_id: Patch<String>,
    #[serde(default, deserialize_with = "sent")]
    guest: Patch<Map<String, Value>>,
    #[serde(default)]
    status: Option<VettingStatus>,
}

/// A member that is there, perhaps null.
fn sent<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Patch<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.map_or(Patch::Clear, Patch::Set))
}

/// Whole numbers from here on are not kept as they were sent.
const KEPT_BELOW: f64 = 9_007_199_254_740_992.0;

/// Numbers that would be rounded: those of documents are texts.
fn unkept(value: &Value, path: &str, faults: &mut Vec<FieldError>) {
    match value {
        Value::Number(number)
            if number.is_f64() && number.as_f64().is_some_and(|it| it.abs() >= KEPT_BELOW) =>
        {
            faults.push(FieldError::new(
                path,
                ErrorCode::OutOfRange,
                "is too large for a number: write it as a text",
            ));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                unkept(item, &format!("{path}[{index}]"), faults);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                unkept(member, &format!("{path}.{name}"), faults);
            }
        }
        _ => {}
    }
}

/// Notes what is known about the guest of a booking: the only way to write a vetting.
async fn verify_guest(
    State(platform): State<Platform>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
    Json(body): Json<VerificationBody>,
) -> Result<axum::Json<Value>, ApiError> {
    params.only(&[])?;
    let booking: BookingId = read::id("booking_id", &id)?;
    let VerificationForm { source, external_id, guest, status } = body.guest_verification;
    if let Patch::Set(guest) = &guest {
        let mut faults = Vec::new();
        for (name, value) in guest {
            unkept(value, &format!("guest_verification.guest.{name}"), &mut faults);
        }
        if !faults.is_empty() {
            return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, faults));
        }
    }
    let change = VerificationChange { source, external_id, guest, status };
    let known = platform.verify_guest(&portal.acting, booking, &change).await?;
    Ok(axum::Json(json!({"guest_verification": {
        "booking": {"id": booking},
        "source": known.source,
        "external_id": known.external_id,
        "guest": known.guest,
        "status": known.status,
        "updated_at": known.updated_at,
    }})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_would_be_rounded_is_not_kept() {
        let guest = r#"{"a": 18446744073709551615, "b": 12345678901234567890123456789, "c": [1.5, {"d": -1e300}], "e": "9"}"#;
        let mut faults = Vec::new();
        unkept(&serde_json::from_str(guest).unwrap(), "guest", &mut faults);
        let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["guest.b", "guest.c[1].d"]);
    }
}
