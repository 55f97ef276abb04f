//! `gateway serve`: listeners, background work, the built-in sandbox, and stopping without losing anything.

use crate::bound_listeners::{BoundListener, BoundListeners, PortInUse};
use crate::clock::{SystemClock, SystemIds};
use crate::descriptors;
use crate::listeners::{SurfaceParts, Surfaces};
use crate::public_threads::PublicThreads;
use crate::services::Services;
use crate::wiring::{self, OutboundClients};
use axum::Router;
use gateway_access::Tokens;
use gateway_access::secrets::Keyring;
use gateway_api_internal::Metrics;
use gateway_cli::args::SandboxArgs;
use gateway_cli::reachable;
use gateway_config::{Config, ProviderAddress};
use gateway_domain::ports::{EventSink, Ids};
use gateway_domain_finance::Destination;
use gateway_domain_finance::ports::Provider;
use gateway_finance::destination;
use gateway_http::RequestMetrics;
use gateway_http::connection::{Connection, TimedListener};
use gateway_jobs::Pool;
use gateway_plugin_host::{CallOutcome, CallReport, Observer, PluginHost};
use gateway_provider::HttpProvider;
use gateway_registry::{DropFolder, PluginCalls, Plugins};
use gateway_sandbox::{Delays, Running as RunningSandbox, Sandbox, Webhook};
use gateway_storage::{Db, Engine, InstanceLock};
use gateway_terminal::{Failure, line};
use jiff::tz::TimeZone;
use secrecy::ExposeSecret;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use url::Url;

/// How long open requests may take after a stop.
const REQUEST_DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// How long jobs in hand may take after a stop; what is left is taken over when its lease ends.
const JOB_DRAIN_TIMEOUT: Duration = Duration::from_secs(20);

/// Where everything is, for whoever started the process.
#[derive(Debug, Serialize)]
pub(crate) struct Announcement {
    event: &'static str,
    public: Option<String>,
    internal: Option<String>,
    sandbox: Option<String>,
}

impl Default for Announcement {
    fn default() -> Self {
        Self { event: "listening", public: None, internal: None, sandbox: None }
    }
}

/// Serves until a signal says stop.
pub(crate) async fn run(config: Config) -> Result<(), Failure> {
    let stop = StopSignals::subscribe()?;
    let listeners = BoundListeners::bind(&config, PortInUse::Refuse).await?;
    let serving = Serving::start(&config, listeners).await?;
    line(&serde_json::to_string(&serving.announcement())?);
    stop.wait().await;
    tracing::info!("Stopping: open requests and jobs in hand are finished");
    serving.stop().await;
    Ok(())
}

/// The sandbox without a gateway, until a signal says stop.
pub(crate) async fn standalone_sandbox(config: Config, args: SandboxArgs) -> Result<(), Failure> {
    let stop = StopSignals::subscribe()?;
    let addr = args.addr.unwrap_or(config.sandbox.addr);
    let listener = BoundListener::bind("--addr", addr, PortInUse::Refuse).await?;
    let db = wiring::connect_migrated(&config).await?;
    let runtime = wiring::plugin_runtime(&config, None)?;
    let plugins = wiring::plugins(&db, &runtime);
    gateway_registry::load(&plugins, config.plugins_dir()).await?;
    let webhook = Webhook { url: args.webhook_url, token: args.webhook_token };
    let sandbox = start_sandbox(listener.socket, webhook, args.token, &db, runtime.host())?;
    let ending = CancellationToken::new();
    let following = tokio::spawn(plugins.follow(sandbox.url(), ending.clone()));
    let announcement = Announcement { sandbox: Some(sandbox.url()), ..Announcement::default() };
    line(&serde_json::to_string(&announcement)?);
    stop.wait().await;
    ending.cancel();
    // Whether it ended well changes nothing any more.
    let _ = following.await;
    sandbox.stop().await;
    db.close().await;
    Ok(())
}

