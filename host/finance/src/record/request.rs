//! The wish to submit a document, stored before the document has its number.

use super::Recorder;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::invoicing::Invoice;
use gateway_domain_finance::{Open, Requested, Stage, Submission};
use gateway_storage::{Tx, issue_times, submissions};
use jiff::Timestamp;

impl Recorder {
    /// The first wish to submit a document at the caller's own time `at`; the background takes it up when it is `due`. None
    /// when another request was faster.
    pub(crate) async fn requested_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
        due: Timestamp,
    ) -> Result<Option<Submission<Open<Requested>>>, StoreError> {
        let actor = acting.actor.0.clone();
        let first = Submission::intent(document.id, document.workspace, actor, self.context.now());
        if !submissions::insert(tx, &first.clone().into()).await? {
            return Ok(None);
        }
        issue_times::keep(tx, document.id, at).await?;
        self.schedule(tx, document.id, due);
        Ok(Some(first))
    }

    /// Another wish to submit a document that was submitted before. None when another request was faster.
    pub(crate) async fn requested_again_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        existing: &Submission,
        at: Option<Timestamp>,
    ) -> Result<Option<Submission<Open<Requested>>>, StoreError> {
        // Another request is moving the document at this moment, or died and the background goes on for it.
        if existing.stage() == Stage::Requested {
            return Ok(None);
        }
        let again = self.restarted(tx, acting, existing)?;
        if !self.update(tx, &existing.into(), &again.clone().into()).await? {
            return Ok(None);
        }
        issue_times::keep(tx, existing.document, at).await?;
        self.schedule(tx, existing.document, self.context.grace());
        Ok(Some(Submission { version: again.version.saturating_add(1), ..again }))
    }
}
