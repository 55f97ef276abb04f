//! The commands that write documents, while the invoice data service is elsewhere: the same decisions as in this process,
//! then an intent.

use super::plan::{Call, Plan, Record};
use crate::Gateway;
use crate::finance::{CommandError, Edit, Outcome};
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::finance::{Command, FinanceEvent, Route};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, Invoice, InvoiceNumber, Line, Rejection, State, credit_note};
use gateway_domain::ports::InvoicingClient;
use gateway_storage::{intents, workspaces};
use jiff::Timestamp;

/// What the authority accepted of a document under an earlier number.
#[derive(Debug)]
pub(crate) struct Earlier {
    pub(crate) number: InvoiceNumber,
    pub(crate) acceptance: Acceptance,
}

impl Gateway {
    /// Carries a plan out for the command on `document`; `predicted` is what a trial takes for the result.
    async fn carry_out(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        document: &Invoice,
        plan: Plan,
        predicted: Invoice,
    ) -> Result<Outcome, CommandError> {
        if acting.trial {
            let before = self.finance_events(acting, document.id).await?.len();
            return Box::pin(self.try_out(acting, &plan, predicted, document.id, before)).await;
        }
        let (intent, before) = self.commit_intent(acting, document, plan).await?;
        let ended = Box::pin(self.carry_on(service, intent)).await?;
        self.outcome_of(acting, ended.unwrap_or(predicted), document.id, before).await
    }