/// A gateway that serves. Dropping it ends it at once, like a kill.
pub(crate) struct Serving {
    /// Where the public listener is.
    pub(crate) public: String,
    /// Where the internal listener is.
    pub(crate) internal: String,
    /// What it is made of, for whoever sets up data beside it.
    pub(crate) services: Services,
    /// Follows what is activated while it serves.
    pub(crate) plugins: Plugins,
    sandbox: Option<RunningSandbox>,
    /// Closes the listeners.
    closing: CancellationToken,
    servers: Vec<JoinHandle<()>>,
    /// Ends the background work.
    ending: CancellationToken,
    worker: JoinHandle<()>,
    _instance: InstanceLock,
    _public_threads: PublicThreads,
}

impl Serving {
    /// Serves on these listeners. Opens everything in order; the first thing that fails says why, and nothing is left running.
    pub(crate) async fn start(config: &Config, listeners: BoundListeners) -> Result<Self, Failure> {
        Self::open(config, listeners, async |services: &Services| record_destination(config, services).await)
            .await
    }

    /// The same for a demonstration, which takes no job where a provider is to have it.
    pub(crate) async fn demonstrate(config: &Config, listeners: BoundListeners) -> Result<Self, Failure> {
        Self::open(config, listeners, async |services: &Services| {
            Ok(services.destinations.demonstrates_here().await??)
        })
        .await
    }

    /// `may_work` is asked before anything is worked on.
    async fn open(
        config: &Config,
        listeners: BoundListeners,
        may_work: impl AsyncFnOnce(&Services) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let BoundListeners { public, internal, sandbox, public_threads } = listeners;
        let (db, instance) = wiring::connect_to_serve(config).await?;
        let keyring = wiring::keyring(config, &db).await?;
        let requests = RequestMetrics::default();
        let metrics = Metrics::new(&requests);
        let plugin_calls = PluginCalls::default();
        let runtime = wiring::plugin_runtime(config, Some(observer(metrics.clone(), plugin_calls.clone())))?;
        let plugins = wiring::plugins(&db, &runtime);
        let folder = load_plugins(config, &plugins).await?;

        let start = |listener: BoundListener| {
            start_built_in(listener.socket, &public.url, &db, runtime.host(), &keyring)
        };
        let sandbox = sandbox.map(start).transpose()?;
        let sink = wiring::event_sink(config).await?;
        let outbound = outbound_clients(config, sandbox.as_ref())?;
        let services = wiring::services(config, db, Arc::clone(&keyring), runtime, outbound)?;
        may_work(&services).await?;
        let settings = wiring::token_settings(config, &public.url);
        let tokens = Arc::new(wiring::tokens(&services.db, &keyring, settings));
        let (closing, ending) = (CancellationToken::new(), CancellationToken::new());
        let surfaces = Surfaces::new(&SurfaceParts {
            config,
            services: &services,
            tokens: &tokens,
            plugins: &plugins,
            plugin_calls,
            requests,
            metrics,
            closing: closing.clone(),
        });
        let work = BackgroundWork {
            services: services.clone(),
            tokens,
            sink,
            plugins: plugins.clone(),
            folder,
            address: internal.url.clone(),
        };
        let worker = work.start(&surfaces.internal.readiness.working, ending.clone());
        let connections = descriptors::connections(&config.limits);
        let timeouts = surfaces.outermost.timeouts;
        let outside = TimedListener::new(public.socket, timeouts, connections.public);
        let inside = TimedListener::new(internal.socket, timeouts, connections.internal);
        let servers = vec![
            public_threads.spawn(answer("public", outside, surfaces.public_listener(), closing.clone())),
            tokio::spawn(answer("internal", inside, surfaces.internal_listener(), closing.clone())),
        ];
        tracing::info!("Serving {} to the public and {} inside", public.url, internal.url);
        Ok(Self {
            public: public.url,
            internal: internal.url,
            services,
            plugins,
            sandbox,
            closing,
            servers,
            ending,
            worker,
            _instance: instance,
            _public_threads: public_threads,
        })
    }

    /// Where the built-in sandbox is; empty without one.
    pub(crate) fn sandbox_url(&self) -> String {
        self.sandbox.as_ref().map(RunningSandbox::url).unwrap_or_default()
    }

