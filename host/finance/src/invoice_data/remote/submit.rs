//! The issue to the tax authority at a remote invoice data service. Its submission is its intent: it is committed before the
//! service is called, so no crash forgets it, and the background goes on with it.

use super::call::{issue_error, make};
use super::{InvoiceData as _, RemoteInvoiceData};
use crate::error::CommandError;
use crate::facts::Facts;
use crate::outcome::{Outcome, events_so_far};
use crate::record::{Effect, Step, numbered};
use gateway_domain::access::{Acting, RequestKey};
use gateway_domain::invoicing::{Invoice, IssueError, Status};
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{
    Command, InvoiceDataCall, Open, Plan, Refusal, Requested, Stage, Submission, ensure_taken,
};
use gateway_storage::correctives::REMOTE;
use gateway_storage::submissions;
use jiff::Timestamp;

/// Who takes the step from the wish to its number.
pub(super) enum Requester<'a> {
    /// The command that committed the wish, with its request's key: what the service refuses is the caller's error.
    Command(Option<&'a RequestKey>),
    /// The background, after a crash of that command.
    Background,
}

impl RemoteInvoiceData {
    /// [`super::InvoiceData::execute`] of the plan of an issue to the tax authority.
    pub(super) async fn submit(
        &self,
        acting: &Acting,
        facts: &Facts,
        plan: Plan,
    ) -> Result<Outcome, CommandError> {
        let document = &facts.document;
        if acting.trial {
            // Which number the service would give is not tried out.
            return Ok(Outcome { document: plan.result, events: Vec::new(), warnings: Vec::new() });
        }
        let at = plan.submitted().and_then(|(_, at)| at);
        let before = events_so_far(self.context.db(), document.id).await?;
        let left = facts.submission.clone().and_then(Submission::into_requested);
        let (requested, caller) = if let Some(requested) = left {
            (requested, Requester::Background)
        } else {
            (self.request(acting, facts, at).await?, Requester::Command(acting.request.as_ref()))
        };
        // The same step the background takes after a crash; whoever comes first does it.
        let by = Acting { request: None, ..acting.clone() };
        let after = self.call_issuing(requested, &by, at, Some(document.version), caller).await?;
        let document = self.document(acting, document.id).await?.ok_or(CommandError::Gone)?;
        if after == Stage::Withdrawn && document.state.status() != Status::Issuing {
            document.ensure_billable()?;
            ensure_taken(&document, Command::Issue)?;
        }
        let subject = document.id;
        Ok(Outcome::read(self.context.db(), acting, document, subject, before).await?)
    }

    /// Commits the wish to submit a document that is still as it was read. The submission was read before the document and has
    /// to be the same now, so a document that another request moved meanwhile is seen issuing, or its submission is seen moved.
    async fn request(
        &self,
        acting: &Acting,
        facts: &Facts,
        at: Option<Timestamp>,
    ) -> Result<Submission<Open<Requested>>, CommandError> {
        let document = &facts.document;
        let locked = || CommandError::Refused(Refusal::LockedWhileIssuing);
        let found = self.document(acting, document.id).await?.ok_or(CommandError::Gone)?;
        ensure_taken(&found, Command::Issue)?;
        if found.version != document.version {
            return Err(CommandError::Stale { current: found.version });
        }
        let mut tx = self.context.db().begin().await?;
        let existing = submissions::find(&mut tx, document.id, &acting.workspaces).await?;
        let version = |submission: &Option<Submission>| submission.as_ref().map(|found| found.version);
        // While it settles, the service was told the verdict, and finance records it in a moment.
        let is_settling = existing.as_ref().is_some_and(|existing| existing.stage() == Stage::Settling);
        if version(&facts.submission) != version(&existing) || is_settling {
            return Err(locked());
        }
        let requested = match existing {
            None => self.recorder.requested_in(&mut tx, acting, document, at, self.context.grace()).await?,
            Some(existing) => self.recorder.requested_again_in(&mut tx, acting, &existing, at).await?,
        };
        let requested = requested.ok_or_else(locked)?;
        self.context.claim_request(&mut tx, acting).await?;
        tx.commit_at("requested").await?;
        Ok(requested)
    }

    /// Has the document moved to issuing, and records its number, or withdraws the wish; says how far the submission is then. A
    /// refusal frees the request's key, kept with the wish: the request may be repeated once what was wrong is mended.
    pub(super) async fn call_issuing(
        &self,
        requested: Submission<Open<Requested>>,
        acting: &Acting,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
        caller: Requester<'_>,
    ) -> Result<Stage, CommandError> {
        let (version, id) = (requested.version, requested.document);
        let (found, refused) = match self.begin_issuing(&requested, acting, at, expected_version).await {
            Ok(found) => (Some(found), None),
            Err(error @ (CommandError::InvoiceData(_) | CommandError::Store(_))) => return Err(error),
            Err(error) => (self.document(acting, id).await?, Some(error)),
        };
        let step = match (found, &refused, &caller) {
            (Some(found), None, _) => numbered(requested, found),
            // Refused because somebody was faster: the document is issuing under this very wish.
            (Some(found), Some(_), _) if found.state.status() == Status::Issuing => {
                numbered(requested, found)
            }
            // What goes out is what was checked.
            (Some(_), Some(CommandError::Stale { current }), Requester::Background) => {
                return Err(CommandError::Stale { current: *current });
            }
            (Some(_) | None, _, _) => Step::to(requested.end(Requested::withdrawn)),
        };
        let stage = step.submission.stage();
        let step = match (caller, stage) {
            (Requester::Command(Some(key)), Stage::Withdrawn) => {
                step.with(Effect::Wake).with(Effect::FreeKey(key.clone()))
            }
            (Requester::Command(_), _) => step.with(Effect::Wake),
            // Its job goes on by itself.
            (Requester::Background, _) => step,
        };
        let stored = self.recorder.store(step, version, &acting.actor).await?;
        match refused {
            Some(error) if stage == Stage::Withdrawn && stored => Err(error),
            Some(_) | None => Ok(stage),
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
        if REMOTE.is_blocked(self.context.db(), id).await? {
            return Err(IssueError::Blocked.into());
        }
        let call = InvoiceDataCall::BeginIssuing { at, expected_version };
        let answer = make(self.client.as_ref(), &call, &acting.actor, (requested.workspace, id), "").await;
        let found = self.document(acting, id).await?;
        match (answer, found) {
            (Ok(()), Some(found)) => Ok(found),
            // The answer was lost, and the call was carried out.
            (Err(error), Some(found)) if error.is_open() && found.state.status() == Status::Issuing => {
                Ok(found)
            }
            (Ok(()) | Err(InvoiceDataError::Gone), None) => Err(CommandError::Gone),
            (Err(InvoiceDataError::Stale), Some(found)) => {
                Err(CommandError::Stale { current: found.version })
            }
            (Err(InvoiceDataError::Refused(errors)), Some(found)) => match issue_error(&errors, &found) {
                Some(error) => Err(CommandError::Issue(error)),
                None => Err(CommandError::InvoiceData(InvoiceDataError::Refused(errors))),
            },
            (Err(error), _) => Err(CommandError::InvoiceData(error)),
        }
    }
}
