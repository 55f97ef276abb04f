//! The wish to submit a document, and what becomes of it once the document has its number.

use super::{Effect, Recorder, Step};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::invoicing::Invoice;
use gateway_domain_finance::{AttemptEnd, FinanceEvent, Open, Requested, Stage, Submission};
use gateway_storage::{Tx, attempts, issue_times, submissions};
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
        self.schedule(tx, document.id, due).await?;
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
        let again = self.again(tx, acting, existing).await?;
        if !submissions::update(tx, &again.clone().into()).await? {
            return Ok(None);
        }
        issue_times::keep(tx, existing.document, at).await?;
        self.schedule(tx, existing.document, self.context.grace()).await?;
        Ok(Some(Submission { version: again.version.saturating_add(1), ..again }))
    }

    /// A submission that starts afresh.
    async fn again(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        existing: &Submission,
    ) -> Result<Submission<Open<Requested>>, StoreError> {
        let now = self.context.now();
        // Still open although the document is not issuing: it was moved without finance.
        if let Some(job) = existing.job().filter(|_| !existing.has_ended()) {
            attempts::end(tx, &AttemptEnd::superseded(job, None), now).await?;
        }
        Ok(existing.requested_again(acting.actor.0.clone(), now))
    }

    /// Records that a document was moved to issuing, in the transaction that moved it: its submission has its number, and the
    /// background takes the next step at once.
    pub(super) async fn record_submitted(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        issuing: &Invoice,
    ) -> Result<(), StoreError> {
        let existing = submissions::lock(tx, issuing.id, &Workspaces::All).await?;
        let requested = if let Some(existing) = &existing {
            self.again(tx, acting, existing).await?
        } else {
            Submission::intent(issuing.id, issuing.workspace, acting.actor.0.clone(), self.context.now())
        };
        let version = requested.version;
        let step = numbered(requested, issuing.clone()).with(Effect::Wake);
        let stored = match existing {
            Some(_) => self.store_in(tx, step, version, &acting.actor).await?,
            None => self.insert_in(tx, step, &acting.actor).await?,
        };
        if stored { Ok(()) } else { Err(StoreError::Moved { table: "submission" }) }
    }
}

/// The number is known: finance tells that the document is issuing, and converts it next.
pub(crate) fn numbered(submission: Submission<Open<Requested>>, document: Invoice) -> Step {
    let step = match document.state.number().cloned() {
        Some(number) => Step::to(submission.step(|requested| requested.numbered(number))),
        // A remote service said that it moved the document, and shows a draft.
        None => Step::to(submission.end(Requested::superseded)),
    };
    step.with(Effect::Event(FinanceEvent::Issuing, Box::new(document)))
}
