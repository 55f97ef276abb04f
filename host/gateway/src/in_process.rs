//! A gateway inside the process of a benchmark, so that both use the same pool of connections.

use crate::allocator;
use crate::bound_listeners::{BoundListeners, PortInUse};
use crate::commands;
use crate::serve::Serving;
use crate::services::Services;
use gateway_cli::telemetry;
use gateway_config::{Config, ProviderAddress};
use gateway_terminal::Failure;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;

/// Why a gateway did not start; the sentence says what to do next.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotStarted(String);

/// A gateway that serves on free ports of this machine, without provider, plugins and limits of rates. Dropping it ends it at once.
pub struct InProcess(Box<Serving>);

impl std::fmt::Debug for InProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("InProcess").field(&self.0.internal).finish()
    }
}

impl InProcess {
    /// Starts with its files in `data_dir`, on the database `database_url` names, else on SQLite in `data_dir`. Logs failures
    /// only, so that figures can be read. Fails as `gateway serve` does.
    pub async fn start(data_dir: &Path, database_url: Option<&str>) -> Result<Self, NotStarted> {
        let mut config = Config { data_dir: data_dir.to_owned(), ..Config::default() };
        config.plugins.dir = Some(data_dir.join("plugins"));
        Self::start_configured(config, database_url).await
    }

    /// To be called first by a program that starts a gateway with plugins: they are compiled by this very program in a process of
    /// its own, which ends with this code.
    pub fn compile_as_child() -> Option<ExitCode> {
        commands::compile_as_child()
    }

    /// [`Self::start`] with the built-in sandbox for a provider, and the plugins of a folder.
    pub async fn start_with_sandbox(
        data_dir: &Path,
        database_url: Option<&str>,
        plugins: &Path,
    ) -> Result<Self, NotStarted> {
        let mut config = Config { data_dir: data_dir.to_owned(), ..Config::default() };
        config.plugins.dir = Some(plugins.to_owned());
        config.provider.base_url = Some(ProviderAddress::Sandbox);
        config.sandbox.addr = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self::start_configured(config, database_url).await
    }

    async fn start_configured(mut config: Config, database_url: Option<&str>) -> Result<Self, NotStarted> {
        allocator::avoid_huge_pages();
        config.database.url = database_url.map(Into::into);
        let free_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        (config.server.public_addr, config.server.internal_addr) = (free_port, free_port);
        config.limits.requests_per_s = 0;
        // Webhooks go to receivers on this machine.
        config.webhooks.allow_private = true;
        telemetry::start(&config, "error");
        let start = async {
            let listeners = BoundListeners::bind(&config, PortInUse::Refuse).await?;
            let mut serving = Serving::listen(&config, listeners).await?;
            serving.start().await?;
            Ok::<_, Failure>(serving)
        };
        Box::pin(start)
            .await
            .map(|serving| Self(Box::new(serving)))
            .map_err(|failure| NotStarted(failure.to_string()))
    }

    /// Where the internal listener is, for example `http://127.0.0.1:40123`.
    pub fn internal_url(&self) -> &str {
        &self.0.internal
    }

    /// Where the public listener is, likewise.
    pub fn public_url(&self) -> &str {
        &self.0.public
    }

    /// What answers behind the listeners.
    pub const fn services(&self) -> &Services {
        &self.0.services
    }

    /// Finishes what it has in hand and closes the database.
    pub async fn stop(self) {
        Box::pin(self.0.stop()).await;
    }
}
