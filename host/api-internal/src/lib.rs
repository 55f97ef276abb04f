//! What only the platform's own services reach. A file has a `router()` and translates; what is decided
//! is decided in the services.
//!
//! | module | what it holds |
//! |---|---|
//! | `rpc` | the invoice data service |
//! | `finance` | the finance service |
//! | `ops`, `metrics` | readiness, and what Prometheus reads |
//! | `errors`, `read_only_members` | mistakes, and members that several operations read alike |
//! | `described` | parameters, headers and members that several operations describe alike |
//!
//! Not here: what operators do (`gateway-api-admin`); what surrounds every request, extractors and the shape of errors
//! (`gateway-http`).
//!
//! To add a route: a handler with `#[utoipa::path]` in the `routes!` of its file, whose first argument is `Authenticated`; what
//! a client has to be permitted for it is said once for the surface, in [`router`]. A test reads these files and asks every route
//! without a token.

#![deny(clippy::wildcard_enum_match_arm)]

mod described;
mod errors;
mod finance;
mod metrics;
mod ops;
mod read_only_members;
mod rpc;

pub use metrics::{MetricSources, Metrics, PluginMetrics, Sampler};
pub use ops::Readiness;
pub use rpc::body_bytes_max;

use axum::extract::FromRef;
use axum::{Extension, Router};
use gateway_access::{Requests, Tokens};
use gateway_amendment::Amendments;
use gateway_annotations::DocumentAnnotations;
use gateway_domain::access::Permission;
use gateway_domain::ports::Clock;
use gateway_events::Events;
use gateway_finance::{Finance, Submissions};
use gateway_http::Needs;
use gateway_http::openapi::Surface;
use gateway_invoicing::{Documents, Invoicing};
use gateway_recipients::Recipients;
use gateway_rendering::Rendering;
use std::ops::Deref;
use std::sync::Arc;

/// What the internal routes are made of; a handler takes what it needs of it.
#[derive(Debug, Clone)]
pub struct InternalApi {
    pub clock: Arc<dyn Clock>,
    /// Issues and checks access tokens.
    pub tokens: Arc<Tokens>,
    /// The requests that were given a key.
    pub requests: Requests,
    /// What happened, in order: what integrators read and consumers follow.
    pub events: Events,
    /// The documents of the invoice data service in this process.
    pub documents: Documents,
    /// The invoice data service in this process.
    pub invoicing: Invoicing,
    /// Documents as files that people read.
    pub rendering: Rendering,
    /// Carries out commands on documents, and shows documents as finance knows them.
    pub finance: Finance,
    /// Submissions: what operators see of them and do about them.
    pub submissions: Submissions,
    /// Amendments of issued documents.
    pub amendments: Amendments,
    /// What people keep beside documents.
    pub annotations: DocumentAnnotations,
    /// Checks of recipients.
    pub recipients: Recipients,
    /// What Prometheus reads.
    pub metrics: Metrics,
    /// What it reads of the database.
    pub sampler: Sampler,
    /// Whether the gateway can work.
    pub readiness: Readiness,
}

/// [`InternalApi`], as the routes share it: each request and each layer clones it. A type of this crate, because extractors of other
/// crates' types need one.
#[derive(Debug, Clone)]
struct InternalState(Arc<InternalApi>);

impl From<InternalApi> for InternalState {
    fn from(api: InternalApi) -> Self {
        Self(Arc::new(api))
    }
}

impl Deref for InternalState {
    type Target = InternalApi;

    fn deref(&self) -> &InternalApi {
        &self.0
    }
}

/// A handler takes the service it needs.
macro_rules! from_ref {
    ($($service:ty: $member:ident,)+) => {
        $(impl FromRef<InternalState> for $service {
            fn from_ref(state: &InternalState) -> Self {
                state.$member.clone()
            }
        })+
    };
}

from_ref! {
    Amendments: amendments,
    Arc<dyn Clock>: clock,
    Arc<Tokens>: tokens,
    DocumentAnnotations: annotations,
    Documents: documents,
    Events: events,
    Finance: finance,
    Invoicing: invoicing,
    Metrics: metrics,
    Readiness: readiness,
    Recipients: recipients,
    Rendering: rendering,
    Requests: requests,
    Sampler: sampler,
    Submissions: submissions,
}

/// What these routes are described by.
pub fn surfaces() -> [Surface; 3] {
    [rpc::surface(), finance::surface(), ops::surface()]
}

/// Readiness and metrics.
pub fn operation(api: InternalApi) -> Router {
    Router::from(ops::routes()).with_state(InternalState::from(api))
}

/// The routes of the platform's own services.
pub fn router(api: InternalApi) -> Router {
    Router::new()
        .merge(rpc::routes().layer(Extension(Needs(&[Permission::InvoicingRpc]))))
        .merge(finance::routes().layer(Extension(Needs(&[Permission::FinanceRpc]))))
        .with_state(InternalState::from(api))
}
