//! The harness of the integration suite: the real `gateway` binary in a process of its own, driven over HTTP and by
//! its command line, as clients do that know only the specification and the contract.
//!
//! Here: [`World`] (a gateway with a workspace and a client), [`Gateway`] (the process), [`Api`] (calls),
//! [`Document`] (what is sent), [`ScriptedProvider`] (a provider that fails on demand). Not here: tests, which are in
//! `tests/it`, one module per surface or flow. To add one: write a sentence as a function there, start a [`World`] in
//! [`on_both`], and wait with [`until`], never with a fixed sleep.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test harness fails loudly, with a sentence about what it wanted"
)]

mod api;
mod binary;
pub mod chaos;
mod document;
mod documented;
mod gateway;
mod hostile;
mod process;
mod provider;
mod proxy;
mod receiver;
mod wire;
mod world;

pub use api::{Answer, Api};
pub use binary::{built_plugins, plugins_folder, target_folder};
pub use document::{Document, fresh_uuid, line};
pub use gateway::{Gateway, Options, Ran};
pub use gateway_storage::Engine;
pub use hostile::{another_hostile_component, hostile_component};
pub use provider::{Call, Fault, OnChange, Outcome, Route, ScriptedProvider};
pub use proxy::{Proxy, Rpc};
pub use receiver::{Arrived, Reaction, Receiver};
pub use world::{COMPANY, Credentials, PROVIDER_TOKEN, Service, WORKFLOW, World};

use std::future::Future;
use std::time::{Duration, Instant};
use tokio::task::LocalSet;

/// Longest wait for anything that takes no longer than a moment on an idle machine.
pub const PATIENCE: Duration = Duration::from_secs(40);
/// How often a wait looks.
const LOOK_EVERY: Duration = Duration::from_millis(40);

/// Runs one test on both databases, side by side, and names the one that failed.
///
/// # Panics
/// When the test panics on either.
pub async fn on_both<F, T>(test: F)
where
    F: Fn(Engine) -> T,
    T: Future<Output = ()> + 'static,
{
    let side_by_side = LocalSet::new();
    let runs =
        [Engine::Sqlite, Engine::Postgres].map(|engine| (engine, side_by_side.spawn_local(test(engine))));
    let ended = side_by_side.run_until(async {
        let mut failed = Vec::new();
        for (engine, run) in runs {
            if let Err(error) = run.await {
                failed.push(format!("{engine:?}: {error}"));
            }
        }
        failed
    });
    let failed = ended.await;
    assert!(failed.is_empty(), "failed on {}", failed.join("; and on "));
}

tokio::task_local! {
    /// Whether worlds have their invoice data service in a gateway of its own.
    static ELSEWHERE: bool;
}

/// Whether this test runs with the invoice data service elsewhere.
pub fn is_elsewhere() -> bool {
    ELSEWHERE.try_with(|elsewhere| *elsewhere).unwrap_or(false)
}

/// Runs one test on both databases with the invoice data service elsewhere: every [`World`] of the test is two gateways
/// with a [`Proxy`] between them.
///
/// # Panics
/// When the test panics on either.
pub async fn on_both_elsewhere<F, T>(test: F)
where
    F: Fn(Engine) -> T,
    T: Future<Output = ()> + 'static,
{
    on_both(|engine| ELSEWHERE.scope(true, test(engine))).await;
}

/// Runs one test on both databases with both invoice data services: in the same gateway, and elsewhere.
///
/// # Panics
/// When the test panics on any.
pub async fn on_every<F, T>(test: F)
where
    F: Fn(Engine) -> T,
    T: Future<Output = ()> + 'static,
{
    on_both(&test).await;
    on_both_elsewhere(&test).await;
}

/// Looks again and again until `look` finds something.
///
/// # Panics
/// After [`PATIENCE`], with `what`.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, look: impl FnMut() -> F) -> T {
    until_within(PATIENCE, what, look).await
}

/// [`until`] with another patience.
///
/// # Panics
/// After `patience`, with `what`.
pub async fn until_within<T, F: Future<Output = Option<T>>>(
    patience: Duration,
    what: &str,
    mut look: impl FnMut() -> F,
) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "waited {} s in vain until {what}", patience.as_secs());
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
