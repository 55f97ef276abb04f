//! Commands on documents: read, decide, check, execute, record, answer.

use crate::context::Context;
use crate::error::CommandError;
use crate::invoice_data::{DryRun, Execution, InvoiceData, Outcome, RecordUnderLock};
use crate::regime::{RegimeFacts, TaxRegimes};
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, InvoiceNumber};
use gateway_domain::ports::ConverterError;
use gateway_domain::workspace::Workspace;
use gateway_domain::{FieldError, StoreError};
use gateway_domain_finance::{
    Command, CommandFacts, CommandForm, CreditNotes, Facts, NextStep, Plan, Route, SentJob, SentUnder,
    decide, ensure_taken,
};
use gateway_domain_rules::{Draft, RULES_UNCHECKED, warnings_ahead};
use gateway_read_models::{Copies, RemoteFeed};
use gateway_storage::{attempts, credits, submissions, workspaces};
use jiff::Timestamp;
use jiff::civil::Date;
use std::borrow::Cow;
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
    pub(crate) feed: RemoteFeed,
}

/// The tries of a command, which is decided anew while others change what it is decided from.
#[derive(Debug)]
pub struct Tries {
    invoice_data: Arc<dyn InvoiceData>,
    id: InvoiceId,
    edits_left: u32,
    since: Option<Instant>,
}

impl Tries {
    /// Whether the command is tried once more, after it came to this.
    ///
    /// # Errors
    /// The database.
    pub async fn is_another_due<T>(&mut self, done: &Result<T, CommandError>) -> Result<bool, StoreError> {
        match done {
            // Somebody edited the document while it was checked: what goes out is what was checked.
            Err(CommandError::Stale { .. }) if self.edits_left > 0 => {
                self.edits_left = self.edits_left.saturating_sub(1);
                Ok(true)
            }
            // What it was decided from is another command's, or that one's by now.
            Err(CommandError::InProgress) => {
                let since = *self.since.get_or_insert_with(Instant::now);
                self.invoice_data.is_free(self.id, since).await
            }
            Ok(_) | Err(_) => Ok(false),
        }
    }
}

impl Finance {
    pub(crate) fn new(
        context: Context,
        invoice_data: Arc<dyn InvoiceData>,
        regimes: TaxRegimes,
        feed: RemoteFeed,
    ) -> Self {
        let copies = Copies::new(context.db().clone());
        Self { context, invoice_data, regimes, copies, feed }
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
        let mut tries = self.tries(id, is_checked);
        loop {
            let done = self.attempt(acting, id, &form, expected_version, execution).await;
            if !tries.is_another_due(&done).await? {
                return done;
            }
        }
    }

    /// The tries of a command on a document; where it `is_checked`, an edit meanwhile is no reason to give up.
    pub fn tries(&self, id: InvoiceId, is_checked: bool) -> Tries {
        let edits_left = if is_checked { ISSUE_TRIES } else { 0 };
        Tries { invoice_data: Arc::clone(&self.invoice_data), id, edits_left, since: None }
    }

    /// Executes a command that leaves its document as it is, and writes beside it what the service of the command keeps; a dry
    /// run takes that back. False: a remote invoice data service keeps the document, so it cannot be held here.
    ///
    /// # Errors
    /// [`CommandError::InProgress`] when the document is not as it was read any more: the command is decided anew.
    pub async fn record_under_lock(
        &self,
        acting: &Acting,
        document: &Invoice,
        record: &dyn RecordUnderLock,
        execution: Execution,
    ) -> Result<bool, CommandError> {
        self.invoice_data.record_under_lock(acting, document, record, execution).await
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
        match done {
            Err(CommandError::Invalid(mistakes)) => {
                Err(self.state_or_mistakes(acting, id, command, mistakes).await)
            }
            done => done,
        }
    }

    /// What the document's state refuses of a command, or else the mistakes in its members: no other members would help.
    pub async fn state_or_mistakes(
        &self,
        acting: &Acting,
        id: InvoiceId,
        command: Command,
        mistakes: Vec<FieldError>,
    ) -> CommandError {
        let document = self.find_visible(acting, id).await.ok();
        let refused = document.and_then(|document| ensure_taken(&document, command).err());
        refused.map_or(CommandError::Invalid(mistakes), CommandError::from)
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
        let (facts, regime_facts) = self.read(acting, id, form).await?;
        let new_document = InvoiceId(self.context.ids().next());
        let plan = decide(facts.clone(), expected_version, new_document)?;
        if matches!(form, CommandForm::Issue { .. }) && execution == Execution::Commit {
            self.copies.sync(&facts.document).await;
        }
        let checks = self.context.recipient_checks().zip(regime_facts.as_ref());
        let checks = checks.map(|(checks, facts)| (checks, facts.workspace.supplier.clone()));
        let (mut warnings, mut dry_run) = match execution {
            Execution::Commit => (self.check(&plan, regime_facts).await?, None),
            Execution::DryRun => match facts.command.route() {
                Some(route) => {
                    let trial = self.try_out(&facts.document, route, &plan, regime_facts).await?;
                    (Vec::new(), Some(trial))
                }
                None => (self.check(&plan, regime_facts).await?, None),
            },
        };
        if let Some((checks, supplier)) = checks {
            let is_kept = execution == Execution::Commit;
            let faults = dry_run.as_mut().map_or(&mut warnings, |trial| &mut trial.faults);
            faults.extend(checks.before_issue(&facts.document, &supplier, is_kept).await?);
        }
        let outcome = self.invoice_data.execute(acting, &facts, plan, execution).await?;
        Ok(Outcome { warnings, dry_run, ..outcome })
    }

