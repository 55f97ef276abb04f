//! The operators' surface: JSON twins of the command line. A file has a `routes()` and translates; what is decided is decided
//! in the services.
//!
//! A client that may operate only some workspaces sees and changes only those, and grants no others.
//!
//! Not here: readiness and metrics, which nobody needs a token for (`gateway-api-internal`); the command line (`gateway-cli`).
//!
//! To add a route: a handler with `#[utoipa::path]` in the `routes!` of its file, whose first argument is `Authenticated`, and a
//! service that it is the first to need in [`AdminApi`] and `from_ref`; then its twin of the command line. The tests
//! `routes` of `gateway` read these files and ask every route without a token; `openapi` tells that the document is an old one.

#![deny(clippy::wildcard_enum_match_arm)]

mod audit;
mod clients;
mod components;
mod errors;
mod keys;
mod outages;
mod plugins;
mod printing;
mod reconciliations;
mod renderers;
mod rules;
mod submissions;
mod webhooks;
mod workspaces;

pub use components::body_bytes_max;

use axum::extract::FromRef;
use axum::http::StatusCode;
use axum::{Extension, Router};
use errors::{ApiError, refuse};
use gateway_access::{Audit, Clients, LegacyUses, Tokens};
use gateway_deadlines::LegalClock;
use gateway_domain::ErrorCode;
use gateway_domain::access::Permission;
use gateway_domain::ports::Regimes;
use gateway_finance::{Finance, Submissions};
use gateway_http::Needs;
use gateway_http::openapi::{Forbidden, Listener, Surface, Unauthorised};
use gateway_reconciliation::Reconciliations;
use gateway_registry::Plugins;
use gateway_rendering::RendererVersions;
use gateway_rules::RuleChecks;
use gateway_watchdog::Watchdog;
use gateway_webhooks::Webhooks;
use gateway_workspaces::Workspaces;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

/// What the operators' routes are made of; a handler takes what it needs of it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct AdminApi {
    /// Whom documents are converted by, workspace by workspace.
    pub regimes: Arc<dyn Regimes>,
    /// Issues and checks access tokens.
    pub tokens: Arc<Tokens>,
    /// Who may call.
    pub clients: Clients,
    /// Who did what; for operators.
    pub audit: Audit,
    /// Who still uses the legacy API.
    pub legacy_uses: LegacyUses,
    /// With their settings, number series and ways to the provider.
    pub workspaces: Workspaces,
    /// The webhooks of customers.
    pub webhooks: Webhooks,
    /// Shows documents as finance knows them.
    pub finance: Finance,
    /// Submissions: what operators see of them and do about them.
    pub submissions: Submissions,
    /// Looks after documents that are issuing.
    pub watchdog: Watchdog,
    /// Until when documents have to be filed, and what stood in the way.
    pub deadlines: LegalClock,
    /// Compares what was filed with what the provider holds.
    pub reconciliations: Reconciliations,
    /// Installs and activates versions of plugins.
    pub plugins: Plugins,
    /// Installs and activates versions of renderers.
    pub renderers: RendererVersions,
    /// Checks drafts as of a later day.
    pub rules: RuleChecks,
}

/// A handler takes the service it needs.
macro_rules! from_ref {
    ($($service:ty: $member:ident,)+) => {
        $(impl FromRef<AdminApi> for $service {
            fn from_ref(api: &AdminApi) -> Self {
                api.$member.clone()
            }
        })+
    };
}

from_ref! {
    Arc<dyn Regimes>: regimes,
    Arc<Tokens>: tokens,
    Audit: audit,
    Clients: clients,
    Finance: finance,
    LegacyUses: legacy_uses,
    LegalClock: deadlines,
    Plugins: plugins,
    Reconciliations: reconciliations,
    RendererVersions: renderers,
    RuleChecks: rules,
    Submissions: submissions,
    Watchdog: watchdog,
    Webhooks: webhooks,
    Workspaces: workspaces,
}

/// The operators' routes.
pub fn router(api: AdminApi) -> Router {
    Router::from(routes()).layer(Extension(Needs(&[Permission::Admin]))).with_state(api)
}

fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new()
        .merge(clients::routes())
        .merge(workspaces::routes())
        .merge(printing::routes())
        .merge(submissions::routes())
        .merge(reconciliations::routes())
        .merge(outages::routes())
        .merge(keys::routes())
        .merge(audit::routes())
        .merge(plugins::routes())
        .merge(renderers::routes())
        .merge(rules::routes())
        .merge(webhooks::routes())
}

/// What the routes are described by.
pub fn surface() -> Surface {
    let about = "JSON twins of the command line. A client that may operate only some workspaces sees and changes only those, and grants no others.";
    Surface::new(Listener::Internal, "Admin", about, routes().into_openapi())
        .behind_a_token(Some("admin"))
        .answers::<Unauthorised>(401)
        .answers::<Forbidden>(403)
        .fails()
        .body("createClient", "example", &clients::example())
        .body("setClient", "example", &clients::example_of_a_change())
        .body("createWorkspace", "example", &workspaces::example())
        .body("setWorkspace", "example", &workspaces::example_of_a_change())
        .body("setPrinting", "example", &printing::example())
}

/// An answer, or why there is none.
type JsonResult<T> = Result<axum::Json<T>, ApiError>;

fn unprocessable(field: &str, code: ErrorCode, message: &str) -> ApiError {
    refuse(StatusCode::UNPROCESSABLE_ENTITY, field, code, message)
}

fn malformed_id(message: &str) -> ApiError {
    refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, message)
}
