//! From a file and the environment to a checked [`Config`].

use super::error::ConfigError;
use super::values::Values;
use super::{
    Config, Database, Events, Finance, Limits, Log, LogFormat, NoticeMail, OAuth, Plugins, Provider,
    ProviderAddress, RecipientCheck, Reconciliation, RegisterAddress, Retention, Sandbox, Secrets, Server,
    Telemetry, Tls, Webhooks, default_file, file, reconciliation, variables,
};
use gateway_domain::regime::RegimeKey;
use gateway_domain_events::notices::{MailAddress, PerWorkspace};
use gateway_domain_input::unreadable;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use url::Url;

/// A configuration, and what was passed over.
#[derive(Debug, Default)]
pub struct ReadConfig {
    pub config: Config,
    /// Variables that begin as those of the gateway do, without the two underscores of a key, each with the one it may be
    /// meant for: an orchestrator sets such ones beside a service of this name.
    pub ignored: Vec<String>,
}

/// Reads `gateway.toml` (or `file`, which must exist), then the variables, and checks the whole.
pub fn read(
    file: Option<&Path>,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<ReadConfig, ConfigError> {
    let mut values = Values::default();
    if let Some(text) = read_file(file)? {
        file::read(file.unwrap_or(default_file()), &text, &mut values)?;
    }
    let ignored = variables::read(variables, &mut values)?;
    let config = Config::of(&values)?;
    config.check()?;
    Ok(ReadConfig { config, ignored })
}

fn read_file(file: Option<&Path>) -> Result<Option<String>, ConfigError> {
    let path = file.unwrap_or(default_file());
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if file.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::NoFile { file: path.to_owned(), detail: unreadable(&error) }),
    }
}

/// What is not written is as in the default of its section.
impl Config {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        Ok(Self {
            data_dir: path(values, "data_dir")?.unwrap_or(Self::default().data_dir),
            server: Server::of(values)?,
            database: Database::of(values)?,
            secrets: Secrets { master_key_file: path(values, "secrets.master_key_file")? },
            oauth: OAuth::of(values)?,
            plugins: Plugins::of(values)?,
            provider: Provider::of(values)?,
            sandbox: Sandbox { addr: address(values, "sandbox.addr")?.unwrap_or(Sandbox::default().addr) },
            limits: Limits::of(values)?,
            webhooks: Webhooks::of(values)?,
            notice_mail: NoticeMail::of(values)?,
            events: Events { bus: secret(values, "events.bus")?.unwrap_or(Events::default().bus) },
            reconciliation: Reconciliation::of(values)?,
            recipient_check: RecipientCheck::of(values)?,
            retention: Retention::of(values)?,
            finance: Finance::of(values)?,
            telemetry: Telemetry::of(values)?,
            log: Log::of(values)?,
        })
    }
}

impl Server {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            public_addr: address(values, "server.public_addr")?.unwrap_or(usual.public_addr),
            internal_addr: address(values, "server.internal_addr")?.unwrap_or(usual.internal_addr),
            public_url: web_address(values, "server.public_url")?,
            public_tls: Tls {
                certificate_file: path(values, "server.public_tls_certificate_file")?,
                key_file: path(values, "server.public_tls_key_file")?,
            },
            internal_tls: Tls {
                certificate_file: path(values, "server.internal_tls_certificate_file")?,
                key_file: path(values, "server.internal_tls_key_file")?,
            },
            trusted_proxies: values.list("server.trusted_proxies")?.unwrap_or(usual.trusted_proxies),
            cors_origins: values.list("server.cors_origins")?.unwrap_or(usual.cors_origins),
        })
    }
}

impl Database {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            url: secret(values, "database.url")?,
            auto_migrate: values.flag("database.auto_migrate")?.unwrap_or(usual.auto_migrate),
        })
    }
}

impl OAuth {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            issuer: values.text("oauth.issuer")?,
            token_lifetime_s: values.number("oauth.token_lifetime_s")?.unwrap_or(usual.token_lifetime_s),
        })
    }
}

impl Plugins {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            dir: path(values, "plugins.dir")?,
            trusted_keys: values.list("plugins.trusted_keys")?.unwrap_or(usual.trusted_keys),
            component_mib: values.number("plugins.component_mib")?.unwrap_or(usual.component_mib),
            memory_mib: values.number("plugins.memory_mib")?.unwrap_or(usual.memory_mib),
            deadline_ms: values.number("plugins.deadline_ms")?.unwrap_or(usual.deadline_ms),
            document_mib: values.number("plugins.document_mib")?.unwrap_or(usual.document_mib),
            calls: values.number("plugins.calls")?.unwrap_or(usual.calls),
            calls_per_plugin: values.number("plugins.calls_per_plugin")?.unwrap_or(usual.calls_per_plugin),
        })
    }
}

