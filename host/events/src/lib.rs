//! The event log, which is also the outbox: an event commits with the change it tells of.
//!
//! [`Events`] appends, relays committed events into the feed, and reads the feed. Who wants to follow the feed is a
//! [`Consumer`]; [`Consumers`] runs those that the program registers. [`append_notice`] writes down what somebody should hear of.
//!
//! Not here: what is told of a document (the services that append it), the message bus (`gateway-bus`), SQL.
//!
//! To follow the feed: implement [`Consumer`], under a name that stays, because the position is kept under it; work in the
//! transaction that it is given, which moves the position; and name it among `following` in `services.rs` of `gateway`.

mod cloud_event;
mod consumers;
mod notices;
mod rebuild;
mod relay;
mod stats;

pub use cloud_event::CloudEvent;
pub use consumers::{Consumer, Consumers, ReadModel, Round};
pub use notices::{append_notice, append_notice_after, notice};
pub use rebuild::RebuildResult;
pub use relay::RelayError;
pub use stats::EventStats;

use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::{EventId, InvoiceId, WorkspaceId};
use gateway_domain::ports::{Clock, Ids};
use gateway_domain_events::notices::Notice;
use gateway_domain_events::{Change, EventSelection, StoredEvent};
use gateway_storage::events::{self, NewEvent, PendingEvent};
use gateway_storage::{Db, Tx};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use stats::Counters;
use std::sync::Arc;
use utoipa::ToSchema;

/// Which service an event comes from: the CloudEvents source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "lowercase")]
pub enum Source {
    /// `/invoicing`, for what happens to documents.
    Invoicing,
    /// `/finance`, for what is recorded about documents.
    Finance,
    /// The platform's own data.
    Platform,
    /// What somebody should hear of.
    Notices,
}

impl Source {
    /// Each of them.
    pub const ALL: [Self; 4] = [Self::Invoicing, Self::Finance, Self::Platform, Self::Notices];

    /// As written in an event.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invoicing => "/invoicing",
            Self::Finance => "/finance",
            Self::Platform => "/platform",
            Self::Notices => "/notices",
        }
    }

    /// As whoever follows the feed names it, and the bus in its subjects.
    pub fn name(self) -> &'static str {
        self.as_str().trim_start_matches('/')
    }
}

/// Something that happened to a document at this moment.
#[derive(Debug, Clone)]
pub struct NewDocumentEvent<'a> {
    /// The service it happened in.
    pub source: Source,
    /// CloudEvents type.
    pub kind: &'a str,
    /// Who may not see it is not shown the event.
    pub workspace: WorkspaceId,
    /// The CloudEvents subject.
    pub document: InvoiceId,
    /// The end user, the client or the gateway itself.
    pub actor: &'a Actor,
    /// The document as it is after it, and what else is told.
    pub data: &'a Value,
}

/// A part of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPage {
    /// The events that the reader may see, in order.
    pub events: Vec<StoredEvent>,
    /// Where the next part starts: behind everything that was looked at, seen or not.
    pub next: i64,
}

/// The event log as services use it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Events(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    counters: Counters,
}

impl Events {
    /// The place of the newest event of the feed: whoever sees another one than before knows that something happened.
    pub async fn head(&self) -> Result<i64, StoreError> {
        events::head(self.db()).await
    }

    /// `clock` gives events their time, `ids` their ids.
    pub fn new(db: Db, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        Self(Arc::new(Inner { db, clock, ids, counters: Counters::default() }))
    }

    fn db(&self) -> &Db {
        &self.0.db
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    fn counters(&self) -> &Counters {
        &self.0.counters
    }

    /// Writes down what happened to a document, in the transaction of the change. The caller holds its row.
    pub async fn append(&self, tx: &mut Tx, happened: NewDocumentEvent<'_>) -> Result<(), StoreError> {
        let NewDocumentEvent { source, kind, workspace, document, actor, data } = happened;
        let event = NewEvent {
            id: EventId(self.0.ids.next()),
            source: source.as_str(),
            workspace,
            subject: document,
            kind,
            time: self.now(),
            actor,
            data: data.to_string(),
        };
        events::append(tx, event).await
    }

    /// Writes down what changed of the platform's own data, in the transaction of the change, in order. The caller
    /// holds the rows.
    pub async fn append_changes(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        changes: &[Change],
    ) -> Result<(), StoreError> {
        let fresh = |change: &Change| PendingEvent {
            id: self.0.ids.next(),
            workspace: change.workspace,
            subject: change.subject,
            kind: change.kind,
            data: change.data.to_string(),
        };
        let fresh: Vec<_> = changes.iter().map(fresh).collect();
        events::append_all(tx, Source::Platform.as_str(), self.now(), actor, &fresh).await
    }

    /// Writes down what is looked at again and again, in a transaction of its own: not while less than `repeat_after` passed
    /// since somebody heard of it.
    pub async fn note_after(&self, notice: &Notice, repeat_after: SignedDuration) -> Result<(), StoreError> {
        let mut tx = self.db().begin().await?;
        if append_notice_after(&mut tx, self.0.ids.as_ref(), self.now(), notice, repeat_after).await? {
            tx.commit_at("notice-written").await?;
        }
        Ok(())
    }

    /// What happened after a place in the feed, in order and without gaps; at most `limit` events.
    pub async fn feed(
        &self,
        acting: &Acting,
        selection: EventSelection,
        after: i64,
        limit: i64,
    ) -> Result<FeedPage, StoreError> {
        // Read first: everything up to here is there for the second read, so a part that is not full reaches it.
        let head = events::head(self.db()).await?;
        let events = events::feed(self.db(), &acting.workspaces, selection, after, limit).await?;
        let last = events.last().and_then(|event| event.position).unwrap_or(after);
        let full = i64::try_from(events.len()).is_ok_and(|count| count >= limit);
        Ok(FeedPage { events, next: if full { last } else { last.max(head) } })
    }

    /// Counts an event that a consumer cannot read and passes over.
    pub fn count_unreadable(&self) {
        self.counters().unreadable();
    }
}
