//! Endpoints that have something waiting, as work for the worker pool: each is leased by one process, which sends.
//!
//! An endpoint that hangs holds one permit of many, and after a failure it is left alone for a while, so it delays nobody.
//! A process that dies in between has written nothing down: another one sends again, under the same `webhook-id`.

use super::settle::{self, PendingOutcome};
use crate::Webhooks;
use crate::sender::WebhookSender;
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::ids::WebhookId;
use gateway_domain_platform::webhooks::Endpoint;
use gateway_jobs::{Kind, KindLimit, LeasedWork, Source, Worker};
use gateway_storage::webhooks;
use gateway_storage::{Topic, deliveries};
use jiff::SignedDuration;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The name of the only kind.
const ENDPOINTS: &str = "webhook";
/// Endpoints that one process sends to at once.
const CONCURRENCY_MAX: usize = 256;
/// Endpoints taken in one go.
const CLAIM_BATCH: usize = 64;
/// How long an endpoint belongs to a process that stopped saying that it sends there.
const LEASE: SignedDuration = SignedDuration::from_secs(20);
/// How often a process says so.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How often what is old is forgotten.
const PRUNE_INTERVAL: Duration = Duration::from_mins(10);
/// Messages forgotten in one transaction.
const PRUNE_BATCH: i64 = 500;

/// Sends to endpoints for the worker pool.
#[derive(Debug)]
pub struct Dispatcher {
    service: Webhooks,
    sender: Arc<dyn WebhookSender>,
    outcomes: mpsc::Sender<PendingOutcome>,
    /// None as soon as [`Source::maintain`] has it: who sends an outcome fails when nobody is left to write it down.
    to_settle: Mutex<Option<mpsc::Receiver<PendingOutcome>>>,
}

impl Webhooks {
    /// What the worker pool sends with; none where nothing is sent.
    pub fn dispatcher(&self) -> Option<Dispatcher> {
        let (outcomes, to_settle) = mpsc::channel(CONCURRENCY_MAX);
        let sender = Arc::clone(self.webhook_sender()?);
        let to_settle = Mutex::new(Some(to_settle));
        Some(Dispatcher { service: self.clone(), sender, outcomes, to_settle })
    }
}

#[async_trait]
impl Source for Dispatcher {
    fn name(&self) -> &'static str {
        "webhooks"
    }

    fn kinds(&self) -> Vec<Kind> {
        vec![Kind { name: ENDPOINTS, at_once: CONCURRENCY_MAX }]
    }

    fn topic(&self) -> Topic {
        Topic::Webhooks
    }

    fn heartbeat(&self) -> Duration {
        HEARTBEAT
    }

    async fn claim(&self, limits: &[KindLimit], worker: &Worker) -> Result<Vec<LeasedWork>, StoreError> {
        let limit = limits.iter().map(|kind| kind.limit).sum::<usize>();
        let limit = i64::try_from(limit.min(CLAIM_BATCH)).unwrap_or(i64::MAX);
        let service = &self.service;
        let claimed = webhooks::claim(service.db(), &worker.owner, service.now(), LEASE, limit).await?;
        let leased = claimed.into_iter().map(|endpoint| {
            let (service, sender) = (service.clone(), Arc::clone(&self.sender));
            let (outcomes, shutdown) = (self.outcomes.clone(), worker.shutdown.clone());
            let id = endpoint.id.0;
            let run =
                async move { send_and_settle(&service, &sender, &endpoint, &outcomes, &shutdown).await };
            LeasedWork { kind: ENDPOINTS, id, run: Box::pin(run) }
        });
        Ok(leased.collect())
    }

    async fn next_due_after(&self, _: &[KindLimit]) -> Result<Option<Duration>, StoreError> {
        let next = webhooks::next_due(self.service.db()).await?;
        Ok(next.map(|at| at.duration_since(self.service.now()).try_into().unwrap_or_default()))
    }

    async fn extend(&self, work: &[Uuid], owner: &str) -> Result<(), StoreError> {
        let endpoints: Vec<_> = work.iter().copied().map(WebhookId).collect();
        let mut tx = self.service.db().begin().await?;
        webhooks::extend(&mut tx, &endpoints, owner, LEASE).await?;
        tx.commit_at("endpoints-extended").await
    }

    async fn release(&self, owner: Option<&str>) -> Result<u64, StoreError> {
        let mut tx = self.service.db().begin().await?;
        let endpoints = webhooks::free_all(&mut tx, owner).await?;
        tx.commit_at("endpoints-released").await?;
        Ok(endpoints)
    }

    /// Writes down what became of deliveries, and forgets what is old.
    async fn maintain(&self, worker: &Worker, done: CancellationToken) {
        let to_settle = self.to_settle.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(to_settle) = to_settle else { return };
        let settling = settle::write(&self.service, &worker.owner, to_settle, &done);
        tokio::join!(settling, forget(&self.service, &done));
    }
}

/// One look after an endpoint, until it is written down.
async fn send_and_settle(
    service: &Webhooks,
    sender: &Arc<dyn WebhookSender>,
    endpoint: &Endpoint,
    outcomes: &mpsc::Sender<PendingOutcome>,
    stop: &CancellationToken,
) {
    match service.send_due(sender, endpoint, stop).await {
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

async fn forget(service: &Webhooks, done: &CancellationToken) {
    loop {
        match service.forget_old().await {
            Ok(0) => {}
            Ok(pruned) => {
                tracing::info!("Forgot {pruned} events that webhooks were told, with their deliveries");
            }
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "Old webhook deliveries cannot be forgotten: {error}"
            ),
        }
        tokio::select! {
            () = done.cancelled() => return,
            () = tokio::time::sleep(PRUNE_INTERVAL) => {}
        }
    }
}
impl Webhooks {
    /// Sends what is due at this moment, one endpoint after another, and says how many endpoints were looked after; for
    /// tests with a clock of their own.
    #[cfg(any(test, feature = "testing"))]
    pub async fn deliver_due(&self, owner: &str) -> Result<usize, StoreError> {
        let Some(webhook_sender) = self.webhook_sender().cloned() else { return Ok(0) };
        let claimed = webhooks::claim(self.db(), owner, self.now(), LEASE, 100).await?;
        let nobody_stops = CancellationToken::new();
        for endpoint in &claimed {
            let outcome = self.send_due(&webhook_sender, endpoint, &nobody_stops).await?;
            self.record_outcomes(owner, &[outcome]).await?;
        }
        Ok(claimed.len())
    }

    /// Forgets what webhooks were told and what became of it, from the age of the settings on; says how many events those were.
    pub async fn forget_old(&self) -> Result<u64, StoreError> {
        let before = self.settings().retention.cutoff(self.now());
        let mut pruned = 0;
        loop {
            let part = deliveries::prune(self.db(), before, PRUNE_BATCH).await?;
            pruned += part;
            if part < PRUNE_BATCH.unsigned_abs() {
                return Ok(pruned);
            }
        }
    }
}
