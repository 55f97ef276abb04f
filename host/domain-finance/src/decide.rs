//! The decisions of finance: state × command × content → a [`Plan`], or a refusal with a code (specification, Rules 1 to 6).
//! A plan is data, not carried out yet: a call to the invoice data service, what finance records, and what is decided anew
//! afterwards.

use super::verdicts::{accept, is_about_another_number, reject};
use super::{
    Command, CommandFacts, CommandRefused, Edit, Facts, FinanceEvent, Refusal, Route, Settling, Stage,
    Submission, follow_up_draft, is_accepted_after_all, refusal,
};
use gateway_domain::ids::{InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{
    Acceptance, Content, Invoice, InvoiceNumber, IssueError, NotRefundable, Status, Totals, credit_note,
    refundable,
};
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::document::TaxCheck;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
    let totals =
        Totals::of(&content).map_err(|error| CommandRefused::Invalid(vec![FieldError::from(error)]))?;
    let result = document.clone().edit(content.clone(), totals, now)?.invoice;
    let call = InvoiceDataCall::Save { content: Box::new(content), expected_version: Some(document.version) };
    Ok(Plan::about(document, call, Record::Event(event), result))
}

/// What finance records once the call is carried out, or at once when there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", content = "of", rename_all = "snake_case")]
pub enum Record {
    /// Nothing.
    Nothing,
    /// This happened to the document.
    Event(FinanceEvent),
    /// A credit note was drafted for the document.
    Credited,
    /// A credit note for all of the document was drafted.
    Reversed,
    /// A corrective was drafted beside the rejected document.
    Corrective,
    /// Money was returned.
    Refunded {
        /// How much, in the document's currency.
        amount: Amount,
        /// What the payment is known by elsewhere.
        reference: Option<String>,
        /// When.
        at: Timestamp,
    },
    /// It goes to the tax authority: its submission has its number.
    Submitted,
    /// A verdict was given by hand.
    Verdict,
    /// The provider's verdict, which the submission keeps that waits for it to be told.
    Settled,
    /// The authority holds the document under an earlier number, whose jobs these are.
    EarlierAccepted {
        /// All that were sent under that number.
        jobs: Vec<ProviderJobId>,
        /// As the provider showed it, or as somebody gave it by hand.
        acceptance: Acceptance,
    },
    /// The authority holds nothing under an earlier number, whose jobs these are.
    EarlierRefuted {
        /// All that were sent under that number.
        jobs: Vec<ProviderJobId>,
    },
}

/// What is decided anew once a plan is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "then", rename_all = "snake_case")]
pub enum NextStep {
    /// The document that the plan made is issued.
    Issue {
        /// The caller's own time of it.
        at: Option<Timestamp>,
    },
}

/// What a command comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The document of the command, as it was when this was decided.
    pub document: Invoice,
    /// What is asked of the invoice data service.
    pub call: Option<InvoiceDataCall>,
    /// What finance records.
    pub record: Record,
    /// What is decided anew afterwards.
    pub then: Option<NextStep>,
    /// The document that the command answers with, as far as it can be foreseen: the one of the call.
    pub result: Invoice,
}

impl Plan {
    /// A plan about the document itself, which shows `result` afterwards.
    pub const fn about(document: Invoice, call: InvoiceDataCall, record: Record, result: Invoice) -> Self {
        Self { document, call: Some(call), record, then: None, result }
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

    /// A plan that asks nothing of the invoice data service.
    pub fn record_only(document: Invoice, record: Record) -> Self {
        Self { result: document.clone(), document, call: None, record, then: None }
    }

    /// A plan that drafts another document beside this one.
    pub fn follow_up(document: Invoice, draft: Invoice, record: Record, then: Option<NextStep>) -> Self {
        let call = InvoiceDataCall::Save { content: Box::new(draft.content.clone()), expected_version: None };
        Self { document, call: Some(call), record, then, result: draft }
    }

    /// The provider's verdict, told as one that is given by hand. One about another number says nothing about the present
    /// one, so it is recorded and not told.
    pub fn settle(document: Invoice, settling: &Settling) -> Self {
        let is_ours = document.state.number() == Some(&settling.attempt.number);
        let call = is_ours.then(|| settling.verdict.call());
        Self { result: document.clone(), document, call, record: Record::Settled, then: None }
    }

    /// What goes to the tax authority by this plan alone, and so is checked before; with the caller's own time of its issue.
    /// None: nothing, or only the route of what the plan makes tells.
    pub const fn submitted(&self) -> Option<(&Invoice, Option<Timestamp>)> {
        match &self.call {
            Some(InvoiceDataCall::BeginIssuing { at, .. }) => Some((&self.document, *at)),
            Some(
                InvoiceDataCall::Save { .. }
                | InvoiceDataCall::Delete { .. }
                | InvoiceDataCall::Issue { .. }
                | InvoiceDataCall::IssueEarlier { .. }
                | InvoiceDataCall::Reject { .. },
            )
            | None => None,
        }
    }
}

/// What is asked of the invoice data service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
pub enum InvoiceDataCall {
    /// Makes a draft, or replaces the content of a document at `expected_version`.
    Save {
        /// Takes the place of all that the document had.
        content: Box<Content>,
        /// The version; none makes a document and replaces none.
        expected_version: Option<i64>,
    },
    /// Deletes a draft at `expected_version`.
    Delete {
        /// The one that the command was decided about.
        expected_version: i64,
    },
    /// Moves a draft or a rejected document to issuing under its next number, if it is still at `expected_version`.
    BeginIssuing {
        /// The caller's own time.
        at: Option<Timestamp>,
        /// The one that the command was decided about.
        expected_version: Option<i64>,
    },
    /// Makes a document final, if it is still at `expected_version`.
    Issue {
        /// The authority's proof, for a document that waits for its verdict.
        acceptance: Option<Acceptance>,
        /// The caller's own time.
        at: Option<Timestamp>,
        /// The one that the command was decided about; none for a verdict, which counts at any version.
        #[serde(default)]
        expected_version: Option<i64>,
    },
    /// Makes a document final under an earlier number, which the authority accepted.
    IssueEarlier {
        /// The one the authority accepted; it takes the place of the present one.
        number: InvoiceNumber,
        /// The authority's proof.
        acceptance: Acceptance,
    },
    /// Moves an issuing document to rejected.
    Reject {
        /// What the authority objects to.
        reason: String,
    },
}

impl InvoiceDataCall {
    /// Whether something follows from it: the document becomes final, or rejected.
    pub const fn is_a_verdict_or_an_issue(&self) -> bool {
        match self {
            Self::Issue { .. } | Self::IssueEarlier { .. } | Self::Reject { .. } => true,
            Self::Save { .. } | Self::Delete { .. } | Self::BeginIssuing { .. } => false,
        }
    }

    /// Whether it makes a document that was not there before.
    pub const fn makes_a_document(&self) -> bool {
        matches!(self, Self::Save { expected_version: None, .. })
    }
}

#[cfg(test)]
mod tests;
