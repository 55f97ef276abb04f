//! `gateway demo`: a gateway of its own, for the demonstration to be shown on.

use crate::serve::{Serving, StopSignals};
use crate::wiring;
use gateway_config::{Config, ProviderAddress};
use gateway_demo::{Demonstration, show};
use gateway_domain_finance::Destination;
use gateway_domain_input::unreadable;
use gateway_finance::{Destinations, destination};
use gateway_terminal::{Failure, line};
use std::net::TcpListener;
use std::path::PathBuf;

/// Short, so that the missing webhook is replaced while somebody watches.
const POLL_AFTER_S: u32 = 3;

/// Starts everything, sends the invoices, and keeps serving unless `once`.
pub(crate) async fn run(
    mut config: Config,
    (once, pdf): (bool, bool),
    data_dir: Option<PathBuf>,
) -> Result<(), Failure> {
    if let Some(folder) = data_dir {
        config.data_dir = folder;
    }
    config.provider.base_url = Some(ProviderAddress::Sandbox);
    config.provider.poll_after_s = POLL_AFTER_S;
    let stop = StopSignals::hear()?;
    let held = hold_addresses(&mut config)?;
    nobody_waits_here(&config).await?;
    drop(held);
    let serving = Serving::demonstrate(&config).await?;
    line(&serde_json::to_string(&serving.announcement())?);
    let stage = Demonstration {
        context: serving.services.clone().for_commands(serving.plugins.clone()),
        public: serving.public.clone(),
        internal: serving.internal.clone(),
        sandbox: serving.sandbox_url(),
    };
    let (stop, taken) = (stop.wait(), taken_over(serving.services.destinations.clone()));
    tokio::pin!(stop, taken);
    let outcome = tokio::select! {
        outcome = show(&stage, pdf) => outcome,
        failure = &mut taken => Err(failure),
        () = &mut stop => {
            serving.stop().await;
            return Ok(());
        }
    };
    let outcome = match outcome {
        Ok(()) if !once => {
            line("\nThe gateway keeps serving: Ctrl-C stops it.");
            tokio::select! {
                () = stop => Ok(()),
                failure = taken => Err(failure),
            }
        }
        Ok(()) => {
            line(
                "\nWith --once the gateway ends here: leave it out, and paste the lines that are printed then.",
            );
            Ok(())
        }
        Err(failure) => Err(failure),
    };
    serving.stop().await;
    outcome
}

/// Whatever this database submits ends at the stand-in, so nothing real may be in it.
async fn nobody_waits_here(config: &Config) -> Result<(), Failure> {
    let db = wiring::connect_migrated(config).await?;
    let allowed = destination::may_be_demonstrated(&db).await;
    db.close().await;
    Ok(allowed??)
}

/// Ends when a gateway with a provider serves the same database: its submissions are not for the stand-in.
async fn taken_over(destinations: Destinations) -> Failure {
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

/// Takes the addresses, or another port where somebody listens, and says in the configuration which. They are held until the
/// database was looked at, which brings it up to date: a demonstration that finds no address leaves everything as it was.
fn hold_addresses(config: &mut Config) -> Result<Vec<TcpListener>, Failure> {
    let mut held = Vec::new();
    for (key, addr) in [
        ("server.public_addr", &mut config.server.public_addr),
        ("server.internal_addr", &mut config.server.internal_addr),
        ("sandbox.addr", &mut config.sandbox.addr),
    ] {
        let listener = TcpListener::bind(*addr).or_else(|_| TcpListener::bind((addr.ip(), 0)));
        let listener = listener.map_err(|error| {
            Failure::refused(format!(
                "nothing can listen on {addr} ({}): choose another address with {key}",
                unreadable(&error)
            ))
        })?;
        *addr = listener.local_addr()?;
        held.push(listener);
    }
    Ok(held)
}
