//! A call to the invoice data service elsewhere, from the intent to what follows from it.
//!
//! | step | commits | after a crash or a lost answer |
//! |---|---|---|
//! | intent | the call, what to record, the request's key, a job | the job goes on |
//! | call | nothing here | the document tells whether it was carried out; if not, it is made again |
//! | record | finance's events and what follows, the intent's end | whoever ends the intent records; others find it ended |

use super::ResumeIntent;
use super::follow_up::FollowUp;
use super::plan::{Call, Plan, Record};
use crate::Gateway;
use crate::finance::CommandError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::finance::{FinanceEvent, Stage, Submission};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::{InvoiceDataError, InvoicingClient};
use gateway_invoicing::Related;
use gateway_jobs::{Job as _, Outcome};
use gateway_storage::intents::{self, Intent};
use gateway_storage::{Corrupt, StoreError, Tx, correctives, idempotency, issue_times, submissions};
use jiff::{SignedDuration, Timestamp};

/// How long the background leaves a fresh intent to the request that made it: longer than a call may take.
const GRACE: SignedDuration = SignedDuration::from_secs(15);
/// Longest wait between two tries of a call.
const WAIT_MAX_S: u32 = 30;

/// What goes on after a record.
#[derive(Debug)]
enum Then {
    /// The rest of the command: the intent of this document.
    Intent(InvoiceId),
    /// The rest of the command: the submission of a credit note.
    Submit(Box<Submission>, Option<Timestamp>),
    /// What follows from the command: the intent of this document.
    FollowUp(InvoiceId),
}

impl Gateway {
    /// Commits an intent, and says how much finance told of the document before it; refused while another command on
    /// the document is on its way.
    pub(super) async fn commit_intent(
        &self,
        acting: &Acting,
        document: &Invoice,
        plan: Plan,
    ) -> Result<(Intent, usize), CommandError> {
        let mut tx = self.db().begin().await?;
        let intent =
            self.intend_call(&mut tx, acting, document, plan).await?.ok_or(CommandError::OnItsWay)?;
        // Behind those who had the turn before.
        let before = self.told_so_far(&mut tx, document.id).await?;
        self.once(&mut tx, acting).await?;
        tx.commit().await?;
        Ok((intent, before))
    }

    /// Writes an intent down with the job that goes on with it; none while there is another.
    pub(super) async fn intend_call(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: &Invoice,
        mut plan: Plan,
    ) -> Result<Option<Intent>, StoreError> {
        plan.request = acting.request.as_ref().map(|request| (request.scope.clone(), request.key.clone()));
        let now = self.now();
        let intent = Intent {
            id: self.ids().next(),
            document: document.id,
            workspace: document.workspace,
            body: serde_json::to_string(&plan).unwrap_or_default(),
            actor: acting.actor.clone(),
            retries: 0,
            created_at: now,
        };
        if !intents::begin(tx, &intent).await? {
            return Ok(None);
        }
        match plan.record {
            Record::Credited | Record::Reversed { .. } => {
                let written = intents::notes(&mut *tx, document.id, document.workspace).await?;
                if plan.counted.is_some_and(|counted| counted != written) {
                    intents::end(tx, intent.id).await?;
                    return Ok(None);
                }
                intents::keep_note(tx, document.id, plan.target, document.workspace, now).await?;
            }
            Record::Corrective => correctives::ELSEWHERE.keep(tx, plan.target, document.id).await?,
            Record::Event(_) | Record::Verdict => {}
        }
        let at = now.checked_add(GRACE).unwrap_or(now);
        ResumeIntent(document.id).enqueue(tx, self.ids(), at).await?;
        Ok(Some(intent))
    }

