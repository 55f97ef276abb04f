//! The lease of a job that runs, and how it ends.

use gateway_domain::StoreError;
use gateway_domain::ports::Clock;
use gateway_storage::Tx;
use gateway_storage::jobs::{self, ClaimedJob, EndResult};
use jiff::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What one run of a job came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// There is nothing more to do.
    Done,
    /// It goes on at this instant, or before when it is queued again.
    Again(Timestamp),
    /// It goes on at once, after others had their turn.
    Continue,
}

/// The lease of a job that runs. The queue ends it after the run, in a transaction of its own, unless the job ends it itself in
/// one that it commits anyway. Cheap to clone.
#[derive(Debug, Clone)]
pub struct JobLease {
    job: Arc<ClaimedJob>,
    clock: Arc<dyn Clock>,
    has_ended: Arc<AtomicBool>,
}

/// A lease, if there is one, whose end is part of a transaction that is not committed yet. Dropped without, the queue ends the lease.
#[derive(Debug)]
#[must_use]
pub struct EndingLease(Option<JobLease>);

impl JobLease {
    pub(crate) fn new(job: Arc<ClaimedJob>, clock: Arc<dyn Clock>) -> Self {
        Self { job, clock, has_ended: Arc::default() }
    }

    /// Ends the lease as the queue would for a run that came to `outcome`, which is the last thing that the job does.
    ///
    /// # Errors
    /// [`StoreError::Moved`], also of the commit, when the job goes on and its lease has passed to somebody else.
    pub async fn end_in(&self, tx: &mut Tx, outcome: Outcome) -> Result<EndingLease, StoreError> {
        let (job, now) = (self.job.as_ref(), self.clock.now());
        match outcome {
            Outcome::Continue => jobs::postpone(tx, job, now, now),
            Outcome::Again(at) => jobs::postpone(tx, job, at, now),
            Outcome::Done => {
                if jobs::complete(tx, job, now).await? == EndResult::Lost {
                    self.tell_that_it_is_lost();
                }
            }
        }
        Ok(EndingLease(Some(self.clone())))
    }

    /// [`JobLease::end_in`] of a lease, if there is one.
    pub async fn end_any(
        lease: Option<&Self>,
        tx: &mut Tx,
        outcome: Outcome,
    ) -> Result<EndingLease, StoreError> {
        match lease {
            Some(lease) => lease.end_in(tx, outcome).await,
            None => Ok(EndingLease(None)),
        }
    }

    pub(crate) fn tell_that_it_is_lost(&self) {
        let subject = &self.job.subject;
        tracing::warn!("The job of {subject} took longer than its lease: somebody else goes on with it");
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }
}

impl EndingLease {
    /// The transaction is committed.
    pub fn committed(self) {
        if let Some(lease) = self.0 {
            lease.has_ended.store(true, Ordering::Release);
        }
    }
}
