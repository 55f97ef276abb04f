//! Background work that must follow: a [`Job`] is a row in the queue, leased by the process that runs it.
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
mod pool;
mod registry;

pub use background::{ended, sleep_until_woken};
pub use pool::{Pool, PoolParts};
pub use registry::{Attempt, Job, Outcome, Registry};

#[cfg(test)]
mod tests;
