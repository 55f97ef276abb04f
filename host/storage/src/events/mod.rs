//! The event log, which is also the outbox: appended with the change, relayed in order, read by position.
//!
//! `ord` is given when an event is written and may show gaps and late-comers; `position` is given by one relay after
//! the commit and is dense, so that a reader who remembers the last position misses nothing.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::ListQuery;
use gateway_database::select::{Condition, Conditions, Part, Table};
use gateway_database::sql::{Sql, ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_database::wakeups::Topic;
use gateway_domain::access::{Actor, Workspaces};
use gateway_domain::ids::{EventId, InvoiceId, WorkspaceId};
use gateway_domain_events::{DocumentRange, EventSelection, StoredEvent};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use uuid::Uuid;

/// What whoever appends an event says of it; its position comes later.
macro_rules! own_columns {
    () => {
        "id, source, workspace_id, subject, sequence, type, time, actor, data, traceparent"
    };
}

/// Writes an event with the next sequence of its subject.
macro_rules! append {
    () => {
        concat!(
            "INSERT INTO event (",
            own_columns!(),
            ") SELECT $1, $2, $3, $4, COALESCE(MAX(sequence), 0) + 1, $5, $6, $7, $8, $9
            FROM event WHERE source = $2 AND subject = $4
            ON CONFLICT (source, subject, sequence) DO NOTHING"
        )
    };
}

macro_rules! columns {
    () => {
        concat!("position, ", own_columns!())
    };
}

pub mod mail;
pub(crate) mod relay;

pub use relay::{relay, relay_all};

/// The event log as its readers page it: by `position`, which the relay gives.
pub(crate) const TABLE: Table = Table {
    name: "event",
    key: "ord",
    columns: Sql::both(columns!()),
    order: "position",
    has_workspace: false,
};

/// Events of the platform's own data that nobody needs any more: everybody who follows the feed is behind them, and a younger
/// one of the same subject keeps the count of its events.
macro_rules! old {
    () => {
        " WHERE source = '/platform' AND time < $1 AND position <= (SELECT MIN(position) FROM consumer)
            AND EXISTS (SELECT 1 FROM event younger WHERE younger.source = event.source
                AND younger.subject = event.subject AND younger.sequence > event.sequence)"
    };
}

/// No document is behind this one: where a range without an end ends.
pub(crate) const LAST_DOCUMENT: InvoiceId = InvoiceId(Uuid::max());

statements! {
    APPEND = both concat!(append!(), " RETURNING sequence");
    APPEND_LATER = both append!();
    APPEND_ALL = each ["INSERT INTO event (", (own_columns!), ")
        SELECT pending.id, $1, pending.workspace_id, pending.subject,
            COALESCE((SELECT MAX(sequence) FROM event WHERE source = $1 AND subject = pending.subject), 0)
                + ROW_NUMBER() OVER (PARTITION BY pending.subject ORDER BY pending.place),
            pending.kind, $2, $3, pending.data, $5
        FROM ", (rows "$4" as pending: place BIGINT, id UUID, workspace_id BIGINT, subject UUID, kind TEXT, data TEXT), "
        ORDER BY pending.place"];
    KNOWN = each ["SELECT id FROM event WHERE ", (among "id", "$1")];
    OF_SUBJECT = both concat!("SELECT ", columns!(), " FROM event WHERE source = $1 AND subject = $2 ORDER BY sequence");
    OF_SUBJECTS = each ["SELECT ", (columns!), " FROM event
        WHERE source IN ('/invoicing', '/finance') AND ", (among "subject", "$1"), " ORDER BY time, ord"];
    LAST_OF_SUBJECT = both concat!("SELECT ", columns!(), " FROM event
        WHERE source = $1 AND subject = $2 ORDER BY sequence DESC LIMIT 1");
    COUNT_OF_SUBJECT = "SELECT COUNT(*) FROM event WHERE source = $1 AND subject = $2";
    HEAD = "SELECT position FROM feed WHERE name = 'events'";
    NOT_RELAYED = "SELECT COUNT(*) FROM event WHERE position IS NULL";
    CONSUMED = "SELECT position FROM consumer WHERE name = $1";
    PROGRESS = "SELECT COALESCE((SELECT position FROM consumer WHERE name = $1), 0), position FROM feed WHERE name = 'events'";
    HOLD = each ["SELECT position FROM consumer WHERE name = $1", (lock " FOR UPDATE SKIP LOCKED")];
    WAIT_FOR = each ["SELECT position FROM consumer WHERE name = $1", (lock " FOR UPDATE")];
    ENROL = "INSERT INTO consumer (name, position, updated_at) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING";
    CONSUME = "UPDATE consumer SET position = $3, updated_at = $4 WHERE name = $1 AND position = $2";
    FIRST_SUBJECTS = "SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/invoicing' AND sequence = 1 ORDER BY subject LIMIT $1) AS there
            UNION SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/finance' AND sequence = 1 ORDER BY subject LIMIT $1) AS here
            ORDER BY subject LIMIT $1";
    SUBJECTS = "SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/invoicing' AND sequence = 1 AND subject > $1 ORDER BY subject LIMIT $2) AS there
            UNION SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/finance' AND sequence = 1 AND subject > $1 ORDER BY subject LIMIT $2) AS here
            ORDER BY subject LIMIT $2";
    OF_FIRST_RANGE = both concat!("SELECT ", columns!(), " FROM event
        WHERE source IN ('/invoicing', '/finance') AND subject <= $1 AND position <= $2 ORDER BY position");
    OF_RANGE = both concat!("SELECT ", columns!(), " FROM event
        WHERE source IN ('/invoicing', '/finance') AND subject > $1 AND subject <= $2 AND position <= $3
        ORDER BY position");
    COUNT_OLD = both concat!("SELECT COUNT(*) FROM event", old!());
    OLD = both concat!("SELECT ", columns!(), " FROM event", old!(), " AND (time, position) > ($2, $3) ORDER BY time, position LIMIT $4");
    REMOVE = each ["DELETE FROM event WHERE source = '/platform' AND ", (among "id", "$1")];
}

/// Something that has just happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent<'a> {
    /// Consumers deduplicate by it.
    pub id: EventId,
    /// CloudEvents source: `/invoicing` or `/finance`.
    pub source: &'a str,
    /// The workspace of the document.
    pub workspace: WorkspaceId,
    /// The document: its events are counted for each source.
    pub subject: InvoiceId,
    /// CloudEvents type.
    pub kind: &'a str,
    /// When it happened, by the clock of the service it happened in.
    pub time: Timestamp,
    /// Who made it happen.
    pub actor: &'a Actor,
    /// A JSON object.
    pub data: String,
}

impl NewEvent<'_> {
    /// As it is read before it has a place in the feed.
    fn stored(self, sequence: i64, traceparent: Option<String>) -> StoredEvent {
        StoredEvent {
            position: None,
            id: self.id,
            source: self.source.to_owned(),
            workspace: self.workspace,
            subject: self.subject.0,
            sequence,
            kind: self.kind.to_owned(),
            time: self.time,
            actor: self.actor.clone(),
            data: self.data,
            traceparent,
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    position: Option<i64>,
    id: Id,
    source: String,
    workspace_id: i64,
    subject: Id,
    sequence: i64,
    r#type: String,
    time: Ts,
    actor: String,
    data: String,
    traceparent: Option<String>,
}

/// What an event tells, as a type.
pub fn data<T: DeserializeOwned>(event: &StoredEvent) -> Result<T, StoreError> {
    serde_json::from_str(&event.data).map_err(|error| Corrupt::new("event", event.id, "data", error).into())
}

impl From<Row> for StoredEvent {
    fn from(row: Row) -> Self {
        Self {
            position: row.position,
            id: EventId(row.id.0),
            source: row.source,
            workspace: WorkspaceId(row.workspace_id),
            subject: row.subject.0,
            sequence: row.sequence,
            kind: row.r#type,
            time: row.time.0,
            actor: Actor(row.actor),
            data: row.data,
            traceparent: row.traceparent,
        }
    }
}

/// How often an event looks for its place behind others that are written side by side.
const PLACES_MAX: usize = 64;

/// A transaction that holds what its events are about, and that nobody asks for them.
struct WritesEventsLater;

/// Has this transaction, which holds what its events are about, write them with its next statement or its commit from now on:
/// [`appended`] does not show them.
pub fn write_later(tx: &mut Tx) {
    tx.remember(WritesEventsLater);
}

/// Writes an event with the change it tells of, and gives it the next sequence of its subject. Who does not hold the
/// subject (a document of a remote service has no row here) waits for others that write about it, and comes behind them.
/// [`appended`] shows it for the rest of the transaction.
pub async fn append(tx: &mut Tx, event: NewEvent<'_>) -> Result<(), StoreError> {
    let traceparent = gateway_trace_context::current();
    let params = params![
        event.id,
        event.source,
        event.workspace,
        event.subject,
        event.kind,
        event.time,
        &event.actor.0,
        &event.data,
        traceparent.clone(),
    ];
    if tx.remembered::<WritesEventsLater>().next().is_some() {
        tx.execute_one_later(&APPEND_LATER, params, "event");
        tx.wake_after_commit(Topic::Events);
        return Ok(());
    }
    for _ in 0..PLACES_MAX {
        // None: somebody else took the place and committed.
        if let Some((sequence,)) = tx.fetch_optional::<(i64,)>(&APPEND, params.clone()).await? {
            tx.remember(event.stored(sequence, traceparent));
            tx.wake_after_commit(Topic::Events);
            return Ok(());
        }
    }
    Err(StoreError::Moved { table: "event" })
}

/// The events about a document at one source that this transaction has [`append`]ed, in order.
pub fn appended<'a>(
    tx: &'a Tx,
    source: &'a str,
    subject: InvoiceId,
) -> impl Iterator<Item = &'a StoredEvent> {
    let of_subject = move |event: &&StoredEvent| event.source == source && event.subject == subject.0;
    tx.remembered().filter(of_subject)
}

/// One of several things that have just happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PendingEvent<'a> {
    /// Consumers deduplicate by it.
    pub id: Uuid,
    /// The workspace of the subject: readers without it are not shown the event.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// What it happened to.
    pub subject: Uuid,
    /// CloudEvents type.
    pub kind: &'a str,
    /// A JSON object.
    pub data: String,
}

#[derive(Serialize)]
struct PositionedEvent<'a> {
    place: usize,
    #[serde(flatten)]
    pending: &'a PendingEvent<'a>,
}

/// Writes several events at once, in their order, with the changes they tell of. The caller holds the subjects.
pub async fn append_all(
    tx: &mut Tx,
    source: &str,
    time: Timestamp,
    actor: &Actor,
    events: &[PendingEvent<'_>],
) -> Result<(), StoreError> {
    if events.is_empty() {
        return Ok(());
    }
    let placed: Vec<_> =
        events.iter().enumerate().map(|(place, pending)| PositionedEvent { place, pending }).collect();
    tx.execute(
        &APPEND_ALL,
        params![source, time, &actor.0, StoreError::json(&placed)?, gateway_trace_context::current()],
    )
    .await?;
    tx.wake_after_commit(Topic::Events);
    Ok(())
}

/// Those of some events that the log has.
pub async fn known(on: impl Into<Executor<'_>>, among: &[EventId]) -> Result<HashSet<EventId>, StoreError> {
    let rows: Vec<(Id,)> = on.into().all(&KNOWN, vec![ids(among)]).await?;
    Ok(rows.into_iter().map(|(id,)| EventId(id.0)).collect())
}

pub(crate) fn feed_query(visible: &Workspaces, selection: EventSelection, after: i64) -> ListQuery<'_> {
    let selected = match selection {
        EventSelection::Documents => {
            Some(Condition::new("source IN ('/invoicing', '/finance')", Vec::new()).filtering())
        }
        // The column is hidden from the index of subjects, which gives the events of a source in another order: a reader who
        // follows the feed would have all of them sorted for each part.
        EventSelection::Source(source) => {
            Some(Condition::new("source || '' = ?", params![source]).filtering())
        }
        EventSelection::All => None,
    };
    let conditions = Conditions::default().and("position > ?", Some(after)).and_where(selected);
    ListQuery { visible, workspace: None, ids: None, conditions }
}

/// Relayed events after a position, of the workspaces the reader may see.
pub async fn feed(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    selection: EventSelection,
    after: i64,
    limit: i64,
) -> Result<Vec<StoredEvent>, StoreError> {
    let Some(select) = feed_query(visible, selection, after).select(TABLE) else { return Ok(Vec::new()) };
    let rows: Vec<Row> = on.into().rows(&select, Part::First(limit)).await?;
    Ok(rows.into_iter().map(StoredEvent::from).collect())
}

/// Every event of a document at one source, in order; empty when the reader may not see its workspace.
pub async fn of_subject(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    source: &str,
    subject: InvoiceId,
) -> Result<Vec<StoredEvent>, StoreError> {
    let rows: Vec<Row> = on.into().all(&OF_SUBJECT, params![source, subject]).await?;
    Ok(rows.into_iter().map(StoredEvent::from).filter(|event| visible.contain(event.workspace)).collect())
}

/// A place among old events: their time and position.
pub type OldEventKey = (Timestamp, i64);

/// How many events of the platform's own data are from before an instant, and needed by nobody.
pub async fn count_old(on: impl Into<Executor<'_>>, before: Timestamp) -> Result<i64, StoreError> {
    let (count,): (i64,) = on.into().one(&COUNT_OLD, params![before]).await?;
    Ok(count)
}

/// Events of the platform's own data from before an instant that nobody needs, the oldest first, behind a place.
pub async fn old(
    on: impl Into<Executor<'_>>,
    before: Timestamp,
    after: Option<OldEventKey>,
    limit: i64,
) -> Result<Vec<StoredEvent>, StoreError> {
    let (time, position) = after.unwrap_or((Timestamp::UNIX_EPOCH, 0));
    let rows: Vec<Row> = on.into().all(&OLD, params![before, time, position, limit]).await?;
    Ok(rows.into_iter().map(StoredEvent::from).collect())
}

/// Takes events of the platform's own data out of the log, and says how many were there. Those of documents stay, whatever is
/// named: their copies are made again from them.
pub async fn remove(tx: &mut Tx, events: &[EventId]) -> Result<u64, StoreError> {
    tx.execute(&REMOVE, vec![ids(events)]).await
}

/// Every event of several documents at both sources, in the order they happened; those of workspaces that the reader
/// may not see are left out.
pub async fn of_subjects(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    subjects: &[InvoiceId],
) -> Result<Vec<StoredEvent>, StoreError> {
    let rows: Vec<Row> = on.into().all(&OF_SUBJECTS, vec![ids(subjects)]).await?;
    Ok(rows.into_iter().map(StoredEvent::from).filter(|event| visible.contain(event.workspace)).collect())
}

/// The last event of a document at one source.
pub async fn last_of_subject(
    on: impl Into<Executor<'_>>,
    source: &str,
    subject: InvoiceId,
) -> Result<Option<StoredEvent>, StoreError> {
    let row: Option<Row> = on.into().optional(&LAST_OF_SUBJECT, params![source, subject]).await?;
    Ok(row.map(StoredEvent::from))
}

/// How many events a document has at one source.
pub async fn count_of_subject(
    on: impl Into<Executor<'_>>,
    source: &str,
    subject: InvoiceId,
) -> Result<i64, StoreError> {
    let (events,): (i64,) = on.into().one(&COUNT_OF_SUBJECT, params![source, subject]).await?;
    Ok(events)
}

/// The last position a consumer has dealt with; 0 before the first.
pub async fn consumed(on: impl Into<Executor<'_>>, consumer: &str) -> Result<i64, StoreError> {
    let row: Option<(i64,)> = on.into().optional(&CONSUMED, params![consumer]).await?;
    Ok(row.map_or(0, |(position,)| position))
}

/// How far a consumer is, as [`consumed`] says, and how far the feed, as [`head`] does. One statement.
pub async fn progress(on: impl Into<Executor<'_>>, consumer: &str) -> Result<(i64, i64), StoreError> {
    on.into().one(&PROGRESS, params![consumer]).await
}

/// The last position of the feed. Every event up to it is in the feed for whoever reads it later.
pub async fn head(on: impl Into<Executor<'_>>) -> Result<i64, StoreError> {
    let (position,): (i64,) = on.into().one(&HEAD, params![]).await?;
    Ok(position)
}

/// How many committed events have no place in the feed yet.
pub async fn not_relayed(on: impl Into<Executor<'_>>) -> Result<i64, StoreError> {
    let (count,): (i64,) = on.into().one(&NOT_RELAYED, params![]).await?;
    Ok(count)
}

/// Keeps other processes of the same consumer away until the transaction ends, and says how far it has come; none
/// when one of them is at work.
pub async fn hold(tx: &mut Tx, consumer: &str, now: Timestamp) -> Result<Option<i64>, StoreError> {
    let row: Option<(i64,)> = tx.fetch_optional(&HOLD, params![consumer]).await?;
    if let Some((position,)) = row {
        return Ok(Some(position));
    }
    // Enrolling would wait for whoever is at work, so it is left to consumers that are really new.
    let known: Option<(i64,)> = tx.fetch_optional(&CONSUMED, params![consumer]).await?;
    if known.is_some() {
        return Ok(None);
    }
    let enrolled = tx.execute(&ENROL, params![consumer, now]).await? == 1;
    Ok(enrolled.then_some(0))
}

/// [`hold`], after waiting for whoever is at work.
pub async fn wait_for(tx: &mut Tx, consumer: &str, now: Timestamp) -> Result<i64, StoreError> {
    tx.execute(&ENROL, params![consumer, now]).await?;
    let (position,): (i64,) = tx.fetch_one(&WAIT_FOR, params![consumer]).await?;
    Ok(position)
}

/// Moves a consumer from one position to another in the transaction of its work; `false` when another process of
/// the same consumer has moved it: roll back.
pub async fn consume(
    tx: &mut Tx,
    consumer: &str,
    from: i64,
    to: i64,
    now: Timestamp,
) -> Result<bool, StoreError> {
    Ok(tx.execute(&CONSUME, params![consumer, from, to, now]).await? == 1)
}

/// Documents with events behind `after`, in the order of their ids.
pub async fn subjects(
    on: impl Into<Executor<'_>>,
    after: Option<InvoiceId>,
    limit: i64,
) -> Result<Vec<InvoiceId>, StoreError> {
    let (sql, params) = match after {
        None => (&FIRST_SUBJECTS, params![limit]),
        Some(after) => (&SUBJECTS, params![after, limit]),
    };
    let rows: Vec<(Id,)> = on.into().all(sql, params).await?;
    Ok(rows.into_iter().map(|(subject,)| InvoiceId(subject.0)).collect())
}

/// The events of a range of documents up to a position of the feed, in its order.
pub async fn of_range(
    on: impl Into<Executor<'_>>,
    range: DocumentRange,
    up_to: i64,
) -> Result<Vec<StoredEvent>, StoreError> {
    let last = range.last.unwrap_or(LAST_DOCUMENT);
    let (sql, params) = match range.after {
        None => (&OF_FIRST_RANGE, params![last, up_to]),
        Some(after) => (&OF_RANGE, params![after, last, up_to]),
    };
    let rows: Vec<Row> = on.into().all(sql, params).await?;
    Ok(rows.into_iter().map(StoredEvent::from).collect())
}

#[cfg(test)]
mod tests;
