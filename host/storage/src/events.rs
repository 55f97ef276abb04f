//! The event log, which is also the outbox: appended with the change, relayed in order, read by position.
//!
//! `ord` is given when an event is written and may show gaps and late-comers; `position` is given by one relay after
//! the commit and is dense, so that a reader who remembers the last position misses nothing.

use crate::db::{Db, Tx};
use crate::dispatch::{On, ids, params, statements};
use crate::error::StoreError;
use crate::value::{Id, Ts};
use gateway_domain::access::{Actor, Workspaces};
use gateway_domain::ids::{EventId, InvoiceId, WorkspaceId};
use jiff::Timestamp;

statements! {
    APPEND = "INSERT INTO event (id, source, workspace_id, subject, sequence, type, time, actor, data)
        SELECT $1, $2, $3, $4, COALESCE(MAX(sequence), 0) + 1, $5, $6, $7, $8
        FROM event WHERE source = $2 AND subject = $4
        RETURNING sequence";
    KNOWN = "SELECT ord FROM event WHERE id = $1";
    ANY_NEW = "SELECT ord FROM event WHERE position IS NULL LIMIT 1";
    LOCK_FEED = pg "SELECT position FROM feed WHERE name = 'events' FOR UPDATE SKIP LOCKED",
        lite "SELECT position FROM feed WHERE name = 'events'";
    STAMP = "UPDATE event SET position = $1 + fresh.place
        FROM (SELECT ord, ROW_NUMBER() OVER (ORDER BY ord) AS place FROM event
            WHERE position IS NULL ORDER BY ord LIMIT $2) AS fresh
        WHERE event.ord = fresh.ord";
    MOVE_FEED = "UPDATE feed SET position = position + $1 WHERE name = 'events'";
    FEED = pg "SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE position > $1 AND ($2 OR workspace_id IN (SELECT value::bigint FROM json_array_elements_text($3::json) AS value))
        ORDER BY position LIMIT $4",
        lite "SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE position > $1 AND ($2 OR workspace_id IN (SELECT value FROM json_each($3)))
        ORDER BY position LIMIT $4";
    OF_SUBJECT = "SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source = $1 AND subject = $2 ORDER BY sequence";
    OF_SUBJECTS = pg "SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source IN ('/invoicing', '/finance') AND subject = ANY ($1) ORDER BY time, ord",
        lite "SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source IN ('/invoicing', '/finance') AND subject IN (SELECT value FROM json_each($1)) ORDER BY time, ord";
    LAST_OF_SUBJECT = "SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source = $1 AND subject = $2 ORDER BY sequence DESC LIMIT 1";
    HEAD = "SELECT position FROM feed WHERE name = 'events'";
    NOT_RELAYED = "SELECT COUNT(*) FROM event WHERE position IS NULL";
    CONSUMED = "SELECT position FROM consumer WHERE name = $1";
    HOLD = pg "SELECT position FROM consumer WHERE name = $1 FOR UPDATE SKIP LOCKED",
        lite "SELECT position FROM consumer WHERE name = $1";
    WAIT_FOR = pg "SELECT position FROM consumer WHERE name = $1 FOR UPDATE",
        lite "SELECT position FROM consumer WHERE name = $1";
    ENROL = "INSERT INTO consumer (name, position, updated_at) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING";
    CONSUME = "UPDATE consumer SET position = $3, updated_at = $4 WHERE name = $1 AND position = $2";
    SUBJECTS = pg "SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/invoicing' AND sequence = 1 AND ($1::uuid IS NULL OR subject > $1) ORDER BY subject LIMIT $2) AS there
            UNION SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/finance' AND sequence = 1 AND ($1::uuid IS NULL OR subject > $1) ORDER BY subject LIMIT $2) AS here
            ORDER BY subject LIMIT $2",
        lite "SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/invoicing' AND sequence = 1 AND ($1 IS NULL OR subject > $1) ORDER BY subject LIMIT $2) AS there
            UNION SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/finance' AND sequence = 1 AND ($1 IS NULL OR subject > $1) ORDER BY subject LIMIT $2) AS here
            ORDER BY subject LIMIT $2";
    OF_RANGE = pg "SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source IN ('/invoicing', '/finance') AND ($1::uuid IS NULL OR subject > $1) AND ($2::uuid IS NULL OR subject <= $2)
        AND position <= $3 ORDER BY position",
        lite "SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source IN ('/invoicing', '/finance') AND ($1 IS NULL OR subject > $1) AND ($2 IS NULL OR subject <= $2)
        AND position <= $3 ORDER BY position";
}

/// Documents in the order of their ids; an end that is none is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Range {
    /// Those behind this one.
    pub after: Option<InvoiceId>,
    /// Up to this one, included.
    pub last: Option<InvoiceId>,
}

