//! Commands on one document take turns while the invoice data service is elsewhere: no lock holds a document there, so the
//! intent of a command is its turn.
//!
//! A command that comes too early waits for its turn and is then decided anew, from a document that is read again. It
//! does not wait for long, and not at all for a command whose call has to be repeated.

use super::Remote;
use crate::error::CommandError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_storage::intents::{self, Intent};
use gateway_storage::{StoreError, Tx};
use std::time::Duration;
use tokio::time::Instant;

/// Longest wait of a command for its turn, from the moment in which it was found to come too early.
const PATIENCE: Duration = Duration::from_secs(3);
/// Between two looks whether the turn has come.
const APART: Duration = Duration::from_millis(25);

impl Remote<'_> {
    /// Gives a command until it is its turn, or the wait has lasted too long. Every attempt reads the document itself.
    pub(super) async fn in_turn<T, F>(
        &self,
        document: InvoiceId,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, CommandError>
    where
        F: Future<Output = Result<T, CommandError>>,
    {
        let mut since = None;
        loop {
            match attempt().await {
                Err(CommandError::OnItsWay) => {
                    let since = *since.get_or_insert_with(Instant::now);
                    if !self.turn_comes(document, since).await? {
                        return Err(CommandError::OnItsWay);
                    }
                }
                done => return done,
            }
        }
    }

    /// Waits until no command on the document is on its way; `false` when the wait lasts too long.
    async fn turn_comes(&self, document: InvoiceId, since: Instant) -> Result<bool, StoreError> {
        while since.elapsed() < PATIENCE {
            match intents::find(self.finance.db(), document).await? {
                None => return Ok(true),
                Some(intent) if intent.retries > 0 => return Ok(false),
                Some(_) => tokio::time::sleep(APART).await,
            }
        }
        Ok(false)
    }

    /// Takes the turn of a command, until [`Remote::end_turn`], or until the intent that is written into it ends.
    pub(super) async fn take_turn(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: &Invoice,
    ) -> Result<Intent, CommandError> {
        self.begin_turn(tx, acting, document).await?.ok_or(CommandError::OnItsWay)
    }

    /// [`Remote::take_turn`]; none while another command on the document has it.
    pub(super) async fn begin_turn(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: &Invoice,
    ) -> Result<Option<Intent>, StoreError> {
        let turn = Intent {
            id: self.finance.ids().next(),
            document: document.id,
            workspace: document.workspace,
            body: "{}".to_owned(),
            actor: acting.actor.clone(),
            retries: 0,
            created_at: self.finance.now(),
        };
        Ok(intents::begin(tx, &turn).await?.then_some(turn))
    }

    /// Gives a turn back, in the transaction that took it.
    pub(super) async fn end_turn(&self, tx: &mut Tx, turn: &Intent) -> Result<(), StoreError> {
        intents::end(tx, turn.id).await?;
        Ok(())
    }
}
