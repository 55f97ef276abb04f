//! Configuration: `gateway.toml`, then the environment; read and checked before anything else happens.
//!
//! One struct per subsystem, every key with a default, unknown keys refused. To add a key: a field with its default
//! here, a row in `keys.rs`, what it is read as in `read.rs`, a rule in `check.rs` if not every value makes sense, a row in
//! `host/gateway/OPERATING.md`.
//!
//! Two layers are merged here by key, out of the values of `toml`. The crates `config` and `serde_ignored`, which do that for many
//! layers and formats, say only in sentences which key is wrong and what it had to be, and nobody may read those: each key is
//! read as what it must be, and its mistake is a variant of [`ConfigError`].

mod check;
mod error;
mod file;
mod keys;
mod log_filter;
mod notices;
mod read;
mod recipient_check;
mod reconciliation;
mod retention;
mod show;
mod values;
mod variables;

pub use error::ConfigError;
pub use keys::variables;
pub use log_filter::log_filter;
pub use notices::NoticeMail;
pub use read::{ReadConfig, read};
pub use recipient_check::{RecipientCheck, RegisterAddress};
pub use reconciliation::Reconciliation;
pub use retention::Retention;

use gateway_http::connection::TlsFiles;
use gateway_http::{Network, NoNetwork};
use gateway_plugin_host::{PublicKey, SignatureError};
use secrecy::SecretString;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// Everything an operator sets.
#[derive(Debug, Clone)]
pub struct Config {
    /// Holds the database, the master key and the caches.
    pub data_dir: PathBuf,
    pub server: Server,
    pub database: Database,
    pub secrets: Secrets,
    pub oauth: OAuth,
    pub plugins: Plugins,
    pub provider: Provider,
    pub sandbox: Sandbox,
    pub limits: Limits,
    pub webhooks: Webhooks,
    /// `[notices.mail]`.
    pub notice_mail: NoticeMail,
    pub events: Events,
    pub reconciliation: Reconciliation,
    pub recipient_check: RecipientCheck,
    pub retention: Retention,
    pub finance: Finance,
    pub telemetry: Telemetry,
    pub log: Log,
}

/// `[server]`: where it listens, and how others reach it.
#[derive(Debug, Clone)]
pub struct Server {
    pub public_addr: SocketAddr,
    pub internal_addr: SocketAddr,
    /// How others reach the public listener; the bound address unless set.
    pub public_url: Option<Url>,
    /// What the public listener speaks TLS with; without, it speaks none.
    pub public_tls: Tls,
    /// The same of the internal listener.
    pub internal_tls: Tls,
    /// Proxies whose `X-Forwarded-For` is believed: addresses and networks.
    pub trusted_proxies: Vec<String>,
    /// Origins whose pages may call `/v1` and read the documents; `*`: all.
    pub cors_origins: Vec<String>,
}

/// The certificate of a listener; both files or none.
#[derive(Debug, Clone, Default)]
pub struct Tls {
    /// PEM: the certificate, followed by those that lead to a root.
    pub certificate_file: Option<PathBuf>,
    /// PEM: its private key.
    pub key_file: Option<PathBuf>,
}

impl Tls {
    /// Certificate and key, where both are named.
    pub fn files(&self) -> Option<TlsFiles> {
        let (certificate, key) = (self.certificate_file.clone()?, self.key_file.clone()?);
        Some(TlsFiles { certificate, key })
    }
}

/// `[database]`: SQLite or PostgreSQL.
#[derive(Debug, Clone)]
pub struct Database {
    /// `sqlite:…` or `postgres://…`, which may hold a password; a file in the data directory unless set.
    pub url: Option<SecretString>,
    /// Whether commands and `serve` bring the schema up to date themselves.
    pub auto_migrate: bool,
}

/// Secrets at rest.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// The key that encrypts them; `master.key` in the data directory unless set.
    pub master_key_file: Option<PathBuf>,
}

/// Access tokens.
#[derive(Debug, Clone)]
pub struct OAuth {
    /// `iss` and `aud` of the tokens; the public URL unless set.
    pub issuer: Option<String>,
    /// Seconds a token is valid.
    pub token_lifetime_s: u32,
}

/// Tax regimes.
#[derive(Debug, Clone)]
pub struct Plugins {
    /// The drop folder; `plugins` beside the binary, or beside its directory, unless set.
    pub dir: Option<PathBuf>,
    /// Keys that sign plugins.
    pub trusted_keys: Vec<String>,
    /// Largest component, MiB.
    pub component_mib: u32,
    /// Memory of one call, MiB.
    pub memory_mib: u32,
    /// How long one call may compute, ms.
    pub deadline_ms: u32,
    /// Largest document, MiB.
    pub document_mib: u32,
    /// Calls of all plugins at the same time.
    pub calls: u32,
    /// Calls of one plugin at the same time.
    pub calls_per_plugin: u32,
}

