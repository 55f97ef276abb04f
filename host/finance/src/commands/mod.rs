//! Commands on documents: read, decide, check, execute, record, answer.

mod issue;

pub use issue::DryRun;

use crate::Finance;
use crate::error::CommandError;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Credited, Invoice, InvoiceNumber, TaxCheck};
use gateway_domain::money::Amount;
use gateway_domain_finance::{
    Command, CommandForm, FinanceEvent, NextStep, Plan, Route, SentJob, Situation, decide, ensure_taken,
};
use gateway_domain_platform::events::StoredEvent;
use gateway_events::Source;
use gateway_invoicing::Related;
use gateway_storage::{Executor, Tx, attempts, credits, events, submissions, workspaces};
use jiff::{SignedDuration, Timestamp};

/// How long the background leaves what a request is about to do to that request.
const GRACE: SignedDuration = SignedDuration::from_secs(5);

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
    /// Carries a command out: read, decide, check, execute, record, answer. A trial ([`Acting::trial`]) answers what would
    /// happen and takes everything back. With `expected_version`, only about that version of the document.
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
            | CommandForm::Reject(_) => {
                self.invoice_data().carry_out(acting, id, form, expected_version, None).await
            }
        }
    }

    /// Decides a command about a document that the transaction holds, by its lock or by its turn.
    pub(crate) async fn decide(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: Invoice,
        credited: Vec<Credited>,
        form: CommandForm,
        expected_version: Option<i64>,
    ) -> Result<Plan, CommandError> {
        let id = document.id;
        let workspace =
            if form.compares_days() { workspaces::find(&mut *tx, document.workspace).await? } else { None };
        let refunded = match form {
            CommandForm::Refund { .. } => refunded(tx, &document).await?,
            _ => Vec::new(),
        };
        let regime = match form {
            CommandForm::Edit(_) => {
                let configured = workspaces::e_invoicing(&mut *tx, document.workspace).await?;
                let converter = self.converter(document.workspace);
                configured.and_then(|sealed| converter.describe(&sealed.configuration.regime))
            }
            _ => None,
        };
        // Held from here on: nothing is sent under the present number meanwhile.
        let submission = match form.number() {
            Some(_) => submissions::lock(tx, id, &acting.workspaces).await?,
            None => None,
        };
        let sent = match (form.number(), &submission) {
            (Some(number), Some(_)) => sent_under(tx, id, number).await?,
            _ => Vec::new(),
        };
        let situation = Situation {
            now: self.now(),
            day: self.documents().issue_day(form.at(), workspace.as_ref()).day(),
            taxes: regime.as_ref().map_or(TaxCheck::Syntax, |(description, _)| TaxCheck::Regime(description)),
            credited,
            refunded,
            sent,
            submission,
            fresh: InvoiceId(self.ids().next()),
            document,
        };
        Ok(decide(situation, form, expected_version)?)
    }

    /// What the tax authority would refuse of the document that a plan makes and issues.
    pub(crate) async fn check_plan(&self, plan: &Plan) -> Result<(), CommandError> {
        let (note, Some(NextStep::Issue { at })) = (&plan.result, plan.then) else { return Ok(()) };
        if self.route(note).await? == Route::TaxAuthority {
            self.invoice_data().ensure_issuable(note, Route::TaxAuthority, at).await?;
            self.check(note, at).await?;
        }
        Ok(())
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

    /// The document, if its state takes the command.
    pub async fn command_dry_run(
        &self,
        acting: &Acting,
        id: InvoiceId,
        command: Command,
    ) -> Result<Invoice, CommandError> {
        let document = self.find_visible(acting, id).await?;
        ensure_taken(&document, command)?;
        Ok(document)
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

async fn refunded(tx: &mut Tx, document: &Invoice) -> Result<Vec<Amount>, StoreError> {
    let refunds = credits::refunds(tx, document.id, document.workspace).await?;
    Ok(refunds.into_iter().map(|refund| refund.amount).collect())
}

/// The jobs that a document was sent with under a number.
async fn sent_under(tx: &mut Tx, id: InvoiceId, number: &InvoiceNumber) -> Result<Vec<SentJob>, StoreError> {
    let all = attempts::of_document(tx, id).await?.into_iter();
    let under = all.filter(|attempt| attempt.number.as_ref() == Some(number));
    let sent = under.map(|attempt| SentJob {
        job: attempt.job,
        authority_record: attempt.authority_record,
        acceptance: attempt.acceptance,
    });
    Ok(sent.collect())
}
