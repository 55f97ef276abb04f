//! Commands on documents: read, decide, check, execute, record, answer.

use crate::consumers::Copies;
use crate::context::Context;
use crate::error::CommandError;
use crate::invoice_data::InvoiceData;
use crate::outcome::{DryRun, Execution, Outcome};
use crate::record::refunded;
use crate::regime::TaxRegimes;
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, InvoiceNumber};
use gateway_domain::{FieldError, StoreError};
use gateway_domain_finance::{
    Command, CommandForm, Facts, NextStep, Plan, Route, SentJob, decide, ensure_taken,
};
use gateway_storage::{Executor, attempts, submissions, workspaces};
use std::sync::Arc;
use tokio::time::Instant;

/// How often a document that is edited while it is checked is checked again.
const ISSUE_TRIES: u32 = 3;

/// Carries out commands on documents, and shows documents as finance knows them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Finance {
    pub(crate) context: Context,
    pub(crate) invoice_data: Arc<dyn InvoiceData>,
    pub(crate) regimes: TaxRegimes,
    pub(crate) copies: Copies,
}

impl Finance {
    pub(crate) fn new(context: Context, invoice_data: Arc<dyn InvoiceData>, regimes: TaxRegimes) -> Self {
        let copies = Copies::new(context.clone());
        Self { context, invoice_data, regimes, copies }
    }

