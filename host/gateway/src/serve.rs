//! `gateway serve`: listeners, background work, the built-in sandbox, and stopping without losing anything.

use crate::authorities;
use crate::background::{BackgroundWork, RetentionSchedule};
use crate::bound_listeners::{BoundListener, BoundListeners, PortInUse};
use crate::certificates;
use crate::clock::{SystemClock, SystemIds};
use crate::descriptors;
use crate::listeners::{SurfaceParts, Surfaces};
use crate::public_threads::PublicThreads;
use crate::reload::{Adjustable, ConfigSource, Reloading};
use crate::services::Services;
use crate::signals::{ChangeSignals, StopSignals};
use crate::wiring::{self, OutboundClients};
use axum::Router;
use gateway_access::Tokens;
use gateway_access::secrets::Keyring;
use gateway_api_internal::{Metrics, PluginMetrics};
use gateway_cli::args::SandboxArgs;
use gateway_cli::reachable;
use gateway_config::{Config, ProviderAddress};
use gateway_domain_finance::Destination;
use gateway_domain_finance::ports::Provider;
use gateway_http::RequestMetrics;
use gateway_http::connection::{Certificates, Connection, TimedListener, TlsIdentity};
use gateway_http::startup::Startup;
use gateway_outbound::CallMetrics;
use gateway_plugin_host::{CallOutcome, CallReport, Observer, PluginHost, TrustedKeys};
use gateway_provider::{ClockWatch, HttpProvider};
use gateway_registry::{DropFolderPath, PluginCalls, Plugins};
use gateway_sandbox::{Delays, Running as RunningSandbox, Sandbox, Webhook};
use gateway_storage::{Db, Engine, InstanceLock};
use gateway_terminal::{Failure, line};
use gateway_workspaces::destination;
use jiff::tz::TimeZone;
use secrecy::ExposeSecret;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
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
pub(crate) async fn run(config: Config, source: ConfigSource) -> Result<(), Failure> {
    let stop = StopSignals::subscribe()?;
    let change = ChangeSignals::subscribe()?;
    let listeners = BoundListeners::bind(&config, PortInUse::Refuse).await?;
    let mut serving = Serving::listen(&config, listeners).await?;
    let stop = stop.wait();
    tokio::pin!(stop);
    tokio::select! {
        started = serving.start() => {
            started?;
            line(&serde_json::to_string(&serving.announcement())?);
            let reloading = Reloading::new(source.clone(), config.clone(), serving.adjustable.clone());
            tokio::select! {
                () = stop.as_mut() => {}
                () = change.follow(reloading, source) => {}
            }
        }
        // Nothing is worked on yet.
        () = &mut stop => {}
    }
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
    let mut sandbox = sandbox(listener.socket, webhook, args.token, &db, runtime.host())?;
    sandbox.run_jobs();
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
    /// What starts once the plugins are loaded.
    work: Option<Box<BackgroundWork>>,
    worker: Option<JoinHandle<()>>,
    /// What needs the plugins waits for it.
    startup: Startup,
    /// What can change while it serves.
    adjustable: Adjustable,
    _instance: InstanceLock,
    _public_threads: PublicThreads,
}

impl Serving {
    /// Answers on these listeners; what needs the plugins waits until [`Self::start`] has loaded them. Opens everything in
    /// order; the first thing that fails says why, and nothing is left running.
    pub(crate) async fn listen(config: &Config, listeners: BoundListeners) -> Result<Self, Failure> {
        Self::open(config, listeners, async |services: &Services| record_destination(config, services).await)
            .await
    }

    /// The same for a demonstration, which takes no job where a provider is to have it.
    pub(crate) async fn demonstrate(config: &Config, listeners: BoundListeners) -> Result<Self, Failure> {
        let mut serving = Self::open(config, listeners, async |services: &Services| {
            Ok(services.destinations.demonstrates_here().await??)
        })
        .await?;
        serving.start().await?;
        Ok(serving)
    }

    /// Loads the plugins, lets those in who wait for them, and begins to work.
    pub(crate) async fn start(&mut self) -> Result<(), Failure> {
        let Some(work) = self.work.take() else { return Ok(()) };
        let folder = work.load_plugins(&self.adjustable.folder).await?;
        if let Some(sandbox) = &mut self.sandbox {
            sandbox.run_jobs();
        }
        self.worker = Some(work.start(folder, self.ending.clone()));
        self.startup.finish();
        tracing::info!("Serving {} to the public and {} inside", self.public, self.internal);
        Ok(())
    }

