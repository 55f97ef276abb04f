//! The background: jobs are claimed, worked on side by side, and given back.

use crate::invoice_data::INTENT;
use crate::submission::{AdvanceError, Next};
use crate::watchdog;
use crate::{Gateway, background};
use gateway_domain::ids::InvoiceId;
use gateway_storage::failpoint;
use gateway_storage::jobs::{self, Claimed};
use gateway_storage::{Engine, StoreError};
use jiff::SignedDuration;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The kind of job that moves a submission.
pub(crate) const SUBMISSION: &str = "submission";
/// The kind of job that asks how attempts ended that count no more.
pub(crate) const WATCH: &str = "attempt_watch";

/// Jobs worked on at once by one process.
const AT_ONCE: usize = 32;
/// How long a job belongs to a process that stopped saying that it works on it.
const LEASE: SignedDuration = SignedDuration::from_secs(12);
/// Longest one turn of a job may take; every call in it has a shorter limit of its own.
const TURN: Duration = Duration::from_mins(4);
/// How long jobs in hand may take after a stop; then they are given back for somebody else to go on.
const HANDS: Duration = Duration::from_secs(5);
/// How often a process says that it works on its jobs.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// Wait of a job whose step could not be taken.
const AGAIN_AFTER: SignedDuration = SignedDuration::from_secs(2);
/// Steps of one submission taken in a row, before others get their turn.
const STEPS_IN_A_ROW: usize = 16;

/// Works until `shutdown`, then finishes what is in hand, or gives it back when that takes long. On SQLite the caller
/// holds the instance lock.
pub async fn run(gateway: Gateway, owner: String, shutdown: CancellationToken) {
    if let Err(error) = take_over(&gateway).await {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "Jobs of a dead process wait for their leases: {error}"
        );
    }
    let done = CancellationToken::new();
    let beside = [
        tokio::spawn(watchdog::run(gateway.clone(), owner.clone(), shutdown.clone())),
        tokio::spawn(heartbeat(gateway.clone(), owner.clone(), done.clone())),
    ];
    let hands = Hands::new(gateway, owner, shutdown);
    hands.work().await;
    hands.put_down().await;
    done.cancel();
    background::ended(beside).await;
}

/// The jobs that this process works on.
struct Hands {
    gateway: Gateway,
    owner: String,
    shutdown: CancellationToken,
    /// Ends every turn where it is.
    cut: CancellationToken,
    free: Arc<Semaphore>,
    turns: TaskTracker,
}

impl Hands {
    fn new(gateway: Gateway, owner: String, shutdown: CancellationToken) -> Self {
        let free = Arc::new(Semaphore::new(AT_ONCE));
        Self { gateway, owner, shutdown, cut: CancellationToken::new(), free, turns: TaskTracker::new() }
    }

    /// Takes jobs until the process stops.
    async fn work(&self) {
        while !self.shutdown.is_cancelled() {
            let claimed = self.claim().await;
            background::rest(claimed, "The job queue cannot be read", &self.gateway.0.work, &self.shutdown)
                .await;
        }
    }

    /// Takes as many due jobs as there are free hands, and says how many.
    async fn claim(&self) -> Result<usize, StoreError> {
        let hands = i64::try_from(self.free.available_permits()).unwrap_or(0);
        if hands == 0 {
            return Ok(0);
        }
        let claimed = jobs::claim(self.gateway.db(), &self.owner, self.gateway.now(), LEASE, hands).await?;
        if !claimed.is_empty() {
            failpoint::after("claimed");
        }
        let count = claimed.len();
        for job in claimed {
            let Ok(permit) = Arc::clone(&self.free).acquire_owned().await else { break };
            let (gateway, shutdown, cut) = (self.gateway.clone(), self.shutdown.clone(), self.cut.clone());
            self.turns.spawn(async move {
                tokio::select! {
                    () = work(&gateway, &job, &shutdown) => {}
                    () = cut.cancelled() => {}
                }
                drop(permit);
                gateway.wake();
            });
        }
        Ok(count)
    }

    /// Finishes what is in hand. What takes long is cut off and given back, so that another process goes on with it
    /// at once, from the last step that was stored.
    async fn put_down(&self) {
        self.turns.close();
        if tokio::time::timeout(HANDS, self.turns.wait()).await.is_ok() {
            return;
        }
        self.cut.cancel();
        self.turns.wait().await;
        match give_all_back(&self.gateway, &self.owner).await {
            Ok(jobs) => tracing::warn!("{jobs} jobs in hand took long: another process goes on with them"),
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "The jobs in hand go on when their leases end: {error}"
            ),
        }
    }
}

async fn give_all_back(gateway: &Gateway, owner: &str) -> Result<u64, StoreError> {
    let mut tx = gateway.db().begin().await?;
    let jobs = jobs::release_all(&mut tx, owner).await?;
    tx.commit().await?;
    Ok(jobs)
}