impl Provider {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            base_url: provider_address(values, "provider.base_url")?,
            poll_after_s: values.number("provider.poll_after_s")?.unwrap_or(usual.poll_after_s),
            overdue_after_s: values.number("provider.overdue_after_s")?.unwrap_or(usual.overdue_after_s),
            due_alert_before_s: values
                .number("provider.due_alert_before_s")?
                .unwrap_or(usual.due_alert_before_s),
            outage_after_s: values.number("provider.outage_after_s")?.unwrap_or(usual.outage_after_s),
            retry_max: values.number("provider.retry_max")?.unwrap_or(usual.retry_max),
            timeout_s: values.number("provider.timeout_s")?.unwrap_or(usual.timeout_s),
        })
    }
}

impl Limits {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        let number = |key, usual| Ok(values.number(key)?.unwrap_or(usual));
        Ok(Self {
            requests_per_s: number("limits.requests_per_s", usual.requests_per_s)?,
            public_connections: number("limits.public_connections", usual.public_connections)?,
            internal_connections: number("limits.internal_connections", usual.internal_connections)?,
        })
    }
}

impl Webhooks {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            allow_private: values.flag("webhooks.allow_private")?.unwrap_or(usual.allow_private),
            timeout_s: values.number("webhooks.timeout_s")?.unwrap_or(usual.timeout_s),
            retry_speed: values.number("webhooks.retry_speed")?.unwrap_or(usual.retry_speed),
        })
    }
}

impl Reconciliation {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        let time = |text: &str| match text {
            Self::OFF => Some(None),
            text => text.parse().ok().map(Some),
        };
        let nightly_at = values.parsed(
            "reconciliation.nightly_at",
            time,
            "is no time of the day: write 03:30, in UTC, or off",
        )?;
        let days = values.number("reconciliation.days")?;
        Ok(Self {
            nightly_at: nightly_at.unwrap_or(usual.nightly_at),
            days: days.map_or(usual.days, |days| u16::try_from(days).unwrap_or(u16::MAX)),
            requests_per_min: values
                .number("reconciliation.requests_per_min")?
                .unwrap_or(usual.requests_per_min),
            authority_urls: by_regime(values, reconciliation::URLS, register_address)?,
            authority_certificate_files: by_regime(values, reconciliation::CERTIFICATES, |text| {
                Some(PathBuf::from(text))
            })?,
            authority_key_files: by_regime(values, reconciliation::KEY_FILES, |text| {
                Some(PathBuf::from(text))
            })?,
        })
    }
}

impl RecipientCheck {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        const REMEDY: &str = "is neither 'sandbox' nor a URL: give one with its scheme, such as \
            https://ec.europa.eu/taxation_customs/vies/rest-api";
        const SMP_REMEDY: &str =
            "is neither 'sandbox' nor a URL: give one with its scheme, such as https://smp.example.org";
        let usual = Self::default();
        // Empty is off, as a variable that is set to nothing.
        let address = |text: &str| match text {
            "" => Some(None),
            text => register_address(text).map(Some),
        };
        Ok(Self {
            vies_url: values.parsed("recipient_check.vies_url", address, REMEDY)?.flatten(),
            sml_zone: values.text("recipient_check.sml_zone")?.filter(|zone| !zone.is_empty()),
            sml_servers: parsed_list(
                values,
                "recipient_check.sml_servers",
                name_server,
                "is no address of a name server: write 192.0.2.1 or 192.0.2.1:53",
            )?,
            smp_url: values.parsed("recipient_check.smp_url", address, SMP_REMEDY)?.flatten(),
            smp_allow_private: values
                .flag("recipient_check.smp_allow_private")?
                .unwrap_or(usual.smp_allow_private),
            smp_regimes: parsed_list(
                values,
                "recipient_check.smp_regimes",
                |text| text.parse().ok(),
                "is no key of a tax regime, as 'gateway plugin list' shows them",
            )?,
            timeout_ms: values.number("recipient_check.timeout_ms")?.unwrap_or(usual.timeout_ms),
            cache_h: values.number("recipient_check.cache_h")?.unwrap_or(usual.cache_h),
            retry_after_s: values.number("recipient_check.retry_after_s")?.unwrap_or(usual.retry_after_s),
        })
    }
}

/// The stand-in, or a URL.
fn register_address(text: &str) -> Option<RegisterAddress> {
    match text {
        RegisterAddress::SANDBOX => Some(RegisterAddress::Sandbox),
        _ => text.parse().ok().map(RegisterAddress::Url),
    }
}

