//! The two listeners: which surfaces each has, and how they depart from what holds for every request.

use crate::clock::SystemIds;
use crate::services::Services;
use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use gateway_access::{Sessions, Tokens};
use gateway_api_admin::AdminApi;
use gateway_api_internal::{InternalApi, MetricSources, Metrics, Readiness, Sampler};
use gateway_api_public::{NOTIFICATIONS_PER_S, PublicApi};
use gateway_config::Config;
use gateway_console::Console;
use gateway_graphql::Api;
use gateway_http::connection::Timeouts;
use gateway_http::cors::with_cors;
use gateway_http::limits::Limits;
use gateway_http::middleware::{OuterLayer, Refusal, SurfaceExceptions, finish};
use gateway_http::openapi::{self, Listener, Surface};
use gateway_http::startup::{Startup, wait_for_plugins};
use gateway_http::{RequestMetrics, health};
use gateway_registry::{PluginCalls, Plugins};
use serde_json::Value;
use std::sync::{Arc, LazyLock};
use tokio_util::sync::CancellationToken;

/// A plugin and a file beside a document come in one piece, and GraphQL and the console refuse in their own forms.
const SURFACE_EXCEPTIONS: SurfaceExceptions = SurfaceExceptions { body_bytes_max, refusal };

fn body_bytes_max(request: &Request) -> Option<u64> {
    let admin = gateway_api_admin::body_bytes_max(request);
    admin
        .or_else(|| gateway_api_internal::body_bytes_max(request))
        .or_else(|| gateway_console::body_bytes_max(request))
}

fn refusal(request: &Request) -> Option<Box<dyn Refusal>> {
    gateway_api_public::refusal(request).or_else(|| gateway_console::refusal(request))
}

/// What the routes of both listeners are described by.
pub(crate) fn surfaces() -> Vec<Surface> {
    let mut all = gateway_api_public::surfaces();
    let [rpc, finance, operation] = gateway_api_internal::surfaces();
    all.extend([rpc, finance, gateway_api_admin::surface(), operation]);
    all
}

/// What a listener can do (OpenAPI 3.1).
pub(crate) fn document(listener: Listener) -> &'static Value {
    static INTERNAL: LazyLock<Value> = LazyLock::new(|| openapi::document(Listener::Internal, &surfaces()));
    match listener {
        Listener::Public => gateway_api_public::document(),
        Listener::Internal => &INTERNAL,
    }
}

/// The document of the public listener as it is handed out.
fn public_document() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| document(Listener::Public).to_string());
    &TEXT
}

/// The document of the internal listener as it is handed out.
fn internal_document() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| document(Listener::Internal).to_string());
    &TEXT
}

/// Whether pages of other origins may be let in to a path: the API with its tokens, and what needs none.
fn is_for_pages(path: &str) -> bool {
    ["/v1", "/.well-known/", "/openapi.json", "/docs", "/healthz"]
        .iter()
        .any(|shared| path.starts_with(shared))
}

/// What both listeners are made of. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Surfaces {
    pub(crate) public: PublicApi,
    /// Boxed, as the console is.
    pub(crate) internal: Box<InternalApi>,
    /// Boxed, as the console is.
    pub(crate) admin: Box<AdminApi>,
    /// Boxed: it names many services.
    pub(crate) console: Box<Console>,
    pub(crate) outermost: OuterLayer,
    /// What needs the plugins waits for it.
    pub(crate) startup: Startup,
    /// Origins whose pages may call the public listener.
    pub(crate) cors_origins: Arc<[String]>,
}

impl Surfaces {
    /// Hands every surface the services that it needs.
    pub(crate) fn new(parts: &SurfaceParts<'_>) -> Self {
        Self {
            public: parts.public(),
            internal: Box::new(parts.internal()),
            admin: Box::new(parts.admin()),
            console: Box::new(parts.console()),
            startup: parts.startup.clone(),
            cors_origins: parts.config.server.cors_origins.clone().into(),
            outermost: OuterLayer {
                ids: Arc::new(SystemIds),
                metrics: parts.requests.clone(),
                timeouts: Timeouts::default(),
                exceptions: SURFACE_EXCEPTIONS,
            },
        }
    }

    /// What customers and the provider reach.
    pub(crate) fn public_listener(&self) -> Router {
        let routes = gateway_api_public::router(self.public.clone())
            .merge(gateway_api_public::token_endpoint(self.public.clone()))
            .merge(gateway_api_public::shared_pages())
            .merge(health(public_document));
        let listener = finish(routes, self.outermost.clone());
        let listener = with_cors(listener, &self.cors_origins, is_for_pages);
        gateway_api_public::deprecate_legacy(listener, self.public.tokens.public_url())
    }

