//! The Issue command: which way the document goes, what the tax authority would refuse of it, and its submission.

use super::Outcome;
use crate::Finance;
use crate::error::CommandError;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{IdentityMapping, RegimeDocumentKind};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::{AlertCode, Command, CommandForm, Route, eligibility, ensure_taken};
use gateway_invoicing::DocumentView;
use gateway_storage::finance_documents::{self, DocumentCopy};
use gateway_storage::{Executor, submissions, workspaces};
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

    /// Brings finance's copy up to date with what was just read. Best effort: a failure is logged and counted, and
    /// the event feed makes up for it.
    pub(crate) async fn sync_copy(&self, document: &Invoice) {
        if let Err(error) = self.keep_copy(document).await {
            self.counters().sync_failed();
            tracing::warn!(
                error = &error as &dyn std::error::Error, document.id = %document.id,
                "Finance's copy of {} was not brought up to date, its events will do that: {error}", document.id
            );
        }
    }

    async fn keep_copy(&self, document: &Invoice) -> Result<(), StoreError> {
        let age = (document.created_at, document.version);
        let found = finance_documents::find(self.db(), document.id, &Acting::gateway().workspaces).await?;
        if found.is_some_and(|copy| copy.age >= age) {
            return Ok(());
        }
        let copy = DocumentCopy {
            document: document.id,
            workspace: document.workspace,
            age,
            data: Some(StoreError::json(&DocumentView::from(document))?),
            updated_at: document.updated_at,
        };
        let mut tx = self.db().begin().await?;
        finance_documents::keep(&mut tx, &copy).await?;
        tx.commit().await
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
}

/// What is refused on the way it goes, whatever else is refused.
fn ensure_route_takes(document: &Invoice, route: Route) -> Result<(), CommandError> {
    if document.state.status() == Status::Rejected && route == Route::Standard {
        let message = "goes to the tax authority again, and its workspace has no e-invoicing for it: set it with 'gateway workspace e-invoicing set'";
        let error = FieldError::new("status", ErrorCode::EInvoicingNotConfigured, message);
        return Err(CommandError::Rule(error));
    }
    Ok(document.ensure_billable()?)
}
