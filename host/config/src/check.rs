//! Which values make no sense.

use super::log_filter;
use super::{Config, ConfigError, Events, ProviderAddress};
use gateway_http::cors::ANY_ORIGIN;
use secrecy::ExposeSecret;
use std::net::{IpAddr, SocketAddr};
use url::{Host, Url};

/// A token that lives longer outlives every mistake in granting it.
const TOKEN_LIFETIME_MAX_S: u32 = 24 * 60 * 60;
/// Beyond a day somebody has to look anyway.
const POLL_AFTER_MAX_S: u32 = 24 * 60 * 60;
/// No tax authority takes longer than this to answer.
const OVERDUE_AFTER_MAX_S: u32 = 30 * 24 * 60 * 60;
const DUE_ALERT_BEFORE_MAX_S: u32 = 30 * 24 * 60 * 60;
/// What lasts longer is an outage by anybody's measure.
const OUTAGE_AFTER_MAX_S: u32 = 60 * 60;
/// A call that takes longer than the breaker's patience would be taken for lost.
const TIMEOUT_MAX_S: u32 = 40;
/// Endpoints hold their places so long.
const WEBHOOK_TIMEOUT_MAX_S: u32 = 60;
/// Days become seconds.
const RETRY_SPEED_MAX: u32 = 100_000;
/// Ten years.
const RECONCILIATION_DAYS_MAX: u32 = 3_660;
/// Faster than any provider answers.
const REQUESTS_PER_MIN_MAX: u32 = 60_000;
/// A century.
const RETENTION_DAYS_MAX: u32 = 36_525;
/// A year.
const RETENTION_RUN_MAX_H: u32 = 8_784;
/// No listener has more ports to tell its clients apart by.
const CONNECTIONS_MAX: u32 = 65_535;
/// With backoff this is more than a week.
const RETRY_MAX: u32 = 1000;

