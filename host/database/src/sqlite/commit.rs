//! How a transaction of SQLite becomes durable, with others of its group.

use super::{GROUP_MAX, RELEASE, RELEASE_AND_COMMIT, SqliteTx};
use crate::deferred::DeferredChanges;
use crate::error::{StoreError, failed, kind};
use gateway_domain::StoreCause;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Whoever waits for a group, and learns what became of it.
pub(super) type Member = oneshot::Sender<Result<(), NotCommitted>>;

/// Why a transaction is not durable.
#[derive(Debug)]
pub(super) enum NotCommitted {
    /// One of its own changes was refused: it was taken back, and nobody else's.
    Refused(sqlx::Error),
    /// Its group was not kept.
    Lost(Arc<sqlx::Error>),
}

impl SqliteTx {
    /// Durable when this returns, together with others that ended at the same time. Once begun it goes on, whether
    /// or not anybody waits for it.
    /// `changes`: those of this transaction that were not sent yet.
    pub(crate) async fn commit(self, changes: DeferredChanges) -> Result<(), StoreError> {
        let (member, durable) = oneshot::channel();
        let runtime = self.writer.runtime.clone();
        runtime.spawn(self.join(changes, member));
        match durable.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(NotCommitted::Refused(error))) => Err(failed(error)),
            Ok(Err(NotCommitted::Lost(cause))) => {
                Err(StoreError::NotDurable(Some(StoreCause { kind: kind(&cause), error: cause.into() })))
            }
            Err(_) => Err(StoreError::NotDurable(None)),
        }
    }

    /// Makes this transaction a member of the group; closes the group unless somebody waits for a turn in it.
    async fn join(mut self, mut changes: DeferredChanges, member: Member) {
        self.entered = false;
        let closes = !self.writer.has_waiters() || self.connection.group.len() + 1 >= GROUP_MAX;
        let (count, end) = (changes.len(), if closes { RELEASE_AND_COMMIT } else { RELEASE });
        let joined = match changes.join(end, Vec::new()) {
            Ok(joined) => joined,
            Err(error) => return self.refuse(sqlx::Error::Encode(error.into()), member).await,
        };
        let is_there = if closes { self.connection.ensure_there() } else { Ok(()) };
        let ended = match is_there {
            Ok(()) => self.connection.run_joined(joined).await,
            Err(error) => Err((count, error)),
        };
        match ended {
            // A change of its own, not the end of the group.
            Err((done, error)) if done < count => self.refuse(error, member).await,
            Err((_, error)) => {
                self.connection.group.push(member);
                self.connection.fail_group(error).await;
            }
            Ok(()) => {
                self.connection.group.push(member);
                if closes {
                    self.connection.ended().await;
                } else if !self.writer.has_waiters() {
                    // Whoever waited went away meanwhile.
                    self.connection.close().await;
                }
            }
        }
    }

    /// Takes everything of this transaction back, because one of its changes was refused.
    async fn refuse(&mut self, error: sqlx::Error, member: Member) {
        self.connection.left = true;
        self.connection.take_back_what_was_left().await;
        // Whoever went away meanwhile does not need to know.
        let _ = member.send(Err(NotCommitted::Refused(error)));
        if !self.writer.has_waiters() {
            self.connection.close().await;
        }
    }
}
