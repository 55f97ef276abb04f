//! Wake-ups: whoever waits for work in this process learns after the commit that a transaction left some.
//!
//! What writes the work down registers its topic with the transaction, and [`Tx::commit_at`](crate::Tx::commit_at) fires
//! it once the work is durable. A transaction that is rolled back, dropped, or whose commit fails wakes nobody. Other
//! processes hear nothing: whoever waits also looks from time to time.

use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::Notify;

/// What a transaction may leave to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// A job is in the queue: [`crate::jobs`].
    Jobs,
    /// An event has no place in the feed yet: [`crate::events`].
    Events,
    /// Something is to be sent to an endpoint: [`crate::webhooks`].
    Webhooks,
    /// The stand-in provider has a job: [`crate::sandbox`].
    SandboxJobs,
    /// The stand-in provider owes a notification: [`crate::sandbox`].
    SandboxDeliveries,
}

/// Who waits in this process: one for each topic. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiters(Arc<ByTopic>);

#[derive(Debug, Default)]
struct ByTopic {
    jobs: Notify,
    events: Notify,
    webhooks: Notify,
    sandbox_jobs: Notify,
    sandbox_deliveries: Notify,
}

impl Waiters {
    pub(crate) fn of(&self, topic: Topic) -> &Notify {
        match topic {
            Topic::Jobs => &self.0.jobs,
            Topic::Events => &self.0.events,
            Topic::Webhooks => &self.0.webhooks,
            Topic::SandboxJobs => &self.0.sandbox_jobs,
            Topic::SandboxDeliveries => &self.0.sandbox_deliveries,
        }
    }
}

/// What a transaction wakes when it is committed.
#[derive(Debug, Default)]
pub(crate) struct PendingWakeups {
    waiters: Waiters,
    topics: BTreeSet<Topic>,
}

impl PendingWakeups {
    pub(crate) fn new(waiters: &Waiters) -> Self {
        Self { waiters: waiters.clone(), topics: BTreeSet::new() }
    }

    pub(crate) fn add(&mut self, topic: Topic) {
        self.topics.insert(topic);
    }

    pub(crate) fn fire(self) {
        for topic in self.topics {
            self.waiters.of(topic).notify_one();
        }
    }
}
