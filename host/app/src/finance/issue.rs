//! The Issue command: which way the document goes, and the first steps of it.

use super::CommandError;
use crate::Gateway;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::finance::{
    AlertCode, AttemptOutcome, Command, FinanceEvent, Route, Stage, Submission, eligibility,
};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{DocumentKind, FieldError, Invoice, IssueError, Status};
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::RegimeDocumentKind;
use gateway_events::Source;
use gateway_invoicing::{FollowUps as _, Issue};
use gateway_storage::events::StoredEvent;
use gateway_storage::{
    On, StoreError, Tx, attempts, correctives, events, invoices, issue_times, submissions, workspaces,
};
use jiff::{SignedDuration, Timestamp};
use std::borrow::Cow;

/// How long the background leaves a fresh intent to the request that made it.
const GRACE: SignedDuration = SignedDuration::from_secs(5);
/// How often a document that is edited while it is checked is checked again.
const ISSUE_TRIES: u32 = 3;
/// How far the caller's clock may be ahead of the gateway's.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

/// What a command did.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The document as it is now.
    pub document: Invoice,
    /// The finance events of the command, in order.
    pub events: Vec<StoredEvent>,
    /// What the pre-flight check warns of, and did not stop the command.
    pub warnings: Vec<Fault>,
}

/// What a command would do.
#[derive(Debug, Clone)]
pub struct DryRun {
    /// The document as it is.
    pub document: Invoice,
    /// Which way it would go.
    pub route: Route,
    /// What the pre-flight check says; warnings included.
    pub faults: Vec<Fault>,
}

/// How it is known that a document did not move since it was found fit to be submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is read within the transaction.
    Within,
    /// It was read elsewhere, after its submission was seen at this version; none: there was no submission.
    Before(Option<i64>),
}

