//! Commands on documents: read, decide, check, execute, record, answer.

mod dry_run;
mod situation;

pub use dry_run::DryRun;

use crate::Finance;
use crate::error::CommandError;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::RegimeDocumentKind;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::{
    AlertCode, Command, CommandForm, FinanceEvent, Route, eligibility, ensure_route_takes, ensure_taken,
};
use gateway_domain_platform::events::StoredEvent;
use gateway_events::Source;
use gateway_invoicing::Related;
use gateway_storage::{Executor, Tx, events, submissions, workspaces};
use jiff::{SignedDuration, Timestamp};
use std::borrow::Cow;

/// How long the background leaves what a request is about to do to that request.
const GRACE: SignedDuration = SignedDuration::from_secs(5);

/// How often a document that is edited while it is checked is checked again.
const ISSUE_TRIES: u32 = 3;

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

impl Finance {
    /// Carries a command out: read, decide, check, execute, record, answer. An issue to the tax authority is decided by its
    /// route and becomes a submission. A trial ([`Acting::trial`]) is taken back; `expected_version` guards the document.
    pub async fn command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        expected_version: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        form.ensure_not_in_the_future(self.now())?;
        let expected_version = expected_version.filter(|_| form.heeds_version());
        match form {
            CommandForm::Issue { at } => self.issue(acting, id, at, expected_version).await,
            CommandForm::Credit { .. }
            | CommandForm::Reverse { .. }
            | CommandForm::Refund { .. }
            | CommandForm::Delete
            | CommandForm::Edit(_)
            | CommandForm::Accept(_)
            | CommandForm::Reject(_)
            | CommandForm::SendToTaxAuthority => {
                self.invoice_data().carry_out(acting, id, form, expected_version, None).await
            }
        }
    }

    /// [`Finance::command`], with members that may have mistakes. What the document's state refuses is told before those:
    /// no other members would help.
    pub async fn command_as_sent(
        &self,
        acting: &Acting,
        id: InvoiceId,
        command: Command,
        form: Result<CommandForm, Vec<FieldError>>,
        expected_version: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        let done = match form {
            Ok(form) => self.command(acting, id, form, expected_version).await,
            Err(mistakes) => Err(CommandError::Invalid(mistakes)),
        };
        if matches!(done, Err(CommandError::Invalid(_)))
            && let Ok(document) = self.find_visible(acting, id).await
        {
            ensure_taken(&document, command)?;
        }
        done
    }

    /// Issues a document: to the tax authority when the workspace is configured for it and the document is eligible, else
    /// straight to issued. Carried out once however often it is interrupted: the wish to submit is committed before the
    /// invoice data service is called.
    async fn issue(
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
        let route = self.route(self.db(), document).await?;
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

    /// Which way a document goes, read within a transaction or not.
    pub(crate) async fn route(
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
    async fn check(&self, document: &Invoice, at: Option<Timestamp>) -> Result<Vec<Fault>, CommandError> {
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

    /// How much finance has told of a document that the transaction holds: what comes behind it is the command's own.
    pub(crate) async fn events_so_far(&self, tx: &mut Tx, document: InvoiceId) -> Result<usize, StoreError> {
        let source = Source::Finance.as_str();
        Ok(events::of_subject(tx, &Workspaces::All, source, document).await?.len())
    }

    /// What a command did: a document, and what happened to the `subject` of the command since `before`; within the
    /// command's transaction, or after it.
    pub(crate) async fn outcome(
        &self,
        on: impl Into<Executor<'_>>,
        acting: &Acting,
        document: Invoice,
        subject: InvoiceId,
        before: usize,
    ) -> Result<Outcome, StoreError> {
        let mut on = on.into();
        let (source, visible) = (Source::Finance.as_str(), &acting.workspaces);
        let told = events::of_subject(on.reborrow(), visible, source, subject).await?;
        let mut events: Vec<_> = told.into_iter().skip(before).collect();
        if subject != document.id {
            events.extend(events::of_subject(on, visible, source, document.id).await?);
        }
        Ok(Outcome { document, events, warnings: Vec::new() })
    }

    /// When the background takes over what a request is about to do.
    pub(crate) fn grace(&self) -> Timestamp {
        let now = self.now();
        now.checked_add(GRACE).unwrap_or(now)
    }

    /// So many seconds from now.
    pub(crate) fn soon(&self, seconds: u32) -> Timestamp {
        let now = self.now();
        now.checked_add(SignedDuration::from_secs(i64::from(seconds))).unwrap_or(now)
    }

    pub(crate) async fn find_visible(&self, acting: &Acting, id: InvoiceId) -> Result<Invoice, CommandError> {
        self.invoice(acting, id).await?.ok_or(CommandError::Gone)
    }

    /// Records what finance did with a document.
    pub(crate) async fn append_finance(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        invoice: &Invoice,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        self.append_finance_with(tx, event, invoice, actor, Related::default()).await
    }

    /// [`Finance::append_finance`], with what the event tells besides the document.
    pub(crate) async fn append_finance_with(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        invoice: &Invoice,
        actor: &Actor,
        related: Related,
    ) -> Result<(), StoreError> {
        related.append(self.events(), tx, (Source::Finance, event.as_str()), invoice, actor).await
    }
}
