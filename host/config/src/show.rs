//! The configuration as an operator sees it.

use super::keys::KEYS;
use super::{Config, LogFormat, NoticeMail, Retention};
use secrecy::ExposeSecret;
use std::path::Path;
use url::Url;

/// What is shown of a key that has no value.
const UNSET: &str = "(unset)";

impl Config {
    /// Every key with the value that holds; a password in an address is left out.
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        KEYS.iter().map(|key| (*key, self.value(key))).collect()
    }

    /// A value of a section that shows its own.
    fn of_section(&self, key: &str) -> Option<String> {
        let found = self.notice_mail.value(key).or_else(|| self.reconciliation.value(key));
        let found = found.or_else(|| self.retention.value(key));
        found.or_else(|| self.recipient_check.value(key))
    }

    fn value(&self, key: &str) -> String {
        let unset = || UNSET.to_owned();
        match key {
            "data_dir" => self.data_dir.display().to_string(),
            "server.public_addr" => self.server.public_addr.to_string(),
            "server.internal_addr" => self.server.internal_addr.to_string(),
            "server.public_tls_certificate_file" => {
                path_or_unset(self.server.public_tls.certificate_file.as_deref())
            }
            "server.public_tls_key_file" => path_or_unset(self.server.public_tls.key_file.as_deref()),
            "server.internal_tls_certificate_file" => {
                path_or_unset(self.server.internal_tls.certificate_file.as_deref())
            }
            "server.internal_tls_key_file" => path_or_unset(self.server.internal_tls.key_file.as_deref()),
            "server.public_url" => self
                .server
                .public_url
                .as_ref()
                .map_or_else(|| "(the bound address)".to_owned(), Url::to_string),
            "server.trusted_proxies" => self.server.trusted_proxies.join(","),
            "server.cors_origins" => self.server.cors_origins.join(","),
            "database.url" => without_password(self.database_url().expose_secret()),
            "database.auto_migrate" => self.database.auto_migrate.to_string(),
            "secrets.master_key_file" => self.master_key_file().display().to_string(),
            "oauth.issuer" => self.oauth.issuer.clone().unwrap_or_else(|| "(the public URL)".to_owned()),
            "oauth.token_lifetime_s" => self.oauth.token_lifetime_s.to_string(),
            "plugins.dir" => self.plugins_dir().map_or_else(unset, |folder| folder.display().to_string()),
            "plugins.trusted_keys" => self.plugins.trusted_keys.join(","),
            "plugins.component_mib" => self.plugins.component_mib.to_string(),
            "plugins.memory_mib" => self.plugins.memory_mib.to_string(),
            "plugins.deadline_ms" => self.plugins.deadline_ms.to_string(),
            "plugins.document_mib" => self.plugins.document_mib.to_string(),
            "plugins.calls" => self.plugins.calls.to_string(),
            "plugins.calls_per_plugin" => self.plugins.calls_per_plugin.to_string(),
            "provider.base_url" => self.provider.base_url.as_ref().map_or_else(unset, ToString::to_string),
            "provider.poll_after_s" => self.provider.poll_after_s.to_string(),
            "provider.overdue_after_s" => self.provider.overdue_after_s.to_string(),
            "provider.due_alert_before_s" => self.provider.due_alert_before_s.to_string(),
            "provider.outage_after_s" => self.provider.outage_after_s.to_string(),
            "provider.retry_max" => self.provider.retry_max.to_string(),
            "provider.timeout_s" => self.provider.timeout_s.to_string(),
            "sandbox.addr" => self.sandbox.addr.to_string(),
            "limits.requests_per_s" => self.limits.requests_per_s.to_string(),
            "limits.public_connections" => self.limits.public_connections.to_string(),
            "limits.internal_connections" => self.limits.internal_connections.to_string(),
            "webhooks.allow_private" => self.webhooks.allow_private.to_string(),
            "webhooks.timeout_s" => self.webhooks.timeout_s.to_string(),
            "webhooks.retry_speed" => self.webhooks.retry_speed.to_string(),
            "events.bus" => without_password(self.events.bus.expose_secret()),
            "finance.invoicing_url" => self.finance.invoicing_url.as_ref().map_or_else(unset, Url::to_string),
            "finance.invoicing_client_id" => self.finance.invoicing_client_id.clone().unwrap_or_else(unset),
            "finance.invoicing_client_secret_file" => self
                .finance
                .invoicing_client_secret_file
                .as_ref()
                .map_or_else(unset, |file| file.display().to_string()),
            "telemetry.otlp_endpoint" => {
                self.telemetry.otlp_endpoint.as_ref().map_or_else(unset, Url::to_string)
            }
            "telemetry.sample_percent" => self.telemetry.sample_percent.to_string(),
            "log.format" => match self.log.format {
                LogFormat::Text => "text".to_owned(),
                LogFormat::Json => "json".to_owned(),
            },
            "log.filter" => self.log.filter.clone().unwrap_or_else(unset),
            other => self.of_section(other).unwrap_or_else(|| format!("(nothing shows {other})")),
        }
    }
}

impl Retention {
    /// None of a key of another section.
    fn value(&self, key: &str) -> Option<String> {
        Some(match key {
            "retention.audit_days" => self.audit_days.to_string(),
            "retention.event_days" => self.event_days.to_string(),
            "retention.message_days" => self.message_days.to_string(),
            "retention.delivery_days" => self.delivery_days.to_string(),
            "retention.run_every_h" => self.run_every_h.to_string(),
            "retention.archive_dir" => path_or_unset(self.archive_dir.as_deref()),
            _ => return None,
        })
    }
}

impl NoticeMail {
    /// None of a key of another section.
    fn value(&self, key: &str) -> Option<String> {
        let unset = || UNSET.to_owned();
        Some(match key {
            "notices.mail.smtp_url" => {
                let url = self.smtp_url.as_ref();
                url.map_or_else(unset, |url| without_password(url.expose_secret()))
            }
            "notices.mail.from" => self.from.as_ref().map_or_else(unset, ToString::to_string),
            "notices.mail.to" => self.to.to_string(),
            "notices.mail.digest_every_min" => self.digest_every_min.to_string(),
            "notices.mail.quiet_hours" => self.quiet_hours.to_string(),
            "notices.mail.console_url" => {
                self.console_url.as_ref().map_or_else(|| "(the internal listener)".to_owned(), Url::to_string)
            }
            _ => return None,
        })
    }
}

/// A file, or that there is none.
fn path_or_unset(file: Option<&Path>) -> String {
    file.map_or_else(|| UNSET.to_owned(), |file| file.display().to_string())
}

fn without_password(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else { return address.to_owned() };
    if url.password().is_some() && url.set_password(Some("…")).is_ok() {
        return url.to_string().replace("%E2%80%A6", "…");
    }
    address.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_path_or_unset() {
        let entries = Config::default().entries();
        assert!(entries.iter().all(|(_, value)| !value.starts_with("(nothing")), "{entries:?}");
    }

    #[test]
    fn a_password_is_left_out() {
        assert_eq!(without_password("postgres://u:hunter2@h/d"), "postgres://u:…@h/d");
        assert_eq!(without_password("nats://u:hunter2@h:4222/name"), "nats://u:…@h:4222/name");
        assert_eq!(without_password("smtps://u:hunter2@h?tls=required"), "smtps://u:…@h?tls=required");
        assert_eq!(without_password("sqlite:data/gateway.db"), "sqlite:data/gateway.db");
    }
}
