//! Takes endpoints that have something waiting, one process each, and sends.
//!
//! An endpoint that hangs holds one permit of many, and after a failure it is left alone for a while, so it delays nobody.
//! A process that dies in between has written nothing down: another one sends again, under the same `webhook-id`.

use super::settle::{self, PendingOutcome};
use crate::Webhooks;
use crate::sender::WebhookSender;
use gateway_domain::StoreError;
use gateway_domain::ids::WebhookId;
use gateway_domain_platform::webhooks::Endpoint;
use gateway_domain_platform::webhooks::KEPT_DAYS;
use gateway_jobs as background;
use gateway_storage::webhooks;
use gateway_storage::{Engine, Topic, deliveries};
use jiff::SignedDuration;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Endpoints that one process sends to at once.
const AT_ONCE: usize = 256;
/// Endpoints taken in one go.
const CLAIMED: usize = 64;
/// How long an endpoint belongs to a process that stopped saying that it sends there.
const LEASE: SignedDuration = SignedDuration::from_secs(20);
/// How often a process says so.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long what is on its way may take after a stop; then it is sent again by somebody else.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);
/// How often what is old is forgotten.
const PRUNE_EVERY: Duration = Duration::from_mins(10);
/// Messages forgotten in one transaction.
const PRUNED: i64 = 500;

/// Sends until `shutdown`, then finishes what is on its way, or gives it back when that takes long. On SQLite the caller
/// holds the instance lock.
pub async fn run(service: Webhooks, owner: String, shutdown: CancellationToken) {
    let Some(webhook_sender) = service.webhook_sender().cloned() else { return };
    if let Err(error) = take_over(&service).await {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "Webhooks of a dead process wait for its leases: {error}"
        );
    }
    let done = CancellationToken::new();
    let (outcomes, settled) = mpsc::channel(AT_ONCE);
    let in_hand = EndpointsInHand::default();
    let duties = [
        tokio::spawn(settle::write(service.clone(), owner.clone(), settled)),
        tokio::spawn(heartbeat(service.clone(), owner.clone(), in_hand.clone(), done.clone())),
        tokio::spawn(forget(service.clone(), shutdown.clone())),
    ];
    let dispatcher = Dispatcher {
        service,
        webhook_sender,
        owner,
        shutdown,
        cut: CancellationToken::new(),
        permits: Arc::new(Semaphore::new(AT_ONCE)),
        in_flight: TaskTracker::new(),
        in_hand,
        outcomes,
    };
    dispatcher.work().await;
    dispatcher.release().await;
    // The writer ends when nobody is left to tell it anything.
    drop(dispatcher);
    done.cancel();
    background::ended(duties).await;
}

struct Dispatcher {
    service: Webhooks,
    webhook_sender: Arc<dyn WebhookSender>,
    owner: String,
    shutdown: CancellationToken,
    /// Ends every sending where it is.
    cut: CancellationToken,
    permits: Arc<Semaphore>,
    in_flight: TaskTracker,
    in_hand: EndpointsInHand,
    outcomes: mpsc::Sender<PendingOutcome>,
}

/// The endpoints that this process sends to at this moment.
#[derive(Debug, Clone, Default)]
struct EndpointsInHand(Arc<Mutex<BTreeSet<WebhookId>>>);

