//! Building what consumers keep again, from the event log, beside a gateway that serves.
//!
//! Documents are taken in ranges of their ids. For each range one transaction holds the consumer, forgets its rows and
//! handles every event of these documents again, up to the consumer's position: afterwards the range is what the
//! consumer would have made of it, and readers never saw it empty. The consumer itself goes on from where it is.

use crate::{Consumer, Consumers, ReadModel, Round};
use gateway_domain::StoreError;
use gateway_domain_events::DocumentRange;
use gateway_storage::events;
use std::time::Duration;

/// Documents of one range.
const RANGE: i64 = 50;
/// How long to wait for another process of the same consumer.
const WAIT: Duration = Duration::from_millis(100);

/// What was built again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RebuildResult {
    /// The name of the consumer whose rows they are.
    pub consumer: &'static str,
    /// Documents whose events were read.
    pub documents: u64,
    /// Events handled.
    pub events: u64,
}

impl Consumers {
    /// Builds everything that consumers keep again and says how much that was. Safe beside processes that serve;
    /// ends when the consumers have caught up with what was in the log when it began.
    pub async fn rebuild_read_models(&self) -> Result<Vec<RebuildResult>, StoreError> {
        while self.events().relay().await? > 0 {}
        let head = events::head(self.events().db()).await?;
        let mut all = Vec::new();
        for (consumer, model) in self.read_models() {
            all.push(self.rebuild(consumer, model).await?);
        }
        for (consumer, _) in self.read_models() {
            self.consume_up_to(consumer, head).await?;
        }
        Ok(all)
    }

    fn read_models(&self) -> impl Iterator<Item = (&dyn Consumer, &dyn ReadModel)> {
        self.all().filter_map(|consumer| Some((consumer, consumer.read_model()?)))
    }

    async fn rebuild(
        &self,
        consumer: &dyn Consumer,
        model: &dyn ReadModel,
    ) -> Result<RebuildResult, StoreError> {
        let log = self.events();
        let mut rebuilt = RebuildResult { consumer: consumer.name(), documents: 0, events: 0 };
        let mut after = None;
        loop {
            let documents = events::subjects(log.db(), after, RANGE).await?;
            let full = i64::try_from(documents.len()).is_ok_and(|count| count == RANGE);
            // The last range has no end, so that rows of documents without events go too.
            let range = DocumentRange { after, last: documents.last().copied().filter(|_| full) };
            let mut tx = log.db().begin().await?;
            let position = events::wait_for(&mut tx, consumer.name(), log.now()).await?;
            let batch = events::of_range(&mut tx, range, position).await?;
            model.clear(&mut tx, range).await?;
            consumer.handle(&mut tx, &batch).await?;
            tx.commit_at("rebuilt").await?;
            rebuilt.documents = rebuilt.documents.saturating_add(documents.len() as u64);
            rebuilt.events = rebuilt.events.saturating_add(batch.len() as u64);
            match range.last {
                Some(last) => after = Some(last),
                None => return Ok(rebuilt),
            }
        }
    }

    async fn consume_up_to(&self, consumer: &dyn Consumer, head: i64) -> Result<(), StoreError> {
        loop {
            match self.consume(consumer).await? {
                Round::Done { position, .. } if position >= head => return Ok(()),
                Round::Done { .. } => {}
                Round::Busy => tokio::time::sleep(WAIT).await,
            }
        }
    }
}
