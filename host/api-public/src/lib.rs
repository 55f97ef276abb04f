//! What customers and the provider reach. A file has a `router()` and translates; what is decided is decided in the
//! services.
//!
//! | module | what it holds |
//! |---|---|
//! | `oauth` | access tokens, and what others need to check them |
//! | `graphql`, `graphiql` | the GraphQL API over HTTP, and a page to try it |
//! | `webhooks` | webhooks, managed with a bearer token |
//! | `legacy` | the legacy REST API |
//! | `notifications` | what customers are told at their own addresses, as the document describes it |
//! | `provider` | the provider's webhook |
//! | `docs` | the reference for people |
//!
//! Not here: what surrounds every request, extractors and the shape of errors (`gateway-http`); GraphQL itself
//! (`gateway-graphql`).
//!
//! To add a route: a handler with `#[utoipa::path]` in the `routes!` of its file. A test reads these files
//! and asks every route without a token.

#![deny(clippy::wildcard_enum_match_arm)]

mod docs;
mod graphiql;
mod graphql;
mod legacy;
mod notifications;
mod oauth;
mod provider;
mod webhooks;

pub use graphql::refusal;
pub use provider::NOTIFICATIONS_PER_S;

use axum::Router;
use axum::extract::FromRef;
use axum::middleware::from_fn_with_state;
use gateway_access::{LegacyUses, RequestClaims, Tokens};
use gateway_domain::ports::Clock;
use gateway_finance::Submissions;
use gateway_graphql::Api;
use gateway_http::limits::Limits;
use gateway_http::openapi::{self, Listener, Surface};
use gateway_http::{Proxies, RequestMetrics};
use gateway_platform::{Bookings, Conversations, Platform, Pricing, Spaces, Tasks, Users};
use gateway_webhooks::Webhooks;
use gateway_workspaces::Workspaces;
use serde_json::Value;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// What the public routes are made of; a handler takes what it needs of it.
#[derive(Debug, Clone)]
pub struct PublicApi {
    pub clock: Arc<dyn Clock>,
    /// Issues and checks access tokens.
    pub tokens: Arc<Tokens>,
    /// Who still uses the legacy API.
    pub legacy_uses: LegacyUses,
    /// With their settings, number series and ways to the provider.
    pub workspaces: Workspaces,
    /// The platform's own data.
    pub platform: Platform,
    /// The webhooks of customers.
    pub webhooks: Webhooks,
    /// Submissions, of which the provider notifies.
    pub submissions: Submissions,
    /// The GraphQL API.
    pub graphql: Api,
    /// The keys of mutations that may be repeated.
    pub claims: RequestClaims,
    /// How much a client may ask.
    pub limits: Arc<Limits>,
    /// How many notifications of the provider each address may send.
    pub notification_limits: Arc<Limits<IpAddr>>,
    /// Counts what the legacy API is asked.
    pub metrics: RequestMetrics,
    /// Whose `X-Forwarded-For` is believed.
    pub proxies: Proxies,
}

/// [`PublicApi`], as the routes share it: each request and each layer clones it. A type of this crate, because extractors of other
/// crates' types need one.
#[derive(Debug, Clone)]
struct PublicState(Arc<PublicApi>);

impl From<PublicApi> for PublicState {
    fn from(api: PublicApi) -> Self {
        Self(Arc::new(api))
    }
}

impl Deref for PublicState {
    type Target = PublicApi;

    fn deref(&self) -> &PublicApi {
        &self.0
    }
}

/// A handler takes the service it needs.
macro_rules! from_ref {
    ($($service:ty: $($member:ident).+,)+) => {
        $(impl FromRef<PublicState> for $service {
            fn from_ref(state: &PublicState) -> Self {
                state.$($member).+.clone()
            }
        })+
    };
}

from_ref! {
    Api: graphql,
    Arc<Limits>: limits,
    Arc<Limits<IpAddr>>: notification_limits,
    Arc<Tokens>: tokens,
    Arc<dyn Clock>: clock,
    Bookings: platform.bookings,
    Platform: platform,
    Conversations: platform.conversations,
    Pricing: platform.pricing,
    Spaces: platform.spaces,
    Tasks: platform.tasks,
    Users: platform.users,
    Proxies: proxies,
    RequestClaims: claims,
    RequestMetrics: metrics,
    Submissions: submissions,
    Webhooks: webhooks,
    Workspaces: workspaces,
}

/// The routes of the public listener, without those that both listeners have.
pub fn router(api: PublicApi) -> Router {
    let state = PublicState::from(api);
    Router::new()
        .merge(Router::from(oauth::discovery()))
        .merge(Router::from(provider::router()))
        .merge(Router::from(graphql::router()))
        .merge(Router::from(webhooks::router(&state)))
        .merge(legacy::router(&state))
        .merge(Router::from(docs::router()))
        .with_state(state)
}

/// What the routes of the public listener are described by.
pub fn surfaces() -> Vec<Surface> {
    let [token, discovery] = oauth::surfaces();
    let [docs, shared_docs] = docs::surfaces();
    vec![
        token,
        discovery,
        graphql::surface(),
        webhooks::surface(),
        legacy::surface(),
        legacy::webhooks_surface(),
        provider::surface(),
        gateway_http::health_surface(),
        docs,
        shared_docs,
    ]
}

/// What the public listener can do (OpenAPI 3.1).
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| openapi::document(Listener::Public, &surfaces()));
    &DOCUMENT
}

/// The token endpoint; on both listeners.
pub fn token_endpoint(api: PublicApi) -> Router {
    Router::from(oauth::router()).with_state(PublicState::from(api))
}

/// The error codes and the test cards; on both listeners.
pub fn shared_pages() -> Router {
    Router::from(docs::shared_router())
}

/// Says on every answer of the legacy API that it is deprecated, whether or not there is a route: goes around the whole
/// listener.
pub fn deprecate_legacy(listener: Router, public_url: &str) -> Router {
    listener.layer(from_fn_with_state(Arc::<str>::from(public_url), legacy::announce))
}