impl EndpointsInHand {
    fn with<T>(&self, act: impl FnOnce(&mut BTreeSet<WebhookId>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Dispatcher {
    async fn work(&self) {
        while !self.shutdown.is_cancelled() {
            let claimed = self.claim().await;
            background::sleep_until_woken(
                claimed,
                "It cannot be read what waits for webhooks",
                self.service.db().wakeups(Topic::Webhooks),
                &self.shutdown,
            )
            .await;
        }
    }

    /// Takes as many endpoints as there are permits, and says how many.
    async fn claim(&self) -> Result<usize, StoreError> {
        let permits = self.permits.available_permits().min(CLAIMED);
        if permits == 0 {
            return Ok(0);
        }
        let limit = i64::try_from(permits).unwrap_or(i64::MAX);
        let service = &self.service;
        let claimed = webhooks::claim(service.db(), &self.owner, service.now(), LEASE, limit).await?;
        let count = claimed.len();
        for endpoint in claimed {
            let Ok(permit) = Arc::clone(&self.permits).acquire_owned().await else { break };
            let (service, webhook_sender) = (service.clone(), Arc::clone(&self.webhook_sender));
            let (outcomes, shutdown, cut) = (self.outcomes.clone(), self.shutdown.clone(), self.cut.clone());
            let in_hand = self.in_hand.clone();
            in_hand.with(|endpoints| endpoints.insert(endpoint.id));
            self.in_flight.spawn(async move {
                tokio::select! {
                    () = send_and_settle(&service, &webhook_sender, &endpoint, &outcomes, &shutdown) => {}
                    () = cut.cancelled() => {}
                }
                // What was not written down goes on when the lease ends.
                in_hand.with(|endpoints| endpoints.remove(&endpoint.id));
                drop(permit);
                service.wake_dispatcher();
            });
        }
        Ok(count)
    }

    async fn release(&self) {
        self.in_flight.close();
        if tokio::time::timeout(DRAIN_TIMEOUT, self.in_flight.wait()).await.is_ok() {
            return;
        }
        self.cut.cancel();
        self.in_flight.wait().await;
        if let Err(error) = give_all_back(&self.service, Some(&self.owner)).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "Webhooks on their way are sent again when the leases end: {error}"
            );
        }
    }
}

/// One look after an endpoint, until it is written down.
async fn send_and_settle(
    service: &Webhooks,
    webhook_sender: &Arc<dyn WebhookSender>,
    endpoint: &Endpoint,
    outcomes: &mpsc::Sender<PendingOutcome>,
    stop: &CancellationToken,
) {
    match service.send_due(webhook_sender, endpoint, stop).await {
        Ok(outcome) => {
            let (written, wait) = oneshot::channel();
            if outcomes.send((outcome, written)).await.is_ok() {
                // The writer says so also when it gave up.
                let _ = wait.await;
            }
        }
        Err(error) => tracing::error!(
            error = &error as &dyn std::error::Error,
            "Webhook {} waits until its lease ends: {error}",
            endpoint.id
        ),
    }
}

async fn give_all_back(service: &Webhooks, owner: Option<&str>) -> Result<(), StoreError> {
    let mut tx = service.db().begin().await?;
    webhooks::free_all(&mut tx, owner).await?;
    tx.commit_at("endpoints-released").await
}

/// Only one process serves a SQLite file, so whoever else had endpoints is dead.
async fn take_over(service: &Webhooks) -> Result<(), StoreError> {
    match service.db().engine() {
        Engine::Postgres => Ok(()),
        Engine::Sqlite => give_all_back(service, None).await,
    }
}

async fn heartbeat(service: Webhooks, owner: String, in_hand: EndpointsInHand, done: CancellationToken) {
    loop {
        tokio::select! {
            () = done.cancelled() => return,
            () = tokio::time::sleep(HEARTBEAT) => {}
        }
        let endpoints: Vec<WebhookId> = in_hand.with(|endpoints| endpoints.iter().copied().collect());
        if endpoints.is_empty() {
            continue;
        }
        if let Err(error) = keep(&service, &endpoints, &owner).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "The webhooks in hand cannot be kept: {error}"
            );
        }
    }
}

async fn keep(service: &Webhooks, endpoints: &[WebhookId], owner: &str) -> Result<(), StoreError> {
    let mut tx = service.db().begin().await?;
    webhooks::extend(&mut tx, endpoints, owner, LEASE).await?;
    tx.commit_at("endpoints-extended").await
}

async fn forget(service: Webhooks, shutdown: CancellationToken) {
    loop {
        match service.forget_old().await {
            Ok(0) => {}
            Ok(gone) => tracing::info!("Forgot {gone} events that webhooks were told, with their deliveries"),
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "Old webhook deliveries cannot be forgotten: {error}"
            ),
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(PRUNE_EVERY) => {}
        }
    }
}

impl Webhooks {
    /// Sends what is due at this moment, one endpoint after another, and says how many endpoints were looked after. For
    /// whoever wants to see each step: tests with a clock of their own.
    pub async fn deliver_due(&self, owner: &str) -> Result<usize, StoreError> {
        let Some(webhook_sender) = self.webhook_sender().cloned() else { return Ok(0) };
        let claimed = webhooks::claim(self.db(), owner, self.now(), LEASE, 100).await?;
        let nobody_stops = CancellationToken::new();
        for endpoint in &claimed {
            let outcome = self.send_due(&webhook_sender, endpoint, &nobody_stops).await?;
            self.webhooks_settled(owner, &[outcome]).await?;
        }
        Ok(claimed.len())
    }

    /// Forgets what webhooks were told a month ago, and what became of it; says how many events those were.
    pub async fn forget_old(&self) -> Result<u64, StoreError> {
        let days = i64::from(KEPT_DAYS);
        let before = self.now().checked_sub(SignedDuration::from_hours(24 * days)).unwrap_or(self.now());
        let mut gone = 0;
        loop {
            let part = deliveries::prune(self.db(), before, PRUNED).await?;
            gone += part;
            if part < PRUNED.unsigned_abs() {
                return Ok(gone);
            }
        }
    }
}