    /// The one line on standard output that says where everything is.
    pub(crate) fn announcement(&self) -> Announcement {
        Announcement {
            public: Some(self.public.clone()),
            internal: Some(self.internal.clone()),
            sandbox: self.sandbox.as_ref().map(RunningSandbox::url),
            ..Announcement::default()
        }
    }

    /// Takes no more requests, finishes those it has, then the jobs in hand, then closes the database.
    pub(crate) async fn stop(mut self) {
        self.closing.cancel();
        for mut server in std::mem::take(&mut self.servers) {
            if tokio::time::timeout(REQUEST_DRAIN_TIMEOUT, &mut server).await.is_err() {
                tracing::warn!(
                    "Requests that took longer than {} s were cut off",
                    REQUEST_DRAIN_TIMEOUT.as_secs()
                );
                server.abort();
            }
        }
        self.ending.cancel();
        if tokio::time::timeout(JOB_DRAIN_TIMEOUT, &mut self.worker).await.is_err() {
            tracing::warn!(
                "Jobs that took longer than {} s go on at the next start",
                JOB_DRAIN_TIMEOUT.as_secs()
            );
            self.worker.abort();
        }
        if let Some(sandbox) = self.sandbox.take() {
            sandbox.stop().await;
        }
        self.services.db.close().await;
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.closing.cancel();
        self.ending.cancel();
        self.worker.abort();
        for server in &self.servers {
            server.abort();
        }
    }
}

/// Says in the database where its submissions go from now on. A demonstration that still works on it ends first.
async fn record_destination(config: &Config, services: &Services) -> Result<(), Failure> {
    let destination = match config.provider.base_url {
        None => return Ok(()),
        Some(ProviderAddress::Sandbox) => Destination::Sandbox,
        Some(ProviderAddress::Url(_)) => Destination::Provider,
    };
    match (services.destinations.submissions_go_to(destination).await?, destination) {
        (Some(Destination::Provider), Destination::Sandbox) => tracing::warn!(
            "The submissions of this database went to a provider so far; now they end at the built-in sandbox: \
             unset provider.base_url if that was not meant"
        ),
        (Some(Destination::Sandbox), Destination::Provider) if services.db.engine() == Engine::Postgres => {
            tokio::time::sleep(destination::DEMONSTRATION_ENDS_WITHIN).await;
        }
        _ => {}
    }
    Ok(())
}

/// Answers what comes to a listener, until it closes and its last answer is written.
async fn answer(name: &'static str, listener: TimedListener, routes: Router, closing: CancellationToken) {
    let service = routes.into_make_service_with_connect_info::<Connection>();
    let serving = axum::serve(listener, service).with_graceful_shutdown(closing.cancelled_owned());
    if let Err(error) = serving.await {
        tracing::error!(error = &error as &dyn std::error::Error, "The {name} listener ended: {error}");
    }
}

/// Measures the calls of a plugin host.
fn observer(metrics: Metrics, calls: PluginCalls) -> Observer {
    Arc::new(move |call: &CallReport| {
        calls.observe(&call.plugin, call.duration, call.outcome == CallOutcome::Broken);
        let what = (call.function.as_str(), call.outcome.as_str());
        metrics.plugin_called(&call.plugin, what, call.duration, call.memory_peak_bytes);
    })
}

/// Loads the plugins in force, and what the drop folder has; answers the folder, if it is known where it is.
async fn load_plugins(config: &Config, plugins: &Plugins) -> Result<Option<DropFolder>, Failure> {
    if !plugins.runtime().asks_for_signatures() {
        tracing::warn!("Plugins are taken without a signature: set plugins.trusted_keys to ask for one");
    }
    Ok(gateway_registry::load(plugins, config.plugins_dir()).await?)
}

/// True from its making until it is dropped.
struct WorkingFlag(Arc<AtomicBool>);

impl WorkingFlag {
    fn raise(flag: &Arc<AtomicBool>) -> Self {
        flag.store(true, Ordering::Release);
        Self(Arc::clone(flag))
    }
}

