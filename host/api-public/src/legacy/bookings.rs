//! Bookings: stays of guests in units.

use super::listing::{LastModifiedQuery, Listing, PageParams, PropertyQuery};
use super::{ApiError, LegacyCaller, NamedReference, Reference};
use crate::PublicState;
use axum::extract::State;
use axum::response::Response;
use gateway_domain::ids::BookingId;
use gateway_domain_platform::bookings::{BookingFilter, BookingStatus, Contact, VettingStatus};
use gateway_http::openapi::Unprocessable;
use gateway_platform::{ListedBooking, Platform};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(bookings))
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
    let LegacyCaller { workspace, acting, .. } = caller;
    let found = platform.bookings.bookings_window(&acting, workspace, &filter, listing.window()?).await?;
    let bookings = found.nodes.iter().map(view).collect();
    Ok(listing.answer(&Bookings { bookings }, found.total))
}

fn view(ListedBooking { booking, product, conversation }: &ListedBooking) -> BookingView {
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
        product: product
            .as_ref()
            .map(|product| NamedReference { id: product.id.into(), name: product.name.clone() }),
        payment_status: booking.payment_status.clone(),
        unit: Reference::to(booking.unit),
        vetting: Vetting { status: booking.vetting },
        conversation: (*conversation).map(Reference::to),
        created_at: booking.created_at,
        updated_at: booking.updated_at,
    }
}
