//! Notices in the log: events of a source of their own.

use crate::Source;
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::{EventId, InvoiceId, WorkspaceId};
use gateway_domain::ports::Ids;
use gateway_domain_events::StoredEvent;
use gateway_domain_events::notices::{Notice, NoticeEvent, NoticeKind};
use gateway_storage::Tx;
use gateway_storage::events::{self, NewEvent};
use jiff::{SignedDuration, Timestamp};

/// Stands in the log where a notice is of no workspace. None has this number, so only who sees all is shown it.
const OF_THE_GATEWAY: WorkspaceId = WorkspaceId(0);

/// Writes a notice down, in the transaction of its cause.
pub async fn append_notice(
    tx: &mut Tx,
    ids: &dyn Ids,
    now: Timestamp,
    notice: &Notice,
) -> Result<(), StoreError> {
    let event = NewEvent {
        id: EventId(ids.next()),
        source: Source::Notices.as_str(),
        workspace: notice.workspace.unwrap_or(OF_THE_GATEWAY),
        subject: InvoiceId(notice.subject.id()),
        kind: notice.kind.as_str(),
        time: now,
        actor: &Actor::gateway(),
        data: StoreError::json(&notice.data())?,
    };
    tracing::debug!("{}: {}", notice.kind, notice.message);
    events::append(tx, event).await?;
    Ok(())
}

/// The same of what is looked at again and again: not while less than `repeat_after` passed since somebody heard of it. Says
/// whether it was written down.
pub async fn append_notice_after(
    tx: &mut Tx,
    ids: &dyn Ids,
    now: Timestamp,
    notice: &Notice,
    repeat_after: SignedDuration,
) -> Result<bool, StoreError> {
    let subject = InvoiceId(notice.subject.id());
    let last = events::last_of_subject(&mut *tx, Source::Notices.as_str(), subject).await?;
    let is_recent = |last: StoredEvent| {
        let passed = now.duration_since(last.time);
        last.kind == notice.kind.as_str() && !passed.is_negative() && passed < repeat_after
    };
    if last.is_some_and(is_recent) {
        return Ok(false);
    }
    append_notice(tx, ids, now, notice).await?;
    Ok(true)
}

/// The notice that an event of the log is; none: it is of another source, or of a kind that a later release has.
pub fn notice(event: &StoredEvent) -> Result<Option<NoticeEvent>, StoreError> {
    let is_notice = event.source == Source::Notices.as_str();
    let Some(kind) = is_notice.then(|| event.kind.parse::<NoticeKind>().ok()).flatten() else {
        return Ok(None);
    };
    let workspace = Some(event.workspace).filter(|workspace| *workspace != OF_THE_GATEWAY);
    Ok(Some(NoticeEvent { kind, workspace, subject: event.subject, data: events::data(event)? }))
}
