//! A call to the remote invoice data service, from the intent to what follows from it.
//!
//! | step | commits | after a crash or a lost answer |
//! |---|---|---|
//! | intent | the call, what to record, the request's key, a job | the job goes on |
//! | call | nothing here | the document tells whether it was carried out; if not, it is made again |
//! | record | finance's events and what follows, the intent's end | whoever ends the intent records; others find it ended |

use super::call::{IntentBody, refused};
use super::follow::RemoteFollowUp;
use super::submit::Requester;
use super::{InvoiceData as _, RemoteInvoiceData};
use crate::error::CommandError;
use crate::jobs::ResumeIntent;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{
    InvoiceDataCall, NextStep, Open, Plan, Record, Requested, Route, Submission, backoff_s,
};
use gateway_jobs::{Job as _, Outcome};
use gateway_storage::correctives::REMOTE;
use gateway_storage::intents::{self, Intent};
use gateway_storage::{Tx, idempotency};
use jiff::{SignedDuration, Timestamp};

/// How long the background leaves a fresh intent to the request that made it: longer than a call may take.
const GRACE: SignedDuration = SignedDuration::from_secs(15);
/// Longest wait between two tries of a call.
const WAIT_MAX_S: u32 = 30;

/// What goes on after a record.
#[derive(Debug)]
enum Continuation {
    /// The rest of the command: the intent of this document.
    Intent(InvoiceId),
    /// The rest of the command: the submission of a credit note, with the caller's own time of it.
    Submit(Box<Submission<Open<Requested>>>, Option<Timestamp>),
    /// What follows from the command: the intent of this document.
    FollowUp(InvoiceId),
}

impl RemoteInvoiceData {
    /// Writes a plan into the lock that was taken for it, with the job that goes on with it.
    pub(super) async fn write_intent(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        lock: &mut Intent,
        plan: Plan,
    ) -> Result<(), StoreError> {
        let document = lock.document;
        let Some(intended) = IntentBody::of(plan, acting)? else { return Ok(()) };
        lock.body = StoreError::json(&intended)?;
        intents::describe(tx, lock).await?;
        match intended.record {
            Record::Credited | Record::Reversed => {
                intents::keep_note(tx, document, intended.target, lock.workspace, self.context.now()).await?;
            }
            Record::Corrective => REMOTE.keep(tx, intended.target, document).await?,
            Record::Nothing
            | Record::Event(_)
            | Record::Refunded { .. }
            | Record::Submitted
            | Record::Verdict
            | Record::Settled
            | Record::EarlierAccepted { .. }
            | Record::EarlierRefuted { .. } => {}
        }
        ResumeIntent(document).enqueue(tx, self.context.ids(), self.context.after(GRACE));
        Ok(())
    }

    /// Goes on with an intent and with all that follows from it; gives the document of the last call.
    pub(super) async fn resume_with(&self, intent: Intent) -> Result<Option<Invoice>, CommandError> {
        let (document, next) = self.take(intent, true).await?;
        match next {
            None => Ok(document),
            Some(Continuation::FollowUp(of)) => {
                self.continue_document(of).await;
                Ok(document)
            }
            Some(rest) => Ok(self.run_continuation(rest).await?.or(document)),
        }
    }

    /// Goes on at once with the intent of a document, if there is one; when that fails, its job does it.
    pub(super) async fn continue_document(&self, document: InvoiceId) {
        self.continue_with(Continuation::FollowUp(document)).await;
    }

    /// What fails here is repeated by its job.
    async fn continue_with(&self, next: Continuation) {
        if let Err(error) = self.run_continuation(next).await {
            tracing::warn!("What follows from a command is repeated in a moment: {error}");
        }
    }