/// Values of tax regimes: `REGIME=VALUE`.
fn by_regime<T>(
    values: &Values,
    key: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<BTreeMap<RegimeKey, T>, ConfigError> {
    const REMEDY: &str = "is not REGIME=VALUE: name a tax regime as 'gateway plugin list' shows it, such as \
        xx-hello=https://authority.example";
    let items = parsed_list(values, key, |item| reconciliation::of_regime(item, &parse), REMEDY)?;
    Ok(items.into_iter().collect())
}

/// The address of a name server, whose port is the usual one unless it is given.
fn name_server(text: &str) -> Option<SocketAddr> {
    let usual = || text.parse().ok().map(|address: IpAddr| SocketAddr::new(address, 53));
    text.parse().ok().or_else(usual)
}

/// A list whose items are all understood.
fn parsed_list<T>(
    values: &Values,
    key: &str,
    parse: impl Fn(&str) -> Option<T>,
    remedy: &str,
) -> Result<Vec<T>, ConfigError> {
    let items = values.list(key)?.unwrap_or_default();
    let parsed = |item: String| match parse(&item) {
        Some(parsed) => Ok(parsed),
        None => Err(ConfigError::Refused { key: key.to_owned(), detail: format!("'{item}' {remedy}") }),
    };
    items.into_iter().map(parsed).collect()
}

impl NoticeMail {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            smtp_url: secret(values, "notices.mail.smtp_url")?,
            from: mail_address(values, "notices.mail.from")?,
            to: per_workspace(values, "notices.mail.to")?,
            digest_every_min: values
                .number("notices.mail.digest_every_min")?
                .unwrap_or(usual.digest_every_min),
            quiet_hours: per_workspace(values, "notices.mail.quiet_hours")?,
            console_url: web_address(values, "notices.mail.console_url")?,
        })
    }
}

impl Retention {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            audit_days: values.number("retention.audit_days")?.unwrap_or(usual.audit_days),
            event_days: values.number("retention.event_days")?.unwrap_or(usual.event_days),
            message_days: values.number("retention.message_days")?.unwrap_or(usual.message_days),
            delivery_days: values.number("retention.delivery_days")?.unwrap_or(usual.delivery_days),
            archive_dir: path(values, "retention.archive_dir")?,
            run_every_h: values.number("retention.run_every_h")?.unwrap_or(usual.run_every_h),
        })
    }
}

impl Finance {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        Ok(Self {
            invoicing_url: web_address(values, "finance.invoicing_url")?,
            invoicing_client_id: values.text("finance.invoicing_client_id")?,
            invoicing_client_secret_file: path(values, "finance.invoicing_client_secret_file")?,
        })
    }
}

impl Telemetry {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            otlp_endpoint: web_address(values, "telemetry.otlp_endpoint")?,
            sample_percent: values.number("telemetry.sample_percent")?.unwrap_or(usual.sample_percent),
        })
    }
}

impl Log {
    fn of(values: &Values) -> Result<Self, ConfigError> {
        let usual = Self::default();
        Ok(Self {
            format: log_format(values, "log.format")?.unwrap_or(usual.format),
            filter: values.text("log.filter")?,
        })
    }
}

fn path(values: &Values, key: &str) -> Result<Option<PathBuf>, ConfigError> {
    Ok(values.text(key)?.map(PathBuf::from))
}

fn secret(values: &Values, key: &str) -> Result<Option<SecretString>, ConfigError> {
    Ok(values.text(key)?.map(SecretString::from))
}

/// An address to listen at.
fn address(values: &Values, key: &str) -> Result<Option<SocketAddr>, ConfigError> {
    const REMEDY: &str = "cannot be used: give an IP address and a port, such as 127.0.0.1:8080";
    values.parsed(key, |text| text.parse().ok(), REMEDY)
}

fn web_address(values: &Values, key: &str) -> Result<Option<Url>, ConfigError> {
    const REMEDY: &str = "cannot be used: give a URL with its scheme, such as https://gateway.example";
    values.parsed(key, |text| text.parse().ok(), REMEDY)
}

fn mail_address(values: &Values, key: &str) -> Result<Option<MailAddress>, ConfigError> {
    const REMEDY: &str = "is no mail address: write it as ana@example.org, without a name beside it";
    values.parsed(key, |text| text.parse().ok(), REMEDY)
}

/// Values of every workspace and of single ones: `VALUE`, `WORKSPACE=VALUE`.
fn per_workspace<T: FromStr<Err: Display>>(
    values: &Values,
    key: &str,
) -> Result<PerWorkspace<T>, ConfigError> {
    let items = values.list(key)?.unwrap_or_default();
    PerWorkspace::parse(items.iter().map(String::as_str))
        .map_err(|error| ConfigError::Refused { key: key.to_owned(), detail: error.to_string() })
}

fn provider_address(values: &Values, key: &str) -> Result<Option<ProviderAddress>, ConfigError> {
    const REMEDY: &str =
        "is neither 'sandbox' nor a URL: give one with its scheme, such as https://provider.example";
    let parse = |text: &str| match text {
        ProviderAddress::SANDBOX => Some(ProviderAddress::Sandbox),
        _ => text.parse().ok().map(ProviderAddress::Url),
    };
    values.parsed(key, parse, REMEDY)
}

fn log_format(values: &Values, key: &str) -> Result<Option<LogFormat>, ConfigError> {
    let parse = |text: &str| match text {
        "text" => Some(LogFormat::Text),
        "json" => Some(LogFormat::Json),
        _ => None,
    };
    values.parsed(key, parse, "cannot be used: use text or json")
}

#[cfg(test)]
mod tests;
