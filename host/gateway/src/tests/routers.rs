//! A gateway whose routers are called in process.

use crate::clock::{SystemClock, SystemIds};
use crate::listeners::{self, SurfaceParts, Surfaces};
use crate::services::Services;
use crate::wiring;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode};
use gateway_access::secrets::Keyring;
use gateway_access::{Clients, Issuer, NewClient, TokenSettings, Tokens};
use gateway_api_internal::{Metrics, PluginMetrics};
use gateway_config::Config;
use gateway_domain::access::{Actor, Permission, Workspaces};
use gateway_domain::ports::Clock;
use gateway_http::RequestMetrics;
use gateway_http::openapi::Listener;
use gateway_http::startup::Startup;
use gateway_plugin_host::{Options, PluginHost, TrustedKeys};
use gateway_registry::PluginCalls;
use gateway_registry::PluginRuntime;
use gateway_storage::testing::{self, TestDb};
use gateway_test_openapi::{Document, Exchange};
use http_body_util::BodyExt;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

pub(super) struct Routers {
    pub(super) app: Surfaces,
    pub(super) services: Services,
    public: Router,
    internal: Router,
    _db: TestDb,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// The members that the errors list names.
    pub(super) fn fields(&self) -> Vec<String> {
        let errors =
            self.json()["errors"].as_array().unwrap_or_else(|| panic!("no errors list: {self:?}")).clone();
        errors
            .iter()
            .map(|error| {
                assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{self:?}");
                error["field"].as_str().unwrap().to_owned()
            })
            .collect()
    }
}

pub(super) async fn both() -> Vec<Routers> {
    testing::both().await.into_iter().map(Routers::new).collect()
}

pub(super) async fn one() -> Routers {
    Routers::new(testing::database(gateway_storage::Engine::Sqlite).await)
}

impl Routers {
    fn new(db: TestDb) -> Self {
        Self::with_clock(db, Arc::new(SystemClock))
    }

    /// The same whose tokens are issued and checked by another clock.
    pub(super) fn with_clock(db: TestDb, clock: Arc<dyn Clock>) -> Self {
        let startup = Startup::default();
        startup.finish();
        Self::starting(db, clock, startup)
    }

    /// The same whose plugins are loaded when `startup` says so.
    pub(super) fn starting(db: TestDb, clock: Arc<dyn Clock>, startup: Startup) -> Self {
        let keyring = Arc::new(Keyring::ephemeral().unwrap());
        let host = Arc::new(PluginHost::new(Options::default()).unwrap());
        let runtime = Arc::new(PluginRuntime::new(host, TrustedKeys::new(Vec::new())));
        let plugins = wiring::plugins(db.db(), &runtime);
        let database = db.db().clone();
        let url = "https://gateway.example".to_owned();
        let settings =
            TokenSettings { issuer: Issuer::Named(url.clone()), lifetime_s: 3600, public_url: url };
        let (config, ids) = (Config::default(), Arc::new(SystemIds));
        let services = wiring::services(
            &config,
            database.clone(),
            Arc::clone(&keyring),
            runtime,
            wiring::OutboundClients::default(),
        )
        .unwrap();
        let clients = Clients::new(database, keyring, clock, ids);
        let tokens = Arc::new(Tokens::new(clients, settings));
        let requests = RequestMetrics::default();
        let app = Surfaces::new(&SurfaceParts {
            config: &config,
            services: &services,
            tokens: &tokens,
            plugins: &plugins,
            plugin_calls: PluginCalls::default(),
            metrics: Metrics::new(PluginMetrics::default(), |registry| requests.register(registry)),
            requests,
            closing: CancellationToken::new(),
            startup,
        });
        Self { public: app.public_listener(), internal: app.internal_listener(), app, services, _db: db }
    }

    /// The same with something else in what handlers share.
    pub(super) fn with(self, change: impl FnOnce(Surfaces) -> Surfaces) -> Self {
        let app = change(self.app);
        Self { public: app.public_listener(), internal: app.internal_listener(), app, ..self }
    }

    /// Calls the public listener; an answer that its document does not tell of fails the test.
    pub(super) async fn public(&self, request: Request<Body>) -> Answer {
        documented(&PUBLIC, self.public.clone(), request).await
    }

    /// Calls the internal listener; an answer that its document does not tell of fails the test.
    pub(super) async fn internal(&self, request: Request<Body>) -> Answer {
        documented(&INTERNAL, self.internal.clone(), request).await
    }

    /// Calls the internal listener with a token.
    pub(super) async fn send(&self, token: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json");
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.internal(request.body(body).unwrap()).await
    }

    /// The id and secret of a new client.
    pub(super) async fn client(
        &self,
        permissions: &[Permission],
        workspaces: Workspaces,
    ) -> (String, String) {
        let new = NewClient { name: "test".to_owned(), permissions: permissions.to_vec(), workspaces };
        let made = self.app.admin.clients.create(new, &Actor::operator()).await.unwrap();
        (made.client.id.to_string(), made.secret.expose_secret().to_owned())
    }

    /// A token of a new client.
    pub(super) async fn token(&self, permissions: &[Permission], workspaces: Workspaces) -> String {
        let (id, secret) = self.client(permissions, workspaces).await;
        let body = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret});
        let answer = self.public(json_post("/v1/oauth2/token", &body)).await;
        answer.json()["access_token"].as_str().unwrap().to_owned()
    }

    pub(super) async fn admin(&self) -> String {
        self.token(&[Permission::Admin], Workspaces::All).await
    }
}

static PUBLIC: LazyLock<Document> =
    LazyLock::new(|| Document::new("public", listeners::document(Listener::Public).clone()));
static INTERNAL: LazyLock<Document> =
    LazyLock::new(|| Document::new("internal", listeners::document(Listener::Internal).clone()));

async fn documented(document: &Document, router: Router, request: Request<Body>) -> Answer {
    let (method, path) = (request.method().to_string(), request.uri().to_string());
    let answer = call(router, request).await;
    let text = |value: &HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let headers: Vec<_> =
        answer.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let exchange = Exchange {
        method: &method,
        path: &path,
        status: answer.status.as_u16(),
        headers: &headers,
        body: &answer.text,
    };
    document.check(&exchange).unwrap_or_else(|sentence| panic!("{sentence}"));
    answer
}

pub(super) async fn call(router: Router, request: Request<Body>) -> Answer {
    let response = router.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    Answer { status: parts.status, headers: parts.headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
}

pub(super) fn json_post(path: &str, body: &Value) -> Request<Body> {
    post(path, "application/json", &body.to_string())
}

pub(super) fn post(path: &str, content_type: &str, body: &str) -> Request<Body> {
    Request::post(path).header("content-type", content_type).body(Body::from(body.to_owned())).unwrap()
}

pub(super) fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}