/// The e-invoicing provider.
#[derive(Debug, Clone)]
pub struct Provider {
    /// Where it is; submissions wait until this is set.
    pub base_url: Option<ProviderAddress>,
    /// Seconds without a webhook after which the provider is asked.
    pub poll_after_s: u32,
    /// Seconds the provider may take with a job before somebody should look.
    pub overdue_after_s: u32,
    /// Seconds before the legal limit of a filing at which somebody is told.
    pub due_alert_before_s: u32,
    /// Seconds for which calls of one kind have to fail until it counts as an outage.
    pub outage_after_s: u32,
    /// How often one call is repeated before somebody has to look.
    pub retry_max: u32,
    /// Seconds one call may take.
    pub timeout_s: u32,
}

/// Where submissions go (`provider.base_url`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderAddress {
    /// The built-in stand-in.
    Sandbox,
    /// Somewhere else.
    Url(Url),
}

/// The built-in stand-in for provider and tax authority.
#[derive(Debug, Clone)]
pub struct Sandbox {
    pub addr: SocketAddr,
}

/// What one client, and all of them together, may ask for.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Requests each client may send a second on the public API; 0 switches the limit off.
    pub requests_per_s: u32,
    /// Connections of the public listener at a time.
    pub public_connections: u32,
    /// Connections of the internal listener at a time.
    pub internal_connections: u32,
}

/// Customer webhooks.
#[derive(Debug, Clone)]
pub struct Webhooks {
    /// Whether they may go to private addresses.
    pub allow_private: bool,
    /// Seconds an endpoint may take to answer.
    pub timeout_s: u32,
    /// By how much waits between tries are shorter than usual; for tests.
    pub retry_speed: u32,
}

/// How events leave the gateway.
#[derive(Debug, Clone)]
pub struct Events {
    /// `embedded`, or the address of a message bus, which may hold a password.
    pub bus: SecretString,
}

/// The finance service's view of the invoice data service.
#[derive(Debug, Clone, Default)]
pub struct Finance {
    /// The base URL of a remote invoice data service; the one in this process unless set.
    pub invoicing_url: Option<Url>,
    /// The gateway's client there.
    pub invoicing_client_id: Option<String>,
    /// Holds the secret of that client.
    pub invoicing_client_secret_file: Option<PathBuf>,
}

/// Where traces go.
#[derive(Debug, Clone)]
pub struct Telemetry {
    /// The base URL of an OpenTelemetry collector (OTLP over HTTP); no traces are taken unless it is set.
    pub otlp_endpoint: Option<Url>,
    /// How many traces that begin here are taken, of a hundred. One that began elsewhere is taken where it was there.
    pub sample_percent: u32,
}

/// What is written to standard error.
#[derive(Debug, Clone)]
pub struct Log {
    pub format: LogFormat,
    /// Directives such as `info,gateway_finance=debug`; unless set, `info` where it serves and less elsewhere.
    pub filter: Option<String>,
}

/// How a log line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from("data"),
            server: Server::default(),
            database: Database::default(),
            secrets: Secrets::default(),
            oauth: OAuth::default(),
            plugins: Plugins::default(),
            provider: Provider::default(),
            sandbox: Sandbox::default(),
            limits: Limits::default(),
            webhooks: Webhooks::default(),
            notice_mail: NoticeMail::default(),
            events: Events::default(),
            reconciliation: Reconciliation::default(),
            recipient_check: RecipientCheck::default(),
            retention: Retention::default(),
            finance: Finance::default(),
            telemetry: Telemetry::default(),
            log: Log::default(),
        }
    }
}

impl Default for Server {
    fn default() -> Self {
        Self {
            public_addr: SocketAddr::from(([127, 0, 0, 1], 8080)),
            internal_addr: SocketAddr::from(([127, 0, 0, 1], 8081)),
            public_url: None,
            public_tls: Tls::default(),
            internal_tls: Tls::default(),
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
        }
    }
}

impl Default for Database {
    fn default() -> Self {
        Self { url: None, auto_migrate: true }
    }
}

impl Default for OAuth {
    fn default() -> Self {
        Self { issuer: None, token_lifetime_s: 3600 }
    }
}

impl Default for Plugins {
    fn default() -> Self {
        let usual = gateway_plugin_host::Limits::default();
        let mib = |bytes: usize| u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
        Self {
            dir: None,
            trusted_keys: Vec::new(),
            component_mib: mib(usual.file_bytes),
            memory_mib: mib(usual.memory_bytes),
            deadline_ms: u32::try_from(usual.deadline.as_millis()).unwrap_or(u32::MAX),
            document_mib: mib(usual.document_bytes),
            calls: usual.calls,
            calls_per_plugin: usual.calls_per_plugin,
        }
    }
}

impl Default for Provider {
    fn default() -> Self {
        Self {
            base_url: None,
            poll_after_s: 60,
            overdue_after_s: 3600,
            due_alert_before_s: 86_400,
            outage_after_s: 120,
            retry_max: 10,
            timeout_s: 30,
        }
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self { addr: SocketAddr::from(([127, 0, 0, 1], 8089)) }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { requests_per_s: 50, public_connections: 4096, internal_connections: 1024 }
    }
}

