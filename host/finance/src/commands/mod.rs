//! Commands on documents: read, decide, check, execute, record, answer.

mod issue;

pub use issue::DryRun;

use crate::Finance;
use crate::error::CommandError;
use crate::outcome::Outcome;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain_finance::{Command, CommandForm, FinanceEvent, NextStep, Plan, Route, ensure_taken};
use gateway_events::Source;
use gateway_invoicing::Related;
use gateway_storage::{StoreError, Tx};
use jiff::{SignedDuration, Timestamp};

/// How long the background leaves what a request is about to do to that request.
const GRACE: SignedDuration = SignedDuration::from_secs(5);

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

    /// What the tax authority would refuse of the document that a plan makes and issues.
    pub(crate) async fn check_plan(&self, plan: &Plan) -> Result<(), CommandError> {
        let (note, Some(NextStep::Issue { at })) = (&plan.result, plan.then) else { return Ok(()) };
        if self.route(note).await? == Route::TaxAuthority {
            self.invoice_data().ensure_issuable(note, Route::TaxAuthority, at).await?;
            self.check(note, at).await?;
        }
        Ok(())
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
