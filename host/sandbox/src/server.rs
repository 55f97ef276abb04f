//! Start and stop, and the routes.

use crate::answer::Refusal;
use crate::authority::Authority;
use crate::chains::Chains;
use crate::context::{Context, Delays, token_digest};
use crate::{authority_list, delivery, entries, jobs, listing, runner, smp, vies};
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::header;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use gateway_domain::ports::{Clock, Ids};
use gateway_provider::{SetupError, WebhookClient};
use gateway_storage::Db;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use url::Url;
use uuid::Uuid;

/// Largest request body, bytes.
const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How long open requests may take after a stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Whom the stand-in notifies.
#[derive(Clone)]
pub struct Webhook {
    /// Where notifications go.
    pub url: Url,
    /// Sent as bearer token.
    pub token: Option<String>,
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

/// Everything the stand-in needs.
pub struct Options {
    /// Where it listens.
    pub listener: TcpListener,
    /// The bearer token callers must show; any non-empty one when none is given.
    pub token: Option<String>,
    /// Whom it notifies; nobody when none is given.
    pub webhook: Option<Webhook>,
    /// Where it keeps everything; migrated.
    pub db: Db,
    /// Who decides.
    pub authority: Arc<dyn Authority>,
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn Ids>,
    /// The time zone of the authority's timestamps.
    pub time_zone: TimeZone,
    /// How fast it is.
    pub delays: Delays,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("listener", &self.listener)
            .field("webhook", &self.webhook)
            .finish_non_exhaustive()
    }
}

/// Why the stand-in did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The listener does not say where it is.
    #[error("the address of the sandbox is unknown")]
    Address(#[source] std::io::Error),
    /// The webhook's address cannot be called.
    #[error("the webhook's address cannot be used: {0}")]
    Webhook(#[from] SetupError),
}

/// The stand-in provider.
#[derive(Debug, Clone, Copy)]
pub struct Sandbox;

impl Sandbox {
    /// Listens and takes jobs. They wait until [`Running::run_jobs`], as the authority may have nobody to ask yet.
    pub fn listen(options: Options) -> Result<Running, StartError> {
        let addr = options.listener.local_addr().map_err(StartError::Address)?;
        let client = options
            .webhook
            .map(|webhook| WebhookClient::new(webhook.url, webhook.token, options.delays.webhook_timeout))
            .transpose()?;
        let context = Arc::new(Context {
            db: options.db,
            authority: options.authority,
            clock: options.clock,
            ids: options.ids,
            time_zone: options.time_zone,
            delays: options.delays,
            chains: Chains::default(),
            notifies: client.is_some(),
            token_digest: options.token.as_deref().map(token_digest),
        });
        let stop = CancellationToken::new();
        let serving = axum::serve(options.listener, router(Arc::clone(&context)))
            .with_graceful_shutdown(stop.clone().cancelled_owned());
        let server = tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::error!(error = &error as &dyn std::error::Error, "The sandbox stopped listening");
            }
        });
        Ok(Running { addr, stop, server, work: Some(Work { context, client }), workers: Vec::new() })
    }
}

/// A stand-in that runs. Dropping it ends it at once, like a kill: what is stored goes on at the next start.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    stop: CancellationToken,
    server: JoinHandle<()>,
    /// What begins once the authority can be asked.
    work: Option<Work>,
    workers: Vec<JoinHandle<()>>,
}

/// What runs jobs and notifies of them.
#[derive(Debug)]
struct Work {
    context: Arc<Context>,
    client: Option<WebhookClient>,
}

impl Running {
    /// Where it plays the VAT register.
    pub fn vies_url(&self) -> String {
        format!("{}/{}", self.url(), gateway_provider::VIES_PATH)
    }

    /// Where it publishes what participants receive.
    pub fn smp_url(&self) -> String {
        format!("{}/{}", self.url(), smp::SMP_PATH)
    }

    /// Below which the authorities' own lists are, each under the key of its tax regime.
    pub fn authorities_url(&self) -> String {
        format!("{}/{}", self.url(), authority_list::AUTHORITIES_PATH)
    }

    /// Where it listens: `http://127.0.0.1:8089`.
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Runs jobs and sends notifications from now on, first those that an earlier run left.
    pub fn run_jobs(&mut self) {
        let Some(Work { context, client }) = self.work.take() else { return };
        if let Some(client) = client {
            self.workers.push(tokio::spawn(delivery::run(Arc::clone(&context), client, self.stop.clone())));
        }
        self.workers.push(tokio::spawn(runner::run(context, self.stop.clone())));
    }

    /// Ends it: no new requests, open requests and the jobs at hand are finished, within seconds.
    pub async fn stop(mut self) {
        self.stop.cancel();
        // They stay here: what has not ended in time ends with this.
        let (workers, server) = (&mut self.workers, &mut self.server);
        let ended = async {
            for worker in workers {
                let _ = worker.await;
            }
            let _ = server.await;
        };
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, ended).await.is_err() {
            self.server.abort();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
        for worker in &self.workers {
            worker.abort();
        }
    }
}

fn router(context: Arc<Context>) -> Router {
    // The VAT register asks for no token, nor does a publisher or an authority.
    let register = vies::router(Arc::clone(&context.clock), Arc::clone(&context.ids));
    let lists = authority_list::router(Arc::clone(&context));
    Router::new()
        .route("/silo/v1/entries", get(listing::list))
        .route("/silo/v1/entries/{id}", put(entries::put).patch(entries::patch).get(entries::get))
        .route("/silo/v1/entries/key/{key}", get(entries::get_by_key))
        .route("/silo/v1/entries/{id}/files/{file}", get(entries::get_file))
        .route("/sandbox/v1/entries/{id}/messages", get(entries::get_messages))
        .route("/transform/v1/jobs/{id}", put(jobs::put).get(jobs::get))
        .route("/transform/v1/jobs/key/{key}", get(jobs::get_by_key))
        .route("/utils/v1/ping", get(|| async { Json(Pong { ping: "pong" }) }))
        .route("/utils/v1/uuid", get(fresh_uuid))
        .fallback(|| async { Refusal::not_found("path") })
        .method_not_allowed_fallback(|| async { Refusal::wrong_method() })
        .layer(middleware::from_fn_with_state(Arc::clone(&context), require_token))
        .with_state(context)
        .merge(register)
        .merge(smp::router())
        .merge(lists)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
}

/// Lets a request with a bearer token pass.
async fn require_token(State(sandbox): State<Arc<Context>>, request: Request, next: Next) -> Response {
    let header = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = header
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    if token.is_some_and(|(_, token)| sandbox.admits(token.trim())) {
        next.run(request).await
    } else {
        ([(header::WWW_AUTHENTICATE, "Bearer")], Refusal::unauthorised()).into_response()
    }
}

/// That somebody is there.
#[derive(Debug, Serialize)]
struct Pong {
    ping: &'static str,
}

/// A fresh identifier.
#[derive(Debug, Serialize)]
struct RandomUuid {
    uuid: Uuid,
    version: &'static str,
}

/// A fresh identifier for callers that cannot make their own.
async fn fresh_uuid(
    State(sandbox): State<Arc<Context>>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Json<RandomUuid>, Refusal> {
    match query.get("v").map(String::as_str) {
        None | Some("7") => Ok(Json(RandomUuid { uuid: sandbox.ids.next(), version: "7" })),
        Some(_) => Err(Refusal::invalid_field("v", "must be 7")),
    }
}