/// Something that has just happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent<'a> {
    /// Consumers deduplicate by it.
    pub id: EventId,
    /// CloudEvents source: `/invoicing` or `/finance`.
    pub source: &'a str,
    /// Whose document.
    pub workspace: WorkspaceId,
    /// Which document.
    pub subject: InvoiceId,
    /// CloudEvents type.
    pub kind: &'a str,
    /// When.
    pub time: Timestamp,
    /// By whom.
    pub actor: &'a Actor,
    /// JSON.
    pub data: String,
}

/// An event of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its place in the feed; none until it is relayed.
    pub position: Option<i64>,
    /// Consumers deduplicate by it.
    pub id: EventId,
    /// CloudEvents source.
    pub source: String,
    /// Whose document.
    pub workspace: WorkspaceId,
    /// Which document.
    pub subject: InvoiceId,
    /// From 1, without gaps, per source and subject.
    pub sequence: i64,
    /// CloudEvents type.
    pub kind: String,
    /// When.
    pub time: Timestamp,
    /// By whom.
    pub actor: Actor,
    /// JSON.
    pub data: String,
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
}

impl From<Row> for StoredEvent {
    fn from(row: Row) -> Self {
        Self {
            position: row.position,
            id: EventId(row.id.0),
            source: row.source,
            workspace: WorkspaceId(row.workspace_id),
            subject: InvoiceId(row.subject.0),
            sequence: row.sequence,
            kind: row.r#type,
            time: row.time.0,
            actor: Actor(row.actor),
            data: row.data,
        }
    }
}

/// Writes an event with the change it tells of, and gives it the next sequence of its subject. The caller holds the
/// subject (its row is locked), else two at once end in a unique violation.
pub async fn append(tx: &mut Tx, event: NewEvent<'_>) -> Result<i64, StoreError> {
    let params = params![
        event.id,
        event.source,
        event.workspace,
        event.subject,
        event.kind,
        event.time,
        &event.actor.0,
        event.data,
    ];
    let (sequence,): (i64,) = tx.fetch_one(&APPEND, params).await?;
    Ok(sequence)
}

/// Whether the log has an event.
pub async fn known(on: impl Into<On<'_>>, id: EventId) -> Result<bool, StoreError> {
    let row: Option<(i64,)> = on.into().optional(&KNOWN, params![id]).await?;
    Ok(row.is_some())
}

