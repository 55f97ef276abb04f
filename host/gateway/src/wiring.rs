//! The only place that names concrete adapters: database, keyring, plugin host, provider.

use crate::clock::{SystemClock, SystemIds};
use crate::config::Config;
#[cfg(feature = "nats")]
use crate::config::Events;
use crate::services::{Adapters, Services};
use gateway_access::MasterKeys;
use gateway_access::secrets::{Keyring, KeyringError};
use gateway_bus::Embedded;
use gateway_courier::HttpCourier;
use gateway_domain::ports::{Courier, EventSink, InvoicingClient, Provider};
use gateway_domain::webhooks::Schedule;
use gateway_finance::Settings;
use gateway_plugin_host::{Compiler, Observer, PluginHost, SignatureError, StartError};
use gateway_provider::{ClientCredentials, HttpInvoiceData, InvoiceDataOptions, SetupError};
use gateway_registry::DropFolder;
use gateway_registry::{PluginRuntime, Plugins};
use gateway_storage::{Db, StoreError, keys};
use gateway_webhooks::WebhookSettings;
use secrecy::ExposeSecret;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// Why the parts could not be put together. Each says what to do next.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WiringError {
    #[error("the data directory {} cannot be made ({cause}): set data_dir (GATEWAY_DATA_DIR) to one that can", folder.display())]
    DataDir { folder: PathBuf, cause: std::io::Error },
    #[error("the database is not up to date: run 'gateway migrate'")]
    NotMigrated,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Keyring(#[from] KeyringError),
    #[error(transparent)]
    Plugins(#[from] StartError),
    #[error(transparent)]
    TrustedKey(#[from] SignatureError),
    #[error("the secret in {} cannot be read ({detail}): set finance.invoicing_client_secret_file (GATEWAY_FINANCE__INVOICING_CLIENT_SECRET_FILE) to a file that holds it", file.display())]
    InvoicingSecret { file: PathBuf, detail: String },
    #[error(transparent)]
    Courier(#[from] gateway_courier::SetupError),
    #[error("the invoice data service at finance.invoicing_url cannot be called: {0}")]
    Invoicing(#[from] SetupError),
    #[cfg(feature = "nats")]
    #[error("events.bus cannot be used: {0}")]
    Bus(#[from] gateway_bus::NotABus),
}

/// What every command needs: the services, and the plugins.
#[derive(Debug)]
pub(crate) struct Station {
    pub(crate) services: Services,
    pub(crate) plugins: Plugins,
}

impl Station {
    /// Takes what lies in the drop folder and serves what is in force. What does not load is reported in the log.
    pub(crate) async fn load_plugins(&self, config: &Config) -> Result<(), WiringError> {
        load_plugins(&self.plugins, config).await.map(drop)
    }

    pub(crate) async fn close(&self) {
        self.services.db.close().await;
    }
}

/// Opens everything a command needs, beside a running `serve`. No provider: commands do not call it.
pub(crate) async fn open(config: &Config) -> Result<Station, WiringError> {
    let db = connect_migrated(config).await?;
    let keyring = keyring(config, &db).await?;
    let runtime = plugin_runtime(config, None)?;
    let plugins = plugins(&db, &runtime);
    let services = services(config, db, keyring, runtime, Outside::default())?;
    Ok(Station { services, plugins })
}

/// Whom the gateway calls. Commands call nobody.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    pub(crate) provider: Option<Arc<dyn Provider>>,
    pub(crate) courier: Option<Arc<dyn Courier>>,
}

/// Who carries webhooks to customers.
pub(crate) fn courier(config: &Config) -> Result<Arc<dyn Courier>, WiringError> {
    let options = gateway_courier::Options {
        allow_private: config.webhooks.allow_private,
        timeout: Duration::from_secs(config.webhooks.timeout_s.into()),
        ..gateway_courier::Options::default()
    };
    Ok(Arc::new(HttpCourier::new(options)?))
}

/// Puts the services together.
pub(crate) fn services(
    config: &Config,
    db: Db,
    keyring: Arc<Keyring>,
    runtime: Arc<PluginRuntime>,
    outside: Outside,
) -> Result<Services, WiringError> {
    Ok(Services::new(Adapters {
        db,
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        regimes: runtime,
        provider: outside.provider,
        courier: outside.courier,
        invoicing: invoicing_client(config)?,
        keyring,
        finance: Settings {
            poll_after: Duration::from_secs(config.provider.poll_after_s.into()),
            overdue_after: Duration::from_secs(config.provider.overdue_after_s.into()),
            retries_max: config.provider.retry_max,
            sandbox: config.sandboxed(),
        },
        webhooks: WebhookSettings {
            allow_private: config.webhooks.allow_private,
            schedule: Schedule::faster(config.webhooks.retry_speed),
        },
    }))
}

/// The invoice data service elsewhere, when one is configured.
pub(crate) fn invoicing_client(config: &Config) -> Result<Option<Arc<dyn InvoicingClient>>, WiringError> {
    let finance = &config.finance;
    let Some(url) = &finance.invoicing_url else { return Ok(None) };
    let credentials = match (&finance.invoicing_client_id, &finance.invoicing_client_secret_file) {
        (Some(id), Some(file)) => Some(invoicing_credentials(id, file)?),
        _ => None,
    };
    Ok(Some(Arc::new(HttpInvoiceData::new(url.clone(), credentials, InvoiceDataOptions::default())?)))
}

fn invoicing_credentials(id: &str, file: &Path) -> Result<ClientCredentials, WiringError> {
    let unreadable = |detail: String| WiringError::InvoicingSecret { file: file.to_owned(), detail };
    let secret =
        Zeroizing::new(std::fs::read_to_string(file).map_err(|error| unreadable(error.to_string()))?);
    if secret.trim().is_empty() {
        return Err(unreadable("it is empty".to_owned()));
    }
    Ok(ClientCredentials::new(id.trim(), secret.trim()))
}

/// Where events go: to the consumers of this process, or to a message bus.
#[cfg(feature = "nats")]
pub(crate) async fn event_sink(config: &Config) -> Result<Arc<dyn EventSink>, WiringError> {
    if config.events.bus.expose_secret() == Events::EMBEDDED {
        return Ok(Arc::new(Embedded::default()));
    }
    Ok(Arc::new(gateway_bus::JetStream::open(config.events.bus.expose_secret()).await?))
}

/// Where events go: to the consumers of this process; the configuration was checked to want nothing else.
#[cfg(not(feature = "nats"))]
pub(crate) async fn event_sink(_config: &Config) -> Result<Arc<dyn EventSink>, WiringError> {
    Ok(Arc::new(Embedded::default()))
}

/// Connects without migrating.
pub(crate) async fn connect(config: &Config) -> Result<Db, WiringError> {
    make_data_dir(&config.data_dir)?;
    Ok(Db::connect(config.database_url().expose_secret(), &gateway_storage::Options::default()).await?)
}

/// Connects, and migrates unless that is switched off.
pub(crate) async fn connect_migrated(config: &Config) -> Result<Db, WiringError> {
    let db = connect(config).await?;
    if db.is_migrated().await? {
        return Ok(db);
    }
    if !config.database.auto_migrate {
        return Err(WiringError::NotMigrated);
    }
    db.migrate().await?;
    Ok(db)
}

/// Reads or makes the master key, and makes sure that it opens what is stored.
pub(crate) async fn keyring(config: &Config, db: &Db) -> Result<Arc<Keyring>, WiringError> {
    let used = keys::keyring_ids(db).await?;
    Ok(Arc::new(Keyring::open_for(&config.master_key_file(), &used)?))
}

/// The master keys, and what depends on them.
pub(crate) fn master_keys(db: &Db, keyring: &Arc<Keyring>) -> MasterKeys {
    MasterKeys::new(db.clone(), Arc::clone(keyring), Arc::new(SystemClock), Arc::new(SystemIds))
}

/// Starts the plugin host with its cache in the data directory; no plugin is loaded yet.
pub(crate) fn plugin_host(config: &Config, observer: Option<Observer>) -> Result<PluginHost, WiringError> {
    make_data_dir(&config.data_dir)?;
    let cache_dir = Some(config.plugin_cache_dir());
    let compiler = Compiler::this_program().unwrap_or_else(|error| {
        tracing::warn!("Plugins are compiled without a limit of memory: {error}");
        Compiler::InProcess
    });
    let limits = config.plugins.limits();
    Ok(PluginHost::new(gateway_plugin_host::Options { cache_dir, observer, compiler, limits })?)
}

/// Starts the plugin host with the keys that it trusts.
pub(crate) fn plugin_runtime(
    config: &Config,
    observer: Option<Observer>,
) -> Result<Arc<PluginRuntime>, WiringError> {
    let host = Arc::new(plugin_host(config, observer)?);
    Ok(Arc::new(PluginRuntime::new(host, config.plugins.trusted()?)))
}

/// The registry of plugins.
pub(crate) fn plugins(db: &Db, runtime: &Arc<PluginRuntime>) -> Plugins {
    Plugins::new(db.clone(), Arc::new(SystemClock), Arc::new(SystemIds), Arc::clone(runtime))
}

/// Takes what lies in the drop folder, and serves what is in force; a bad file is reported and skipped. Answers the
/// folder, to be watched, if it is known where it is.
pub(crate) async fn load_plugins(
    plugins: &Plugins,
    config: &Config,
) -> Result<Option<DropFolder>, WiringError> {
    let mut dropped = config.plugins_dir().map(|folder| DropFolder::new(folder, plugins.clone()));
    if let Some(folder) = &mut dropped {
        folder.bring_in().await;
    }
    plugins.catch_up().await?;
    if plugins.runtime().host().serving().plugins().is_empty() {
        let folder = config.plugins_dir().unwrap_or_default();
        tracing::warn!(
            "No plugin is active: put one into {} (plugins.dir), or activate one with 'gateway plugin activate'",
            folder.display()
        );
    }
    Ok(dropped)
}

/// Only this user may look into the data directory: it holds the master key.
fn make_data_dir(folder: &Path) -> Result<(), WiringError> {
    use std::os::unix::fs::DirBuilderExt;
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|cause| WiringError::DataDir { folder: folder.to_owned(), cause })
}