    /// Goes on with an intent and with all that follows from it; gives the document of the last call.
    pub(super) async fn carry_on(
        &self,
        service: &dyn InvoicingClient,
        intent: Intent,
    ) -> Result<Option<Invoice>, CommandError> {
        let (document, then) = self.take(service, intent, true).await?;
        match then {
            None => Ok(document),
            Some(follow_up @ Then::FollowUp(_)) => {
                self.follow(service, follow_up).await;
                Ok(document)
            }
            Some(rest) => Ok(self.go_on(service, rest).await?.or(document)),
        }
    }

    /// Goes on at once with what follows from a command; when that fails, its job does it.
    async fn follow(&self, service: &dyn InvoicingClient, then: Then) {
        if let Err(error) = self.go_on(service, then).await {
            tracing::warn!("What follows from a command is repeated in a moment: {error}");
        }
    }

    /// Goes on at once with the intent of a document, if there is one.
    pub(crate) async fn follow_up_of(&self, document: InvoiceId) {
        if let Some(service) = self.elsewhere() {
            self.follow(service, Then::FollowUp(document)).await;
        }
    }

    async fn go_on(
        &self,
        service: &dyn InvoicingClient,
        then: Then,
    ) -> Result<Option<Invoice>, CommandError> {
        match then {
            Then::Intent(document) | Then::FollowUp(document) => {
                match intents::find(self.db(), document).await? {
                    Some(intent) => Box::pin(self.carry_on(service, intent)).await,
                    None => Ok(None),
                }
            }
            Then::Submit(submission, at) => {
                let acting = Acting {
                    actor: gateway_domain::access::Actor(submission.actor.clone()),
                    ..Acting::gateway()
                };
                let document = submission.document;
                self.request_step(*submission, &acting, at, None, None).await?;
                self.wake();
                Ok(self.invoice(&acting, document).await?)
            }
        }
    }

