//! Commands on one document exclude each other while the invoice data service is remote: no row lock holds a document
//! there, so the intent of a command is the lock of its document.
//!
//! A command that finds the document locked waits and is then decided anew, from a document that is read again. It does
//! not wait for long, and not at all for a command whose call has to be repeated.

use super::RemoteInvoiceData;
use crate::error::CommandError;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_storage::Tx;
use gateway_storage::intents::{self, Intent};
use std::time::Duration;
use tokio::time::Instant;

/// Longest wait of a command for the lock, from the moment in which it found the document locked.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);
/// Between two reads of the lock.
const POLL_EVERY: Duration = Duration::from_millis(25);

impl RemoteInvoiceData {
    /// Waits until no command on the document is on its way; `false` when the wait lasts too long.
    pub(super) async fn is_unlocked(&self, document: InvoiceId, since: Instant) -> Result<bool, StoreError> {
        while since.elapsed() < LOCK_TIMEOUT {
            match intents::find(self.context.db(), document).await? {
                None => return Ok(true),
                Some(intent) if intent.retries > 0 => return Ok(false),
                Some(_) => tokio::time::sleep(POLL_EVERY).await,
            }
        }
        Ok(false)
    }

    /// Locks the document for a command, until [`RemoteInvoiceData::release_lock`], or until the intent that is written into
    /// the lock ends.
    pub(super) async fn take_lock(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: &Invoice,
    ) -> Result<Intent, CommandError> {
        self.begin_lock(tx, acting, document).await?.ok_or(CommandError::InProgress)
    }

    /// [`RemoteInvoiceData::take_lock`]; none while another command has the document.
    pub(super) async fn begin_lock(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: &Invoice,
    ) -> Result<Option<Intent>, StoreError> {
        let lock = Intent {
            id: self.context.ids().next(),
            document: document.id,
            workspace: document.workspace,
            body: "{}".to_owned(),
            actor: acting.actor.clone(),
            retries: 0,
            created_at: self.context.now(),
        };
        Ok(intents::begin(tx, &lock).await?.then_some(lock))
    }

    /// Releases a lock, in the transaction that took it.
    pub(super) async fn release_lock(&self, tx: &mut Tx, lock: &Intent) -> Result<(), StoreError> {
        intents::end(tx, lock.id).await?;
        Ok(())
    }
}
