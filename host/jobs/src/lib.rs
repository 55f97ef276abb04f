//! Background work: a [`Pool`] takes it from its [`Source`]s, piece by piece, each leased by the process that runs it.
//!
//! Work that must follow is a [`Job`], a row in the [`JobQueue`], which is one source; what customers are told
//! (`gateway-webhooks`) is another. Each kind of work has permits of its own, and sources do not wait for each other.
//!
//! A job's name, payload and behaviour stand in one type, which the program registers once; nobody else matches on
//! names. A job runs at least once: whoever held it too long has lost it, and what it does must be safe to repeat.
//! A job whose name this version does not know is kept for one that does, and said in the log.
//!
//! Not here: what jobs do (the services), SQL (`gateway-storage`).
//!
//! To add a job: a type with its subject and [`Job`] (`SubmitDocument` of `gateway-finance` is one), in the [`Registry`] that
//! the service's pool is made with; whoever wants it enqueues it with `gateway_storage::jobs::enqueue` in the transaction of
//! the change, and wakes the pool after the commit.

mod background;
mod lease;
mod metrics;
mod pool;
mod queue;
mod registry;
mod source;

pub use lease::{EndingLease, JobLease, Outcome};
pub use metrics::JobMetrics;
pub use pool::Pool;
pub use queue::{DueJobs, JobQueue};
pub use registry::{Attempt, Job, Registry};
pub use source::{Kind, KindLimit, LeasedWork, Source, Worker};

#[cfg(test)]
mod tests;
