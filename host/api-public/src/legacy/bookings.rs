//! Bookings: stays of guests in units.

use super::caller::LegacyCaller;
use super::described::{
    BookingPath, LastModifiedQuery, NamedReference, PageParams, PropertyQuery, Reference,
};
use super::errors::ApiError;
use super::pages::Listing;
use super::read;
use crate::PublicApi;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_domain::ids::{BookingId, ConversationId, MessageId, ProductId};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::Patch;
use gateway_domain_platform::Stamped;
use gateway_domain_platform::bookings::{Booking, BookingStatus, Contact, VerificationChange, VettingStatus};
use gateway_domain_platform::catalog::Product;
use gateway_http::Json;
use gateway_http::Params;
use gateway_http::openapi::{BodyRefusals, Conflict, NotFound, Unprocessable};
use gateway_platform::BookingFilter;
use gateway_platform::Platform;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn router() -> OpenApiRouter<PublicApi> {
    OpenApiRouter::new().routes(routes!(bookings)).routes(routes!(send_message)).routes(routes!(verify_guest))
}

/// A stay of guests in a unit.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Booking)]
struct BookingView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000b1"))]
    id: BookingId,
    #[schema(examples("HMABC123"))]
    confirmation_code: String,
    status: BookingStatus,
    #[schema(value_type = String, format = Date, examples("2026-12-01"))]
    check_in: Date,
    /// The day of departure; a stay occupies [check-in, check-out).
    #[schema(value_type = String, format = Date, examples("2026-12-05"))]
    check_out: Date,
    guests: GuestsView,
    #[schema(examples(2))]
    guests_count: i32,
    #[schema(examples(4))]
    nights_count: i32,
    contacts: Vec<Contact>,
    #[schema(required, examples("airbnb"))]
    platform: Option<String>,
    #[schema(required)]
    product: Option<NamedReference>,
    #[schema(required, examples("paid"))]
    payment_status: Option<String>,
    unit: Reference,
    vetting: Vetting,
    #[schema(required)]
    conversation: Option<Reference>,
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    updated_at: Timestamp,
}

/// Who stays.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LegacyGuests)]
struct GuestsView {
    #[schema(examples(2))]
    adults: i32,
    #[schema(examples(0))]
    children: i32,
    #[schema(examples(2))]
    total: i32,
}

/// How far it is known who stays.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LegacyVetting)]
struct Vetting {
    status: VettingStatus,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BookingsPage)]
struct Bookings {
    bookings: Vec<BookingView>,
}

/// In which days a stay has a night.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes parameters")]
struct Nights {
    /// The first night.
    #[param(format = Date, value_type = String, required = false, example = "2026-12-01")]
    start_date: Option<String>,
    /// The last night.
    #[param(format = Date, value_type = String, required = false, example = "2026-12-31")]
    end_date: Option<String>,
}

/// The bookings of the workspace
///
/// With days: those whose stay has a night among them.
#[utoipa::path(
    get,
    path = "/api/dev/bookings",
    operation_id = "listBookings",
    params(PropertyQuery, Nights, LastModifiedQuery, PageParams),
    responses(
        (status = 200, description = "The page.", body = Bookings),
        (status = 422, response = Unprocessable),
    )
)]
async fn bookings(
    State(platform): State<Platform>,
    caller: LegacyCaller,
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
    let (platform, LegacyCaller { workspace, acting, .. }) = (&platform, caller);
    let found = platform.bookings_window(&acting, workspace, &filter, listing.window()?).await?;
    let ids: Vec<BookingId> = found.nodes.iter().map(|booking| booking.id).collect();
    let product_ids: Vec<ProductId> = found.nodes.iter().filter_map(|booking| booking.product).collect();
    let products = platform.products_by_ids(&acting, &product_ids).await?;
    let conversations = platform.conversations_of_bookings(&acting, &ids).await?;
    let bookings = found.nodes.iter().map(|booking| {
        let product = booking.product.and_then(|id| products.get(&id));
        view(
            booking,
            product.map(|product| &product.value),
            conversations.get(&booking.id).map(|conversation| conversation.id),
        )
    });
    Ok(listing.answer(&Bookings { bookings: bookings.collect() }, found.total))
}