    /// Reads what a command is decided from, and for an issue what the check of it needs. Submissions are read before the
    /// document.
    async fn read(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: &CommandForm,
    ) -> Result<(Facts, Option<Box<RegimeFacts>>), CommandError> {
        let (db, now) = (self.context.db(), self.context.now());
        let mut regime_facts = None;
        let (document, command) = match form.clone() {
            CommandForm::Issue { at } => {
                let submission = submissions::find(db, id, &acting.workspaces).await?;
                let document = self.find_visible(acting, id).await?;
                let configured = workspaces::configured(db, document.workspace).await?;
                let stamps = submission.as_ref().map(|found| found.stamps.clone()).unwrap_or_default();
                regime_facts = configured.map(|found| Box::new(RegimeFacts::of(found, stamps)));
                let configuration = regime_facts.as_ref().and_then(|facts| facts.configuration.as_ref());
                let route = self.regimes.route_under(configuration, &document);
                let is_blocked = self.invoice_data.is_blocked(id).await?;
                (document, CommandFacts::Issue { at, route, is_blocked, submission })
            }
            CommandForm::Credit { at, lines } => {
                let (document, credit_notes) = self.counted(acting, id, form.command()).await?;
                let day = self.day_of(&document, at).await?;
                (document, CommandFacts::Credit { lines, credit_notes, day })
            }
            CommandForm::Reverse { at } => {
                let (document, credit_notes) = self.counted(acting, id, form.command()).await?;
                let day = self.day_of(&document, at).await?;
                (document, CommandFacts::Reverse { at, credit_notes, day })
            }
            CommandForm::Refund { at, amount, reference } => {
                let document = self.find_visible(acting, id).await?;
                let refunded = credits::refunded(db, id, document.workspace).await?;
                let day = self.day_of(&document, at).await?;
                (document, CommandFacts::Refund { at, amount, reference, refunded, day })
            }
            CommandForm::Edit(edit) => {
                let document = self.find_visible(acting, id).await?;
                let regime = self.regimes.described(&document).await?;
                (document, CommandFacts::Edit { edit, regime })
            }
            CommandForm::Accept(form) => {
                let sent = self.sent_under(acting, id, form.number.as_ref()).await?;
                (self.find_visible(acting, id).await?, CommandFacts::Accept { form, sent })
            }
            CommandForm::Reject(form) => {
                let sent = self.sent_under(acting, id, form.number.as_ref()).await?;
                (self.find_visible(acting, id).await?, CommandFacts::Reject { form, sent })
            }
            CommandForm::Delete => (self.find_visible(acting, id).await?, CommandFacts::Delete),
            CommandForm::SendToTaxAuthority => {
                (self.find_visible(acting, id).await?, CommandFacts::SendToTaxAuthority)
            }
        };
        Ok((Facts { document, now, command }, regime_facts))
    }

    /// A document with its credit notes, which are counted only where its state takes the command.
    async fn counted(
        &self,
        acting: &Acting,
        id: InvoiceId,
        command: Command,
    ) -> Result<(Invoice, CreditNotes), CommandError> {
        let document = self.find_visible(acting, id).await?;
        ensure_taken(&document, command)?;
        let credit_notes = self.invoice_data.credit_notes(acting, &document).await?;
        Ok((document, credit_notes))
    }

    /// The day of a command, in the time zone of the document's workspace.
    async fn day_of(&self, document: &Invoice, at: Timestamp) -> Result<Date, StoreError> {
        let workspace = workspaces::find(self.context.db(), document.workspace).await?;
        Ok(self.context.documents().issue_day(Some(at), workspace.as_ref()).day())
    }

