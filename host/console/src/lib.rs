//! The console: pages for operators and finance, on the internal listener. The only HTML that asks who looks.
//!
//! Pages are made on the server ([askama]) and read without JavaScript. Scripts, which are part of the binary, only make links
//! and forms quicker and fetch a part of a page anew when something moved. Nothing is asked of another origin, and the pages'
//! policy forbids it (`page`).
//!
//! Who signs in is a client with `admin` or `console.read`; what its pages show and do is what its permissions allow, as over the
//! APIs ([`rights`]). Everything that a page does is an operation of the same services, with that client as the actor.
//!
//! | module | what it holds |
//! |---|---|
//! | `session` | signing in and out; who looks at a page, and whether a form came from a page |
//! | `rights` | what a signed-in client may do |
//! | `page`, `template`, `errors`, `error_frame`, `refusal`, `addresses`, `assets` | what every page shares |
//! | `pages` | which page of a list is asked for, and where the others are |
//! | `form_claim` | forms that count once, however often they are sent |
//! | `upload` | forms with a file |
//! | `live` | events that tell a page that something moved |
//! | `overview` | how submissions fare |
//! | `invoices` | lists, one document, and what is done about it |
//! | `reports` | what documents come to |
//! | `workspaces`, `plugins`, `renderers`, `clients`, `keys`, `webhooks`, `audit`, `jobs`, `health` | what operators look after |
//! | `plugin_change` | the page that asks before a version of a plugin or a renderer changes |
//!
//! To add a page: a template that extends `layout.html`, a struct with its `layout`, a handler whose first argument is
//! [`session::Viewer`], and its route in [`router`]. A form is sent to a handler whose last argument is
//! [`session::SentForm`], which refuses what did not come from a page of the session; its right is asked first. The tests
//! `console` of `tests/it` try every form without its right.
//!
//! Not here: the APIs, of which the pages do nothing that those cannot do; how values, charts and documents are shown
//! (`gateway-presentation`); what people get by mail or as a file (`gateway-rendering`).

#![deny(clippy::wildcard_enum_match_arm)]

mod addresses;
mod assets;
mod audit;
mod clients;
mod error_frame;
mod errors;
mod form_claim;
mod health;
mod invoices;
mod jobs;
mod keys;
mod live;
mod overview;
mod page;
mod pages;
mod plugin_change;
mod plugins;
mod reconciliations;
mod refusal;
mod renderers;
mod reports;
mod rights;
mod session;
mod template;
mod upload;
mod webhooks;
mod workspaces;

pub use refusal::refusal;

