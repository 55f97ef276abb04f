//! Credit, Reverse and Refund: what is given back of an issued document.

use super::issue::{Seen, not_in_the_future};
use super::{CommandError, Outcome};
use crate::Gateway;
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::finance::{Command, FinanceEvent, Route};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Content, Credited, FieldError, Invoice, Line, NotCreditable, NotRefundable, Totals, credit_note,
    refundable,
};
use gateway_domain::money::Amount;
use gateway_invoicing::{FollowUps as _, Issue, Related};
use gateway_storage::credits::{self, Refund};
use gateway_storage::{Tx, invoices, workspaces};
use jiff::Timestamp;

impl Gateway {
    /// Credit: writes a draft credit note for all of an issued invoice, or for `lines`. The outcome's document is the
    /// credit note.
    pub async fn credit_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Timestamp,
        lines: Option<Vec<Line>>,
    ) -> Result<Outcome, CommandError> {
        not_in_the_future(self, at)?;
        if let Some(service) = self.elsewhere() {
            return self.credit_elsewhere(service, acting, id, at, lines).await;
        }
        let mut tx = self.db().begin().await?;
        let (original, content, totals) =
            self.creditable(&mut tx, acting, id, Command::Credit, at, lines).await?;
        let before = self.told_so_far(&mut tx, id).await?;
        self.once(&mut tx, acting).await?;
        let mut note = self.documents().draft_beside(&original, content, totals);
        self.documents().insert_in(&mut tx, &mut note, &acting.actor).await?;
        let related = Related::credit_note(note.id);
        self.append_finance_with(&mut tx, FinanceEvent::Credited, &original, &acting.actor, related).await?;
        let outcome = self.outcome_in(&mut tx, acting, note, id, before).await?;
        self.end(tx, acting).await?;
        Ok(outcome)
    }

    /// Reverse: a credit note for all of an issued invoice, issued at once: to the tax authority when the workspace
    /// sends credit notes there. The outcome's document is the credit note.
    pub async fn reverse_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Timestamp,
    ) -> Result<Outcome, CommandError> {
        not_in_the_future(self, at)?;
        if let Some(service) = self.elsewhere() {
            return self.reverse_elsewhere(service, acting, id, at).await;
        }
        let checked = self.check_reversal(acting, id, at).await?;
        let mut tx = self.db().begin().await?;
        let (original, content, totals) =
            self.creditable(&mut tx, acting, id, Command::Reverse, at, None).await?;
        let before = self.told_so_far(&mut tx, id).await?;
        self.once(&mut tx, acting).await?;
        let mut note = self.documents().draft_beside(&original, content, totals);
        self.documents().insert_in(&mut tx, &mut note, &acting.actor).await?;
        let related = Related::credit_note(note.id);
        self.append_finance_with(&mut tx, FinanceEvent::Reversed, &original, &acting.actor, related).await?;
        let quiet = Acting { request: None, ..acting.clone() };
        match checked {
            Route::Standard => {
                let issued = self
                    .documents()
                    .issue_in(&mut tx, &quiet, note.id, Issue { at: Some(at), ..Issue::default() })
                    .await?;
                self.append_finance(&mut tx, FinanceEvent::Issued, &issued, &acting.actor).await?;
                self.after_issue(&mut tx, &issued).await?;
                let outcome = self.outcome_in(&mut tx, acting, issued, id, before).await?;
                self.end(tx, acting).await?;
                Ok(outcome)
            }
            Route::TaxAuthority => {
                let intent = self.intent_in(&mut tx, &quiet, &note, Seen::Within, Some(at)).await?;
                let outcome = self.outcome_in(&mut tx, acting, note, id, before).await?;
                self.end(tx, acting).await?;
                if acting.trial {
                    return Ok(outcome);
                }
                self.request_step(intent, &quiet, Some(at), None, None).await?;
                self.wake();
                let note = self.wanted(&quiet, outcome.document.id).await?;
                self.outcome_of(acting, note, id, before).await
            }
        }
    }

    /// Which way the credit note would go, after the regime had its say.
    async fn check_reversal(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Timestamp,
    ) -> Result<Route, CommandError> {
        let mut tx = self.db().begin().await?;
        let (original, content, totals) =
            self.creditable(&mut tx, acting, id, Command::Reverse, at, None).await?;
        tx.rollback().await?;
        let note = self.documents().draft_beside(&original, content, totals);
        let route = self.route(&note).await?;
        if route == Route::TaxAuthority {
            self.documents().ensure_issuable(&note, route, Some(at)).await?;
            let faults = self.preflight(&note, Some(at)).await?;
            if faults.iter().any(Fault::stops) {
                return Err(CommandError::Preflight(faults));
            }
        }
        Ok(route)
    }

    /// The original, held, and the credit note for it.
    async fn creditable(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        id: InvoiceId,
        command: Command,
        at: Timestamp,
        lines: Option<Vec<Line>>,
    ) -> Result<(Invoice, Content, Totals), CommandError> {
        let original = invoices::lock(tx, id, &acting.workspaces).await?.ok_or(CommandError::Gone)?;
        CommandError::check(&original, command)?;
        let notes: Vec<Credited> = credits::credit_notes(&mut *tx, id, original.workspace)
            .await?
            .into_iter()
            .map(|(_, credited)| credited)
            .collect();
        let workspace = workspaces::find(tx, original.workspace).await?;
        let day = self.documents().issue_day(Some(at), workspace.as_ref()).day();
        let (content, totals) = credit_note(&original, &notes, lines, day)?;
        Ok((original, content, totals))
    }

    /// Refund: records money returned against an issued document; together never more than was to be paid.
    pub async fn refund_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Timestamp,
        amount: Amount,
        reference: Option<String>,
    ) -> Result<Outcome, CommandError> {
        self.in_turn(id, || self.refund_in_turn(acting, id, at, amount, reference.clone())).await
    }

    async fn refund_in_turn(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Timestamp,
        amount: Amount,
        reference: Option<String>,
    ) -> Result<Outcome, CommandError> {
        not_in_the_future(self, at)?;
        // Elsewhere: an issued document does not change, so what is read before the transaction holds in it.
        let read = match self.elsewhere() {
            Some(_) => Some(self.wanted(acting, id).await?),
            None => None,
        };
        let mut tx = self.db().begin().await?;
        let (document, turn) = match read {
            Some(document) => {
                let turn = self.take_turn(&mut tx, acting, &document).await?;
                (document, Some(turn))
            }
            None => (invoices::lock(&mut tx, id, &acting.workspaces).await?.ok_or(CommandError::Gone)?, None),
        };
        CommandError::check(&document, Command::Refund)?;
        let before = self.told_so_far(&mut tx, id).await?;
        let zero = Amount::zero(document.totals.payable.scale());
        let refunded = credits::refunds(&mut tx, id, document.workspace)
            .await?
            .iter()
            .try_fold(zero, |sum, refund| sum.plus_exact(refund.amount))
            .map_err(NotRefundable::from)?;
        let workspace = workspaces::find(&mut tx, document.workspace).await?;
        let day = self.documents().issue_day(Some(at), workspace.as_ref()).day();
        let amount = refundable(&document, refunded, amount, day)?;
        self.once(&mut tx, acting).await?;
        let related = Related::refund(amount, reference.clone(), at);
        let refund = Refund { amount, reference, at, actor: acting.actor.clone() };
        credits::add_refund(&mut tx, self.ids().next(), id, document.workspace, &refund, self.now()).await?;
        self.append_finance_with(&mut tx, FinanceEvent::Refunded, &document, &acting.actor, related).await?;
        if let Some(turn) = &turn {
            self.end_turn(&mut tx, turn).await?;
        }
        let outcome = self.outcome_in(&mut tx, acting, document, id, before).await?;
        self.end(tx, acting).await?;
        Ok(outcome)
    }
}

impl From<NotCreditable> for CommandError {
    fn from(error: NotCreditable) -> Self {
        let field = match error {
            NotCreditable::BeforeIssue(_) => "at".to_owned(),
            NotCreditable::WrongDocument { .. }
            | NotCreditable::OtherCurrency { .. }
            | NotCreditable::CreditedAlready { .. } => "base".to_owned(),
            NotCreditable::UnknownTax { line } => format!("lines[{line}].tax"),
            NotCreditable::Exceeds { .. } | NotCreditable::NoLines | NotCreditable::Totals(_) => {
                "lines".to_owned()
            }
        };
        Self::Rule("creditRefused", FieldError::new(field, error.to_string()))
    }
}

impl From<NotRefundable> for CommandError {
    fn from(error: NotRefundable) -> Self {
        let field = match error {
            NotRefundable::BeforeIssue(_) => "at",
            NotRefundable::NotPositive
            | NotRefundable::TooFine
            | NotRefundable::Exceeds { .. }
            | NotRefundable::TooLarge(_) => "amount",
        };
        Self::Rule("refundRefused", FieldError::new(field, error.to_string()))
    }
}
