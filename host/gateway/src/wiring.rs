//! The only place that names concrete adapters: database, keyring, plugin host, provider.

use crate::allocator;
use crate::clock::{SystemClock, SystemIds};
use crate::known_databases::{DatabaseLost, KnownDatabases};
use crate::services::{Adapters, Readers, Services};
use gateway_access::secrets::Keyring;
use gateway_access::{AccessError, Clients, Issuer, MasterKeys, TokenSettings};
use gateway_bus::Embedded;
use gateway_cli::CommandContext;
#[cfg(feature = "nats")]
use gateway_config::Events;
use gateway_config::{Config, RegisterAddress};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ports::{EventSink, Regimes};
use gateway_domain::regime::RegimeKey;
use gateway_domain_events::RetentionDays;
use gateway_domain_evidence::ports::RecordLinks;
use gateway_domain_finance::ports::{InvoicingClient, Provider};
use gateway_domain_input::unreadable;
use gateway_domain_platform::webhooks::Schedule;
use gateway_domain_recipients::ports::{ParticipantDirectory, VatRegister};
use gateway_domain_reconciliation::ports::{AuthorityCalls, AuthorityListings};
use gateway_domain_rules::ports::ComingRules;
use gateway_finance::Settings;
use gateway_mail::{InvalidMailServer, MailSettings, NoticeMail, SmtpTransport};
use gateway_outbound::CallMetrics;
use gateway_participant_lookup::{Locator, NetworkDirectory};
use gateway_plugin_host::{
    Compiler, Limits, Observer, Options, PluginHost, SignatureError, StartError, TrustedKeys,
};
use gateway_provider::{
    AuthoritySetupError, ClientCredentials, HttpInvoiceData, HttpVatRegister, InvoiceDataOptions, SetupError,
    VIES_PATH,
};
use gateway_recipients::Network;
use gateway_reconciliation::Authorities;
use gateway_recovery::transfer;
use gateway_registry::{PluginRuntime, Plugins};
use gateway_sandbox::SMP_PATH;
use gateway_storage::{Db, InstanceLock, OpenError, Options as StorageOptions};
use gateway_webhooks::{ClientOptions, HttpWebhookSender, WebhookSender, WebhookSettings};
use jiff::SignedDuration;
use secrecy::ExposeSecret;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use url::Url;
use zeroize::Zeroizing;