    pub(crate) async fn issue_elsewhere(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Outcome, CommandError> {
        let call = Call::Issue { acceptance: None, at, seen: Some(document.version) };
        let plan = Plan::new(document, document.id, call, Record::Event(FinanceEvent::Issued));
        self.carry_out(service, acting, document, plan, document.clone()).await
    }

    pub(crate) async fn accept_elsewhere(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        document: Invoice,
        acceptance: Acceptance,
    ) -> Result<Outcome, CommandError> {
        let predicted = document.clone().accept(Some(acceptance.clone()), self.now())?.invoice;
        let call = Call::Issue { acceptance: Some(acceptance), at: None, seen: None };
        let plan = Plan::new(&document, document.id, call, Record::Verdict);
        self.carry_out(service, acting, &document, plan, predicted).await
    }

    pub(crate) async fn accept_earlier_elsewhere(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        document: Invoice,
        Earlier { number, acceptance }: Earlier,
    ) -> Result<Outcome, CommandError> {
        // The service has the content that was sent then; what a trial shows is the document as it is.
        let sent = Invoice {
            state: State::Issuing { number: number.clone(), since: self.now() },
            ..document.clone()
        };
        let predicted = document.clone().accept_earlier(sent, acceptance.clone(), self.now())?.invoice;
        let call = Call::IssueEarlier { number, acceptance };
        let plan = Plan::new(&document, document.id, call, Record::Verdict);
        self.carry_out(service, acting, &document, plan, predicted).await
    }

    pub(crate) async fn reject_elsewhere(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        document: Invoice,
        reason: String,
    ) -> Result<Outcome, CommandError> {
        let rejected = document.clone().reject(reason.clone(), self.now());
        let predicted = match rejected
            .map_err(|_| CommandError::Refused(gateway_domain::finance::Refusal::NotIssuing))?
        {
            Rejection::Before => document.clone(),
            Rejection::Now(rejected) => rejected.invoice,
        };
        let plan = Plan::new(&document, document.id, Call::Reject { reason }, Record::Verdict);
        self.carry_out(service, acting, &document, plan, predicted).await
    }

    pub(crate) async fn edit_elsewhere(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        id: InvoiceId,
        edit: Edit,
        seen: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        self.in_turn(id, || self.edit_in_turn(service, acting, id, edit.clone(), seen)).await
    }

    async fn edit_in_turn(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        id: InvoiceId,
        edit: Edit,
        seen: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        let existing = self.invoice(acting, id).await?.ok_or(CommandError::Gone)?;
        let event = edit.event();
        let edited = self.edited(self.db(), existing.clone(), edit, seen).await?;
        let content = Box::new(edited.content.clone());
        let call = Call::Save { content, seen: Some(existing.version) };
        let plan = Plan::new(&existing, id, call, Record::Event(event));
        self.carry_out(service, acting, &existing, plan, edited).await
    }

    pub(crate) async fn delete_elsewhere(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        id: InvoiceId,
        seen: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        self.in_turn(id, || self.delete_in_turn(service, acting, id, seen)).await
    }

    async fn delete_in_turn(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        id: InvoiceId,
        seen: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        let found = self.invoice(acting, id).await?.ok_or(CommandError::Gone)?;
        CommandError::check(&found, Command::Delete)?;
        if seen.is_some_and(|seen| seen != found.version) {
            return Err(CommandError::Stale { current: found.version });
        }
        let call = Call::Delete { seen: found.version };
        let plan = Plan::new(&found, id, call, Record::Event(FinanceEvent::Deleted));
        self.carry_out(service, acting, &found, plan, found.clone()).await
    }

    pub(crate) async fn credit_elsewhere(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        id: InvoiceId,
        at: Timestamp,
        lines: Option<Vec<Line>>,
    ) -> Result<Outcome, CommandError> {
        self.in_turn(id, || self.credit_in_turn(service, acting, id, at, lines.clone())).await
    }

    async fn credit_in_turn(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        id: InvoiceId,
        at: Timestamp,
        lines: Option<Vec<Line>>,
    ) -> Result<Outcome, CommandError> {
        let (original, note, counted) = self.note_elsewhere(acting, id, Command::Credit, at, lines).await?;
        let plan = note_plan(&original, &note, Record::Credited, counted);
        self.carry_out(service, acting, &original, plan, note).await
    }

    pub(crate) async fn reverse_elsewhere(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        id: InvoiceId,
        at: Timestamp,
    ) -> Result<Outcome, CommandError> {
        self.in_turn(id, || self.reverse_in_turn(service, acting, id, at)).await
    }

    async fn reverse_in_turn(
        &self,
        service: &dyn InvoicingClient,
        acting: &Acting,
        id: InvoiceId,
        at: Timestamp,
    ) -> Result<Outcome, CommandError> {
        let (original, note, counted) = self.note_elsewhere(acting, id, Command::Reverse, at, None).await?;
        if self.route(&note).await? == Route::TaxAuthority {
            let faults = self.preflight(&note, Some(at)).await?;
            if faults.iter().any(Fault::stops) {
                return Err(CommandError::Preflight(faults));
            }
        }
        let plan = note_plan(&original, &note, Record::Reversed { at: Some(at) }, counted);
        self.carry_out(service, acting, &original, plan, note).await
    }

    /// The original, a credit note for it, and the credit notes that were counted. A credit note that is on its way to
    /// the invoice data service cannot be read there yet and is not taken for nothing: its command has the turn. One
    /// that sets out later is not among those counted, so the intent is refused.
    async fn note_elsewhere(
        &self,
        acting: &Acting,
        id: InvoiceId,
        command: Command,
        at: Timestamp,
        lines: Option<Vec<Line>>,
    ) -> Result<(Invoice, Invoice, Vec<InvoiceId>), CommandError> {
        let original = self.invoice(acting, id).await?.ok_or(CommandError::Gone)?;
        CommandError::check(&original, command)?;
        let counted = intents::notes(self.db(), id, original.workspace).await?;
        if intents::find(self.db(), id).await?.is_some() {
            return Err(CommandError::OnItsWay);
        }
        let notes = self.credited(acting, &counted).await?;
        let workspace = workspaces::find(self.db(), original.workspace).await?;
        let day = self.documents().issue_day(Some(at), workspace.as_ref()).day();
        let (content, totals) = credit_note(&original, &notes, lines, day)?;
        let note = self.documents().draft_beside(&original, content, totals);
        Ok((original, note, counted))
    }
}

fn note_plan(original: &Invoice, note: &Invoice, record: Record, counted: Vec<InvoiceId>) -> Plan {
    let call = Call::Save { content: Box::new(note.content.clone()), seen: None };
    Plan { counted: Some(counted), ..Plan::new(original, note.id, call, record) }
}
