//! The Issue command: which way the document goes, what the tax authority would refuse of it, and its submission.

use crate::Finance;
use crate::error::CommandError;
use crate::outcome::Outcome;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{DocumentKind, Invoice, IssueError, Status};
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{IdentityMapping, RegimeDocumentKind};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::{
    AlertCode, AttemptEnd, Command, CommandForm, Open, Refusal, Requested, Route, Stage, Submission,
    eligibility, ensure_taken,
};
use gateway_storage::{Executor, StoreError, Tx, attempts, issue_times, submissions, workspaces};
use jiff::Timestamp;
use std::borrow::Cow;

/// How often a document that is edited while it is checked is checked again.
const ISSUE_TRIES: u32 = 3;

/// What an issue would do.
#[derive(Debug, Clone)]
pub struct DryRun {
    /// The document as it is.
    pub document: Invoice,
    /// Which way it would go.
    pub route: Route,
    /// What the pre-flight check says; warnings included.
    pub faults: Vec<Fault>,
    /// How the tax authority would know the recipient; none for a document that it does not hear of.
    pub identity: Option<IdentityMapping>,
}

impl Finance {
    /// Issues a document: to the tax authority when the workspace is configured for it and the document is eligible, else
    /// straight to issued. Carried out once however often it is interrupted: the wish to submit is committed before the
    /// invoice data service is called.
    pub(super) async fn issue(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        let mut tries = 1..=ISSUE_TRIES;
        loop {
            let document = self.unchanged(acting, id, expected_version).await?;
            match self.issue_at_version(acting, &document, at).await {
                // Somebody edited the document while it was checked: what goes out is what was checked.
                Err(CommandError::Stale { .. }) if expected_version.is_none() && tries.next().is_some() => {}
                outcome => return outcome,
            }
        }
    }

    async fn unchanged(
        &self,
        acting: &Acting,
        id: InvoiceId,
        expected_version: Option<i64>,
    ) -> Result<Invoice, CommandError> {
        let document = self.find_visible(acting, id).await?;
        if expected_version.is_some_and(|expected| expected != document.version) {
            return Err(CommandError::Stale { current: document.version });
        }
        ensure_taken(&document, Command::Issue)?;
        Ok(document)
    }