/// Gives positions to up to `limit` committed events, in order, and says how many. Any number of relays may run; one
/// works, the others find nothing to do. Costs a read when there is nothing new.
pub async fn relay(db: &Db, limit: i64) -> Result<u64, StoreError> {
    let fresh: Option<(i64,)> = db.fetch_optional(&ANY_NEW, params![]).await?;
    if fresh.is_none() {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    let Some((position,)) = tx.fetch_optional::<(i64,)>(&LOCK_FEED, params![]).await? else {
        tx.rollback().await?;
        return Ok(0);
    };
    let stamped = tx.execute(&STAMP, params![position, limit]).await?;
    tx.execute(&MOVE_FEED, params![i64::try_from(stamped).unwrap_or(i64::MAX)]).await?;
    tx.commit().await?;
    Ok(stamped)
}

/// Relayed events after a position, of the workspaces the reader may see.
pub async fn feed(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    after: i64,
    limit: i64,
) -> Result<Vec<StoredEvent>, StoreError> {
    let (all, list) = match visible {
        Workspaces::All => (true, Vec::new()),
        Workspaces::Only(list) => (false, list.iter().map(|workspace| workspace.0).collect()),
    };
    let rows: Vec<Row> = on.into().all(&FEED, params![after, all, StoreError::json(&list)?, limit]).await?;
    Ok(rows.into_iter().map(StoredEvent::from).collect())
}

/// Every event of a document at one source, in order; empty when the reader may not see its workspace.
pub async fn of_subject(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    source: &str,
    subject: InvoiceId,
) -> Result<Vec<StoredEvent>, StoreError> {
    let rows: Vec<Row> = on.into().all(&OF_SUBJECT, params![source, subject]).await?;
    Ok(rows.into_iter().map(StoredEvent::from).filter(|event| visible.contain(event.workspace)).collect())
}

/// Every event of several documents at both sources, in the order they happened; those of workspaces that the reader
/// may not see are left out.
pub async fn of_subjects(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    subjects: &[InvoiceId],
) -> Result<Vec<StoredEvent>, StoreError> {
    let rows: Vec<Row> = on.into().all(&OF_SUBJECTS, vec![ids(subjects)]).await?;
    Ok(rows.into_iter().map(StoredEvent::from).filter(|event| visible.contain(event.workspace)).collect())
}

/// The last event of a document at one source.
pub async fn last_of_subject(
    on: impl Into<On<'_>>,
    source: &str,
    subject: InvoiceId,
) -> Result<Option<StoredEvent>, StoreError> {
    let row: Option<Row> = on.into().optional(&LAST_OF_SUBJECT, params![source, subject]).await?;
    Ok(row.map(StoredEvent::from))
}

/// The last position a consumer has dealt with; 0 before the first.
pub async fn consumed(on: impl Into<On<'_>>, consumer: &str) -> Result<i64, StoreError> {
    let row: Option<(i64,)> = on.into().optional(&CONSUMED, params![consumer]).await?;
    Ok(row.map_or(0, |(position,)| position))
}

/// The last position of the feed. Every event up to it is in the feed for whoever reads it later.
pub async fn head(on: impl Into<On<'_>>) -> Result<i64, StoreError> {
    let (position,): (i64,) = on.into().one(&HEAD, params![]).await?;
    Ok(position)
}

/// How many committed events have no place in the feed yet.
pub async fn not_relayed(on: impl Into<On<'_>>) -> Result<i64, StoreError> {
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
    on: impl Into<On<'_>>,
    after: Option<InvoiceId>,
    limit: i64,
) -> Result<Vec<InvoiceId>, StoreError> {
    let rows: Vec<(Id,)> = on.into().all(&SUBJECTS, params![after, limit]).await?;
    Ok(rows.into_iter().map(|(subject,)| InvoiceId(subject.0)).collect())
}

/// The events of a range of documents up to a position of the feed, in its order.
pub async fn of_range(
    on: impl Into<On<'_>>,
    range: Range,
    up_to: i64,
) -> Result<Vec<StoredEvent>, StoreError> {
    let rows: Vec<Row> = on.into().all(&OF_RANGE, params![range.after, range.last, up_to]).await?;
    Ok(rows.into_iter().map(StoredEvent::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};
    use uuid::Uuid;

    async fn add(tx: &mut Tx, id: u128, workspace: i64, subject: u128) -> i64 {
        let event = NewEvent {
            id: EventId(Uuid::from_u128(id)),
            source: "/invoicing",
            workspace: WorkspaceId(workspace),
            subject: InvoiceId(Uuid::from_u128(subject)),
            kind: "DocumentSaved",
            time: at(0),
            actor: &Actor::operator(),
            data: format!("{{\"n\": {id}}}"),
        };
        append(tx, event).await.unwrap()
    }

    #[tokio::test]
    async fn a_document_counts_its_events_and_the_feed_counts_them_all() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert_eq!(add(&mut tx, 1, 1, 7).await, 1);
            assert_eq!(add(&mut tx, 2, 1, 7).await, 2);
            assert_eq!(add(&mut tx, 3, 2, 8).await, 1);
            tx.commit().await.unwrap();
            assert!(feed(db.db(), &Workspaces::All, 0, 10).await.unwrap().is_empty(), "not relayed yet");
            assert_eq!(relay(&db, 2).await.unwrap(), 2);
            assert_eq!(relay(&db, 2).await.unwrap(), 1);
            assert_eq!(relay(&db, 2).await.unwrap(), 0);
            let all = feed(db.db(), &Workspaces::All, 0, 10).await.unwrap();
            assert_eq!(
                all.iter().map(|event| event.position).collect::<Vec<_>>(),
                [Some(1), Some(2), Some(3)]
            );
            assert_eq!(all[1].data, "{\"n\": 2}");
            assert_eq!(all[1].actor, Actor::operator());
            let one = Workspaces::Only(vec![WorkspaceId(2)]);
            let seen = feed(db.db(), &one, 0, 10).await.unwrap();
            assert_eq!(seen.iter().map(|event| event.id.0.as_u128()).collect::<Vec<_>>(), [3]);
            assert_eq!(feed(db.db(), &Workspaces::All, 2, 10).await.unwrap().len(), 1);
            let subject = InvoiceId(Uuid::from_u128(7));
            assert_eq!(of_subject(db.db(), &Workspaces::All, "/invoicing", subject).await.unwrap().len(), 2);
            assert!(of_subject(db.db(), &one, "/invoicing", subject).await.unwrap().is_empty());
            let last = last_of_subject(db.db(), "/invoicing", subject).await.unwrap();
            assert_eq!(last.map(|event| event.sequence), Some(2));
        }
    }

    #[tokio::test]
    async fn events_committed_late_come_later_in_the_feed_and_none_is_missed() {
        let db = testing::database(crate::Engine::Postgres).await;
        let mut slow = db.begin().await.unwrap();
        add(&mut slow, 1, 1, 7).await;
        let mut fast = db.begin().await.unwrap();
        add(&mut fast, 2, 1, 8).await;
        fast.commit().await.unwrap();
        assert_eq!(relay(&db, 10).await.unwrap(), 1);
        slow.commit().await.unwrap();
        assert_eq!(relay(&db, 10).await.unwrap(), 1);
        let events = feed(db.db(), &Workspaces::All, 0, 10).await.unwrap();
        let order: Vec<_> = events.iter().map(|event| (event.position, event.id.0.as_u128())).collect();
        assert_eq!(order, [(Some(1), 2), (Some(2), 1)]);
    }

    #[tokio::test]
    async fn parallel_writers_and_relays_give_dense_positions_in_the_order_of_each_document() {
        for db in testing::both().await {
            let writers: Vec<_> = (0..6_u128)
                .map(|subject| {
                    let db = db.db().clone();
                    tokio::spawn(async move {
                        for n in 0..15 {
                            let mut tx = db.begin().await.unwrap();
                            add(&mut tx, subject * 1000 + n, 1, subject).await;
                            tx.commit().await.unwrap();
                            relay(&db, 5).await.unwrap();
                        }
                    })
                })
                .collect();
            for writer in writers {
                writer.await.unwrap();
            }
            while relay(&db, 50).await.unwrap() > 0 {}
            let events = feed(db.db(), &Workspaces::All, 0, 1000).await.unwrap();
            let positions: Vec<_> = events.iter().filter_map(|event| event.position).collect();
            assert_eq!(positions, (1..=90).collect::<Vec<_>>());
            for subject in 0..6 {
                let subject = InvoiceId(Uuid::from_u128(subject));
                let sequences: Vec<_> = events
                    .iter()
                    .filter(|event| event.subject == subject)
                    .map(|event| event.sequence)
                    .collect();
                assert_eq!(sequences, (1..=15).collect::<Vec<_>>());
            }
        }
    }

    #[tokio::test]
    async fn a_consumer_moves_on_only_from_where_it_was() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert_eq!(consumed(&mut tx, "copy").await.unwrap(), 0);
            assert_eq!(hold(&mut tx, "copy", at(0)).await.unwrap(), Some(0));
            assert!(consume(&mut tx, "copy", 0, 5, at(0)).await.unwrap());
            assert!(!consume(&mut tx, "copy", 0, 9, at(0)).await.unwrap(), "another process was faster");
            assert!(consume(&mut tx, "copy", 5, 9, at(0)).await.unwrap());
            assert_eq!(hold(&mut tx, "copy", at(0)).await.unwrap(), Some(9));
            assert_eq!(wait_for(&mut tx, "copy", at(0)).await.unwrap(), 9);
            assert_eq!(wait_for(&mut tx, "other", at(0)).await.unwrap(), 0);
        }
    }

    #[tokio::test]
    async fn one_process_of_a_consumer_works_at_a_time() {
        let db = testing::database(crate::Engine::Postgres).await;
        for round in 0..2 {
            let (mut one, mut other) = (db.begin().await.unwrap(), db.begin().await.unwrap());
            assert_eq!(hold(&mut one, "copy", at(0)).await.unwrap(), Some(round));
            assert!(consume(&mut one, "copy", round, round + 1, at(0)).await.unwrap());
            if round > 0 {
                assert_eq!(hold(&mut other, "copy", at(0)).await.unwrap(), None, "the first one is at work");
            }
            assert_eq!(hold(&mut other, "another", at(0)).await.unwrap(), Some(0));
            one.commit().await.unwrap();
            assert_eq!(hold(&mut other, "copy", at(0)).await.unwrap(), Some(round + 1));
            other.rollback().await.unwrap();
        }
    }

    #[tokio::test]
    async fn the_log_is_read_document_by_document_too() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            for (id, subject) in [(1, 8), (2, 7), (3, 9), (4, 7)] {
                add(&mut tx, id, 1, subject).await;
            }
            tx.commit().await.unwrap();
            assert_eq!(not_relayed(db.db()).await.unwrap(), 4);
            relay(&db, 3).await.unwrap();
            assert_eq!((not_relayed(db.db()).await.unwrap(), head(db.db()).await.unwrap()), (1, 3));
            let subject = |number| InvoiceId(Uuid::from_u128(number));
            assert_eq!(subjects(db.db(), None, 2).await.unwrap(), [subject(7), subject(8)]);
            assert_eq!(subjects(db.db(), Some(subject(8)), 2).await.unwrap(), [subject(9)]);
            let ids = |events: Vec<StoredEvent>| {
                events.iter().map(|event| event.id.0.as_u128()).collect::<Vec<_>>()
            };
            let range = Range { after: None, last: Some(subject(8)) };
            assert_eq!(
                ids(of_range(db.db(), range, 3).await.unwrap()),
                [1, 2],
                "the last one is not relayed"
            );
            let rest = Range { after: Some(subject(8)), last: None };
            assert_eq!(ids(of_range(db.db(), rest, 3).await.unwrap()), [3]);
        }
    }
}
