//! Old entries of a kind: counted, read as many at a time as memory and a transaction take, written as lines, removed.

use gateway_domain::StoreError;
use gateway_domain_events::{AuditEntry, RetainedKind, StoredEvent};
use gateway_storage::events::{self, OldEventKey};
use gateway_storage::messages::{self, OldMessage};
use gateway_storage::{Db, Tx, audit};
use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

/// Entries of one file and one transaction.
const ENTRIES: i64 = 500;
/// A message is up to 1 MiB.
const MESSAGES: i64 = 32;

/// Some of the oldest entries of a kind.
pub(crate) enum Batch {
    Audit(Vec<AuditEntry>),
    Events(Vec<StoredEvent>),
    Messages(Vec<OldMessage>),
}

/// An entry of the audit trail as a line of an archive.
#[derive(Serialize)]
struct AuditLine<'a> {
    id: Uuid,
    at: Timestamp,
    actor: &'a str,
    action: &'a str,
    subject: &'a str,
    data: &'a serde_json::Value,
}

/// An event as a line of an archive.
#[derive(Serialize)]
struct EventLine<'a> {
    id: Uuid,
    position: Option<i64>,
    source: &'a str,
    workspace_id: i64,
    subject: Uuid,
    sequence: i64,
    r#type: &'a str,
    time: Timestamp,
    actor: &'a str,
    data: serde_json::Value,
}

/// A message to a tax authority as a line of an archive.
#[derive(Serialize)]
struct MessageLine<'a> {
    job_id: Uuid,
    document_id: Uuid,
    workspace_id: i64,
    number: Option<&'a str>,
    kept_at: Timestamp,
    media_type: &'a str,
    body: &'a str,
}

/// How many entries of a kind from before an instant may leave.
pub(crate) async fn count(db: &Db, kind: RetainedKind, before: Timestamp) -> Result<u64, StoreError> {
    let count = match kind {
        RetainedKind::Audit => audit::count_before(db, before).await?,
        RetainedKind::Events => events::count_old(db, before).await?,
        RetainedKind::Messages => messages::count_old(db, before).await?,
    };
    Ok(u64::try_from(count).unwrap_or_default())
}

impl Batch {
    /// The oldest entries from before an instant, behind those of the batch before.
    pub(crate) async fn oldest(
        db: &Db,
        kind: RetainedKind,
        before: Timestamp,
        after: Option<OldEventKey>,
    ) -> Result<Self, StoreError> {
        Ok(match kind {
            RetainedKind::Audit => Self::Audit(audit::oldest(db, before, ENTRIES).await?),
            RetainedKind::Events => Self::Events(events::old(db, before, after, ENTRIES).await?),
            RetainedKind::Messages => Self::Messages(messages::old(db, before, MESSAGES).await?),
        })
    }

    pub(crate) const fn kind(&self) -> RetainedKind {
        match self {
            Self::Audit(_) => RetainedKind::Audit,
            Self::Events(_) => RetainedKind::Events,
            Self::Messages(_) => RetainedKind::Messages,
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        match self {
            Self::Audit(entries) => entries.is_empty(),
            Self::Events(events) => events.is_empty(),
            Self::Messages(messages) => messages.is_empty(),
        }
    }

    /// Where the next batch begins. Young events stay among the old ones, and are not looked at again; of the other kinds, all
    /// that is old leaves.
    pub(crate) fn end(&self) -> Option<OldEventKey> {
        match self {
            Self::Audit(_) | Self::Messages(_) => None,
            Self::Events(events) => events.last().and_then(|last| Some((last.time, last.position?))),
        }
    }

    /// One JSON object a line.
    pub(crate) fn lines(&self) -> Result<Vec<u8>, StoreError> {
        match self {
            Self::Audit(entries) => lines(entries, |entry| {
                let AuditEntry { id, at, actor, action, subject, data } = entry;
                Ok(AuditLine { id: *id, at: *at, actor: &actor.0, action, subject, data })
            }),
            Self::Events(events) => lines(events, |event| {
                Ok(EventLine {
                    id: event.id.0,
                    position: event.position,
                    source: &event.source,
                    workspace_id: event.workspace.0,
                    subject: event.subject,
                    sequence: event.sequence,
                    r#type: &event.kind,
                    time: event.time,
                    actor: &event.actor.0,
                    data: events::data(event)?,
                })
            }),
            Self::Messages(messages) => lines(messages, |message| {
                let OldMessage { job, document, workspace, number, message, kept_at } = message;
                Ok(MessageLine {
                    job_id: (*job).into(),
                    document_id: document.0,
                    workspace_id: workspace.0,
                    number: number.as_deref(),
                    kept_at: *kept_at,
                    media_type: &message.media_type,
                    body: &message.body,
                })
            }),
        }
    }

    /// Takes them out of the database, and says how many were there.
    pub(crate) async fn remove(&self, tx: &mut Tx) -> Result<u64, StoreError> {
        match self {
            Self::Audit(entries) => {
                let ids: Vec<_> = entries.iter().map(|entry| entry.id).collect();
                audit::remove(tx, &ids).await
            }
            Self::Events(events) => {
                let ids: Vec<_> = events.iter().map(|event| event.id).collect();
                events::remove(tx, &ids).await
            }
            Self::Messages(messages) => {
                let attempts: Vec<_> = messages.iter().map(|message| message.job).collect();
                messages::remove(tx, &attempts).await
            }
        }
    }
}

fn lines<'a, T, L: Serialize>(
    entries: &'a [T],
    line: impl Fn(&'a T) -> Result<L, StoreError>,
) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    for entry in entries {
        text.extend(StoreError::json(&line(entry)?)?.into_bytes());
        text.push(b'\n');
    }
    Ok(text)
}