    async fn run_continuation(&self, next: Continuation) -> Result<Option<Invoice>, CommandError> {
        match next {
            Continuation::Intent(document) | Continuation::FollowUp(document) => {
                match intents::find(self.context.db(), document).await? {
                    Some(intent) => Box::pin(self.resume_with(intent)).await,
                    None => Ok(None),
                }
            }
            Continuation::Submit(requested, at) => {
                let by = Acting { actor: Actor(requested.actor.clone()), ..Acting::gateway() };
                self.call_issuing(*requested, &by, at, None, Requester::Command(None)).await.map(Some)
            }
        }
    }

    /// The background's part: an intent whose request died, or got no answer.
    pub(super) async fn resume_intent(&self, document: InvoiceId) -> Outcome {
        let intent = match intents::find(self.context.db(), document).await {
            Ok(Some(intent)) => intent,
            Ok(None) => return Outcome::Done,
            Err(error) => {
                tracing::error!(document.id = %document, "The call for {document} is repeated: {error}");
                return Outcome::Again(self.context.after(SignedDuration::from_secs(2)));
            }
        };
        let retries = intent.retries;
        match self.take(intent, false).await {
            Ok((_, next)) => {
                if let Some(next) = next {
                    self.continue_with(next).await;
                }
                Outcome::Done
            }
            Err(error @ (CommandError::InvoiceData(_) | CommandError::Store(_))) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error, document.id = %document,
                    "The call for {document} is repeated, {retries} times so far: {error}"
                );
                Outcome::Again(
                    self.context.after(SignedDuration::from_secs(backoff_s(retries).min(WAIT_MAX_S).into())),
                )
            }
            // It was withdrawn: nobody waits for its answer any more.
            Err(error) => {
                tracing::warn!(document.id = %document, "The call for {document} was refused: {error}");
                Outcome::Done
            }
        }
    }

    /// Makes the call, unless the document shows that it was made, and records what came of it.
    async fn take(
        &self,
        intent: Intent,
        first: bool,
    ) -> Result<(Option<Invoice>, Option<Continuation>), CommandError> {
        let intended = IntentBody::read(&intent)?;
        let acting = Acting { actor: intent.actor.clone(), ..Acting::gateway() };
        if !first {
            let found = self.document(&acting, intended.target).await?;
            if intended.is_carried_out(found.as_ref()) {
                return self.conclude(&intent, &intended, found).await;
            }
        }
        match intended.call(self.client.as_ref(), &intent).await {
            Ok(()) => {}
            // Whoever gave the command was told that it may be carried out all the same.
            Err(error @ InvoiceDataError::Unauthorised { .. }) if !first => {
                return self.not_yet(&intent, error).await;
            }
            Err(error) if error.is_open() => {
                let found = self.document(&acting, intended.target).await?;
                if intended.is_carried_out(found.as_ref()) {
                    return self.conclude(&intent, &intended, found).await;
                }
                return self.not_yet(&intent, error).await;
            }
            // What was to be made is there: somebody else made the same call.
            Err(InvoiceDataError::Stale) if intended.call.makes_a_document() => {
                let found = self.document(&acting, intended.target).await?;
                if found.is_none() {
                    return self.not_yet(&intent, InvoiceDataError::Stale).await;
                }
                return self.conclude(&intent, &intended, found).await;
            }
            Err(error) => {
                self.withdraw(&intent, &intended).await?;
                let found = self.document(&acting, intended.target).await?;
                // Another command was faster than this one was decided: it is decided anew, from what there is now.
                if first
                    && matches!(error, InvoiceDataError::Refused(_))
                    && intended.is_outdated(found.as_ref())?
                {
                    return Err(CommandError::InProgress);
                }
                return Err(refused(&intended.call, error, found.as_ref()));
            }
        }
        let found = self.document(&acting, intended.target).await?;
        if found.is_none() && !matches!(intended.call, InvoiceDataCall::Delete { .. }) {
            let detail = format!("it made {} and does not show it", intended.target);
            return self.not_yet(&intent, InvoiceDataError::Protocol { detail }).await;
        }
        self.conclude(&intent, &intended, found).await
    }

    /// The call is made again later.
    async fn not_yet<T>(&self, intent: &Intent, error: InvoiceDataError) -> Result<T, CommandError> {
        let mut tx = self.context.db().begin().await?;
        intents::count_retry(&mut tx, intent.id).await?;
        tx.commit_at("postponed").await?;
        Err(CommandError::InvoiceData(error))
    }

    /// Nothing was done: the intent is taken back, with the key of its request.
    async fn withdraw(&self, intent: &Intent, intended: &IntentBody) -> Result<(), StoreError> {
        let mut tx = self.context.db().begin().await?;
        if intents::end(&mut tx, intent.id).await? {
            if let Some((scope, key)) = &intended.request {
                idempotency::release(&mut tx, scope, key).await?;
            }
            if intended.target != intent.document {
                intents::forget(&mut tx, intended.target).await?;
            }
            tx.commit_at("withdrawn").await?;
        }
        Ok(())
    }

    /// Records what came of a call, once.
    async fn conclude(
        &self,
        intent: &Intent,
        intended: &IntentBody,
        found: Option<Invoice>,
    ) -> Result<(Option<Invoice>, Option<Continuation>), CommandError> {
        let acting = Acting { actor: intent.actor.clone(), ..Acting::gateway() };
        // What is read at the service is read before the transaction.
        let follow_up = match &found {
            Some(found) if intended.call.is_a_verdict_or_an_issue() => {
                Box::pin(self.follow_up_facts(found)).await?
            }
            Some(_) | None => RemoteFollowUp::default(),
        };
        let mut tx = self.context.db().begin().await?;
        if !intents::end(&mut tx, intent.id).await? {
            tx.rollback().await?;
            return Ok((found, None));
        }
        let next = Box::pin(self.conclude_in(&mut tx, &acting, intended, found.as_ref(), &follow_up)).await?;
        tx.commit_at("concluded").await?;
        Ok((found, next))
    }

    async fn conclude_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        intended: &IntentBody,
        found: Option<&Invoice>,
        follow_up: &RemoteFollowUp,
    ) -> Result<Option<Continuation>, StoreError> {
        let before = intended.document()?;
        let now = match found {
            Some(found) => found.clone(),
            // What is told of a deleted document is a version later.
            None => Invoice { version: before.version.saturating_add(1), ..before.clone() },
        };
        if matches!(intended.call, InvoiceDataCall::Delete { .. }) {
            intents::forget(tx, intended.target).await?;
        }
        let is_told = if let Record::Event(event) = intended.record {
            self.recorder.is_recorded(tx, event, &now).await?
        } else {
            false
        };
        if !is_told {
            Box::pin(self.recorder.record(tx, acting, &before, &intended.record, &now)).await?;
        }
        if let Some(NextStep::Issue { at }) = intended.then {
            return self.issue_next(tx, acting, &now, at).await.map(Some);
        }
        // This command has the lock, so there is none that anything would wait for.
        Ok(self.follow(tx, &now, follow_up).await?.intent().map(Continuation::FollowUp))
    }

    /// A credit note that was just written goes on its way.
    async fn issue_next(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        note: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Continuation, StoreError> {
        match self.regimes.route(&mut *tx, note).await? {
            Route::TaxAuthority => {
                let due = self.context.grace();
                let requested = self.recorder.requested_in(tx, acting, note, at, due).await?;
                let requested = requested.ok_or(StoreError::Moved { table: "submission" })?;
                Ok(Continuation::Submit(Box::new(requested), at))
            }
            Route::Standard => {
                if let Some(mut lock) = self.begin_lock(tx, acting, note).await? {
                    let plan = Plan::issue(note.clone(), Route::Standard, at, None);
                    self.write_intent(tx, acting, &mut lock, plan).await?;
                }
                Ok(Continuation::Intent(note.id))
            }
        }
    }
}