    /// What a document was sent with under the number that a verdict names.
    async fn sent_under(
        &self,
        acting: &Acting,
        id: InvoiceId,
        number: Option<&InvoiceNumber>,
    ) -> Result<Option<SentUnder>, StoreError> {
        let Some(number) = number else { return Ok(None) };
        let submission = submissions::find(self.context.db(), id, &acting.workspaces).await?;
        let all = attempts::of_document(self.context.db(), id).await?.into_iter();
        let under = all.filter(|attempt| attempt.number.as_ref() == Some(number));
        let jobs = under.map(|attempt| SentJob {
            job: attempt.job,
            authority_record: attempt.authority_record,
            acceptance: attempt.acceptance,
        });
        Ok(Some(SentUnder { jobs: jobs.collect(), submission }))
    }

    /// The document of a command.
    ///
    /// # Errors
    /// [`CommandError::Gone`] also for one that the caller may not see.
    pub async fn find_visible(&self, acting: &Acting, id: InvoiceId) -> Result<Invoice, CommandError> {
        self.invoice_data.document(acting, id).await?.ok_or(CommandError::Gone)
    }

    /// What the plugin warns of in what a plan sends to the tax authority. No transaction is open while it looks.
    ///
    /// # Errors
    /// The faults that the authority would refuse it for.
    async fn check(&self, plan: &Plan, facts: Option<Box<RegimeFacts>>) -> Result<Vec<Fault>, CommandError> {
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
        let faults = self.preflight(document, at, facts).await?;
        if faults.iter().any(Fault::stops) {
            return Err(CommandError::Preflight(faults));
        }
        // The document that a plan makes is not the one that the command answers for.
        Ok(if plan.then.is_none() { faults } else { Vec::new() })
    }

    /// What an issue would do: every fault is an answer, and so is a plugin that fails.
    async fn try_out(
        &self,
        document: &Invoice,
        route: Route,
        plan: &Plan,
        facts: Option<Box<RegimeFacts>>,
    ) -> Result<DryRun, CommandError> {
        let mut dry_run = DryRun { document: document.clone(), route, faults: Vec::new(), identity: None };
        if let Some((document, at)) = plan.submitted() {
            dry_run.faults = match self.preflight(document, at, facts).await {
                Err(CommandError::PluginBroken(fault)) => vec![fault],
                checked => self.with_coming(document, checked?).await,
            };
            dry_run.identity = self.regimes.trial_identity(document).await?;
        }
        Ok(dry_run)
    }

    /// What is found now, and what will be refused and is not today. That it cannot be told is a warning like any other.
    async fn with_coming(&self, document: &Invoice, mut today: Vec<Fault>) -> Vec<Fault> {
        let Some(rules) = self.context.coming_rules() else { return today };
        let ahead = match self.regime_input(document, None).await {
            Ok(Some(input)) => warnings_ahead(rules, &Draft::of(document, input), &today).await,
            Ok(None) => Vec::new(),
            Err(error) => vec![Fault::warning(RULES_UNCHECKED, "", error.to_string())],
        };
        today.extend(ahead);
        today
    }

    /// The plugin's opinion of a document that has no number yet and would be issued at `at`. `facts` are read unless they are
    /// at hand.
    pub(crate) async fn preflight(
        &self,
        document: &Invoice,
        at: Option<Timestamp>,
        facts: Option<Box<RegimeFacts>>,
    ) -> Result<Vec<Fault>, CommandError> {
        let referenced = self.invoice_data.referenced(document).await?;
        let facts = match facts {
            Some(facts) => Some(facts),
            None => self.regimes.facts(document).await?,
        };
        let Some(facts) = facts else { return Ok(Vec::new()) };
        let document = self.dated(document, at, &facts.workspace);
        if let Some(earlier) = self.context.earlier_numbers()
            && let Some(objection) = earlier.objection(&document, &facts.workspace).await?
        {
            return Err(CommandError::Rule(objection));
        }
        let ready = self.regimes.for_regime(&document, &referenced, None, facts).await?;
        let Some((regime, invoice, context)) = ready else { return Ok(Vec::new()) };
        match self.context.converter(&document).check(&regime, &invoice, &context).await {
            Ok(made) => Ok(made.value),
            Err(ConverterError::Faults(faults)) => Ok(faults),
            Err(ConverterError::Broken(fault)) => Err(CommandError::PluginBroken(fault)),
            Err(error @ (ConverterError::UnknownRegime(_) | ConverterError::Busy)) => {
                Err(CommandError::Converter(error))
            }
        }
    }

    /// The document under the issue date that it would get at `at`.
    fn dated<'a>(
        &self,
        document: &'a Invoice,
        at: Option<Timestamp>,
        workspace: &Workspace,
    ) -> Cow<'a, Invoice> {
        if document.content.issue_date.is_some() {
            return Cow::Borrowed(document);
        }
        let mut dated = document.clone();
        dated.content.issue_date = Some(self.context.documents().issue_day(at, Some(workspace)).day());
        Cow::Owned(dated)
    }
}