impl Config {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        self.check_addresses()?;
        self.check_figures()?;
        if let Some(Err(_)) = self.log.filter.as_deref().map(log_filter) {
            return refuse(
                "log.filter",
                "it is no log filter: use off, error, warn, info, debug or trace, for all or for a part with = behind its \
                 name, such as info,gateway_finance=debug",
            );
        }
        self.check_bus()?;
        self.notice_mail.check()?;
        self.recipient_check.check(self.is_sandboxed())?;
        self.reconciliation.check(self.is_sandboxed())?;
        self.check_trusted_keys()
    }

    fn check_addresses(&self) -> Result<(), ConfigError> {
        if self.data_dir.as_os_str().is_empty() {
            return refuse("data_dir", "it is empty");
        }
        if let Some(url) = &self.server.public_url {
            check_web_address("server.public_url", url)?;
            check_reachable("server.public_url", url)?;
        }
        if let Err(error) = self.server.proxies() {
            return refuse("server.trusted_proxies", error.to_string());
        }
        for (key, tls) in [
            ("server.public_tls_key_file", &self.server.public_tls),
            ("server.internal_tls_key_file", &self.server.internal_tls),
        ] {
            if tls.certificate_file.is_some() != tls.key_file.is_some() {
                return refuse(key, "TLS takes a certificate and its key: set both files, or none");
            }
        }
        self.check_origins()?;
        if let Some(ProviderAddress::Url(url)) = &self.provider.base_url {
            check_web_address("provider.base_url", url)?;
        }
        if self.telemetry.sample_percent > 100 {
            return refuse("telemetry.sample_percent", "it is more than 100");
        }
        if let Some(url) = &self.telemetry.otlp_endpoint {
            check_web_address("telemetry.otlp_endpoint", url)?;
        }
        self.check_invoicing()?;
        if self.oauth.issuer.as_ref().is_some_and(|issuer| issuer.trim().is_empty()) {
            return refuse("oauth.issuer", "it is empty");
        }
        if let Some(issuer) = &self.oauth.issuer {
            check_issuer("oauth.issuer", issuer.trim())?;
        }
        let Some(url) = &self.database.url else { return Ok(()) };
        match url.expose_secret().split_once(':') {
            Some(("sqlite" | "postgres" | "postgresql", _)) => Ok(()),
            _ => refuse("database.url", "use sqlite:PATH or postgres://…"),
        }
    }

    fn check_origins(&self) -> Result<(), ConfigError> {
        let origins = &self.server.cors_origins;
        if let Some(pattern) =
            origins.iter().find(|origin| origin.contains(ANY_ORIGIN) && *origin != ANY_ORIGIN)
        {
            return refuse(
                "server.cors_origins",
                format!("'{pattern}' is a pattern: write every origin whole, or '*' alone for all of them"),
            );
        }
        match origins.iter().find(|origin| !is_origin(origin)) {
            Some(other) => refuse(
                "server.cors_origins",
                format!(
                    "'{other}' is no origin: use a scheme, a host and its port alone, such as https://app.example"
                ),
            ),
            None => Ok(()),
        }
    }

    /// Another invoice data service may ask for no token; credentials are whole, and for one.
    fn check_invoicing(&self) -> Result<(), ConfigError> {
        let finance = &self.finance;
        let id = finance.invoicing_client_id.as_ref().filter(|id| !id.trim().is_empty());
        match (&finance.invoicing_url, id, &finance.invoicing_client_secret_file) {
            (None, None, None) => Ok(()),
            (Some(url), Some(_), Some(_)) | (Some(url), None, None) => {
                check_web_address("finance.invoicing_url", url)
            }
            (Some(_), None, Some(_)) => {
                refuse("finance.invoicing_client_id", "name the gateway's client at finance.invoicing_url")
            }
            (Some(_), Some(_), None) => refuse(
                "finance.invoicing_client_secret_file",
                "name the file that holds the secret of finance.invoicing_client_id",
            ),
            (None, ..) => refuse(
                "finance.invoicing_url",
                "GATEWAY_FINANCE__INVOICING_CLIENT_ID or the file of its secret is set and this is not: set all or none",
            ),
        }
    }

    fn check_figures(&self) -> Result<(), ConfigError> {
        check_range("oauth.token_lifetime_s", self.oauth.token_lifetime_s, 1, TOKEN_LIFETIME_MAX_S)?;
        check_range("provider.poll_after_s", self.provider.poll_after_s, 1, POLL_AFTER_MAX_S)?;
        check_range("provider.overdue_after_s", self.provider.overdue_after_s, 1, OVERDUE_AFTER_MAX_S)?;
        check_range(
            "provider.due_alert_before_s",
            self.provider.due_alert_before_s,
            1,
            DUE_ALERT_BEFORE_MAX_S,
        )?;
        check_range("provider.outage_after_s", self.provider.outage_after_s, 1, OUTAGE_AFTER_MAX_S)?;
        check_range("provider.retry_max", self.provider.retry_max, 0, RETRY_MAX)?;
        check_range("provider.timeout_s", self.provider.timeout_s, 1, TIMEOUT_MAX_S)?;
        check_range("webhooks.timeout_s", self.webhooks.timeout_s, 1, WEBHOOK_TIMEOUT_MAX_S)?;
        check_range("reconciliation.days", self.reconciliation.days.into(), 1, RECONCILIATION_DAYS_MAX)?;
        check_range(
            "reconciliation.requests_per_min",
            self.reconciliation.requests_per_min,
            1,
            REQUESTS_PER_MIN_MAX,
        )?;
        let retention = &self.retention;
        check_range("retention.audit_days", retention.audit_days, 1, RETENTION_DAYS_MAX)?;
        check_range("retention.event_days", retention.event_days, 1, RETENTION_DAYS_MAX)?;
        check_range("retention.message_days", retention.message_days, 1, RETENTION_DAYS_MAX)?;
        check_range("retention.delivery_days", retention.delivery_days, 1, RETENTION_DAYS_MAX)?;
        check_range("retention.run_every_h", retention.run_every_h, 0, RETENTION_RUN_MAX_H)?;
        check_range("webhooks.retry_speed", self.webhooks.retry_speed, 1, RETRY_SPEED_MAX)?;
        self.check_limits()
    }

    /// Bounds within which the pool of instances fits an address space.
    fn check_limits(&self) -> Result<(), ConfigError> {
        let connections = &self.limits;
        check_range("limits.public_connections", connections.public_connections, 1, CONNECTIONS_MAX)?;
        check_range("limits.internal_connections", connections.internal_connections, 1, CONNECTIONS_MAX)?;
        let plugins = &self.plugins;
        check_range("plugins.component_mib", plugins.component_mib, 1, 512)?;
        check_range("plugins.memory_mib", plugins.memory_mib, 1, 4096)?;
        check_range("plugins.deadline_ms", plugins.deadline_ms, 10, 60_000)?;
        check_range("plugins.document_mib", plugins.document_mib, 1, 64)?;
        check_range("plugins.calls", plugins.calls, 1, 1000)?;
        check_range("plugins.calls_per_plugin", plugins.calls_per_plugin, 1, plugins.calls)
    }

    #[cfg(feature = "nats")]
    fn check_bus(&self) -> Result<(), ConfigError> {
        let bus = self.events.bus.expose_secret();
        if bus == Events::EMBEDDED {
            return Ok(());
        }
        gateway_bus::JetStream::check(bus)
            .or_else(|error| refuse("events.bus", format!("{error}; or use 'embedded'")))
    }

    #[cfg(not(feature = "nats"))]
    fn check_bus(&self) -> Result<(), ConfigError> {
        if self.events.bus.expose_secret() == Events::EMBEDDED {
            return Ok(());
        }
        refuse("events.bus", "this gateway was built without the feature 'nats': use 'embedded'")
    }

    fn check_trusted_keys(&self) -> Result<(), ConfigError> {
        match self.plugins.public_keys() {
            Ok(_) => Ok(()),
            Err(error) => refuse("plugins.trusted_keys", error.to_string()),
        }
    }
}

