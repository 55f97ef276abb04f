//! The issue to the tax authority at a remote invoice data service. Its submission is its intent: it is committed before the
//! service is called, so no crash forgets it, and the background goes on with it.

use super::call::{make, refused};
use super::{InvoiceData as _, RemoteInvoiceData};
use crate::error::CommandError;
use crate::invoice_data::{Outcome, events_so_far};
use crate::record::{Effect, Step, numbered};
use gateway_domain::access::{Acting, RequestKey};
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain_finance::{
    ExpectedVersion, Facts, InvoiceDataCall, Open, Plan, Requested, Stage, Submission,
};
use gateway_storage::submissions;
use jiff::Timestamp;

/// Who takes the step from the wish to its number.
pub(super) enum Requester<'a> {
    /// The command that committed the wish, with its request's key: what the service refuses is the caller's error.
    Command(Option<&'a RequestKey>),
    /// The job of the submission, after a crash of that command.
    Job,
}

impl RemoteInvoiceData {
    /// [`super::InvoiceData::execute`] of the plan of an issue to the tax authority.
    pub(super) async fn submit(
        &self,
        acting: &Acting,
        facts: &Facts,
        plan: Plan,
    ) -> Result<Outcome, CommandError> {
        let (document, at) = (&facts.document, plan.submitted().and_then(|(_, at)| at));
        let before = events_so_far(self.context.db(), document.id).await?;
        let (requested, caller) = match facts.command.resumed() {
            Some(requested) => (requested.clone(), Requester::Job),
            None => (self.request(acting, facts, at).await?, Requester::Command(acting.request.as_ref())),
        };
        // The same step the job takes after a crash; whoever comes first does it.
        let by = Acting { request: None, ..acting.clone() };
        let issuing = self.call_issuing(requested, &by, at, Some(document.version), caller).await?;
        Ok(Outcome::read(self.context.db(), acting, issuing, document.id, before).await?)
    }

    /// Commits the wish to submit a document, if the document and its submission are still as they were read. What another
    /// wish moved to issuing looks to the service's answer like what this one moved, so it is read again before there is one.
    async fn request(
        &self,
        acting: &Acting,
        facts: &Facts,
        at: Option<Timestamp>,
    ) -> Result<Submission<Open<Requested>>, CommandError> {
        let document = &facts.document;
        let found = self.document(acting, document.id).await?.ok_or(CommandError::Gone)?;
        if found.version != document.version {
            return Err(CommandError::InProgress);
        }
        let mut tx = self.context.db().begin().await?;
        let existing = submissions::find(&mut tx, document.id, &acting.workspaces).await?;
        let before = facts.command.submission().map(|found| found.version);
        if before != existing.as_ref().map(|found| found.version) || !self.is_on_route(&mut tx, facts).await?
        {
            return Err(CommandError::InProgress);
        }
        let requested = match existing {
            None => self.recorder.requested_in(&mut tx, acting, document, at, self.context.grace()).await?,
            Some(existing) => self.recorder.requested_again_in(&mut tx, acting, &existing, at).await?,
        };
        let requested = requested.ok_or(CommandError::InProgress)?;
        self.context.claim_request(&mut tx, acting).await?;
        tx.commit_at("requested").await?;
        Ok(requested)
    }

    /// Has the document moved to issuing, and records its number, or withdraws the wish; gives the document as it is then. A
    /// refusal frees the request's key, kept with the wish: the request may be repeated once what was wrong is mended.
    ///
    /// # Errors
    /// [`CommandError::InProgress`] when the wish was withdrawn and somebody else moved its submission first.
    pub(super) async fn call_issuing(
        &self,
        requested: Submission<Open<Requested>>,
        acting: &Acting,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
        caller: Requester<'_>,
    ) -> Result<Invoice, CommandError> {
        let (expected, id) = (ExpectedVersion::from(&requested), requested.document);
        let (found, refusal) = match self.begin_issuing(&requested, acting, at, expected_version).await {
            Ok(found) => (Some(found), None),
            Err(error @ (CommandError::InvoiceData(_) | CommandError::Store(_))) => return Err(error),
            Err(error) => (self.document(acting, id).await?, Some(error)),
        };
        let step = match (&found, &refusal, &caller) {
            (Some(found), None, _) => numbered(requested, found.clone()),
            // Refused because somebody was faster: the document is issuing under this very wish.
            (Some(found), Some(_), _) if found.state.status() == Status::Issuing => {
                numbered(requested, found.clone())
            }
            // What goes out is what was checked.
            (Some(_), Some(CommandError::Stale { current }), Requester::Job) => {
                return Err(CommandError::Stale { current: *current });
            }
            (Some(_) | None, _, _) => Step::to(requested.end(Requested::withdrawn)),
        };
        let is_withdrawn = step.submission.stage() == Stage::Withdrawn;
        let step = match caller {
            Requester::Command(Some(key)) if is_withdrawn => {
                step.with(Effect::Wake).with(Effect::FreeKey(key.clone()))
            }
            Requester::Command(_) => step.with(Effect::Wake),
            // It goes on by itself.
            Requester::Job => step,
        };
        let stored = self.recorder.store(step, expected, &acting.actor, None).await?.is_some();
        match (refusal, found) {
            (Some(error), _) if is_withdrawn && stored => Err(error),
            (_, Some(mut found)) if !is_withdrawn => {
                self.add_submission(&mut found).await?;
                Ok(found)
            }
            (_, Some(_) | None) => Err(CommandError::InProgress),
        }
    }

    /// Moves a document to issuing, to be sent to the tax authority, if it is still at `expected_version`.
    async fn begin_issuing(
        &self,
        requested: &Submission<Open<Requested>>,
        acting: &Acting,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<Invoice, CommandError> {
        let id = requested.document;
        let call = InvoiceDataCall::BeginIssuing { at, expected_version };
        let answer = make(self.client.as_ref(), &call, &acting.actor, (requested.workspace, id), "").await;
        let found = self.document(acting, id).await?;
        match (answer, found) {
            (Ok(()), Some(found)) => Ok(found),
            (Ok(()), None) => Err(CommandError::Gone),
            // The answer was lost, and the call was carried out.
            (Err(error), Some(found)) if error.is_open() && found.state.status() == Status::Issuing => {
                Ok(found)
            }
            (Err(error), found) => Err(refused(&call, error, found.as_ref())),
        }
    }
}