    /// The background's part: an intent whose request died, or got no answer.
    pub(crate) async fn resume(&self, document: InvoiceId) -> Outcome {
        let Some(service) = self.elsewhere() else {
            tracing::error!(document.id = %document, "A call for {document} waits: set finance.invoicing_url again");
            return Outcome::Again(self.soon(WAIT_MAX_S));
        };
        let intent = match intents::find(self.db(), document).await {
            Ok(Some(intent)) => intent,
            Ok(None) => return Outcome::Done,
            Err(error) => {
                tracing::error!(document.id = %document, "The call for {document} is repeated: {error}");
                return Outcome::Again(self.soon(2));
            }
        };
        let retries = intent.retries;
        match self.take(service, intent, false).await {
            Ok((_, then)) => {
                if let Some(then) = then {
                    self.follow(service, then).await;
                }
                Outcome::Done
            }
            Err(error @ (CommandError::InvoiceData(_) | CommandError::Store(_))) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error, document.id = %document,
                    "The call for {document} is repeated, {retries} times so far: {error}"
                );
                Outcome::Again(self.soon(gateway_domain::finance::backoff_s(retries).min(WAIT_MAX_S)))
            }
            // It was withdrawn: nobody waits for its answer any more.
            Err(error) => {
                tracing::warn!(document.id = %document, "The call for {document} was refused: {error}");
                Outcome::Done
            }
        }
    }

    fn soon(&self, seconds: u32) -> Timestamp {
        let now = self.now();
        now.checked_add(SignedDuration::from_secs(i64::from(seconds))).unwrap_or(now)
    }

    /// Makes the call, unless the document shows that it was made, and records what came of it.
    async fn take(
        &self,
        service: &dyn InvoicingClient,
        intent: Intent,
        first: bool,
    ) -> Result<(Option<Invoice>, Option<Then>), CommandError> {
        let plan: Plan = serde_json::from_str(&intent.body).map_err(|error| {
            StoreError::from(Corrupt::new("finance_intent", intent.document, "body", error))
        })?;
        let acting = Acting { actor: intent.actor.clone(), ..Acting::gateway() };
        if !first {
            let found = self.invoice(&acting, plan.target).await?;
            if plan.is_carried_out(found.as_ref()) {
                return self.conclude(&intent, &plan, found).await;
            }
        }
        let answer = plan.call(service, &intent).await;
        match answer {
            Ok(()) => {}
            // Whoever gave the command was told that it may be carried out all the same.
            Err(error @ InvoiceDataError::Unauthorised { .. }) if !first => {
                return self.not_yet(&intent, error).await;
            }
            Err(error) if error.is_open() => {
                let found = self.invoice(&acting, plan.target).await?;
                if plan.is_carried_out(found.as_ref()) {
                    return self.conclude(&intent, &plan, found).await;
                }
                return self.not_yet(&intent, error).await;
            }
            // What was to be made is there: somebody else made the same call.
            Err(InvoiceDataError::Stale) if plan.makes_a_document() => {
                let found = self.invoice(&acting, plan.target).await?;
                if found.is_none() {
                    return self.not_yet(&intent, InvoiceDataError::Stale).await;
                }
                return self.conclude(&intent, &plan, found).await;
            }
            Err(error) => {
                self.withdraw(&intent, &plan).await?;
                let found = self.invoice(&acting, plan.target).await.unwrap_or_default();
                return Err(plan.refused(error, found.as_ref()));
            }
        }
        let found = self.invoice(&acting, plan.target).await?;
        if found.is_none() && !matches!(plan.call, Call::Delete { .. }) {
            let detail = format!("it made {} and does not show it", plan.target);
            return self.not_yet(&intent, InvoiceDataError::Protocol { detail }).await;
        }
        self.conclude(&intent, &plan, found).await
    }

    /// The call is made again later.
    async fn not_yet<T>(&self, intent: &Intent, error: InvoiceDataError) -> Result<T, CommandError> {
        let mut tx = self.db().begin().await?;
        intents::retried(&mut tx, intent.id).await?;
        tx.commit().await?;
        Err(CommandError::InvoiceData(error))
    }

    /// Nothing was done: the intent is taken back, with the key of its request.
    async fn withdraw(&self, intent: &Intent, plan: &Plan) -> Result<(), StoreError> {
        let mut tx = self.db().begin().await?;
        if intents::end(&mut tx, intent.id).await? {
            if let Some((scope, key)) = &plan.request {
                idempotency::release(&mut tx, scope, key).await?;
            }
            if plan.target != intent.document {
                intents::forget(&mut tx, plan.target).await?;
            }
            tx.commit().await?;
        }
        Ok(())
    }

    /// Records what came of a call, once.
    async fn conclude(
        &self,
        intent: &Intent,
        plan: &Plan,
        found: Option<Invoice>,
    ) -> Result<(Option<Invoice>, Option<Then>), CommandError> {
        let acting = Acting { actor: intent.actor.clone(), ..Acting::gateway() };
        // What is read elsewhere is read before the transaction.
        let follow_up = match (&found, &plan.call) {
            (Some(found), Call::Issue { .. } | Call::IssueEarlier { .. } | Call::Reject { .. }) => {
                self.follow_up(found).await?
            }
            (Some(_), Call::Save { .. } | Call::Delete { .. }) | (None, _) => FollowUp::default(),
        };
        let mut tx = self.db().begin().await?;
        if !intents::end(&mut tx, intent.id).await? {
            tx.rollback().await?;
            return Ok((found, None));
        }
        let then = self.conclude_in(&mut tx, &acting, plan, found.as_ref(), follow_up).await?;
        tx.commit().await?;
        Ok((found, then))
    }

    /// [`Gateway::conclude`] within a transaction; a trial records the document that would come of the call.
    async fn conclude_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        plan: &Plan,
        found: Option<&Invoice>,
        follow_up: FollowUp,
    ) -> Result<Option<Then>, StoreError> {
        let before = plan.document()?;
        let now = found.unwrap_or(&before);
        let credit_note = |plan: &Plan| Related::credit_note(plan.target);
        match plan.record {
            Record::Event(FinanceEvent::Deleted) => {
                intents::forget(tx, plan.target).await?;
                let last = Invoice { version: before.version.saturating_add(1), ..before.clone() };
                self.append_finance(tx, FinanceEvent::Deleted, &last, &acting.actor).await?;
            }
            Record::Event(event) => {
                if !self.told_already(tx, event, now).await? {
                    self.append_finance(tx, event, now, &acting.actor).await?;
                }
            }
            Record::Credited => {
                let related = credit_note(plan);
                self.append_finance_with(tx, FinanceEvent::Credited, &before, &acting.actor, related).await?;
            }
            Record::Reversed { at } => {
                let related = credit_note(plan);
                self.append_finance_with(tx, FinanceEvent::Reversed, &before, &acting.actor, related).await?;
                if let (Some(note), false) = (found, acting.trial) {
                    return self.issue_next(tx, acting, note, at).await.map(Some);
                }
            }
            Record::Corrective => {
                let related = Related::corrective(plan.target);
                let event = FinanceEvent::CorrectiveDrafted;
                self.append_finance_with(tx, event, &before, &acting.actor, related).await?;
            }
            Record::Verdict => self.record_verdict(tx, acting, &before, now).await?,
        }
        // This command has the turn, so there is none that anything would wait for.
        Ok(self.apply_follow_up(tx, now, follow_up).await?.intent().map(Then::FollowUp))
    }

    /// A credit note that was just written goes on its way.
    async fn issue_next(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        note: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Then, StoreError> {
        match self.route_on(&mut *tx, note).await? {
            gateway_domain::finance::Route::TaxAuthority => {
                let actor = acting.actor.0.clone();
                let first = Submission::requested(note.id, note.workspace, actor, self.now());
                submissions::insert(tx, &first).await?;
                issue_times::keep(tx, note.id, at).await?;
                self.schedule(tx, note.id, self.soon(5)).await?;
                Ok(Then::Submit(Box::new(first), at))
            }
            gateway_domain::finance::Route::Standard => {
                let call = Call::Issue { acceptance: None, at, seen: None };
                let plan = Plan::new(note, note.id, call, Record::Event(FinanceEvent::Issued));
                self.intend_call(tx, acting, note, plan).await?;
                Ok(Then::Intent(note.id))
            }
        }
    }

    /// A verdict by hand, unless the submission came to one by itself: then that one is told already.
    async fn record_verdict(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        before: &Invoice,
        now: &Invoice,
    ) -> Result<(), StoreError> {
        let submission = submissions::lock(tx, now.id, &Workspaces::All).await?;
        let told = submission.is_some_and(|submission| {
            matches!(
                (submission.stage, now.state.status()),
                (Stage::Accepted, Status::Issued) | (Stage::Rejected, Status::Rejected)
            ) && submission.number.as_ref() == now.state.number()
        });
        if told {
            return Ok(());
        }
        let events: &[FinanceEvent] = match now.state.status() {
            Status::Issued => &[FinanceEvent::AcceptedByTaxAuthority, FinanceEvent::Issued],
            Status::Rejected => &[FinanceEvent::RejectedByTaxAuthority],
            Status::Draft | Status::Issuing => &[],
        };
        self.supersede(tx, acting, before, now, events).await
    }

    /// What a command would do: everything is recorded with the document that would come of the call, and taken back.
    pub(super) async fn try_out(
        &self,
        acting: &Acting,
        plan: &Plan,
        predicted: Invoice,
        subject: InvoiceId,
        before: usize,
    ) -> Result<crate::finance::Outcome, CommandError> {
        let mut tx = self.db().begin().await?;
        self.conclude_in(&mut tx, acting, plan, Some(&predicted), FollowUp::default()).await?;
        let outcome = self.outcome_in(&mut tx, acting, predicted, subject, before).await?;
        tx.rollback().await?;
        Ok(outcome)
    }
}