/// Whether a text is an origin as browsers send it, or stands for all of them.
fn is_origin(text: &str) -> bool {
    let is_written_so =
        |url: Url| matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == text;
    text == ANY_ORIGIN || Url::parse(text).is_ok_and(is_written_so)
}

pub(super) fn check_web_address(key: &str, url: &Url) -> Result<(), ConfigError> {
    let plain = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if plain {
        Ok(())
    } else {
        refuse(key, "use http:// or https:// with a host, without credentials and query")
    }
}

/// Whom tokens name as their issuer, and where clients are sent, is an address that somebody can call.
fn check_reachable(key: &str, url: &Url) -> Result<(), ConfigError> {
    let address = match url.host() {
        Some(Host::Ipv4(address)) => IpAddr::V4(address),
        Some(Host::Ipv6(address)) => IpAddr::V6(address),
        Some(Host::Domain(_)) | None => return Ok(()),
    };
    check_is_one(key, address)
}

fn check_is_one(key: &str, address: IpAddr) -> Result<(), ConfigError> {
    // One of IPv4 may be written as one of IPv6.
    if address.to_canonical().is_unspecified() {
        return refuse(key, "it names every address of the machine and none: use the one that clients call");
    }
    Ok(())
}

/// An issuer may be any name; one that is an address is one that somebody can call.
fn check_issuer(key: &str, issuer: &str) -> Result<(), ConfigError> {
    if let Ok(url) = Url::parse(issuer)
        && url.has_host()
    {
        return check_reachable(key, &url);
    }
    let address = issuer
        .parse::<SocketAddr>()
        .map(|address| address.ip())
        .or_else(|_| issuer.trim_start_matches('[').trim_end_matches(']').parse());
    address.map_or(Ok(()), |address| check_is_one(key, address))
}

pub(super) fn check_range(key: &str, value: u32, least: u32, most: u32) -> Result<(), ConfigError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    refuse(key, format!("{value} is not between {least} and {most}"))
}

pub(super) fn refuse(key: &str, detail: impl Into<String>) -> Result<(), ConfigError> {
    Err(ConfigError::Refused { key: key.to_owned(), detail: detail.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_send_it() {
        for origin in ["*", "https://app.example", "http://localhost:3000", "https://[::1]:8443"] {
            assert!(is_origin(origin), "{origin}");
        }
        for text in
            ["", "app.example", "https://", "https://app.example/", "https://App.example", "ftp://x", "null"]
        {
            assert!(!is_origin(text), "{text}");
        }
    }
}