impl Gateway {
    /// Issues a document: to the tax authority when the workspace is configured for it and the document is
    /// eligible, else straight to issued; `at` is the caller's own time of the command. Carried out once however often it is interrupted: the intent is
    /// committed before the invoice data service is called.
    pub async fn issue_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
        seen: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        self.in_turn(id, || self.issue_in_turn(acting, id, at, seen)).await
    }

    async fn issue_in_turn(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
        seen: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        if let Some(at) = at {
            not_in_the_future(self, at)?;
        }
        let mut tries = 1..=ISSUE_TRIES;
        loop {
            let document = self.unchanged(acting, id, seen).await?;
            match self.issue_as_seen(acting, &document, at).await {
                // Somebody edited the document while it was checked: what goes out is what was checked.
                Err(CommandError::Stale { .. }) if seen.is_none() && tries.next().is_some() => {}
                outcome => return outcome,
            }
        }
    }

    async fn unchanged(
        &self,
        acting: &Acting,
        id: InvoiceId,
        seen: Option<i64>,
    ) -> Result<Invoice, CommandError> {
        let document = self.wanted(acting, id).await?;
        if seen.is_some_and(|seen| seen != document.version) {
            return Err(CommandError::Stale { current: document.version });
        }
        CommandError::check(&document, Command::Issue)?;
        Ok(document)
    }

    async fn issue_as_seen(
        &self,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Outcome, CommandError> {
        self.sync_copy(document).await;
        let route = self.route(document).await?;
        match route {
            // The issue itself, in one transaction, refuses the rest.
            Route::Standard if self.elsewhere().is_none() => worth_issuing(document, route)?,
            Route::Standard | Route::TaxAuthority => self.fit_to_issue(document, route, at).await?,
        }
        match route {
            Route::Standard => self.issue_standard(acting, document, at).await,
            Route::TaxAuthority => {
                let faults = self.preflight(document, at).await?;
                if faults.iter().any(Fault::stops) {
                    return Err(CommandError::Preflight(faults));
                }
                let outcome = self.submit(acting, document, at).await?;
                Ok(Outcome { warnings: faults, ..outcome })
            }
        }
    }

    /// What would be refused of a document after the intent, said before it: nothing is written down then.
    async fn fit_to_issue(
        &self,
        document: &Invoice,
        route: Route,
        at: Option<Timestamp>,
    ) -> Result<(), CommandError> {
        worth_issuing(document, route)?;
        self.not_accepted_after_all(document).await?;
        if self.elsewhere().is_none() {
            self.documents().ensure_issuable(document, route, at).await?;
        } else if correctives::ELSEWHERE.is_blocked(self.db(), document.id).await? {
            return Err(IssueError::Blocked.into());
        }
        Ok(())
    }

    /// A rejected document that the authority holds, or may hold, under an earlier number does not go out again.
    async fn not_accepted_after_all(&self, document: &Invoice) -> Result<(), CommandError> {
        if document.state.status() != Status::Rejected {
            return Ok(());
        }
        let found = submissions::find(self.db(), document.id, &Workspaces::All).await?;
        match found.and_then(|found| found.alert) {
            Some(alert) if alert.code == AlertCode::AcceptedAfterAll => {
                let code = AlertCode::AcceptedAfterAll.as_str();
                Err(CommandError::Rule(code, FieldError::new("status", alert.message)))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What [`Gateway::issue_command`] would do, and everything the pre-flight check says.
    pub async fn issue_dry_run(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
        seen: Option<i64>,
    ) -> Result<DryRun, CommandError> {
        if let Some(at) = at {
            not_in_the_future(self, at)?;
        }
        let document = self.unchanged(acting, id, seen).await?;
        let route = self.route(&document).await?;
        self.fit_to_issue(&document, route, at).await?;
        let faults = match route {
            Route::Standard => Vec::new(),
            Route::TaxAuthority => self.preflight(&document, at).await?,
        };
        Ok(DryRun { document, route, faults })
    }

    pub(crate) async fn route(&self, document: &Invoice) -> Result<Route, StoreError> {
        self.route_on(self.db(), document).await
    }

    /// [`Gateway::route`], within a transaction or not.
    pub(crate) async fn route_on(
        &self,
        on: impl Into<On<'_>>,
        document: &Invoice,
    ) -> Result<Route, StoreError> {
        let configured = workspaces::e_invoicing(on, document.workspace).await?;
        let taken = configured.map(|sealed| {
            let regime = self.converter(document.workspace).describe(&sealed.configuration.regime);
            regime.map_or_else(Vec::new, |(description, _)| description.kinds.clone())
        });
        Ok(eligibility(RegimeDocumentKind::of(&document.content), taken.as_deref()))
    }

    async fn issue_standard(
        &self,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Outcome, CommandError> {
        if let Some(service) = self.elsewhere() {
            return self.issue_elsewhere(service, acting, document, at).await;
        }
        let mut tx = self.db().begin().await?;
        let seen = Some(document.version);
        let issued = self
            .documents()
            .issue_in(&mut tx, acting, document.id, Issue { at, seen, ..Issue::default() })
            .await?;
        let before = self.told_so_far(&mut tx, document.id).await?;
        self.append_finance(&mut tx, FinanceEvent::Issued, &issued, &acting.actor).await?;
        self.after_issue(&mut tx, &issued).await?;
        let outcome = self.outcome_in(&mut tx, acting, issued, document.id, before).await?;
        tx.commit_at("standard").await?;
        Ok(outcome)
    }

    /// The plugin's opinion of a document that has no number yet and would be issued at `at`.
    pub(crate) async fn preflight(
        &self,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Vec<Fault>, CommandError> {
        let document = self.dated(document, at).await?;
        let Some((regime, invoice, context)) = self.for_regime(&document, None).await? else {
            return Ok(Vec::new());
        };
        match self.converter(document.workspace).check(&regime, &invoice, &context).await {
            Ok(made) => Ok(made.value),
            Err(ConverterError::Faults(faults)) => Ok(faults),
            Err(ConverterError::Broken(fault)) => Ok(vec![fault]),
            Err(error @ (ConverterError::UnknownRegime(_) | ConverterError::Busy)) => {
                Err(CommandError::Converter(error))
            }
        }
    }

    /// The document under the issue date that it would get at `at`.
    async fn dated<'a>(
        &self,
        document: &'a Invoice,
        at: Option<Timestamp>,
    ) -> Result<Cow<'a, Invoice>, StoreError> {
        if document.content.issue_date.is_some() {
            return Ok(Cow::Borrowed(document));
        }
        let workspace = workspaces::find(self.db(), document.workspace).await?;
        let mut dated = document.clone();
        dated.content.issue_date = Some(self.documents().issue_day(at, workspace.as_ref()).day());
        Ok(Cow::Owned(dated))
    }

    async fn submit(
        &self,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Outcome, CommandError> {
        let before = self.finance_events(acting, document.id).await?.len();
        let intent = self.record_intent(acting, document, at).await?;
        // The same step the background takes after a crash; whoever comes first does it.
        let quiet = Acting { request: None, ..acting.clone() };
        let (seen, key) = (Some(document.version), acting.request.as_ref());
        let after = self.request_step(intent, &quiet, at, seen, key).await?;
        self.wake();
        let document = self.wanted(acting, document.id).await?;
        if after.stage == Stage::Withdrawn && document.state.status() != Status::Issuing {
            ready(&document)?;
            CommandError::check(&document, Command::Issue)?;
        }
        self.outcome(acting, document, before).await
    }

    /// Commits the wish to submit, so that no crash forgets it, before anything else is done.
    async fn record_intent(
        &self,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Submission, CommandError> {
        let Some(_) = self.elsewhere() else {
            let mut tx = self.db().begin().await?;
            let intent = self.intent_in(&mut tx, acting, document, Seen::Within, at).await?;
            tx.commit_at("intent").await?;
            return Ok(intent);
        };
        // No transaction holds a document elsewhere: the submission is read first and has to be the same afterwards, so
        // a document that another request moved meanwhile is seen issuing, or its submission is seen moved.
        let seen = submissions::find(self.db(), document.id, &acting.workspaces).await?;
        let found = self.wanted(acting, document.id).await?;
        CommandError::check(&found, Command::Issue)?;
        if found.version != document.version {
            return Err(CommandError::Stale { current: found.version });
        }
        let mut tx = self.db().begin().await?;
        let seen = Seen::Before(seen.map(|submission| submission.version));
        let intent = self.intent_in(&mut tx, acting, document, seen, at).await?;
        tx.commit_at("intent").await?;
        Ok(intent)
    }

    /// The wish to submit at the caller's own time `at`, as part of a transaction.
    pub(super) async fn intent_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: &Invoice,
        seen: Seen,
        at: Option<Timestamp>,
    ) -> Result<Submission, CommandError> {
        let now = self.now();
        let actor = acting.actor.0.clone();
        let locked = || CommandError::Refused(gateway_domain::finance::Refusal::LockedWhileIssuing);
        let existing = submissions::find(&mut *tx, document.id, &acting.workspaces).await?;
        // Read after the submission: a document that another request moved meanwhile is seen issuing.
        match seen {
            Seen::Before(version) if version != existing.as_ref().map(|submission| submission.version) => {
                return Err(locked());
            }
            Seen::Before(_) => {}
            Seen::Within => {
                let current = invoices::find(&mut *tx, document.id, &acting.workspaces).await?;
                let current = current.ok_or(CommandError::Gone)?;
                CommandError::check(&current, Command::Issue)?;
                if current.version != document.version {
                    return Err(CommandError::Stale { current: current.version });
                }
            }
        }
        let intent = match existing {
            // Another request is moving the document at this moment, or died and the background goes on for it.
            Some(existing) if existing.stage == Stage::Requested => return Err(locked()),
            // The invoice data service elsewhere was told the verdict, and finance records it in a moment.
            Some(existing) if existing.stage == Stage::Settling && seen != Seen::Within => {
                return Err(locked());
            }
            Some(existing) => {
                // Still open although the document is not issuing: it was moved without finance.
                if let Some(job) = existing.job.filter(|_| !existing.stage.ended()) {
                    attempts::end(tx, job, AttemptOutcome::Superseded, &[], None, now).await?;
                }
                let again = existing.requested_again(actor, now);
                if !submissions::update(tx, &again).await? {
                    return Err(locked());
                }
                Submission { version: again.version.saturating_add(1), ..again }
            }
            None => {
                let first = Submission::requested(document.id, document.workspace, actor, now);
                if !submissions::insert(tx, &first).await? {
                    return Err(locked());
                }
                first
            }
        };
        issue_times::keep(tx, document.id, at).await?;
        self.schedule(tx, document.id, later(now, GRACE)).await?;
        self.once(tx, acting).await?;
        Ok(intent)
    }

    /// The first wish to submit a document that was just made, left to the background.
    pub(crate) async fn intend(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: &Invoice,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let intent =
            Submission::requested(document.id, document.workspace, acting.actor.0.clone(), self.now());
        submissions::insert(tx, &intent).await?;
        self.schedule(tx, document.id, at).await
    }

    pub(super) async fn outcome(
        &self,
        acting: &Acting,
        document: Invoice,
        before: usize,
    ) -> Result<Outcome, CommandError> {
        let subject = document.id;
        self.outcome_of(acting, document, subject, before).await
    }

    /// How much finance has told of a document that the transaction holds: what comes behind it is the command's own.
    pub(crate) async fn told_so_far(&self, tx: &mut Tx, document: InvoiceId) -> Result<usize, StoreError> {
        let source = Source::Finance.as_str();
        Ok(events::of_subject(tx, &Workspaces::All, source, document).await?.len())
    }

    /// [`Gateway::outcome_of`] within the command's transaction.
    pub(crate) async fn outcome_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: Invoice,
        subject: InvoiceId,
        before: usize,
    ) -> Result<Outcome, StoreError> {
        let source = Source::Finance.as_str();
        let mut events: Vec<_> = events::of_subject(&mut *tx, &acting.workspaces, source, subject)
            .await?
            .into_iter()
            .skip(before)
            .collect();
        if subject != document.id {
            events.extend(events::of_subject(&mut *tx, &acting.workspaces, source, document.id).await?);
        }
        Ok(Outcome { document, events, warnings: Vec::new() })
    }

    /// What a command did: a document, and what happened to the `subject` of the command since `before`.
    pub(crate) async fn outcome_of(
        &self,
        acting: &Acting,
        document: Invoice,
        subject: InvoiceId,
        before: usize,
    ) -> Result<Outcome, CommandError> {
        let mut events: Vec<_> =
            self.finance_events(acting, subject).await?.into_iter().skip(before).collect();
        if subject != document.id {
            events.extend(self.finance_events(acting, document.id).await?);
        }
        Ok(Outcome { document, events, warnings: Vec::new() })
    }
}

/// The caller's own time of a command may not lie ahead of the gateway's, but for clocks that differ.
pub(super) fn not_in_the_future(gateway: &Gateway, at: Timestamp) -> Result<(), CommandError> {
    if at > later(gateway.now(), CLOCK_SKEW) {
        let error = FieldError::new("at", "lies in the future: give the time of the command");
        return Err(CommandError::Invalid(vec![error]));
    }
    Ok(())
}

fn later(now: Timestamp, wait: SignedDuration) -> Timestamp {
    now.checked_add(wait).unwrap_or(now)
}

/// What is refused on the way it goes, whatever else is refused.
fn worth_issuing(document: &Invoice, route: Route) -> Result<(), CommandError> {
    if document.state.status() == Status::Rejected && route == Route::Standard {
        let message = "goes to the tax authority again, and its workspace has no e-invoicing for it: set it with 'gateway workspace e-invoicing set'";
        return Err(CommandError::Rule("eInvoicingNotConfigured", FieldError::new("status", message)));
    }
    Ok(ready(document)?)
}

/// What the issuing call would refuse, before the intent is recorded.
fn ready(document: &Invoice) -> Result<(), IssueError> {
    match document.content.document_type {
        DocumentKind::Invoice | DocumentKind::CreditNote if document.content.lines.is_empty() => {
            Err(IssueError::NoLines)
        }
        DocumentKind::Invoice | DocumentKind::CreditNote => Ok(()),
        DocumentKind::Proforma | DocumentKind::Receipt => Err(IssueError::WrongKind),
    }
}
