//! The surfaces over HTTP. Each file has one `router()` and translates; what is decided is decided in
//! the services.
//!
//! To add a surface: a file with a `router()`, one line in [`public`] or [`internal`]. A test reads these files and
//! asks every route without a token: a new one answers 401, or its name is put on the list of public ones.

mod accept;
mod access;
mod admin;
mod audit;
pub(crate) mod connection;
mod errors;
mod finance;
mod graphiql;
mod graphql;
mod json;
mod keys;
mod legacy;
pub(crate) mod limits;
mod linger;
mod middleware;
mod oauth;
mod once;
mod openapi;
mod ops;
mod peer;
mod plugins;
mod proof;
mod query;
mod request_id;
mod returned;
mod rpc;
mod strict;
mod time;
mod webhook;
mod webhooks;

use crate::config::Network;
use crate::metrics::Metrics;
use crate::openapi::Listener;
use crate::services::Services;
use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use connection::Patience;
use errors::ApiErrors;
use gateway_access::{Audit, Clients, Requests, Tokens};
use gateway_domain::ports::{Clock, Ids};
use gateway_events::Events;
use gateway_finance::Finance;
use gateway_graphql::Api;
use gateway_invoicing::{Documents, Invoicing};
use gateway_platform::Platform;
use gateway_registry::Plugins;
use gateway_webhooks::Webhooks;
use gateway_workspaces::Workspaces;
use limits::Limits;
use middleware::{Departures, Outermost};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What handlers share. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct AppState {
    pub(crate) services: Services,
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) plugins: Plugins,
    pub(crate) metrics: Metrics,
    /// Whose `X-Forwarded-For` is believed.
    pub(crate) proxies: Arc<[Network]>,
    pub(crate) ids: Arc<dyn Ids>,
    /// The GraphQL API.
    pub(crate) graphql: Api,
    /// How much a client may ask of the public API.
    pub(crate) limits: Arc<Limits>,
    /// How long is waited for slow clients.
    pub(crate) patience: Patience,
    /// Whether the background loops run.
    pub(crate) working: Arc<AtomicBool>,
}

impl AppState {
    fn fresh_id(&self) -> String {
        self.ids.next().to_string()
    }
}

/// A handler takes the service it needs.
macro_rules! handed_out {
    ($($service:ty: $member:ident,)+) => {
        $(impl FromRef<AppState> for $service {
            fn from_ref(app: &AppState) -> Self {
                app.services.$member.clone()
            }
        })+
    };
}

handed_out! {
    Arc<dyn Clock>: clock,
    Audit: audit,
    Clients: clients,
    Documents: documents,
    Events: events,
    Finance: finance,
    Invoicing: invoicing,
    Platform: platform,
    Requests: requests,
    Webhooks: webhooks,
    Workspaces: workspaces,
}

/// What customers and the provider reach.
pub(crate) fn public(app: AppState) -> Router {
    let routes = Router::new().merge(oauth::router()).merge(oauth::discovery()).merge(webhook::router());
    let routes = routes.merge(graphql::router()).merge(legacy::router(&app));
    let routes = routes.merge(openapi::router(Listener::Public)).merge(openapi::reference());
    let public_url: Arc<str> = app.tokens.public_url().into();
    finish(routes.merge(ops::health()), app).layer(from_fn_with_state(public_url, legacy::announce))
}

/// What only the platform's own services and operators reach.
pub(crate) fn internal(app: AppState) -> Router {
    let routes = Router::new().merge(oauth::router()).merge(rpc::router()).merge(finance::router());
    finish(
        routes
            .merge(admin::router())
            .merge(keys::router())
            .merge(audit::router())
            .merge(webhooks::router())
            .merge(plugins::router())
            .merge(openapi::router(Listener::Internal))
            .merge(ops::health())
            .merge(ops::router()),
        app,
    )
}

fn finish(routes: Router<AppState>, app: AppState) -> Router {
    let departures = Departures { body_bytes_max: plugins::body_bytes_max, refusal: graphql::refusal };
    let outermost = Outermost { app: app.clone(), departures };
    routes
        .fallback(|| async { ApiErrors::base(StatusCode::NOT_FOUND, "there is nothing at this path") })
        .method_not_allowed_fallback(|| async {
            ApiErrors::base(
                StatusCode::METHOD_NOT_ALLOWED,
                "this path takes other methods: see the Allow header",
            )
        })
        .layer(DefaultBodyLimit::max(middleware::BODY_BYTES_MAX))
        .layer(from_fn_with_state(outermost, middleware::around))
        .layer(from_fn(connection::busy))
        .with_state(app)
}

#[cfg(test)]
mod tests;