/// Only one process serves a SQLite file, so whoever else held jobs is dead.
async fn take_over(gateway: &Gateway) -> Result<(), StoreError> {
    match gateway.db().engine() {
        Engine::Postgres => Ok(()),
        Engine::Sqlite => {
            let mut tx = gateway.db().begin().await?;
            jobs::free_all(&mut tx).await?;
            tx.commit().await
        }
    }
}

/// Keeps the jobs in hand. When it fails for longer than a lease, others take the jobs over, and what this process
/// still does is refused by the versions it read.
async fn heartbeat(gateway: Gateway, owner: String, done: CancellationToken) {
    loop {
        tokio::select! {
            () = done.cancelled() => return,
            () = tokio::time::sleep(HEARTBEAT) => {}
        }
        if let Err(error) = keep_jobs(&gateway, &owner).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "The jobs in hand cannot be kept: {error}"
            );
        }
    }
}

async fn keep_jobs(gateway: &Gateway, owner: &str) -> Result<(), StoreError> {
    let mut tx = gateway.db().begin().await?;
    jobs::extend_all(&mut tx, owner, LEASE).await?;
    tx.commit().await
}

impl Gateway {
    /// Works on what is due at this moment, one job after another, and says how many there were. For whoever wants
    /// to see each step: tests with a clock of their own.
    pub async fn work_due(&self, owner: &str) -> Result<usize, StoreError> {
        let claimed = jobs::claim(self.db(), owner, self.now(), LEASE, 100).await?;
        let nobody_stops = CancellationToken::new();
        for job in &claimed {
            Box::pin(work(self, job, &nobody_stops)).await;
        }
        Ok(claimed.len())
    }
}

/// Works on one job and gives it back. What cannot be given back is taken over when its lease ends.
async fn work(gateway: &Gateway, job: &Claimed, shutdown: &CancellationToken) {
    let next = match job.subject.parse::<InvoiceId>() {
        Ok(document) if job.kind == SUBMISSION => {
            Box::pin(turn(gateway, document, steps(gateway, document, shutdown))).await
        }
        Ok(document) if job.kind == WATCH => {
            Box::pin(turn(gateway, document, watch(gateway, document))).await
        }
        Ok(document) if job.kind == INTENT => {
            Box::pin(turn(gateway, document, gateway.resume(document))).await
        }
        _ => {
            tracing::error!(
                "The job {} of kind {} means nothing to this version: it is dropped",
                job.subject,
                job.kind
            );
            Next::Never
        }
    };
    if let Err(error) = give_back(gateway, job, next).await {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "The job of {} is repeated when its lease ends: {error}",
            job.subject
        );
    }
}

/// What comes of a job's turn, which ends in any case.
async fn turn(gateway: &Gateway, document: InvoiceId, taken: impl Future<Output = Next>) -> Next {
    tokio::time::timeout(TURN, taken).await.unwrap_or_else(|_| {
        tracing::error!(document.id = %document, "The step of {document} took too long: it is repeated");
        again(gateway)
    })
}

/// Steps until the submission has to wait, or the process stops.
async fn steps(gateway: &Gateway, document: InvoiceId, shutdown: &CancellationToken) -> Next {
    for _ in 0..STEPS_IN_A_ROW {
        if shutdown.is_cancelled() {
            return Next::Now;
        }
        match gateway.advance(document).await {
            Ok(Next::Now) => {}
            Ok(next) => return next,
            Err(error) => {
                report(document, &error);
                return again(gateway);
            }
        }
    }
    Next::Now
}

/// Looks how the attempts of a document ended that count no more.
async fn watch(gateway: &Gateway, document: InvoiceId) -> Next {
    gateway.check_ended_attempts(document).await.unwrap_or_else(|error| {
        report(document, &error);
        again(gateway)
    })
}

fn again(gateway: &Gateway) -> Next {
    let now = gateway.now();
    Next::At(now.checked_add(AGAIN_AFTER).unwrap_or(now))
}

fn report(document: InvoiceId, error: &AdvanceError) {
    tracing::error!(
        error = error as &dyn std::error::Error, document.id = %document,
        "The step of {document} is repeated in a moment: {error}"
    );
}

async fn give_back(gateway: &Gateway, job: &Claimed, next: Next) -> Result<(), StoreError> {
    let now = gateway.now();
    let mut tx = gateway.db().begin().await?;
    let ended = match next {
        Next::Now => jobs::postpone(&mut tx, job, now, now).await?,
        Next::At(at) => jobs::postpone(&mut tx, job, at, now).await?,
        Next::Never => jobs::complete(&mut tx, job, now).await?,
    };
    tx.commit_at("given-back").await?;
    if ended == jobs::Ended::Lost {
        tracing::warn!(
            "The job of {} took longer than its lease: somebody else goes on with it",
            job.subject
        );
    }
    Ok(())
}