fn view(
    booking: &Stamped<Booking>,
    product: Option<&Product>,
    conversation: Option<ConversationId>,
) -> BookingView {
    let guests = booking.guests;
    BookingView {
        id: booking.id,
        confirmation_code: booking.confirmation_code.clone(),
        status: booking.status,
        check_in: booking.check_in,
        check_out: booking.check_out,
        guests: GuestsView { adults: guests.adults, children: guests.children, total: guests.total() },
        guests_count: guests.total(),
        nights_count: booking.nights(),
        contacts: booking.contacts.clone(),
        platform: booking.platform.clone(),
        product: product.map(|product| NamedReference { id: product.id.into(), name: product.name.clone() }),
        payment_status: booking.payment_status.clone(),
        unit: Reference::to(booking.unit),
        vetting: Vetting { status: booking.vetting },
        conversation: conversation.map(Reference::to),
        created_at: booking.created_at,
        updated_at: booking.updated_at,
    }
}

/// Through what a message came, unless it says its own.
const SOURCE: &str = "legacy_api";

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LegacyMessageForm)]
struct MessageForm {
    #[schema(
        min_length = 1,
        max_length = 10_000,
        pattern = r"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$",
        examples("The keys are at the desk.")
    )]
    body: String,
    /// `text/plain` unless given.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    content_type: Option<String>,
    /// Through what it came; `legacy_api` unless given.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    source: Option<String>,
}

/// What was written about a booking.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LegacyMessage)]
struct MessageView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000d3"))]
    id: MessageId,
    #[schema(examples("The keys are at the desk."))]
    body: String,
    #[schema(examples("text/plain"))]
    content_type: String,
    #[schema(required, examples("legacy_api"))]
    source: Option<String>,
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    sent_at: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
struct MessageSent {
    message: MessageView,
    conversation: Reference,
}

/// Write a message about a booking
///
/// Its conversation is made when there is none yet.
#[utoipa::path(
    post,
    path = "/api/dev/bookings/{id}/messages",
    operation_id = "sendMessage",
    params(BookingPath),
    request_body = MessageForm,
    responses(
        (status = 201, description = "The message.", body = MessageSent),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn send_message(
    State(platform): State<Platform>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<MessageForm>,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let MessageForm { body, content_type, source } = form;
    let booking: BookingId = read::id("booking_id", &id)?;
    let source = source.as_deref().unwrap_or(SOURCE);
    let sent =
        platform.write_about_booking(&caller.acting, booking, &body, content_type.as_deref(), source).await?;
    let answer = MessageSent {
        message: MessageView {
            id: sent.id,
            body: sent.body.clone(),
            content_type: sent.content_type.clone(),
            source: sent.source.clone(),
            sent_at: sent.sent_at,
        },
        conversation: Reference::to(sent.conversation),
    };
    Ok((StatusCode::CREATED, axum::Json(answer)).into_response())
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
    #[serde(default, deserialize_with = "sent")]
    #[schema(
        value_type = Option<String>, min_length = 1, max_length = 500,
        pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("vetting-desk")
    )]
    source: Patch<String>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(
        value_type = Option<String>, min_length = 1, max_length = 500,
        pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("v-7")
    )]
    external_id: Patch<String>,
    /// Details in the words of who vets, at most 16 KiB.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Map<String, Value>>)]
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
fn refuse_rounded_numbers(value: &Value, path: &str, faults: &mut Vec<FieldError>) {
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
    State(platform): State<Platform>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
    Json(body): Json<VerificationBody>,
) -> Result<axum::Json<Verified>, ApiError> {
    params.only(&[])?;
    let booking: BookingId = read::id("booking_id", &id)?;
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
    let known = platform.verify_guest(&caller.acting, booking, &change).await?;
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
