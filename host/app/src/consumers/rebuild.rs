//! Building what consumers keep again, from the event log, beside a gateway that serves.
//!
//! Documents are taken in ranges of their ids. For each range one transaction holds the consumer, forgets its rows and
//! handles every event of these documents again, up to the consumer's position: afterwards the range is what the
//! consumer would have made of it, and readers never saw it empty. The consumer itself goes on from where it is.

use super::{Consumer, Round};
use crate::Gateway;
use gateway_storage::events::{self, Range};
use gateway_storage::{StoreError, Tx, booking_documents, finance_documents};
use std::time::Duration;

/// Documents of one range.
const RANGE: i64 = 50;
/// How long to wait for another process of the same consumer.
const WAIT: Duration = Duration::from_millis(100);

/// What was built again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rebuilt {
    /// Whose rows.
    pub consumer: Consumer,
    /// Documents whose events were read.
    pub documents: u64,
    /// Events handled.
    pub events: u64,
}

impl Gateway {
    /// Builds everything that consumers keep again and says how much that was. Safe beside processes that serve;
    /// ends when the consumers have caught up with what was in the log when it began.
    pub async fn rebuild_read_models(&self) -> Result<Vec<Rebuilt>, StoreError> {
        while self.relay_events().await? > 0 {}
        let head = events::head(self.db()).await?;
        let mut all = Vec::new();
        for consumer in Consumer::READ_MODELS {
            all.push(self.rebuild(consumer).await?);
        }
        for consumer in Consumer::READ_MODELS {
            self.consume_up_to(consumer, head).await?;
        }
        Ok(all)
    }

    async fn rebuild(&self, consumer: Consumer) -> Result<Rebuilt, StoreError> {
        let mut rebuilt = Rebuilt { consumer, documents: 0, events: 0 };
        let mut after = None;
        loop {
            let documents = events::subjects(self.db(), after, RANGE).await?;
            let full = i64::try_from(documents.len()).is_ok_and(|count| count == RANGE);
            // The last range has no end, so that rows of documents without events go too.
            let range = Range { after, last: documents.last().copied().filter(|_| full) };
            let mut tx = self.db().begin().await?;
            let position = events::wait_for(&mut tx, consumer.name(), self.now()).await?;
            let told = events::of_range(&mut tx, range, position).await?;
            consumer.forget(&mut tx, range).await?;
            consumer.handle(self, &mut tx, &told).await?;
            tx.commit().await?;
            rebuilt.documents = rebuilt.documents.saturating_add(documents.len() as u64);
            rebuilt.events = rebuilt.events.saturating_add(told.len() as u64);
            match range.last {
                Some(last) => after = Some(last),
                None => return Ok(rebuilt),
            }
        }
    }

    async fn consume_up_to(&self, consumer: Consumer, head: i64) -> Result<(), StoreError> {
        loop {
            match self.consume_events(consumer).await? {
                Round::Done { position, .. } if position >= head => return Ok(()),
                Round::Done { .. } => {}
                Round::Busy => tokio::time::sleep(WAIT).await,
            }
        }
    }
}

impl Consumer {
    async fn forget(self, tx: &mut Tx, range: Range) -> Result<(), StoreError> {
        match self {
            Self::FinanceDocuments => finance_documents::clear(tx, range).await,
            Self::BookingDocuments => booking_documents::clear(tx, range).await,
            // What customers were told stays told.
            Self::Webhooks => Ok(()),
        }
    }
}