    /// What only the platform's own services and operators reach.
    pub(crate) fn internal_listener(&self) -> Router {
        let with_plugins = gateway_api_internal::router((*self.internal).clone())
            .merge(gateway_api_admin::router(AdminApi::clone(&self.admin)))
            .merge(gateway_console::router(Console::clone(&self.console)))
            .route_layer(from_fn_with_state(self.startup.clone(), wait_for_plugins));
        let routes = with_plugins
            .merge(gateway_api_internal::operation((*self.internal).clone()))
            .merge(gateway_api_public::token_endpoint(self.public.clone()))
            .merge(gateway_api_public::shared_pages())
            .merge(health(internal_document));
        finish(routes, self.outermost.clone())
    }
}

/// What the surfaces are made of.
#[derive(Debug)]
pub(crate) struct SurfaceParts<'a> {
    pub(crate) config: &'a Config,
    pub(crate) services: &'a Services,
    pub(crate) tokens: &'a Arc<Tokens>,
    pub(crate) plugins: &'a Plugins,
    pub(crate) plugin_calls: PluginCalls,
    /// Of the requests of both listeners.
    pub(crate) requests: RequestMetrics,
    /// Of everything, those of `requests` included.
    pub(crate) metrics: Metrics,
    /// Ends what stays open for long, when the listeners close.
    pub(crate) closing: CancellationToken,
    /// Whether the plugins are loaded.
    pub(crate) startup: Startup,
}

impl SurfaceParts<'_> {
    fn public(&self) -> PublicApi {
        let services = self.services.clone();
        PublicApi {
            graphql: Api::new(services.graphql()),
            clock: services.clock,
            tokens: Arc::clone(self.tokens),
            legacy_uses: services.legacy_uses,
            workspaces: services.workspaces,
            platform: services.platform,
            webhooks: services.webhooks,
            submissions: services.submissions,
            claims: services.claims,
            limits: Arc::new(Limits::new(self.config.limits.requests_per_s)),
            notification_limits: Arc::new(Limits::new(NOTIFICATIONS_PER_S)),
            metrics: self.requests.clone(),
            proxies: self.config.server.proxies().unwrap_or_default().into(),
        }
    }

    fn admin(&self) -> AdminApi {
        let services = self.services.clone();
        AdminApi {
            regimes: services.regimes,
            tokens: Arc::clone(self.tokens),
            clients: services.clients,
            audit: services.audit,
            legacy_uses: services.legacy_uses,
            workspaces: services.workspaces,
            webhooks: services.webhooks,
            finance: services.finance,
            submissions: services.submissions,
            watchdog: services.watchdog,
            reconciliations: services.reconciliations,
            deadlines: services.deadlines,
            plugins: self.plugins.clone(),
            renderers: services.rendering.versions().clone(),
            rules: services.rules,
        }
    }

    fn internal(&self) -> InternalApi {
        let services = self.services.clone();
        let (db, disk) = (services.db.clone(), services.db);
        InternalApi {
            clock: Arc::clone(&services.clock),
            tokens: Arc::clone(self.tokens),
            requests: services.requests,
            events: services.events,
            documents: services.documents.clone(),
            rendering: services.rendering,
            invoicing: services.invoicing,
            finance: services.finance.clone(),
            submissions: services.submissions.clone(),
            amendments: services.amendments.clone(),
            annotations: services.annotations,
            recipients: services.recipients,
            metrics: self.metrics.clone(),
            sampler: Sampler::new(MetricSources {
                clock: services.clock,
                consumers: services.consumers,
                documents: services.documents,
                lists: services.lists,
                finance: services.finance,
                submissions: services.submissions,
                watchdog: services.watchdog,
                reconciliations: services.reconciliations,
                amendments: services.amendments,
                jobs: services.jobs,
                plugins: self.plugins.clone(),
                webhooks: services.webhooks,
                workspaces: services.workspaces,
            }),
            readiness: Readiness::new(
                self.startup.clone(),
                move || {
                    let db = db.clone();
                    async move { db.is_migrated().await }
                },
                move || disk.has_room(),
            ),
        }
    }

    fn console(&self) -> Console {
        let services = self.services.clone();
        Console {
            sessions: Sessions::new(
                services.db,
                Arc::clone(&services.clock),
                Arc::new(SystemIds),
                Arc::clone(self.tokens),
            ),
            clock: services.clock,
            proxies: self.config.server.proxies().unwrap_or_default().into(),
            tokens: Arc::clone(self.tokens),
            claims: services.claims,
            requests: services.requests,
            clients: services.clients,
            audit: services.audit,
            regimes: services.regimes,
            workspaces: services.workspaces,
            webhooks: services.webhooks,
            documents: services.documents,
            amendments: services.amendments,
            annotations: services.annotations,
            recipients: services.recipients,
            bookings: services.platform.bookings,
            lists: services.lists,
            finance: services.finance,
            submissions: services.submissions,
            reconciliations: services.reconciliations,
            rendering: services.rendering,
            watchdog: services.watchdog,
            jobs: services.jobs,
            events: services.events,
            consumers: services.consumers,
            plugins: self.plugins.clone(),
            plugin_calls: self.plugin_calls.clone(),
            activity: services.activity,
            closing: self.closing.clone(),
        }
    }
}