impl Default for Webhooks {
    fn default() -> Self {
        Self { allow_private: false, timeout_s: 15, retry_speed: 1 }
    }
}

impl Default for Events {
    fn default() -> Self {
        Self { bus: Self::EMBEDDED.into() }
    }
}

impl Events {
    /// Events are dispatched inside this process.
    pub const EMBEDDED: &str = "embedded";
}

impl Default for Telemetry {
    fn default() -> Self {
        Self { otlp_endpoint: None, sample_percent: 100 }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { format: LogFormat::Text, filter: None }
    }
}

impl Config {
    /// Where the database is.
    pub fn database_url(&self) -> SecretString {
        self.database.url.clone().unwrap_or_else(|| {
            let file = self.data_dir.join("gateway.db").display().to_string();
            // The address is decoded again, and a question mark would begin its parameters.
            format!("sqlite:{}", file.replace('%', "%25").replace('?', "%3F")).into()
        })
    }

    /// Where the key of the secrets at rest is.
    pub fn master_key_file(&self) -> PathBuf {
        self.secrets.master_key_file.clone().unwrap_or_else(|| self.data_dir.join("master.key"))
    }

    /// Where plugins are dropped: the first of [`plugin_folders`](Self::plugin_folders) that is there, else the last;
    /// none when the system does not tell where this program is.
    pub fn plugins_dir(&self) -> Option<PathBuf> {
        let folders = self.plugin_folders();
        folders.iter().find(|folder| folder.is_dir()).or_else(|| folders.last()).cloned()
    }

    /// Where plugins are looked for: where the configuration says, else beside this program, then beside its folder.
    pub fn plugin_folders(&self) -> Vec<PathBuf> {
        if let Some(folder) = &self.plugins.dir {
            return vec![folder.clone()];
        }
        let program = std::env::current_exe().unwrap_or_default();
        program.ancestors().skip(1).take(2).map(|folder| folder.join("plugins")).collect()
    }

    /// Where compiled plugins are kept. What lies there is executed, so it is private.
    pub fn plugin_cache_dir(&self) -> PathBuf {
        self.data_dir.join("plugin-cache")
    }

    /// Whether what the provider accepts is only play.
    pub fn is_sandboxed(&self) -> bool {
        self.provider.base_url == Some(ProviderAddress::Sandbox)
    }
}

impl Server {
    /// The proxies whose word counts.
    pub fn proxies(&self) -> Result<Vec<Network>, NoNetwork> {
        self.trusted_proxies.iter().map(|network| network.parse()).collect()
    }
}

impl Plugins {
    /// What a plugin may use.
    pub fn limits(&self) -> gateway_plugin_host::Limits {
        let bytes = |mib: u32| usize::try_from(u64::from(mib) << 20).unwrap_or(usize::MAX);
        let usual = gateway_plugin_host::Limits::default();
        gateway_plugin_host::Limits {
            file_bytes: bytes(self.component_mib),
            memory_bytes: bytes(self.memory_mib),
            deadline: Duration::from_millis(self.deadline_ms.into()),
            document_bytes: bytes(self.document_mib),
            // A document is handed over with everything beside it.
            transfer_bytes: usual.transfer_bytes.max(bytes(self.document_mib).saturating_mul(2)),
            calls: self.calls,
            calls_per_plugin: self.calls_per_plugin,
            ..usual
        }
    }

    /// Largest component, bytes.
    pub fn component_bytes(&self) -> u64 {
        u64::from(self.component_mib) << 20
    }

    /// The keys that sign plugins.
    pub fn public_keys(&self) -> Result<Vec<PublicKey>, SignatureError> {
        self.trusted_keys.iter().map(|key| key.parse()).collect()
    }
}

impl ProviderAddress {
    const SANDBOX: &str = "sandbox";
}

impl fmt::Display for ProviderAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sandbox => f.write_str(Self::SANDBOX),
            Self::Url(url) => url.fmt(f),
        }
    }
}

/// Where the configuration file is looked for when none is named.
pub fn default_file() -> &'static Path {
    Path::new("gateway.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_looked_for_beside_the_program_unless_a_folder_is_named() {
        let mut config = Config::default();
        let program = std::env::current_exe().unwrap();
        let folder = program.parent().unwrap();
        let beside = [folder.join("plugins"), folder.parent().unwrap().join("plugins")];
        assert_eq!(config.plugin_folders(), beside);
        assert!(config.plugins_dir().is_some_and(|found| beside.contains(&found)));
        config.plugins.dir = Some("/named".into());
        assert_eq!(config.plugin_folders(), [PathBuf::from("/named")]);
        assert_eq!(config.plugins_dir(), Some(PathBuf::from("/named")));
    }
}
