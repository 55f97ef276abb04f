//! What the system tells a process that serves.
//!
//! | signal | what happens |
//! |---|---|
//! | SIGTERM, SIGINT | open requests and jobs in hand are finished, then the process ends; a second one ends it at once |
//! | SIGHUP | the configuration is read again ([`crate::reload`]) |
//! | SIGUSR1 | everything of the gateway is logged (`debug`) for ten minutes |
//! | SIGUSR2 | what is logged is as configured again |

use crate::reload::{ConfigSource, Reloading};
use gateway_config::Config;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, interval, sleep_until};

/// How long SIGUSR1 holds.
const DETAILED_FOR: Duration = Duration::from_mins(10);
/// How often it is looked whether files of certificates changed.
const CERTIFICATES_LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// What is logged so long.
const DETAILED_FILTER: &str = "info,gateway=debug";

/// SIGTERM and SIGINT, heard from the moment this is made: make it before saying that anything is ready.
pub(crate) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    pub(crate) fn subscribe() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for one. A second one ends the process at once.
    pub(crate) async fn wait(mut self) {
        self.next().await;
        tokio::spawn(async move {
            self.next().await;
            std::process::exit(1);
        });
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// SIGHUP, SIGUSR1 and SIGUSR2, heard from the moment this is made: without, each would end the process.
pub(crate) struct ChangeSignals {
    reload: Signal,
    detailed: Signal,
    usual: Signal,
}

impl ChangeSignals {
    pub(crate) fn subscribe() -> std::io::Result<Self> {
        Ok(Self {
            reload: signal(SignalKind::hangup())?,
            detailed: signal(SignalKind::user_defined1())?,
            usual: signal(SignalKind::user_defined2())?,
        })
    }

    /// Follows them for as long as the process serves.
    pub(crate) async fn follow(mut self, mut reloading: Reloading, source: ConfigSource) {
        let mut detailed_until: Option<Instant> = None;
        let mut looks = interval(CERTIFICATES_LOOK_INTERVAL);
        loop {
            tokio::select! {
                _ = looks.tick() => reloading.look_at_certificates(),
                _ = self.reload.recv() => {
                    reloading.reload();
                    detailed_until = None;
                }
                _ = self.detailed.recv() => {
                    set_filter(&source, DETAILED_FILTER);
                    tracing::info!("SIGUSR1: more is logged for {} minutes", DETAILED_FOR.as_secs() / 60);
                    detailed_until = Instant::now().checked_add(DETAILED_FOR);
                }
                _ = self.usual.recv() => detailed_until = back_to_usual(&source, reloading.current()),
                () = until(detailed_until) => detailed_until = back_to_usual(&source, reloading.current()),
            }
        }
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

fn back_to_usual(source: &ConfigSource, config: &Config) -> Option<Instant> {
    set_filter(source, source.filter(config));
    tracing::info!("What is logged is as configured again");
    None
}

fn set_filter(source: &ConfigSource, directives: &str) {
    if let Err(error) = source.log.set(directives) {
        tracing::error!("What is logged stays as it is: {error}");
    }
}
