//! The legacy REST API, `/api/dev/*`: what older integrations call until they have moved to GraphQL.
//!
//! Every route is behind [`caller::guard`] (HTTP Basic, the header `XX-SUBSCRIPTION-PORTAL-ID`, the limit of the
//! client), takes a [`caller::LegacyCaller`] for who calls in which workspace, and calls the operation of the service that
//! its successor in GraphQL calls. Every answer, a refusal too, says that the API is deprecated and what comes in its
//! place ([`announce`]).
//!
//! To add a route: a file with a `router()`, a line in [`router`], its successor in [`announce`].

mod account;
mod announce;
mod bookings;
mod caller;
mod described;
mod errors;
mod guest_verification;
mod messages;
mod pages;
mod rates;
mod read;
mod spaces;
mod tasks;
mod users;
mod webhooks;

use crate::PublicApi;
pub(super) use announce::announce;
use axum::{Router, middleware};
pub(super) use described::surface;
use utoipa_axum::router::OpenApiRouter;
pub(super) use webhooks::surface as webhooks_surface;

/// The routes of the legacy API. Nobody reaches one without good credentials.
pub(super) fn router(app: &PublicApi) -> Router<PublicApi> {
    let all = Router::from(routes().merge(webhooks::router()));
    all.route_layer(middleware::from_fn_with_state(app.clone(), caller::guard))
}

/// Those that GraphQL replaces.
fn routes() -> OpenApiRouter<PublicApi> {
    OpenApiRouter::new()
        .merge(account::router())
        .merge(bookings::router())
        .merge(messages::router())
        .merge(guest_verification::router())
        .merge(rates::router())
        .merge(spaces::router())
        .merge(tasks::router())
        .merge(users::router())
}
