//! Bookings: stays of guests in units.

use super::caller::Portal;
use super::pages::Listing;
use crate::http::AppState;
use crate::http::errors::ApiErrors;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use gateway_app::platform::BookingFilter;
use gateway_domain::Stamped;
use gateway_domain::bookings::Booking;
use gateway_domain::catalog::Product;
use gateway_domain::ids::{BookingId, ConversationId, ProductId};
use serde_json::{Value, json};

pub(super) fn router() -> Router<AppState> {
    Router::new().route("/api/dev/bookings", get(bookings))
}

/// The bookings of the workspace; days are those in which the stay has a night.
async fn bookings(
    State(app): State<AppState>,
    portal: Portal,
    listing: Listing,
) -> Result<Response, ApiErrors> {
    listing.only(&["property_id", "start_date", "end_date", "last_modified"])?;
    let (from, to) = listing.days()?;
    let filter = BookingFilter {
        unit: listing.property()?,
        from,
        to,
        updated_since: listing.last_modified()?,
        ..BookingFilter::default()
    };
    let (gateway, Portal { workspace, acting, .. }) = (&app.gateway, portal);
    let found = gateway.bookings_window(&acting, workspace, &filter, listing.window()).await?;
    let ids: Vec<BookingId> = found.nodes.iter().map(|booking| booking.id).collect();
    let sold: Vec<ProductId> = found.nodes.iter().filter_map(|booking| booking.product).collect();
    let products = gateway.products_by_ids(&acting, &sold).await?;
    let conversations = gateway.conversations_of_bookings(&acting, &ids).await?;
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
