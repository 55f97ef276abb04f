//! Commands on documents: read, decide, check, execute, record, answer.

mod dry_run;

pub use dry_run::DryRun;

use crate::consumers::Copies;
use crate::context::Context;
use crate::error::CommandError;
use crate::facts::{Facts, refunded, route};
use crate::invoice_data::InvoiceData;
use crate::outcome::Outcome;
use crate::regime::TaxRegimes;
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, InvoiceNumber};
use gateway_domain::{FieldError, StoreError};
use gateway_domain_finance::{Command, CommandForm, NextStep, Plan, Route, SentJob, ensure_taken};
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

    /// Carries a command out: read, decide, check, execute, record, answer. A trial ([`Acting::trial`]) is taken back;
    /// `expected_version` guards the document.
    pub async fn command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        expected_version: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        form.ensure_not_in_the_future(self.context.now())?;
        let expected_version = expected_version.filter(|_| form.heeds_version());
        self.until_unchanged(id, &form, expected_version, || {
            self.attempt(acting, id, &form, expected_version)
        })
        .await
    }

    /// Attempts a command anew as long as what it was decided from changes before it is executed, a bounded number of times.
    async fn until_unchanged<T, F>(
        &self,
        id: InvoiceId,
        form: &CommandForm,
        expected_version: Option<i64>,
        attempt: impl Fn() -> F + Send,
    ) -> Result<T, CommandError>
    where
        F: Future<Output = Result<T, CommandError>> + Send,
    {
        let is_checked = matches!(form, CommandForm::Issue { .. }) && expected_version.is_none();
        let (mut tries, mut since) = (1..=ISSUE_TRIES, None);
        loop {
            match attempt().await {
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

    async fn attempt(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: &CommandForm,
        expected_version: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        let (facts, plan) = self.decide(acting, id, form, expected_version).await?;
        let warnings = self.check(&plan).await?;
        let outcome = self.invoice_data.execute(acting, &facts, plan).await?;
        Ok(Outcome { warnings, ..outcome })
    }

    /// The first two steps of every command, carried out or tried.
    async fn decide(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: &CommandForm,
        expected_version: Option<i64>,
    ) -> Result<(Facts, Plan), CommandError> {
        let facts = self.read(acting, id, form).await?;
        let plan = facts.decide(form.clone(), expected_version, InvoiceId(self.context.ids().next()))?;
        if matches!(form, CommandForm::Issue { .. }) {
            self.copies.sync(&facts.document).await;
        }
        Ok((facts, plan))
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
        let mut facts = Facts::of(&self.context, document);
        (facts.submission, facts.sent) = (submission, sent);
        let document = &facts.document;
        if is_issue {
            facts.route = route(&self.context, self.context.db(), document).await?;
            facts.is_blocked = self.invoice_data.correctives().is_blocked(self.context.db(), id).await?;
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
        if let Some((document, at)) = plan.submitted() {
            return self.regimes.checked(document, at).await;
        }
        if let (made, Some(NextStep::Issue { at })) = (&plan.result, plan.then)
            && route(&self.context, self.context.db(), made).await? == Route::TaxAuthority
        {
            self.regimes.checked(made, at).await?;
        }
        Ok(Vec::new())
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
