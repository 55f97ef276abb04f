//! What runs at this moment: each thing in a task of its own, and no thing twice.

use std::collections::HashMap;
use tokio::task::{self, JoinSet};
use uuid::Uuid;

/// Things of one kind that were started, by their ids.
#[derive(Debug)]
pub(crate) struct AtHand {
    /// What the log calls one of them.
    kind: &'static str,
    tasks: JoinSet<Uuid>,
    /// One that panicked stays: run again, it would panic again.
    started: HashMap<Uuid, task::Id>,
}

impl AtHand {
    /// None yet.
    pub(crate) fn of(kind: &'static str) -> Self {
        Self { kind, tasks: JoinSet::new(), started: HashMap::new() }
    }

    /// How many run.
    pub(crate) fn running(&self) -> usize {
        self.tasks.len()
    }

    /// How many are not to be started: those that run, and those that panicked.
    pub(crate) fn len(&self) -> usize {
        self.started.len()
    }

    /// Whether one of them is not to be started.
    pub(crate) fn contains(&self, id: Uuid) -> bool {
        self.started.contains_key(&id)
    }

    /// Starts one.
    pub(crate) fn start(&mut self, id: Uuid, work: impl Future<Output = ()> + Send + 'static) {
        let task = self.tasks.spawn(async move {
            work.await;
            id
        });
        self.started.insert(id, task.id());
    }

    /// Waits until one ends, and lets go of it; none when nothing runs. Loses nothing where nobody waits to the end.
    pub(crate) async fn ended(&mut self) -> Option<()> {
        match self.tasks.join_next().await? {
            Ok(id) => drop(self.started.remove(&id)),
            Err(error) => {
                let started = self.started.iter().find(|(_, task)| **task == error.id());
                let (kind, id) = (self.kind, started.map(|(id, _)| id.to_string()).unwrap_or_default());
                tracing::error!(id, "{kind} {id} of the sandbox is left until the next start: {error}");
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_ended_may_be_started_again_and_what_panicked_may_not() {
        let (good, bad) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut at_hand = AtHand::of("Thing");
        assert_eq!(at_hand.ended().await, None);
        at_hand.start(good, async {});
        at_hand.start(bad, async { panic!("as it was to") });
        assert_eq!((at_hand.running(), at_hand.len()), (2, 2));
        assert_eq!((at_hand.ended().await, at_hand.ended().await), (Some(()), Some(())));
        assert_eq!((at_hand.contains(good), at_hand.contains(bad)), (false, true));
        assert_eq!((at_hand.running(), at_hand.len()), (0, 1));
    }
}