    async fn issue_at_version(
        &self,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Outcome, CommandError> {
        self.sync_copy(document).await;
        let route = self.route(document).await?;
        match route {
            Route::Standard => {
                // The issue itself, in one transaction, refuses the rest.
                ensure_route_takes(document, route)?;
                let (form, expected_version) = (CommandForm::Issue { at }, Some(document.version));
                self.invoice_data()
                    .carry_out(acting, document.id, form, expected_version, Some(document))
                    .await
            }
            Route::TaxAuthority => {
                self.ensure_issuable(document, route, at).await?;
                let warnings = self.check(document, at).await?;
                let outcome = self.submit(acting, document, at).await?;
                Ok(Outcome { warnings, ..outcome })
            }
        }
    }

    /// Refuses what would be refused of a document after the wish to submit it, before it: nothing is written down then.
    async fn ensure_issuable(
        &self,
        document: &Invoice,
        route: Route,
        at: Option<Timestamp>,
    ) -> Result<(), CommandError> {
        ensure_route_takes(document, route)?;
        self.ensure_not_accepted_after_all(document).await?;
        self.invoice_data().ensure_issuable(document, route, at).await
    }

    /// A rejected document that the authority holds, or may hold, under an earlier number does not go out again.
    async fn ensure_not_accepted_after_all(&self, document: &Invoice) -> Result<(), CommandError> {
        if document.state.status() != Status::Rejected {
            return Ok(());
        }
        let found = submissions::find(self.db(), document.id, &Workspaces::All).await?;
        match found.and_then(|found| found.alert) {
            Some(alert) if alert.code == AlertCode::AcceptedAfterAll => {
                let error = FieldError::new("status", ErrorCode::AcceptedAfterAll, alert.message);
                Err(CommandError::Rule(error))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What an issue would do, everything the pre-flight check says, and how the recipient would be identified.
    pub async fn issue_dry_run(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<DryRun, CommandError> {
        CommandForm::Issue { at }.ensure_not_in_the_future(self.now())?;
        let document = self.unchanged(acting, id, expected_version).await?;
        let route = self.route(&document).await?;
        self.ensure_issuable(&document, route, at).await?;
        let (faults, identity) = match route {
            Route::Standard => (Vec::new(), None),
            Route::TaxAuthority => {
                (self.preflight(&document, at).await?, self.trial_identity(&document).await?)
            }
        };
        Ok(DryRun { document, route, faults, identity })
    }

    /// Which way a document goes.
    pub(crate) async fn route(&self, document: &Invoice) -> Result<Route, StoreError> {
        self.route_on(self.db(), document).await
    }

    /// [`Finance::route`], within a transaction or not.
    pub(crate) async fn route_on(
        &self,
        on: impl Into<Executor<'_>>,
        document: &Invoice,
    ) -> Result<Route, StoreError> {
        let configured = workspaces::e_invoicing(on, document.workspace).await?;
        let taken = configured.map(|sealed| {
            let regime = self.converter(document.workspace).describe(&sealed.configuration.regime);
            regime.map_or_else(Vec::new, |(description, _)| description.kinds.clone())
        });
        Ok(eligibility(RegimeDocumentKind::of(&document.content), taken.as_deref()))
    }

    /// The pre-flight check: what the plugin warns of.
    ///
    /// # Errors
    /// The faults that the tax authority would refuse the document for.
    pub(super) async fn check(
        &self,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Vec<Fault>, CommandError> {
        let faults = self.preflight(document, at).await?;
        if faults.iter().any(Fault::stops) { Err(CommandError::Preflight(faults)) } else { Ok(faults) }
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

    /// Commits the wish to submit, so that no crash forgets it, before anything else is done; then takes the first step.
    async fn submit(
        &self,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Outcome, CommandError> {
        let before = self.finance_events(acting, document.id).await?.len();
        let (mut tx, existing) = self.invoice_data().hold(acting, document).await?;
        let requested = match existing {
            None => {
                let first = self.requested_in(&mut tx, acting, document, at, self.grace()).await?;
                first.ok_or(CommandError::Refused(Refusal::LockedWhileIssuing))?
            }
            Some(existing) => self.requested_again_in(&mut tx, acting, existing, at).await?,
        };
        self.claim_request(&mut tx, acting).await?;
        tx.commit_at("intent").await?;
        // The same step the background takes after a crash; whoever comes first does it.
        let by = Acting { request: None, ..acting.clone() };
        let (expected_version, key) = (Some(document.version), acting.request.as_ref());
        let after = self.request_step(requested, &by, at, expected_version, key).await?;
        self.wake();
        let document = self.find_visible(acting, document.id).await?;
        if after.stage() == Stage::Withdrawn && document.state.status() != Status::Issuing {
            ensure_billable(&document)?;
            ensure_taken(&document, Command::Issue)?;
        }
        let subject = document.id;
        Ok(self.outcome(self.db(), acting, document, subject, before).await?)
    }

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
        let first = Submission::intent(document.id, document.workspace, actor, self.now());
        if !submissions::insert(tx, &first.clone().into()).await? {
            return Ok(None);
        }
        issue_times::keep(tx, document.id, at).await?;
        self.schedule(tx, document.id, due).await?;
        Ok(Some(first))
    }

    /// Another wish to submit a document that was submitted before.
    async fn requested_again_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        existing: Submission,
        at: Option<Timestamp>,
    ) -> Result<Submission<Open<Requested>>, CommandError> {
        let locked = || CommandError::Refused(Refusal::LockedWhileIssuing);
        // Another request is moving the document at this moment, or died and the background goes on for it.
        if existing.stage() == Stage::Requested {
            return Err(locked());
        }
        let (now, document) = (self.now(), existing.document);
        // Still open although the document is not issuing: it was moved without finance.
        if let Some(job) = existing.job().filter(|_| !existing.has_ended()) {
            attempts::end(tx, &AttemptEnd::superseded(job, None), now).await?;
        }
        let again = existing.requested_again(acting.actor.0.clone(), now);
        if !submissions::update(tx, &again.clone().into()).await? {
            return Err(locked());
        }
        issue_times::keep(tx, document, at).await?;
        self.schedule(tx, document, self.grace()).await?;
        Ok(Submission { version: again.version.saturating_add(1), ..again })
    }
}

/// What is refused on the way it goes, whatever else is refused.
fn ensure_route_takes(document: &Invoice, route: Route) -> Result<(), CommandError> {
    if document.state.status() == Status::Rejected && route == Route::Standard {
        let message = "goes to the tax authority again, and its workspace has no e-invoicing for it: set it with 'gateway workspace e-invoicing set'";
        let error = FieldError::new("status", ErrorCode::EInvoicingNotConfigured, message);
        return Err(CommandError::Rule(error));
    }
    Ok(ensure_billable(document)?)
}

/// What the issuing call would refuse, before the wish to submit is recorded.
fn ensure_billable(document: &Invoice) -> Result<(), IssueError> {
    match document.content.document_type {
        DocumentKind::Invoice | DocumentKind::CreditNote if document.content.lines.is_empty() => {
            Err(IssueError::NoLines)
        }
        DocumentKind::Invoice | DocumentKind::CreditNote => Ok(()),
        DocumentKind::Proforma | DocumentKind::Receipt => Err(IssueError::WrongKind),
    }
}
