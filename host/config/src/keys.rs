//! Every key there is, so that a misspelt one is named before its value is looked at.

use gateway_domain_input::nearest;

/// Dotted, as in the file: `GATEWAY_` and two underscores for the dot make the variable.
pub(super) const KEYS: &[&str] = &[
    "data_dir",
    "server.public_addr",
    "server.internal_addr",
    "server.public_url",
    "server.public_tls_certificate_file",
    "server.public_tls_key_file",
    "server.internal_tls_certificate_file",
    "server.internal_tls_key_file",
    "server.trusted_proxies",
    "server.cors_origins",
    "database.url",
    "database.auto_migrate",
    "secrets.master_key_file",
    "oauth.issuer",
    "oauth.token_lifetime_s",
    "plugins.dir",
    "plugins.trusted_keys",
    "plugins.component_mib",
    "plugins.memory_mib",
    "plugins.deadline_ms",
    "plugins.document_mib",
    "plugins.calls",
    "plugins.calls_per_plugin",
    "provider.base_url",
    "provider.poll_after_s",
    "provider.overdue_after_s",
    "provider.due_alert_before_s",
    "provider.outage_after_s",
    "provider.retry_max",
    "provider.timeout_s",
    "sandbox.addr",
    "limits.requests_per_s",
    "limits.public_connections",
    "limits.internal_connections",
    "webhooks.allow_private",
    "webhooks.timeout_s",
    "webhooks.retry_speed",
    "notices.mail.smtp_url",
    "notices.mail.from",
    "notices.mail.to",
    "notices.mail.digest_every_min",
    "notices.mail.quiet_hours",
    "notices.mail.console_url",
    "events.bus",
    "reconciliation.nightly_at",
    "reconciliation.days",
    "reconciliation.requests_per_min",
    "reconciliation.authority_urls",
    "reconciliation.authority_certificate_files",
    "reconciliation.authority_key_files",
    "recipient_check.vies_url",
    "recipient_check.sml_zone",
    "recipient_check.sml_servers",
    "recipient_check.smp_url",
    "recipient_check.smp_allow_private",
    "recipient_check.smp_regimes",
    "recipient_check.timeout_ms",
    "recipient_check.cache_h",
    "recipient_check.retry_after_s",
    "retention.audit_days",
    "retention.event_days",
    "retention.message_days",
    "retention.delivery_days",
    "retention.archive_dir",
    "retention.run_every_h",
    "finance.invoicing_url",
    "finance.invoicing_client_id",
    "finance.invoicing_client_secret_file",
    "telemetry.otlp_endpoint",
    "telemetry.sample_percent",
    "log.format",
    "log.filter",
];

/// The variables of all keys begin so.
pub(super) const PREFIX: &str = "GATEWAY_";

/// Variables of the tests of this project, which are no configuration.
const NOT_CONFIGURATION: [&str; 2] = ["GATEWAY_TEST_", "GATEWAY_TOTALS_SAMPLE"];

/// Whether a variable claims to configure the gateway.
pub(super) fn is_configuration(variable: &str) -> bool {
    variable.starts_with(PREFIX) && !NOT_CONFIGURATION.iter().any(|prefix| variable.starts_with(prefix))
}

/// The key a variable sets: `GATEWAY_SERVER__PUBLIC_URL` is `server.public_url`.
pub(super) fn key_of(variable: &str) -> String {
    variable.strip_prefix(PREFIX).unwrap_or(variable).to_ascii_lowercase().replace("__", ".")
}

/// The variable that sets a key.
pub(super) fn variable_of(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "__").to_ascii_uppercase())
}

/// Every variable there is.
pub fn variables() -> impl Iterator<Item = String> {
    KEYS.iter().map(|key| variable_of(key))
}

/// What to do about a key that nobody reads, behind its name: what may be meant instead, or to remove it.
pub(super) fn hint(near: Option<&str>) -> String {
    near.map_or_else(
        || ": remove it; 'gateway config check' shows every key".to_owned(),
        |near| format!(": did you mean {near}?"),
    )
}

/// The known key that looks most like an unknown one.
pub(super) fn closest(unknown: &str) -> Option<&'static str> {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let letters = |key: &str| key.replace(['.', '_'], "");
    let name = last(unknown);
    let known = || KEYS.iter().copied();
    known()
        .find(|key| letters(key) == letters(unknown))
        .or_else(|| known().find(|key| last(key) == name))
        .or_else(|| nearest(unknown, KEYS.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_and_its_key_name_each_other() {
        for key in KEYS {
            assert_eq!(key_of(&variable_of(key)), *key);
        }
        assert_eq!(variable_of("oauth.token_lifetime_s"), "GATEWAY_OAUTH__TOKEN_LIFETIME_S");
    }

    #[test]
    fn a_misspelt_key_has_a_neighbour() {
        assert_eq!(closest("serve.public_url"), Some("server.public_url"));
        assert_eq!(closest("public_url"), Some("server.public_url"));
        assert_eq!(closest("datadir"), Some("data_dir"));
        assert_eq!(closest("data.dir"), Some("data_dir"));
        assert_eq!(closest("limits.request_per_s"), Some("limits.requests_per_s"));
        assert_eq!(closest("colour"), None);
    }
}