    /// `may_work` is asked before anything is worked on.
    async fn open(
        config: &Config,
        listeners: BoundListeners,
        may_work: impl AsyncFnOnce(&Services) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let certificates = listeners.certificates();
        certificates::log_all(&certificates);
        let BoundListeners { public, internal, sandbox, public_threads } = listeners;
        let (db, instance) = wiring::connect_to_serve(config).await?;
        let keyring = wiring::keyring(config, &db).await?;
        let requests = RequestMetrics::default();
        let (plugin_metrics, calls) = (PluginMetrics::default(), CallMetrics::default());
        let plugin_calls = PluginCalls::default();
        let runtime =
            wiring::plugin_runtime(config, Some(observer(plugin_metrics.clone(), plugin_calls.clone())))?;
        let plugins = wiring::plugins(&db, &runtime);

        let listen = |listener: BoundListener| {
            built_in_sandbox(listener.socket, &public.url, &db, runtime.host(), &keyring)
        };
        let sandbox = sandbox.map(listen).transpose()?;
        let sink = wiring::event_sink(config).await?;
        let clock_watch = ClockWatch::new(Arc::new(SystemClock));
        let outbound = outbound_clients(config, sandbox.as_ref(), calls.clone(), &clock_watch)?;
        let services = wiring::services(config, db, Arc::clone(&keyring), runtime, outbound)?;
        may_work(&services).await?;
        let metrics = metrics(plugin_metrics, &services, (&requests, &calls, &certificates, &clock_watch));
        let settings = wiring::token_settings(config, &public.url);
        let tokens = Arc::new(Tokens::new(services.clients.clone(), settings));
        let (closing, ending) = (CancellationToken::new(), CancellationToken::new());
        let startup = Startup::default();
        let surfaces = Surfaces::new(&SurfaceParts {
            config,
            services: &services,
            tokens: &tokens,
            plugins: &plugins,
            plugin_calls,
            requests,
            metrics,
            closing: closing.clone(),
            startup: startup.clone(),
        });
        let work = BackgroundWork {
            services: services.clone(),
            tokens,
            sink,
            plugins: plugins.clone(),
            address: internal.url.clone(),
            working: Arc::clone(&surfaces.internal.readiness.working),
            certificates: certificates.clone(),
            mail: wiring::notice_mail(config, &services, &internal.url)?,
            retention: RetentionSchedule::of(&config.retention),
        };
        let (public_url, internal_url) = (public.url.clone(), internal.url.clone());
        let trusted = (plugins.runtime().trusted().clone(), certificates);
        let (servers, adjustable) =
            begin_answering(config, &surfaces, [public, internal], &public_threads, (trusted, &closing))?;
        tracing::info!("Answering at {public_url} and {internal_url} while the plugins are loaded");
        Ok(Self {
            public: public_url,
            internal: internal_url,
            services,
            plugins,
            sandbox,
            closing,
            servers,
            ending,
            work: Some(Box::new(work)),
            worker: None,
            startup,
            adjustable,
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
        if let Some(worker) = &mut self.worker
            && tokio::time::timeout(JOB_DRAIN_TIMEOUT, &mut *worker).await.is_err()
        {
            tracing::warn!(
                "Jobs that took longer than {} s go on at the next start",
                JOB_DRAIN_TIMEOUT.as_secs()
            );
            worker.abort();
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
        if let Some(worker) = &self.worker {
            worker.abort();
        }
        for server in &self.servers {
            server.abort();
        }
    }
}

/// Answers on both listeners from now on, until `closing` says so.
fn begin_answering(
    config: &Config,
    surfaces: &Surfaces,
    [public, internal]: [BoundListener; 2],
    public_threads: &PublicThreads,
    ((trusted, certificates), closing): ((TrustedKeys, Certificates), &CancellationToken),
) -> Result<(Vec<JoinHandle<()>>, Adjustable), Failure> {
    let connections = descriptors::connections(&config.limits);
    let timeouts = surfaces.outermost.timeouts;
    let outside = TimedListener::new(public.socket, timeouts, connections.public);
    let outside = over_tls(outside, public.tls.as_ref())?;
    let inside = TimedListener::new(internal.socket, timeouts, connections.internal);
    let inside = over_tls(inside, internal.tls.as_ref())?;
    let adjustable = Adjustable {
        requests: Arc::clone(&surfaces.public.limits),
        public_connections: outside.limit(),
        internal_connections: inside.limit(),
        trusted,
        folder: DropFolderPath::new(config.plugins_dir()),
        certificates,
    };
    let servers = vec![
        public_threads.spawn(answer("public", outside, surfaces.public_listener(), closing.clone())),
        tokio::spawn(answer("internal", inside, surfaces.internal_listener(), closing.clone())),
    ];
    Ok((servers, adjustable))
}

fn over_tls(listener: TimedListener, tls: Option<&TlsIdentity>) -> Result<TimedListener, Failure> {
    Ok(match tls {
        Some(identity) => listener.with_tls(identity)?,
        None => listener,
    })
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

/// What the parts of a process count, for `/metrics`.
fn metrics(
    plugins: PluginMetrics,
    services: &Services,
    (requests, calls, certificates, clock_watch): (&RequestMetrics, &CallMetrics, &Certificates, &ClockWatch),
) -> Metrics {
    Metrics::new(plugins, |registry| {
        requests.register(registry);
        calls.register(registry);
        services.db.register_metrics(registry);
        services.jobs.metrics().register(registry);
        services.recipients.metrics().register(registry);
        certificates.register(registry);
        clock_watch.register(registry);
    })
}

/// Measures the calls of a plugin host.
fn observer(metrics: PluginMetrics, calls: PluginCalls) -> Observer {
    Arc::new(move |call: &CallReport| {
        calls.observe(&call.plugin, call.duration, call.outcome == CallOutcome::Broken);
        let what = (call.function.as_str(), call.outcome.as_str());
        metrics.called(&call.plugin, what, call.duration, call.memory_peak_bytes);
    })
}

/// Whom a process calls that serves.
fn outbound_clients(
    config: &Config,
    sandbox: Option<&RunningSandbox>,
    calls: CallMetrics,
    clock_watch: &ClockWatch,
) -> Result<OutboundClients, Failure> {
    let provider = provider(config, sandbox, &calls, clock_watch)?;
    if provider.is_none() {
        tracing::warn!("No provider: submissions wait until provider.base_url is set");
    }
    let webhook_sender = Some(wiring::webhook_sender(config, &calls)?);
    let stand_in = sandbox.map(RunningSandbox::vies_url);
    let vat_register = wiring::vat_register(config, stand_in.as_deref(), &calls)?;
    let stand_in = sandbox.map(RunningSandbox::smp_url);
    let directory = wiring::participant_directory(config, stand_in.as_deref(), &calls)?;
    let stand_in = sandbox.map(RunningSandbox::authorities_url);
    let authorities = authorities::authorities(config, stand_in.as_deref(), &calls)?;
    Ok(OutboundClients { provider, webhook_sender, vat_register, directory, authorities, calls })
}

/// The provider over HTTP: the configured one, the sandbox, or none.
fn provider(
    config: &Config,
    sandbox: Option<&RunningSandbox>,
    calls: &CallMetrics,
    clock_watch: &ClockWatch,
) -> Result<Option<Arc<dyn Provider>>, Failure> {
    let base_url = match (&config.provider.base_url, sandbox) {
        (Some(ProviderAddress::Url(url)), _) => url.clone(),
        (_, Some(sandbox)) => reachable(&sandbox.url())?,
        (_, None) => return Ok(None),
    };
    let timeout = Duration::from_secs(config.provider.timeout_s.into());
    let options = gateway_provider::Options { timeout, ..gateway_provider::Options::default() };
    Ok(Some(Arc::new(HttpProvider::new(base_url, options)?.measured(calls).watched(clock_watch))))
}

/// The sandbox inside `serve`: it notifies the public listener of this process, and runs jobs once the plugins are loaded. What it
/// asks of the database is not the gateway's work, and not in its metrics.
fn built_in_sandbox(
    listener: TcpListener,
    public_url: &str,
    db: &Db,
    plugins: &Arc<PluginHost>,
    keyring: &Keyring,
) -> Result<RunningSandbox, Failure> {
    let token = Some(keyring.sandbox_token().expose_secret().to_owned());
    let url = public_url.parse::<Url>()?.join("/webhooks/provider")?;
    sandbox(listener, Webhook { url, token }, None, &db.measured_apart(), plugins)
}

/// A sandbox that listens, and runs no jobs yet.
fn sandbox(
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
    Ok(Sandbox::listen(options)?)
}
