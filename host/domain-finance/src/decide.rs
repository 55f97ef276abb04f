//! The decisions of finance: state × command × content → a [`Plan`], or a refusal with a code (specification, Rules 1 to 6).

use super::verdicts::{accept, is_about_another_number, reject};
use super::{
    Command, CommandFacts, CommandRefused, Edit, Facts, FinanceEvent, InvoiceDataCall, NextStep, Plan,
    Record, Refusal, Route, Settling, Stage, Submission, follow_up_draft, is_accepted_after_all, refusal,
};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Invoice, IssueError, NotRefundable, Status, Totals, credit_note, refundable,
};
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::document::TaxCheck;
use jiff::Timestamp;

/// Decides a command; with `expected_version`, only about that version of the document. `new_document` is the id of a document
/// that it makes.
///
/// # Errors
/// Why it is refused.
pub fn decide(
    facts: Facts,
    expected_version: Option<i64>,
    new_document: InvoiceId,
) -> Result<Plan, CommandRefused> {
    let Facts { document, now, command } = facts;
    if let Some(command) = command.command().filter(|_| !is_about_another_number(&document, &command)) {
        ensure_taken(&document, command)?;
    }
    if expected_version.is_some_and(|expected| expected != document.version) {
        return Err(CommandRefused::Stale { current: document.version });
    }
    match command {
        CommandFacts::Issue { at, route, is_blocked, submission } => {
            ensure_issuable(&document, route, is_blocked, submission.as_ref())?;
            let version = document.version;
            Ok(Plan::issue(document, route, at, Some(version)))
        }
        CommandFacts::Resume { at, .. } => {
            document.ensure_billable()?;
            let version = document.version;
            Ok(Plan::issue(document, Route::TaxAuthority, at, Some(version)))
        }
        CommandFacts::Credit { lines, credit_notes, day } => {
            let (content, totals) = credit_note(&document, &credit_notes.credited, lines, day)?;
            let note = follow_up_draft(&document, new_document, content, totals, now);
            Ok(Plan::follow_up(document, note, Record::Credited, None))
        }
        CommandFacts::Reverse { at, credit_notes, day } => {
            let (content, totals) = credit_note(&document, &credit_notes.credited, None, day)?;
            let note = follow_up_draft(&document, new_document, content, totals, now);
            let then = Some(NextStep::Issue { at: Some(at) });
            Ok(Plan::follow_up(document, note, Record::Reversed, then))
        }
        CommandFacts::Refund { at, amount, reference, refunded, day } => {
            let zero = Amount::zero(document.totals.payable.scale());
            let refunded =
                refunded.into_iter().try_fold(zero, Amount::plus_exact).map_err(NotRefundable::from)?;
            let amount = refundable(&document, refunded, amount, day)?;
            Ok(Plan::record_only(document, Record::Refunded { amount, reference, at }))
        }
        CommandFacts::Delete => {
            let call = InvoiceDataCall::Delete { expected_version: document.version };
            Ok(Plan::about(document.clone(), call, Record::Event(FinanceEvent::Deleted), document))
        }
        CommandFacts::Edit { edit, regime } => {
            let taxes = regime.as_deref().map_or(TaxCheck::Syntax, TaxCheck::Regime);
            edited(document, *edit, taxes, now)
        }
        CommandFacts::Accept { form, sent } => accept(document, form, sent, now),
        CommandFacts::Reject { form, sent } => reject(document, form, sent, now),
        CommandFacts::Settle(settling) => Ok(Plan::settle(document, &settling)),
        CommandFacts::SendToTaxAuthority => Err(CommandRefused::State(Refusal::DispatchedInternally)),
    }
}

/// Whether the state of a document takes a command.
///
/// # Errors
/// Why not.
pub fn ensure_taken(document: &Invoice, command: Command) -> Result<(), CommandRefused> {
    refusal(document.state.status(), command).map_or(Ok(()), |refusal| Err(CommandRefused::State(refusal)))
}