    /// Carries a command out; `expected_version` guards the document.
    pub async fn command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        expected_version: Option<i64>,
        execution: Execution,
    ) -> Result<Outcome, CommandError> {
        form.ensure_not_in_the_future(self.context.now())?;
        let expected_version = expected_version.filter(|_| form.heeds_version());
        let is_checked = matches!(form, CommandForm::Issue { .. }) && expected_version.is_none();
        let (mut tries, mut since) = (1..=ISSUE_TRIES, None);
        loop {
            match self.attempt(acting, id, &form, expected_version, execution).await {
                // Somebody edited the document while it was checked: what goes out is what was checked.
                Err(CommandError::Stale { .. }) if is_checked && tries.next().is_some() => {}
                // What it was decided from is another command's, or that one's by now.
                Err(CommandError::OnItsWay) => {
                    let since = *since.get_or_insert_with(Instant::now);
                    if !self.invoice_data.is_free(id, since).await? {
                        return Err(CommandError::OnItsWay);
                    }
                }
                done => return done,
            }
        }
    }

    /// [`Finance::command`], with members that may have mistakes. What the document's state refuses is told before those:
    /// no other members would help.
    pub async fn command_as_sent(
        &self,
        acting: &Acting,
        id: InvoiceId,
        (command, form): (Command, Result<CommandForm, Vec<FieldError>>),
        expected_version: Option<i64>,
        execution: Execution,
    ) -> Result<Outcome, CommandError> {
        let done = match form {
            Ok(form) => self.command(acting, id, form, expected_version, execution).await,
            Err(mistakes) => Err(CommandError::Invalid(mistakes)),
        };
        if matches!(done, Err(CommandError::Invalid(_)))
            && let Ok(document) = self.find_visible(acting, id).await
        {
            ensure_taken(&document, command)?;
        }
        done
    }

    /// The pipeline. Nothing is held until the plan is executed, where what it was decided from is compared again.
    async fn attempt(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: &CommandForm,
        expected_version: Option<i64>,
        execution: Execution,
    ) -> Result<Outcome, CommandError> {
        let facts = self.read(acting, id, form).await?;
        let new_document = InvoiceId(self.context.ids().next());
        let plan = decide(facts.clone(), form.clone(), expected_version, new_document)?;
        if matches!(form, CommandForm::Issue { .. }) {
            self.copies.sync(&facts.document).await;
        }
        let (warnings, dry_run) = match execution {
            Execution::DryRun if plan.is_issue() => (Vec::new(), Some(self.try_out(&facts, &plan).await?)),
            Execution::DryRun | Execution::Commit => (self.check(&plan).await?, None),
        };
        let outcome = self.invoice_data.execute(acting, &facts, plan, execution).await?;
        Ok(Outcome { warnings, dry_run, ..outcome })
    }

    /// Reads what a command is decided from.
    async fn read(&self, acting: &Acting, id: InvoiceId, form: &CommandForm) -> Result<Facts, CommandError> {
        let is_issue = matches!(form, CommandForm::Issue { .. });
        let submission = if is_issue || form.number().is_some() {
            submissions::find(self.context.db(), id, &acting.workspaces).await?
        } else {
            None
        };
        let sent = match form.number() {
            Some(number) => Some(sent_under(self.context.db(), id, number).await?),
            None => None,
        };
        let document = self.find_visible(acting, id).await?;
        let mut facts = Facts::about(document, self.context.now());
        (facts.submission, facts.sent) = (submission, sent);
        let document = &facts.document;
        if is_issue {
            facts.route = Some(self.regimes.route(self.context.db(), document).await?);
            facts.is_blocked = self.invoice_data.is_blocked(id).await?;
        }
        if matches!(form, CommandForm::Edit(_)) {
            let configured = workspaces::e_invoicing(self.context.db(), document.workspace).await?;
            let converter = self.context.converter(document.workspace);
            let described = configured.and_then(|sealed| converter.describe(&sealed.configuration.regime));
            facts.regime = described.map(|(description, _)| description);
        }
        if form.counts_credit_notes() {
            ensure_taken(document, form.command())?;
            facts.credit_notes = Some(self.invoice_data.credit_notes(acting, document).await?);
        }
        if matches!(form, CommandForm::Refund { .. }) {
            facts.refunded = Some(refunded(self.context.db(), &facts.document).await?);
        }
        if form.compares_days() {
            let workspace = workspaces::find(self.context.db(), facts.document.workspace).await?;
            facts.day = self.context.documents().issue_day(form.at(), workspace.as_ref()).day();
        }
        Ok(facts)
    }

    /// The document of a command.
    ///
    /// # Errors
    /// [`CommandError::Gone`] also for one that the caller may not see.
    async fn find_visible(&self, acting: &Acting, id: InvoiceId) -> Result<Invoice, CommandError> {
        self.invoice_data.document(acting, id).await?.ok_or(CommandError::Gone)
    }

    /// What the plugin warns of in what a plan sends to the tax authority. No transaction is open while it looks.
    ///
    /// # Errors
    /// The faults that the authority would refuse it for.
    async fn check(&self, plan: &Plan) -> Result<Vec<Fault>, CommandError> {
        let (document, at) = match (plan.submitted(), plan.then) {
            (Some(submitted), _) => submitted,
            (None, Some(NextStep::Issue { at })) => {
                let made = &plan.result;
                if self.regimes.route(self.context.db(), made).await? == Route::Standard {
                    return Ok(Vec::new());
                }
                (made, at)
            }
            (None, None) => return Ok(Vec::new()),
        };
        let referenced = self.invoice_data.referenced(document).await?;
        let faults = self.regimes.preflight(document, &referenced, at).await?;
        if faults.iter().any(Fault::stops) {
            return Err(CommandError::Preflight(faults));
        }
        // The document that a plan makes is not the one that the command answers for.
        Ok(if plan.then.is_none() { faults } else { Vec::new() })
    }

    /// What an issue would do: every fault is an answer, and so is a plugin that fails.
    async fn try_out(&self, facts: &Facts, plan: &Plan) -> Result<DryRun, CommandError> {
        let route = facts.route.unwrap_or(Route::Standard);
        let mut dry_run =
            DryRun { document: facts.document.clone(), route, faults: Vec::new(), identity: None };
        if let Some((document, at)) = plan.submitted() {
            let referenced = self.invoice_data.referenced(document).await?;
            dry_run.faults = match self.regimes.preflight(document, &referenced, at).await {
                Err(CommandError::PluginBroken(fault)) => vec![fault],
                checked => checked?,
            };
            dry_run.identity = self.regimes.trial_identity(document).await?;
        }
        Ok(dry_run)
    }
}

/// The jobs that a document was sent with under a number.
async fn sent_under(
    on: impl Into<Executor<'_>>,
    id: InvoiceId,
    number: &InvoiceNumber,
) -> Result<Vec<SentJob>, StoreError> {
    let all = attempts::of_document(on, id).await?.into_iter();
    let under = all.filter(|attempt| attempt.number.as_ref() == Some(number));
    let sent = under.map(|attempt| SentJob {
        job: attempt.job,
        authority_record: attempt.authority_record,
        acceptance: attempt.acceptance,
    });
    Ok(sent.collect())
}
