//! SIGHUP: the configuration is read again, and what can change while the process serves changes.

use crate::certificates;
use crate::descriptors::{self, Connections};
use gateway_cli::telemetry::LogControl;
use gateway_config::{self as config, Config, ReadConfig};
use gateway_http::connection::{Certificates, ConnectionLimit, TlsIdentity};
use gateway_http::limits::Limits;
use gateway_plugin_host::TrustedKeys;
use gateway_registry::DropFolderPath;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Where the configuration of a process came from, and what it logs where that is silent.
#[derive(Debug, Clone)]
pub(crate) struct ConfigSource {
    /// `--config`; none: `gateway.toml` where the process runs, if it is there.
    pub(crate) file: Option<PathBuf>,
    pub(crate) log: LogControl,
    /// What is logged without `log.filter`.
    pub(crate) usual_filter: &'static str,
}

impl ConfigSource {
    /// The filter of a configuration.
    pub(crate) fn filter<'c>(&self, config: &'c Config) -> &'c str {
        config.log.filter.as_deref().unwrap_or(self.usual_filter)
    }
}

/// What can change while the process serves.
#[derive(Debug, Clone)]
pub(crate) struct Adjustable {
    pub(crate) requests: Arc<Limits>,
    pub(crate) public_connections: ConnectionLimit,
    pub(crate) internal_connections: ConnectionLimit,
    pub(crate) trusted: TrustedKeys,
    pub(crate) folder: DropFolderPath,
    /// Read again whenever their files change.
    pub(crate) certificates: Certificates,
}

/// Keys that [`Adjustable`] follows; of the others a change waits for the next start.
const FOLLOWED: [&str; 6] = [
    "log.filter",
    "limits.requests_per_s",
    "limits.public_connections",
    "limits.internal_connections",
    "plugins.trusted_keys",
    "plugins.dir",
];

/// The configuration that a process serves by, followed from one SIGHUP to the next.
#[derive(Debug)]
pub(crate) struct Reloading {
    source: ConfigSource,
    current: Config,
    adjustable: Adjustable,
}

impl Reloading {
    pub(crate) const fn new(source: ConfigSource, current: Config, adjustable: Adjustable) -> Self {
        Self { source, current, adjustable }
    }

    /// The configuration of this moment.
    pub(crate) const fn current(&self) -> &Config {
        &self.current
    }

    /// Reads the configuration again and says in one line what changed. One that cannot be read changes nothing.
    pub(crate) fn reload(&mut self) {
        let read = config::read(self.source.file.as_deref(), std::env::vars_os());
        let fresh = match read {
            Ok(ReadConfig { config, .. }) => config,
            Err(error) => {
                tracing::error!(
                    "SIGHUP: the configuration stays as it was, because it cannot be read: {error}"
                );
                return;
            }
        };
        let changed = changed(&self.current, &fresh);
        let (followed, waiting): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|key| FOLLOWED.contains(key));
        if let Err(reason) = self.follow(&fresh) {
            tracing::error!("SIGHUP: the configuration stays as it was: {reason}");
            return;
        }
        tracing::info!(
            "SIGHUP: changed {}; at the next start {}; the plugin folder is looked through",
            listed(&followed),
            listed(&waiting)
        );
        for (_, identity) in self.adjustable.certificates.iter() {
            reload_if_changed(identity);
        }
        certificates::log_all(&self.adjustable.certificates);
        self.current = fresh;
    }

    /// Reads certificates again whose files changed.
    pub(crate) fn look_at_certificates(&self) {
        for (listener, identity) in self.adjustable.certificates.iter() {
            if reload_if_changed(identity) {
                certificates::log(listener, identity);
            }
        }
    }

    fn follow(&self, fresh: &Config) -> Result<(), String> {
        let keys = fresh.plugins.public_keys().map_err(|error| error.to_string())?;
        // Once more what SIGUSR1 may have changed.
        self.source.log.set(self.source.filter(fresh)).map_err(|error| error.to_string())?;
        let Adjustable { requests, public_connections, internal_connections, trusted, folder, .. } =
            &self.adjustable;
        trusted.set(keys);
        if fresh.limits.requests_per_s != self.current.limits.requests_per_s {
            requests.set(fresh.limits.requests_per_s);
        }
        let Connections { public, internal } = descriptors::connections(&fresh.limits);
        public_connections.set(public);
        internal_connections.set(internal);
        folder.set(fresh.plugins_dir());
        Ok(())
    }
}

/// Reads a certificate again if its files changed; says whether new connections are made with another one.
fn reload_if_changed(identity: &TlsIdentity) -> bool {
    match identity.reload_if_changed() {
        Ok(true) => {
            let file = identity.files().certificate.display();
            tracing::info!("New connections are made with what {file} holds now");
            true
        }
        Ok(false) => false,
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "New connections are made with the certificate of before: {error}"
            );
            false
        }
    }
}

/// The keys whose values differ.
fn changed(before: &Config, after: &Config) -> Vec<&'static str> {
    let before: BTreeMap<_, _> = before.entries().into_iter().collect();
    let differs = |(key, value): (&'static str, String)| (before.get(key) != Some(&value)).then_some(key);
    after.entries().into_iter().filter_map(differs).collect()
}

fn listed(keys: &[&str]) -> String {
    if keys.is_empty() { "nothing".to_owned() } else { keys.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_is_followed_is_a_key() {
        let entries = Config::default().entries();
        for followed in FOLLOWED {
            assert!(entries.iter().any(|(key, _)| *key == followed), "{followed}");
        }
    }

    #[test]
    fn what_differs_is_named_by_its_key() {
        let mut after = Config::default();
        after.limits.requests_per_s = 7;
        after.oauth.token_lifetime_s = 60;
        assert_eq!(changed(&Config::default(), &after), ["oauth.token_lifetime_s", "limits.requests_per_s"]);
        assert_eq!(listed(&[]), "nothing");
    }
}