use axum::Router;
use axum::extract::{FromRef, Request};
use axum::routing::{any, get, post};
use gateway_access::{Audit, Clients, RequestClaims, Requests, Sessions, Tokens};
use gateway_amendment::Amendments;
use gateway_annotations::DocumentAnnotations;
use gateway_domain::ports::{Clock, Regimes};
use gateway_events::{Consumers, Events};
use gateway_finance::{DocumentLists, Finance, Submissions};
use gateway_http::Proxies;
use gateway_invoicing::Documents;
use gateway_jobs::JobQueue;
use gateway_platform::Bookings;
use gateway_read_models::Activity;
use gateway_recipients::Recipients;
use gateway_reconciliation::Reconciliations;
use gateway_registry::{PluginCalls, Plugins};
use gateway_rendering::Rendering;
use gateway_watchdog::Watchdog;
use gateway_webhooks::Webhooks;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What the pages are made of; a handler takes what it needs of it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Console {
    pub clock: Arc<dyn Clock>,
    /// People who signed in.
    pub sessions: Sessions,
    /// Whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
    pub proxies: Proxies,
    /// Makes another key sign tokens.
    pub tokens: Arc<Tokens>,
    /// Forms that are claimed before they are carried out.
    pub claims: RequestClaims,
    /// Forms whose key commits with what they do.
    pub requests: Requests,
    /// Who may call.
    pub clients: Clients,
    /// Who did what.
    pub audit: Audit,
    /// Whom documents are converted by, workspace by workspace.
    pub regimes: Arc<dyn Regimes>,
    /// With their settings, number series and ways to the provider.
    pub workspaces: gateway_workspaces::Workspaces,
    /// The webhooks of customers.
    pub webhooks: Webhooks,
    /// The documents of the invoice data service in this process.
    pub documents: Documents,
    /// Bookings, whose documents are searched for.
    pub bookings: Bookings,
    /// Documents in lists, wherever they are kept.
    pub lists: DocumentLists,
    /// Carries out commands on documents.
    pub finance: Finance,
    /// Submissions: what operators see of them and do about them.
    pub submissions: Submissions,
    /// Compares what was filed with what the provider holds.
    pub reconciliations: Reconciliations,
    /// Issued documents that are filed again under their number.
    pub amendments: Amendments,
    /// What people keep beside documents.
    pub annotations: DocumentAnnotations,
    /// Checks of recipients.
    pub recipients: Recipients,
    /// Documents as files that people read.
    pub rendering: Rendering,
    /// Looks after documents that are issuing.
    pub watchdog: Watchdog,
    /// What must follow, done in the background.
    pub jobs: JobQueue,
    /// What happened, in order.
    pub events: Events,
    /// Who follows the event log.
    pub consumers: Consumers,
    /// Installs and activates versions of plugins.
    pub plugins: Plugins,
    /// How calls of plugins fare in this process.
    pub plugin_calls: PluginCalls,
    /// How submissions fared over time.
    pub activity: Activity,
    /// Cancelled when the process ends: pages that wait for news are let go.
    pub closing: CancellationToken,
}

/// A handler takes the service it needs.
macro_rules! from_ref {
    ($($service:ty: $member:ident,)+) => {
        $(impl FromRef<Console> for $service {
            fn from_ref(console: &Console) -> Self {
                console.$member.clone()
            }
        })+
    };
}

from_ref! {
    Activity: activity,
    Arc<dyn Clock>: clock,
    Arc<dyn Regimes>: regimes,
    Arc<Tokens>: tokens,
    Audit: audit,
    Bookings: bookings,
    CancellationToken: closing,
    Clients: clients,
    RequestClaims: claims,
    Requests: requests,
    Consumers: consumers,
    DocumentAnnotations: annotations,
    DocumentLists: lists,
    Documents: documents,
    Events: events,
    Finance: finance,
    JobQueue: jobs,
    PluginCalls: plugin_calls,
    Plugins: plugins,
    Proxies: proxies,
    Reconciliations: reconciliations,
    Rendering: rendering,
    Sessions: sessions,
    Submissions: submissions,
    Watchdog: watchdog,
    Webhooks: webhooks,
    gateway_workspaces::Workspaces: workspaces,
}

/// How large a form with a file may be: a component, and a file beside a document, come in one piece; other forms are small.
pub fn body_bytes_max(request: &Request) -> Option<u64> {
    plugins::body_bytes_max(request).or_else(|| invoices::body_bytes_max(request))
}

/// Every page.
pub fn router(console: Console) -> Router {
    Router::new()
        .route("/console", get(overview::show))
        .route("/console/", get(overview::show))
        .route("/console/sign-in", post(session::sign_in))
        .route("/console/sign-out", post(session::sign_out))
        .route("/console/assets/{version}/{name}", get(assets::asset))
        .route("/console/live", get(live::everything))
        .route("/console/invoices/{id}/live", get(live::document))
        .merge(invoices::routes())
        .route("/console/reports", get(reports::show))
        .merge(workspaces::routes())
        .merge(plugins::routes())
        .merge(clients::routes())
        .merge(keys::routes())
        .merge(webhooks::routes())
        .route("/console/audit", get(audit::show))
        .merge(jobs::routes())
        .merge(reconciliations::routes())
        .route("/console/health", get(health::show))
        .route("/console/{*rest}", any(errors::unknown_page))
        .method_not_allowed_fallback(session::page_before)
        .layer(axum::middleware::from_fn_with_state(console.clone(), error_frame::with_frame))
        .layer(axum::middleware::from_fn(page::with_policy))
        .with_state(console)
}