/// Why the parts could not be put together. Each says what to do next.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WiringError {
    #[error("the data directory {} cannot be made ({}): set data_dir (GATEWAY_DATA_DIR) to one that can", folder.display(), unreadable(cause))]
    DataDir { folder: PathBuf, cause: std::io::Error },
    #[error("the database is not up to date: run 'gateway migrate'")]
    NotMigrated,
    #[error(
        "a move into the database has not ended: finish it with 'gateway move', or empty the database and begin again"
    )]
    UnfinishedMove,
    #[error(transparent)]
    DatabaseLost(#[from] DatabaseLost),
    #[error(
        "there is no database {0}: set data_dir (GATEWAY_DATA_DIR) or database.url (GATEWAY_DATABASE__URL) to that of your gateway, or make one with 'gateway migrate'"
    )]
    NoDatabase(String),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Plugins(#[from] StartError),
    #[error(transparent)]
    TrustedKey(#[from] SignatureError),
    #[error("the secret in {} cannot be read ({detail}): set finance.invoicing_client_secret_file (GATEWAY_FINANCE__INVOICING_CLIENT_SECRET_FILE) to a file that holds it", file.display())]
    InvoicingSecret { file: PathBuf, detail: String },
    #[error(transparent)]
    WebhookSender(#[from] gateway_webhooks::SetupError),
    #[error(transparent)]
    MailServer(#[from] InvalidMailServer),
    #[error("recipient_check.vies_url cannot be called: {0}")]
    VatRegister(#[source] SetupError),
    #[error("recipient_check.smp_url cannot be called: it is no address")]
    PublisherAddress,
    #[error(
        "the tax authority of {regime} cannot be asked (reconciliation.authority_urls and the files of its certificate): {error}"
    )]
    Authority { regime: RegimeKey, error: AuthoritySetupError },
    #[error("the certificate of a tax authority cannot be read from {} ({detail}): set reconciliation.authority_certificate_files and reconciliation.authority_key_files to files that hold it", file.display())]
    AuthorityIdentity { file: PathBuf, detail: String },
    #[error("participants cannot be looked up: {0}")]
    Participants(#[from] gateway_participant_lookup::SetupError),
    #[error("the invoice data service at finance.invoicing_url cannot be called: {0}")]
    Invoicing(#[from] SetupError),
    #[cfg(feature = "nats")]
    #[error("events.bus cannot be used: {0}")]
    Bus(#[from] gateway_bus::NotABus),
}

/// Opens everything a command needs, beside a running `serve`. No provider: commands do not call it. The VAT
/// register is called by the command that is about it.
pub(crate) async fn open(config: &Config, operator: Actor) -> Result<CommandContext, WiringError> {
    let db = connect_migrated(config).await?;
    let keyring = keyring(config, &db).await?;
    let runtime = plugin_runtime(config, None)?;
    let plugins = plugins(&db, &runtime);
    // Beside a gateway that serves, the stand-in is where that has it.
    let stand_in = |path: &str| Some(format!("http://{}/{path}", config.sandbox.addr));
    let calls = CallMetrics::default();
    let vat_register = vat_register(config, stand_in(VIES_PATH).as_deref(), &calls)?;
    let directory = participant_directory(config, stand_in(SMP_PATH).as_deref(), &calls)?;
    let outbound = OutboundClients { vat_register, directory, ..OutboundClients::default() };
    let services = services(config, db, keyring, runtime, outbound)?;
    Ok(services.for_commands(plugins, operator))
}

/// Whom the gateway calls. Commands call the VAT register and the delivery network alone.
#[derive(Debug, Default)]
pub(crate) struct OutboundClients {
    pub(crate) provider: Option<Arc<dyn Provider>>,
    pub(crate) webhook_sender: Option<Arc<dyn WebhookSender>>,
    /// The VAT register; none where recipients are not checked.
    pub(crate) vat_register: Option<Arc<dyn VatRegister>>,
    /// The delivery network; none where nobody is looked up.
    pub(crate) directory: Option<Arc<dyn ParticipantDirectory>>,
    /// The tax authorities whose own lists are read; none where nobody is asked.
    pub(crate) authorities: Option<Arc<dyn AuthorityCalls>>,
    /// Where their calls are measured.
    pub(crate) calls: CallMetrics,
}

/// Who carries webhooks to customers.
pub(crate) fn webhook_sender(
    config: &Config,
    calls: &CallMetrics,
) -> Result<Arc<dyn WebhookSender>, WiringError> {
    let options = ClientOptions {
        allow_private: config.webhooks.allow_private,
        timeout: Duration::from_secs(config.webhooks.timeout_s.into()),
        ..ClientOptions::default()
    };
    Ok(Arc::new(HttpWebhookSender::new(options)?.measured(calls)))
}

/// The VAT register that recipients are looked up in, or its stand-in; none where nobody is checked.
pub(crate) fn vat_register(
    config: &Config,
    stand_in: Option<&str>,
    calls: &CallMetrics,
) -> Result<Option<Arc<dyn VatRegister>>, WiringError> {
    let configured = &config.recipient_check;
    let url = match (&configured.vies_url, stand_in) {
        (Some(RegisterAddress::Url(url)), _) => url.clone(),
        (Some(RegisterAddress::Sandbox), Some(url)) => {
            url.parse().map_err(|_| WiringError::VatRegister(SetupError::Address))?
        }
        (Some(RegisterAddress::Sandbox), None) | (None, _) => return Ok(None),
    };
    let timeout = Duration::from_millis(configured.timeout_ms.into());
    let register = HttpVatRegister::new(url, timeout).map_err(WiringError::VatRegister)?;
    Ok(Some(Arc::new(register.measured(calls))))
}

/// The delivery network that recipients are looked up in, or the stand-in of a publisher; none where nobody is.
pub(crate) fn participant_directory(
    config: &Config,
    stand_in: Option<&str>,
    calls: &CallMetrics,
) -> Result<Option<Arc<dyn ParticipantDirectory>>, WiringError> {
    let configured = &config.recipient_check;
    let allow_private = configured.smp_allow_private;
    let locator = match (&configured.smp_url, stand_in, &configured.sml_zone) {
        (Some(RegisterAddress::Url(url)), _, _) => Locator::Publisher { url: url.clone(), allow_private },
        (Some(RegisterAddress::Sandbox), Some(url), _) => {
            let url = url.parse().map_err(|_| WiringError::PublisherAddress)?;
            Locator::Publisher { url, allow_private }
        }
        (None, _, Some(zone)) => {
            Locator::Sml { zone: zone.clone(), name_servers: configured.sml_servers.clone(), allow_private }
        }
        (Some(RegisterAddress::Sandbox), None, _) | (None, _, None) => return Ok(None),
    };
    let timeout = Duration::from_millis(configured.timeout_ms.into());
    Ok(Some(Arc::new(NetworkDirectory::new(locator, timeout)?.measured(calls))))
}

/// Puts the services together.
pub(crate) fn services(
    config: &Config,
    db: Db,
    keyring: Arc<Keyring>,
    runtime: Arc<PluginRuntime>,
    outbound: OutboundClients,
) -> Result<Services, WiringError> {
    let trusted = runtime.trusted().clone();
    let coming_rules = Arc::clone(runtime.host()) as Arc<dyn ComingRules>;
    let record_links = Arc::clone(runtime.host()) as Arc<dyn RecordLinks>;
    let listings = Arc::clone(runtime.host()) as Arc<dyn AuthorityListings>;
    let authorities = outbound.authorities.map(|calls| Authorities { listings, calls });
    let regimes: Arc<dyn Regimes> = runtime;
    let network = outbound.directory.map(|directory| {
        let keys = config.recipient_check.smp_regimes.clone();
        Network { directory, regimes: Arc::clone(&regimes), keys }
    });
    Ok(Services::new(&Adapters {
        db,
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        coming_rules,
        record_links,
        authorities,
        regimes,
        provider: outbound.provider,
        webhook_sender: outbound.webhook_sender,
        vat_register: outbound.vat_register,
        network,
        recipient_settings: gateway_recipients::Settings {
            cached_for: SignedDuration::from_hours(config.recipient_check.cache_h.into()),
            retry_after: SignedDuration::from_secs(config.recipient_check.retry_after_s.into()),
        },
        invoicing: invoicing_client(config, &outbound.calls)?,
        keyring,
        rendering_settings: rendering(config, trusted),
        outage_after: SignedDuration::from_secs(config.provider.outage_after_s.into()),
        due_alert_before: SignedDuration::from_secs(config.provider.due_alert_before_s.into()),
        finance_settings: Settings {
            poll_after: Duration::from_secs(config.provider.poll_after_s.into()),
            overdue_after: Duration::from_secs(config.provider.overdue_after_s.into()),
            retries_max: config.provider.retry_max,
            sandbox: config.is_sandboxed(),
        },
        reconciliation_settings: gateway_reconciliation::Settings {
            requests_per_min: config.reconciliation.requests_per_min,
            nightly_at: config.reconciliation.nightly_at,
            nightly_days: config.reconciliation.days,
        },
        webhook_settings: WebhookSettings {
            allow_private: config.webhooks.allow_private,
            schedule: Schedule::faster(config.webhooks.retry_speed),
            retention: RetentionDays(config.retention.delivery_days),
        },
        mail_recipients: config.notice_mail.to.clone(),
    }))
}

/// Who writes to people; nobody unless a mail server is configured. The console is below `internal_url` unless the
/// configuration says how people reach it.
pub(crate) fn notice_mail(
    config: &Config,
    services: &Services,
    internal_url: &str,
) -> Result<Option<NoticeMail>, WiringError> {
    let configured = &config.notice_mail;
    let (Some(server), Some(from)) = (&configured.smtp_url, &configured.from) else { return Ok(None) };
    let console_url = configured.console_url.as_ref().map_or_else(|| internal_url.to_owned(), Url::to_string);
    Ok(Some(NoticeMail::new(gateway_mail::Parts {
        db: services.db.clone(),
        clock: Arc::clone(&services.clock),
        transport: Arc::new(SmtpTransport::new(server)?),
        settings: MailSettings {
            from: from.clone(),
            to: configured.to.clone(),
            every: SignedDuration::from_mins(configured.digest_every_min.into()),
            quiet_hours: configured.quiet_hours.clone(),
            console_url: Some(console_url),
        },
    })))
}

/// The remote invoice data service, when one is configured.
pub(crate) fn invoicing_client(
    config: &Config,
    calls: &CallMetrics,
) -> Result<Option<Arc<dyn InvoicingClient>>, WiringError> {
    let finance = &config.finance;
    let Some(url) = &finance.invoicing_url else { return Ok(None) };
    let credentials = match (&finance.invoicing_client_id, &finance.invoicing_client_secret_file) {
        (Some(id), Some(file)) => Some(invoicing_credentials(id, file)?),
        _ => None,
    };
    let client = HttpInvoiceData::new(url.clone(), credentials, InvoiceDataOptions::default())?;
    Ok(Some(Arc::new(client.measured(calls))))
}

fn invoicing_credentials(id: &str, file: &Path) -> Result<ClientCredentials, WiringError> {
    let refused = |detail: String| WiringError::InvoicingSecret { file: file.to_owned(), detail };
    let secret = Zeroizing::new(std::fs::read_to_string(file).map_err(|error| refused(unreadable(&error)))?);
    if secret.trim().is_empty() {
        return Err(refused("it is empty".to_owned()));
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

/// Refuses to make a database in the place of one that was lost, before anything is opened: the log beside it may be all that
/// is left.
pub(crate) fn ensure_not_lost(config: &Config) -> Result<(), DatabaseLost> {
    missing_database(config).map_or(Ok(()), |location| KnownDatabases::of(config).ensure_unknown(location))
}

/// Refuses to make a database for a command that has no use for an empty one: most often the folder is another one than meant.
pub(crate) fn ensure_is_there(config: &Config) -> Result<(), WiringError> {
    ensure_not_lost(config)?;
    missing_database(config).map_or(Ok(()), |location| Err(WiringError::NoDatabase(location)))
}

/// Where a database would be made, if there is none.
pub(crate) fn missing_database(config: &Config) -> Option<String> {
    Db::path_to_create(config.database_url().expose_secret())
}

/// Connects without migrating.
pub(crate) async fn connect(config: &Config) -> Result<Db, WiringError> {
    ensure_not_lost(config)?;
    make_data_dir(&config.data_dir)?;
    Ok(Db::connect(config.database_url().expose_secret(), &StorageOptions::default()).await?)
}

/// Connects, and migrates unless that is switched off.
pub(crate) async fn connect_migrated(config: &Config) -> Result<Db, WiringError> {
    let db = connect(config).await?;
    ensure_migrated(config, &db).await?;
    Ok(db)
}

/// Connects to what was restored, by the name that it will be served by.
pub(crate) async fn connect_restored(config: &Config) -> Result<Db, OpenError> {
    Db::connect(config.database_url().expose_secret(), &StorageOptions::default()).await
}

/// [`connect_migrated`] for the process that serves: nobody else serves a SQLite file as long as it holds the lock.
pub(crate) async fn connect_to_serve(config: &Config) -> Result<(Db, InstanceLock), WiringError> {
    ensure_not_lost(config)?;
    make_data_dir(&config.data_dir)?;
    let url = config.database_url();
    let (db, instance) = Db::connect_to_serve(url.expose_secret(), &StorageOptions::default()).await?;
    ensure_migrated(config, &db).await?;
    Ok((db, instance))
}

async fn ensure_migrated(config: &Config, db: &Db) -> Result<(), WiringError> {
    ensure_not_moving(db).await?;
    if !db.is_migrated().await? {
        if !config.database.auto_migrate {
            return Err(WiringError::NotMigrated);
        }
        migrate(config, db).await?;
    }
    KnownDatabases::of(config).remember(&db.location());
    Ok(())
}

/// Refuses a database that is only half there.
async fn ensure_not_moving(db: &Db) -> Result<(), WiringError> {
    if transfer::is_unfinished(db).await? { Err(WiringError::UnfinishedMove) } else { Ok(()) }
}

/// Opens a database that is to be moved, or moved to, and keeps everybody from serving it. It is not migrated.
pub(crate) async fn connect_alone(url: &str) -> Result<(Db, InstanceLock), WiringError> {
    Ok(Db::connect_to_serve(url, &StorageOptions::for_recovery()).await?)
}

/// Brings the database up to date; never an empty one in the place of one that was lost.
pub(crate) async fn migrate(config: &Config, db: &Db) -> Result<(), WiringError> {
    ensure_not_moving(db).await?;
    if db.is_empty().await? {
        KnownDatabases::of(config).ensure_unknown(db.location())?;
    }
    Ok(db.migrate().await?)
}

/// What is read with nothing but the database.
pub(crate) fn readers(db: &Db) -> Readers {
    Readers::new(db, Arc::new(SystemClock))
}

/// The registry in `db`, and the runtime that serves what it activates.
pub(crate) fn registry(config: &Config, db: &Db) -> Result<(Plugins, Arc<PluginRuntime>), WiringError> {
    let runtime = plugin_runtime(config, None)?;
    Ok((plugins(db, &runtime), runtime))
}

/// Reads or makes the master key, and makes sure that it opens what is stored.
pub(crate) async fn keyring(config: &Config, db: &Db) -> Result<Arc<Keyring>, WiringError> {
    Ok(Arc::new(gateway_access::open_keyring(db, &config.master_key_file(), &SystemClock).await?))
}

/// The API clients, for a command that needs no other service.
pub(crate) fn clients(db: &Db, keyring: &Arc<Keyring>) -> Clients {
    Clients::new(db.clone(), Arc::clone(keyring), Arc::new(SystemClock), Arc::new(SystemIds))
}

/// The master keys, and what depends on them.
pub(crate) fn master_keys(db: &Db, keyring: &Arc<Keyring>) -> MasterKeys {
    MasterKeys::new(db.clone(), Arc::clone(keyring), Arc::new(SystemClock), Arc::new(SystemIds))
}

/// Starts the plugin host with its cache in the data directory; no plugin is loaded yet.
pub(crate) fn plugin_host(config: &Config, observer: Option<Observer>) -> Result<PluginHost, WiringError> {
    make_data_dir(&config.data_dir)?;
    Ok(PluginHost::new(component_options(config, config.plugins.limits(), observer))?)
}

/// How components run that are compiled into the data directory.
fn component_options(config: &Config, limits: Limits, observer: Option<Observer>) -> Options {
    let compiler =
        Compiler::this_program(allocator::environment_for_little_memory()).unwrap_or_else(|error| {
            tracing::warn!("Plugins are compiled without a limit of memory: {error}");
            Compiler::InProcess
        });
    Options { cache_dir: Some(config.plugin_cache_dir()), observer, compiler, limits }
}

/// Where renderers are, and how they run.
fn rendering(config: &Config, trusted: TrustedKeys) -> gateway_rendering::Settings {
    gateway_rendering::Settings {
        folder: config.plugins_dir().map(|folder| folder.join(RENDERERS)),
        options: component_options(config, Limits::of_renderers(), None),
        trusted,
    }
}

/// The folder of renderers in the folder of plugins.
const RENDERERS: &str = "render";

/// Starts the plugin host with the keys that it trusts.
pub(crate) fn plugin_runtime(
    config: &Config,
    observer: Option<Observer>,
) -> Result<Arc<PluginRuntime>, WiringError> {
    let host = Arc::new(plugin_host(config, observer)?);
    Ok(Arc::new(PluginRuntime::new(host, TrustedKeys::new(config.plugins.public_keys()?))))
}

/// The registry in `db`; what it activates, `runtime` loads and serves.
pub(crate) fn plugins(db: &Db, runtime: &Arc<PluginRuntime>) -> Plugins {
    Plugins::new(db.clone(), Arc::new(SystemClock), Arc::new(SystemIds), Arc::clone(runtime))
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

/// Who issues tokens and for how long; `bound` is the address of the public listener, unless one is configured.
pub(crate) fn token_settings(config: &Config, bound: &str) -> TokenSettings {
    let public_url =
        config.server.public_url.as_ref().map_or(bound, Url::as_str).trim_end_matches('/').to_owned();
    let issuer = match (&config.oauth.issuer, &config.server.public_url) {
        (Some(name), _) => Issuer::Named(name.clone()),
        (None, Some(_)) => Issuer::Named(public_url.clone()),
        (None, None) => Issuer::Listening(public_url.clone()),
    };
    TokenSettings { issuer, lifetime_s: config.oauth.token_lifetime_s, public_url }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_name_the_public_url_unless_configured() {
        let mut config = Config::default();
        let issuer = |config: &Config| token_settings(config, "http://127.0.0.1:1").issuer;
        assert_eq!(issuer(&config), Issuer::Listening("http://127.0.0.1:1".to_owned()));
        config.server.public_url = Some("https://gateway.example/".parse().unwrap());
        assert_eq!(issuer(&config), Issuer::Named("https://gateway.example".to_owned()));
        assert_eq!(token_settings(&config, "x").public_url, "https://gateway.example");
        config.oauth.issuer = Some("https://issuer.example".to_owned());
        assert_eq!(issuer(&config), Issuer::Named("https://issuer.example".to_owned()));
    }
}
