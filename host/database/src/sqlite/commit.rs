//! How a transaction of SQLite becomes durable, with others of its group.

use super::{GROUP_MAX, RELEASE, RELEASE_AND_COMMIT, SAVEPOINT, SqliteTx, Writer};
use crate::deferred::{DeferredChanges, JoinedStep};
use crate::error::{StoreError, failed, kind};
use gateway_domain::StoreCause;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Whoever waits for a group, and learns what became of it.
#[derive(Debug)]
pub(super) struct Member {
    waiter: oneshot::Sender<Result<(), NotCommitted>>,
    /// Why its changes were refused. What stood in their way may be another member's, and is seen from outside only once the group
    /// is durable: so this is told no sooner.
    refusal: Option<StoreError>,
}

impl Member {
    pub(super) fn ended(self, group: Result<(), Arc<sqlx::Error>>) {
        let outcome = match (self.refusal, group) {
            (Some(refusal), _) => Err(NotCommitted::Refused(refusal)),
            (None, group) => group.map_err(NotCommitted::Lost),
        };
        // A member that went away meanwhile does not need to know.
        let _ = self.waiter.send(outcome);
    }
}

/// Why a transaction is not durable.
#[derive(Debug)]
pub(super) enum NotCommitted {
    /// One of its own changes was refused: it was taken back, and nobody else's.
    Refused(StoreError),
    /// Its group was not kept.
    Lost(Arc<sqlx::Error>),
}

/// Why a transaction is no member of the group.
enum NotJoined {
    /// Nothing of it was done.
    NotBegun(StoreError),
    /// One of its own changes was refused.
    Refused(StoreError),
    /// The group did not end.
    NotEnded(sqlx::Error),
}

impl Writer {
    /// Makes changes that are a transaction of their own, with the same promise as [`SqliteTx::commit`].
    pub(crate) async fn make_alone(&self, changes: DeferredChanges) -> Result<(), StoreError> {
        let tx = SqliteTx { connection: self.lock_writer().await?, writer: self.clone(), entered: false };
        tx.commit(changes).await
    }
}

impl SqliteTx {
    /// Durable when this returns, together with others that ended at the same time. Once begun it goes on, whether
    /// or not anybody waits for it.
    /// `changes`: those of this transaction that were not sent yet.
    pub(crate) async fn commit(self, changes: DeferredChanges) -> Result<(), StoreError> {
        let (waiter, durable) = oneshot::channel();
        let runtime = self.writer.runtime.clone();
        runtime.run_or_spawn(self.join(changes, waiter)).await;
        match durable.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(NotCommitted::Refused(error))) => Err(error),
            Ok(Err(NotCommitted::Lost(cause))) => {
                Err(StoreError::NotDurable(Some(StoreCause { kind: kind(&cause), error: cause.into() })))
            }
            Err(_) => Err(StoreError::NotDurable(None)),
        }
    }

    /// Makes the changes of this transaction before others take their turn; an error says whether anything of it is left to take
    /// back.
    pub(crate) async fn make(&mut self, changes: &mut DeferredChanges) -> Result<(), StoreError> {
        // Those that need not meet a row go with the statement that is next.
        if !changes.must_meet() {
            return Ok(());
        }
        let joined = changes.join(self.savepoint(), "", Vec::new())?;
        self.entered = true;
        self.connection.run_joined(joined).await.map_err(|(step, error)| step.failed(error))
    }

    /// Makes this transaction a member of the group; closes the group unless somebody waits for a turn in it.
    async fn join(mut self, changes: DeferredChanges, waiter: oneshot::Sender<Result<(), NotCommitted>>) {
        let closes = !self.writer.has_waiters() || self.connection.group.len() + 1 >= GROUP_MAX;
        let ended = self.end(changes, closes).await;
        let connection = &mut self.connection;
        match ended {
            Ok(()) => {
                connection.group.push(Member { waiter, refusal: None });
                if closes {
                    return connection.ended().await;
                }
            }
            Err(NotJoined::NotEnded(error)) => {
                connection.group.push(Member { waiter, refusal: None });
                return connection.fail_group(error).await;
            }
            Err(NotJoined::Refused(refusal)) => {
                connection.group.push(Member { waiter, refusal: Some(refusal) });
                connection.left = true;
                connection.take_back_what_was_left().await;
            }
            Err(NotJoined::NotBegun(error)) => {
                Member { waiter, refusal: Some(error) }.ended(Ok(()));
            }
        }
        // Whoever waits closes the group unless it is full; but they may have gone away meanwhile.
        if closes || !self.writer.has_waiters() {
            self.connection.close().await;
        }
    }

    /// Makes the changes and ends the savepoint, with what surrounds it if it `closes`, in one text.
    async fn end(&mut self, mut changes: DeferredChanges, closes: bool) -> Result<(), NotJoined> {
        let begin = self.begin_with_changes().await?;
        let end = if closes { RELEASE_AND_COMMIT } else { RELEASE };
        let joined = changes.join(begin, end, Vec::new()).map_err(|error| match begin {
            "" => NotJoined::Refused(error),
            _ => NotJoined::NotBegun(error),
        })?;
        if closes {
            self.connection.ensure_there().map_err(NotJoined::NotEnded)?;
        }
        self.connection.run_joined(joined).await.map_err(|(step, error)| match step {
            JoinedStep::Begin => NotJoined::NotBegun(failed(error)),
            JoinedStep::Change | JoinedStep::MustHaveMet(_) => NotJoined::Refused(step.failed(error)),
            JoinedStep::End => NotJoined::NotEnded(error),
        })
    }

    /// What the text of the changes begins with, where this transaction has no savepoint yet and the group is open.
    async fn begin_with_changes(&mut self) -> Result<&'static str, NotJoined> {
        if std::mem::take(&mut self.entered) {
            return Ok("");
        }
        let entered = self.connection.enter().await;
        entered
            .map(|made| if made { "" } else { SAVEPOINT })
            .map_err(|error| NotJoined::NotBegun(failed(error)))
    }
}
