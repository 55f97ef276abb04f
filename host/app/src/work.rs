//! The background: jobs are claimed, worked on side by side, and given back.

use crate::Gateway;
use crate::invoice_data::INTENT;
use crate::submission::{AdvanceError, Next};
use gateway_domain::ids::InvoiceId;
use gateway_storage::jobs::{self, Claimed};
use gateway_storage::{Engine, StoreError};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The kind of job that moves a submission.
pub(crate) const SUBMISSION: &str = "submission";

/// Jobs worked on at once by one process.
const AT_ONCE: usize = 32;
/// How long a job belongs to a process that stopped saying that it works on it.
const LEASE: SignedDuration = SignedDuration::from_secs(12);
/// How often a process says that it works on its jobs.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// How long the queue is left alone when nothing says that there is work; other processes cannot say so.
const IDLE: Duration = Duration::from_millis(250);
/// How long to wait after the database failed.
const TROUBLE: Duration = Duration::from_secs(1);
/// Wait of a job whose step could not be taken.
const AGAIN_AFTER: SignedDuration = SignedDuration::from_secs(2);
/// Steps of one submission taken in a row, before others get their turn.
const STEPS_IN_A_ROW: usize = 16;

/// Works until `shutdown`, then finishes what is in hand. On SQLite the caller holds the instance lock.
pub async fn run(gateway: Gateway, owner: String, shutdown: CancellationToken) {
    if let Err(error) = take_over(&gateway).await {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "Jobs of a dead process wait for their leases: {error}"
        );
    }
    let done = CancellationToken::new();
    let heart = tokio::spawn(heartbeat(gateway.clone(), owner.clone(), done.clone()));
    let free = Arc::new(Semaphore::new(AT_ONCE));
    let tasks = TaskTracker::new();
    while !shutdown.is_cancelled() {
        let taken = claim(&gateway, &owner, &free, &tasks).await;
        let rest = match taken {
            Ok(0) => IDLE,
            Ok(_) => continue,
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "The job queue cannot be read: {error}"
                );
                TROUBLE
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = gateway.0.work.notified() => {}
            () = tokio::time::sleep(rest) => {}
        }
    }
    tasks.close();
    tasks.wait().await;
    done.cancel();
    if let Err(error) = heart.await {
        tracing::error!(error = &error as &dyn std::error::Error, "The heartbeat ended badly: {error}");
    }
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
    let until = lease_end(gateway);
    let mut tx = gateway.db().begin().await?;
    jobs::extend_all(&mut tx, owner, until).await?;
    tx.commit().await
}

fn lease_end(gateway: &Gateway) -> Timestamp {
    let now = gateway.now();
    now.checked_add(LEASE).unwrap_or(now)
}

impl Gateway {
    /// Works on what is due at this moment, one job after another, and says how many there were. For whoever wants
    /// to see each step: tests with a clock of their own.
    pub async fn work_due(&self, owner: &str) -> Result<usize, StoreError> {
        let claimed = jobs::claim(self.db(), owner, self.now(), lease_end(self), 100).await?;
        for job in &claimed {
            work(self, job).await;
        }
        Ok(claimed.len())
    }
}

/// Takes as many due jobs as there are hands, and says how many.
async fn claim(
    gateway: &Gateway,
    owner: &str,
    free: &Arc<Semaphore>,
    tasks: &TaskTracker,
) -> Result<usize, StoreError> {
    let hands = i64::try_from(free.available_permits()).unwrap_or(0);
    if hands == 0 {
        return Ok(0);
    }
    let claimed = jobs::claim(gateway.db(), owner, gateway.now(), lease_end(gateway), hands).await?;
    let count = claimed.len();
    for job in claimed {
        let Ok(permit) = free.clone().acquire_owned().await else { break };
        let gateway = gateway.clone();
        tasks.spawn(async move {
            work(&gateway, &job).await;
            drop(permit);
            gateway.wake();
        });
    }
    Ok(count)
}

/// Works on one job and gives it back. What cannot be given back is taken over when its lease ends.
async fn work(gateway: &Gateway, job: &Claimed) {
    let next = match job.subject.parse::<InvoiceId>() {
        Ok(document) if job.kind == SUBMISSION => steps(gateway, document).await,
        Ok(document) if job.kind == INTENT => Box::pin(gateway.resume(document)).await,
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

/// Steps until the submission has to wait.
async fn steps(gateway: &Gateway, document: InvoiceId) -> Next {
    for _ in 0..STEPS_IN_A_ROW {
        match gateway.advance(document).await {
            Ok(Next::Now) => {}
            Ok(next) => return next,
            Err(error) => {
                report(document, &error);
                let now = gateway.now();
                return Next::At(now.checked_add(AGAIN_AFTER).unwrap_or(now));
            }
        }
    }
    Next::Now
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
    tx.commit().await?;
    if ended == jobs::Ended::Lost {
        tracing::warn!(
            "The job of {} took longer than its lease: somebody else goes on with it",
            job.subject
        );
    }
    Ok(())
}