/// Whether a document may be issued on its route.
fn ensure_issuable(
    document: &Invoice,
    route: Route,
    is_blocked: bool,
    submission: Option<&Submission>,
) -> Result<(), CommandRefused> {
    ensure_route_takes(document, route)?;
    ensure_not_accepted_after_all(document, submission)?;
    if is_blocked {
        return Err(IssueError::Blocked.into());
    }
    // Another request is moving the document at this moment, or died and its job goes on for it; or a remote invoice data service
    // was told the verdict, and finance records it in a moment.
    let is_moving =
        submission.is_some_and(|submission| matches!(submission.stage(), Stage::Requested | Stage::Settling));
    match route {
        Route::TaxAuthority if is_moving => Err(CommandRefused::State(Refusal::LockedWhileIssuing)),
        Route::Standard | Route::TaxAuthority => Ok(()),
    }
}

impl Plan {
    /// What a verdict comes to for its document as it is.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn settlement(
        document: Invoice,
        settling: &Settling,
        now: Timestamp,
    ) -> Result<Self, CommandRefused> {
        let (id, command) = (document.id, CommandFacts::Settle(Box::new(settling.clone())));
        decide(Facts { document, now, command }, None, id)
    }

    /// The issue of a document on its route, at the caller's own time `at`; with `expected_version`, only at that version.
    pub fn issue(
        document: Invoice,
        route: Route,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Self {
        let (call, record) = match route {
            Route::Standard => (
                InvoiceDataCall::Issue { acceptance: None, at, expected_version },
                Record::Event(FinanceEvent::Issued),
            ),
            Route::TaxAuthority => {
                (InvoiceDataCall::BeginIssuing { at, expected_version }, Record::Submitted)
            }
        };
        Self::about(document.clone(), call, record, document)
    }

    /// The provider's verdict, told as one that is given by hand. One about another number says nothing about the present
    /// one, so it is recorded and not told.
    pub fn settle(document: Invoice, settling: &Settling) -> Self {
        let is_ours = document.state.number() == Some(&settling.attempt.number);
        let call = is_ours.then(|| settling.verdict.call());
        Self { result: document.clone(), document, call, record: Record::Settled, then: None }
    }
}

/// Refuses what its way does not take, whatever else is refused: a rejected document has its number and goes to the tax
/// authority again or nowhere.
fn ensure_route_takes(document: &Invoice, route: Route) -> Result<(), CommandRefused> {
    if document.state.status() == Status::Rejected && route == Route::Standard {
        let message = "goes to the tax authority again, and its workspace has no e-invoicing for it: set it with 'gateway workspace e-invoicing set'";
        let error = FieldError::new("status", ErrorCode::EInvoicingNotConfigured, message);
        return Err(CommandRefused::Rule(error));
    }
    Ok(document.ensure_billable()?)
}

/// A rejected document that the authority holds, or may hold, under an earlier number does not go out again.
fn ensure_not_accepted_after_all(
    document: &Invoice,
    submission: Option<&Submission>,
) -> Result<(), CommandRefused> {
    let alert =
        submission.filter(|found| is_accepted_after_all(found)).and_then(|found| found.alert.as_ref());
    match alert {
        Some(alert) if document.state.status() == Status::Rejected => {
            let error = FieldError::new("status", ErrorCode::AcceptedAfterAll, alert.message.clone());
            Err(CommandRefused::Rule(error))
        }
        Some(_) | None => Ok(()),
    }
}

fn edited(
    document: Invoice,
    edit: Edit,
    taxes: TaxCheck<'_>,
    now: Timestamp,
) -> Result<Plan, CommandRefused> {
    let event = match &edit {
        Edit::Recipient(_) => FinanceEvent::RecipientUpdated,
        Edit::Add(..) => FinanceEvent::TransactionAdded,
        Edit::Update(..) => FinanceEvent::TransactionUpdated,
        Edit::Remove(_) => FinanceEvent::TransactionRemoved,
    };
    let content = edit.of(document.content.clone(), taxes)?;
    let totals = Totals::rounded(&content, taxes.rounding())
        .map_err(|error| CommandRefused::Invalid(vec![FieldError::from(error)]))?;
    let result = document.clone().edit(content.clone(), totals, now)?.invoice;
    let call = InvoiceDataCall::Save { content: Box::new(content), expected_version: Some(document.version) };
    Ok(Plan::about(document, call, Record::Event(event), result))
}

#[cfg(test)]
mod tests;
