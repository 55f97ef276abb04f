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
mod authority;
mod binary;
mod browser;
pub mod chaos;
mod clock;
mod collector;
mod credentials;
mod document;
mod drill;
mod gateway;
mod hostile;
mod http_server;
mod openapi;
mod postfix;
mod process;
mod provider;
mod proxy;
mod receiver;
mod tcp_proxy;
mod terminal;
mod world;

pub use api::{Answer, Api};
pub use authority::{ListedInvoice, ScriptedAuthority};
pub use binary::{built_plugins, plugins_folder, target_folder, with_fail_points};
pub use browser::{Browser, LiveEvents, between};
pub use clock::MovableClock;
pub use collector::{Collector, ReceivedSpan};
pub use credentials::{Credentials, grants};
pub use document::{Document, fresh_uuid, line};
pub use drill::{Drill, Request};
pub use gateway::{Gateway, Options, Ran};
pub use gateway_storage::Engine;
pub use hostile::{
    another_hostile_component, hostile_component, hostile_component_with_rules, reaching_component,
    reaching_component_for_spain,
};
pub use postfix::Postfix;
pub use provider::{Call, Fault, HeldCall, OnChange, Outcome, Route, ScriptedProvider, record_hash};
pub use proxy::{Proxy, Rpc};
pub use receiver::{Arrived, Reaction, Receiver};
pub use tcp_proxy::{DatabaseProxy, ServerState};
pub use terminal::{Session, Terminal};
pub use world::{COMPANY, PROVIDER_TOKEN, Service, WORKFLOW, World};

use std::any::Any;
use std::future::Future;
use std::thread;
use std::time::{Duration, Instant};
use tokio::task::LocalSet;

/// Longest wait for anything that takes no longer than a moment on an idle machine.
pub const TIMEOUT: Duration = Duration::from_secs(40);
/// How often a wait looks.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// Runs one test on both databases, side by side, and names the one that failed. Each has a thread of its own, so neither
/// answers late because the other waits for a process or clears away a database.
///
/// # Panics
/// When the test panics on either.
#[expect(clippy::unused_async, reason = "a test awaits this as it awaits everything else")]
pub async fn on_both<F, T>(test: F)
where
    F: Fn(Engine) -> T + Sync,
    T: Future<Output = ()>,
{
    let test = &test;
    let failed: Vec<String> = thread::scope(|scope| {
        let runs = [Engine::Sqlite, Engine::Postgres].map(|engine| {
            let name = thread::Builder::new().name(format!("{engine:?}"));
            let run = name.spawn_scoped(scope, move || alone(Box::pin(test(engine))));
            (engine, run.expect("there is room for a thread"))
        });
        let ends = runs.into_iter().map(|(engine, run)| (engine, run.join()));
        let failed = ends.filter_map(|(engine, end)| end.err().map(|panic| (engine, panic)));
        failed.map(|(engine, panic)| format!("{engine:?}: {}", panic_message(panic.as_ref()))).collect()
    });
    assert!(failed.is_empty(), "failed on {}", failed.join("; and on "));
}

/// Runs a test on a runtime that nobody else uses.
fn alone(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("there is room for a runtime").block_on(LocalSet::new().run_until(test));
}

/// What a panic said.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked")
}

tokio::task_local! {
    /// Whether worlds have their invoice data service in a gateway of its own.
    static IS_REMOTE: bool;
}

/// Whether this test runs with the invoice data service elsewhere.
pub fn is_remote() -> bool {
    IS_REMOTE.try_with(|remote_service| *remote_service).unwrap_or(false)
}

/// Runs one test on both databases with the invoice data service elsewhere: every [`World`] of the test is two gateways
/// with a [`Proxy`] between them.
///
/// # Panics
/// When the test panics on either.
pub async fn on_both_remote<F, T>(test: F)
where
    F: Fn(Engine) -> T + Sync,
    T: Future<Output = ()>,
{
    on_both(|engine| IS_REMOTE.scope(true, test(engine))).await;
}

/// Runs one test on both databases with both invoice data services: in the same gateway, and elsewhere.
///
/// # Panics
/// When the test panics on any.
pub async fn on_every<F, T>(test: F)
where
    F: Fn(Engine) -> T + Sync,
    T: Future<Output = ()>,
{
    on_both(&test).await;
    on_both_remote(&test).await;
}

/// Looks again and again until `look` finds something.
///
/// # Panics
/// After [`TIMEOUT`], with `what`.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, look: impl FnMut() -> F) -> T {
    until_within(TIMEOUT, what, look).await
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
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
