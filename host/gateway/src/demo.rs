//! `gateway demo`: a gateway of its own, for the demonstration to be shown on.

use crate::bound_listeners::{BoundListeners, PortInUse};
use crate::serve::Serving;
use crate::signals::StopSignals;
use crate::wiring;
use gateway_config::{Config, ProviderAddress};
use gateway_demo::{Demonstration, REGIME, missing_plugin, show};
use gateway_domain::access::Actor;
use gateway_domain_finance::Destination;
use gateway_terminal::{Failure, line};
use gateway_workspaces::{Destinations, destination};
use std::path::PathBuf;

/// Short, so that the missing webhook is replaced while somebody watches.
const POLL_AFTER_S: u32 = 3;

/// How the demonstration is shown.
#[derive(Debug)]
pub(crate) struct DemoOptions {
    /// Ends when every invoice arrived.
    pub(crate) once: bool,
    /// Writes one of the invoices as a PDF.
    pub(crate) pdf: bool,
    /// Where everything is kept; none: where the configuration says.
    pub(crate) data_dir: Option<PathBuf>,
}

/// Starts everything, sends the invoices, and keeps serving unless it is shown once.
pub(crate) async fn run(mut config: Config, options: DemoOptions) -> Result<(), Failure> {
    if let Some(folder) = &options.data_dir {
        config.data_dir.clone_from(folder);
    }
    config.provider.base_url = Some(ProviderAddress::Sandbox);
    config.provider.poll_after_s = POLL_AFTER_S;
    let stop = StopSignals::subscribe()?;
    ensure_plugin_may_be_there(&config)?;
    // Before the database is looked at, which brings it up to date: a demonstration that finds no address leaves everything as
    // it was.
    let listeners = BoundListeners::bind(&config, PortInUse::FreePort).await?;
    ensure_may_be_demonstrated(&config).await?;
    let serving = Box::pin(Serving::demonstrate(&config, listeners)).await?;
    line(&serde_json::to_string(&serving.announcement())?);
    let stage = Demonstration {
        context: serving.services.clone().for_commands(serving.plugins.clone(), Actor::operator()),
        public: serving.public.clone(),
        internal: serving.internal.clone(),
        sandbox: serving.sandbox_url(),
        data_dir: options.data_dir.clone(),
        plugin_folders: config.plugin_folders(),
        once: options.once,
    };
    let outcome = show_until(&stage, &options, stop, serving.services.destinations.clone()).await;
    serving.stop().await;
    outcome
}

/// Shows it, and unless it is shown once goes on until a signal says stop. Whatever it waited for is given up when this ends: the
/// database closes only when nobody holds a connection.
async fn show_until(
    stage: &Demonstration,
    options: &DemoOptions,
    stop: StopSignals,
    destinations: Destinations,
) -> Result<(), Failure> {
    let (stop, takeover) = (stop.wait(), provider_takes_over(destinations));
    tokio::pin!(stop, takeover);
    tokio::select! {
        outcome = show(stage, options.pdf) => outcome?,
        failure = &mut takeover => return Err(failure),
        () = &mut stop => return Ok(()),
    }
    if options.once {
        return Ok(());
    }
    tokio::select! {
        () = stop => Ok(()),
        failure = takeover => Err(failure),
    }
}

/// Before anything is listened on or written: a database that is not there yet has no plugin either, so its file has to be in the
/// folder. What is in the file shows when it is loaded.
fn ensure_plugin_may_be_there(config: &Config) -> Result<(), Failure> {
    let is_new = wiring::missing_database(config).is_some();
    let is_its_file = |file: std::fs::DirEntry| {
        let path = file.path();
        let stem = path.file_stem().and_then(std::ffi::OsStr::to_str);
        path.extension().is_some_and(|kind| kind == "wasm")
            && stem.is_some_and(|stem| stem.starts_with(REGIME))
    };
    let files = config.plugins_dir().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let is_there = files.flatten().any(is_its_file);
    if is_there || !is_new { Ok(()) } else { Err(missing_plugin(&config.plugin_folders())) }
}

/// Whatever this database submits ends at the stand-in, so nothing real may be in it.
async fn ensure_may_be_demonstrated(config: &Config) -> Result<(), Failure> {
    let db = wiring::connect_migrated(config).await?;
    let allowed = destination::may_be_demonstrated(&db).await;
    db.close().await;
    Ok(allowed??)
}

/// Ends when a gateway with a provider serves the same database: its submissions are not for the stand-in.
async fn provider_takes_over(destinations: Destinations) -> Failure {
    loop {
        tokio::time::sleep(destination::DEMONSTRATION_ENDS_WITHIN / 4).await;
        // A database that cannot be read has no submissions to take either.
        if let Ok(Some(Destination::Provider)) = destinations.current().await {
            return Failure::refused(
                "a gateway with a provider serves this database now, so the demonstration ends: give it another \
                 database, or another data directory with --data-dir",
            );
        }
    }
}