impl Drop for WorkingFlag {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// What a process does besides answering requests.
struct BackgroundWork {
    services: Services,
    tokens: Arc<Tokens>,
    sink: Arc<dyn EventSink>,
    /// Followed, so that this process serves what is in force.
    plugins: Plugins,
    /// Watched, if it is known where it is.
    folder: Option<DropFolder>,
    /// Under which address others see this process.
    address: String,
}

impl BackgroundWork {
    /// Starts the loops, which end with `ending`; `working` is true while they run.
    fn start(self, working: &Arc<AtomicBool>, ending: CancellationToken) -> JoinHandle<()> {
        let flag = WorkingFlag::raise(working);
        let Self { services, tokens, sink, plugins, folder, address } = self;
        let owner = SystemIds.next().to_string();
        tokio::spawn(async move {
            let events = services.consumers.run(sink, owner.clone(), ending.clone());
            let mirroring = services.feed.follow(ending.clone());
            let following = plugins.follow(address, ending.clone());
            let dropped = async {
                if let Some(folder) = folder {
                    folder.watch(ending.clone()).await;
                }
            };
            let counting = services.legacy_uses.run(ending.clone());
            let noting = tokens.note_uses(ending.clone());
            let measuring = services.activity.run(ending.clone());
            let mut pool = Pool::new(services.db).with(services.jobs);
            if let Some(dispatcher) = services.webhooks.dispatcher() {
                pool = pool.with(dispatcher);
            }
            let working = pool.run(owner.clone(), ending.clone());
            let watching = services.watchdog.run(owner, ending.clone());
            tokio::join!(
                events, mirroring, following, dropped, counting, noting, measuring, working, watching
            );
            drop(flag);
        })
    }
}

/// Whom a process calls that serves.
fn outbound_clients(config: &Config, sandbox: Option<&RunningSandbox>) -> Result<OutboundClients, Failure> {
    let provider = provider(config, sandbox)?;
    if provider.is_none() {
        tracing::warn!("No provider: submissions wait until provider.base_url is set");
    }
    Ok(OutboundClients { provider, webhook_sender: Some(wiring::webhook_sender(config)?) })
}

/// The provider over HTTP: the configured one, the sandbox, or none.
fn provider(config: &Config, sandbox: Option<&RunningSandbox>) -> Result<Option<Arc<dyn Provider>>, Failure> {
    let base_url = match (&config.provider.base_url, sandbox) {
        (Some(ProviderAddress::Url(url)), _) => url.clone(),
        (_, Some(sandbox)) => reachable(&sandbox.url())?,
        (_, None) => return Ok(None),
    };
    let timeout = Duration::from_secs(config.provider.timeout_s.into());
    let options = gateway_provider::Options { timeout, ..gateway_provider::Options::default() };
    Ok(Some(Arc::new(HttpProvider::new(base_url, options)?)))
}

/// The sandbox inside `serve`: it notifies the public listener of this process.
fn start_built_in(
    listener: TcpListener,
    public_url: &str,
    db: &Db,
    plugins: &Arc<PluginHost>,
    keyring: &Keyring,
) -> Result<RunningSandbox, Failure> {
    let token = Some(keyring.sandbox_token().expose_secret().to_owned());
    let url = public_url.parse::<Url>()?.join("/webhooks/provider")?;
    start_sandbox(listener, Webhook { url, token }, None, db, plugins)
}

fn start_sandbox(
    listener: TcpListener,
    webhook: Webhook,
    token: Option<String>,
    db: &Db,
    plugins: &Arc<PluginHost>,
) -> Result<RunningSandbox, Failure> {
    let options = gateway_sandbox::Options {
        listener,
        token,
        webhook: Some(webhook),
        db: db.clone(),
        authority: Arc::clone(plugins) as Arc<dyn gateway_sandbox::Authority>,
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        time_zone: TimeZone::UTC,
        delays: Delays::default(),
    };
    Ok(Sandbox::start(options)?)
}

/// SIGTERM and SIGINT, heard from the moment this is made: make it before saying that anything is ready.
pub(crate) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    pub(crate) fn subscribe() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for one. A second one ends the process at once.
    pub(crate) async fn wait(mut self) {
        self.next().await;
        tokio::spawn(async move {
            self.next().await;
            std::process::exit(1);
        });
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
