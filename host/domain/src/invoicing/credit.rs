//! Credit notes and refunds: what may still be given back of an issued document.
//!
//! A credit note carries what it credits as positive amounts, as the structured format does; the tax authority's
//! record turns them round. However many partial credit notes there are, together they never exceed the original.

use super::{
    BeforeIssue, Content, DocumentKind, Invoice, Line, RateTotal, Status, Totals, TotalsError,
    ensure_issued_by,
};
use crate::ids::InvoiceId;
use crate::money::{Amount, TooLarge};
use jiff::civil::Date;
use std::fmt;

/// What one credit note comes to: so much less is left of the original.
#[derive(Debug, Clone, PartialEq)]
pub struct CreditNoteTotals {
    /// The credit note's own.
    pub id: InvoiceId,
    /// How the note stands.
    pub status: Status,
    /// Signed as on an invoice: a positive gross gives money back.
    pub totals: Totals,
}

impl CreditNoteTotals {
    /// Whether it is issued or on its way; any other only holds back what it credits.
    pub const fn is_effective(&self) -> bool {
        match self.status {
            Status::Issued | Status::Issuing => true,
            Status::Draft | Status::Rejected => false,
        }
    }
}

/// What credit notes hold back that nobody issued: it is free once they are deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldBack(Vec<(InvoiceId, Amount)>);

impl HeldBack {
    fn by(already: &[CreditNoteTotals]) -> Self {
        let unissued = already.iter().filter(|note| !note.is_effective());
        Self(unissued.map(|note| (note.id, note.totals.gross)).collect())
    }
}

impl fmt::Display for HeldBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (note, gross) in &self.0 {
            write!(f, "; the unissued credit note {note} holds {gross} back: issue it or delete it")?;
        }
        Ok(())
    }
}

/// Why a document is not credited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCreditable {
    /// Only issued invoices are credited.
    #[error("only an issued invoice can be credited, this document is {kind} and {found}")]
    WrongDocument {
        /// As [`DocumentKind::as_str`] writes it.
        kind: &'static str,
        /// `issued` too, where only the kind is wrong.
        found: Status,
    },
    /// Before the day on which the invoice was issued.
    #[error(transparent)]
    BeforeIssue(#[from] BeforeIssue),
    /// In another currency than the invoice.
    #[error("the invoice is in {currency}: credit it in that currency")]
    OtherCurrency {
        /// The invoice's.
        currency: String,
    },
    /// Nothing is left to be credited.
    #[error("the invoice is credited already: {credited} of {gross}{held_back}{}", rest_of(*left))]
    CreditedAlready {
        /// By existing credit notes.
        credited: Amount,
        /// Total of the original with tax, in its currency.
        gross: Amount,
        /// Of the original, before this one.
        left: Amount,
        /// A part of what counts as credited.
        held_back: HeldBack,
    },
    /// Less than nothing, of an invoice that bills something: it would bill more.
    #[error("a credit note must not come to less than 0, this one comes to {gross}: change its lines")]
    Negative {
        /// Of the credit note, with tax.
        gross: Amount,
    },
    /// More than is left.
    #[error(
        "credit notes would come to {credited} of an invoice of {gross}: credit at most {left}{held_back}"
    )]
    Exceeds {
        /// By existing credit notes and this one.
        credited: Amount,
        /// Total of the original with tax, in its currency.
        gross: Amount,
        /// Of the original, before this one.
        left: Amount,
        /// A part of what counts as credited.
        held_back: HeldBack,
    },
    /// A line is taxed as no line of the original is.
    #[error("the invoice has no line with this tax: credit what it bills")]
    UnknownTax {
        /// Which line, from 0.
        line: usize,
    },
    /// A credit note without lines.
    #[error("a credit note needs a line: name what is credited, or nothing to credit all")]
    NoLines,
    /// The lines have no figures.
    #[error(transparent)]
    Totals(#[from] TotalsError),
}

/// What can still be credited, if anything.
fn rest_of(left: Amount) -> String {
    if left.is_zero() { String::new() } else { format!("; credit lines that come to {left} at most") }
}

impl From<TooLarge> for NotCreditable {
    fn from(error: TooLarge) -> Self {
        Self::Totals(error.into())
    }
}

/// The content of a credit note for `original`: for all of it, or for `lines`. `already` are its other credit notes,
/// drafts included, so that drafts written side by side stay within the original too.
pub fn credit_note(
    original: &Invoice,
    already: &[CreditNoteTotals],
    lines: Option<Vec<Line>>,
    issue_date: Date,
) -> Result<(Content, Totals), NotCreditable> {
    creditable(original)?;
    ensure_issued_by(original, issue_date)?;
    let credited = sum_of(original, already)?;
    if lines.is_none() && (!credited.is_zero() || (original.totals.gross.is_zero() && !already.is_empty())) {
        let gross = original.totals.gross;
        let left = gross.plus_exact(credited.negate())?;
        let held_back = HeldBack::by(already);
        return Err(NotCreditable::CreditedAlready { credited, gross, left, held_back });
    }
    let lines = lines.unwrap_or_else(|| original.content.lines.clone());
    if lines.is_empty() {
        return Err(NotCreditable::NoLines);
    }
    let content = Content {
        document_type: DocumentKind::CreditNote,
        issue_date: Some(issue_date),
        operation_date: None,
        lines,
        referenced_document_ids: vec![original.id],
        notes: None,
        // It gives money back: the terms of the invoice are not its own.
        payment: None,
        ..original.content.clone()
    };
    let totals = Totals::rounded(&content, original.totals.rounding)?;
    let billed = original.totals.gross;
    let bills_something = !billed.is_zero() && !billed.is_negative();
    if bills_something && totals.gross.is_negative() {
        return Err(NotCreditable::Negative { gross: totals.gross });
    }
    within(&[original], already, &content, &totals)?;
    Ok((content, totals))
}

/// Whether a credit note that is about to be issued stays within the originals it refers to, taken together. `already`
/// are the other credit notes of these originals that have a number.
pub fn within_originals(
    note: &Invoice,
    originals: &[Invoice],
    already: &[CreditNoteTotals],
) -> Result<(), NotCreditable> {
    if originals.is_empty() {
        return Ok(());
    }
    for original in originals {
        creditable(original)?;
    }
    within(&originals.iter().collect::<Vec<_>>(), already, &note.content, &note.totals)
}

fn creditable(original: &Invoice) -> Result<(), NotCreditable> {
    let (kind, found) = (original.content.document_type, original.state.status());
    match (kind, found) {
        (DocumentKind::Invoice, Status::Issued) => Ok(()),
        (
            DocumentKind::Invoice | DocumentKind::CreditNote | DocumentKind::Proforma | DocumentKind::Receipt,
            Status::Draft | Status::Issuing | Status::Issued | Status::Rejected,
        ) => Err(NotCreditable::WrongDocument { kind: kind.as_str(), found }),
    }
}

fn sum_of(original: &Invoice, already: &[CreditNoteTotals]) -> Result<Amount, TooLarge> {
    let zero = Amount::zero(original.totals.gross.scale());
    already.iter().try_fold(zero, |sum, note| sum.plus_exact(note.totals.gross))
}

fn within(
    originals: &[&Invoice],
    already: &[CreditNoteTotals],
    content: &Content,
    totals: &Totals,
) -> Result<(), NotCreditable> {
    if let Some(other) = originals.iter().find(|original| original.content.currency != content.currency) {
        return Err(NotCreditable::OtherCurrency { currency: other.content.currency.clone() });
    }
    for (line, credit) in content.lines.iter().enumerate() {
        let billed = originals.iter().flat_map(|original| &original.content.lines);
        if !billed.map(|billed| &billed.tax).any(|tax| *tax == credit.tax) {
            return Err(NotCreditable::UnknownTax { line });
        }
    }
    let zero = Amount::zero(totals.gross.scale());
    let held_back = HeldBack::by(already);
    let gross = total(zero, originals.iter().map(|original| original.totals.gross))?;
    let credited = total(zero, already.iter().map(|note| note.totals.gross))?;
    stays_within(gross, (credited, &held_back), totals.gross, zero)?;
    // Together they may be within it, and more of one rate than was billed at it.
    let notes = || already.iter().map(|note| &note.totals).chain([totals]);
    // Each document rounds the figures of its rates on its own.
    let cents = i64::try_from(notes().count()).unwrap_or(i64::MAX);
    let slack = Amount::new(cents, totals.gross.scale())?;
    for row in &totals.rates {
        let billed = total(zero, originals.iter().filter_map(|original| of_rate(&original.totals, row)))?;
        let before = total(zero, already.iter().filter_map(|note| of_rate(&note.totals, row)))?;
        let this = of_rate(totals, row).unwrap_or(zero);
        stays_within(billed, (before, &held_back), this, slack)?;
    }
    Ok(())
}

fn total(zero: Amount, amounts: impl Iterator<Item = Amount>) -> Result<Amount, TooLarge> {
    amounts.into_iter().try_fold(zero, Amount::plus_exact)
}

/// What a document comes to at the rate of `row`, tax included.
fn of_rate(totals: &Totals, row: &RateTotal) -> Option<Amount> {
    let same = |other: &&RateTotal| {
        (&other.category, other.rate, &other.exemption, other.surcharge)
            == (&row.category, row.rate, &row.exemption, row.surcharge)
    };
    let row = totals.rates.iter().find(same)?;
    row.base.plus_exact(row.amount).ok()
}

/// Whether `this` and what was `credited` before stay within what was `billed`, up to `slack`.
fn stays_within(
    billed: Amount,
    (credited, held_back): (Amount, &HeldBack),
    this: Amount,
    slack: Amount,
) -> Result<(), NotCreditable> {
    let sum = credited.plus_exact(this)?;
    let beyond = if billed.is_negative() {
        sum.plus_exact(slack)?.cmp_value(billed).is_lt()
            || this.plus_exact(slack.negate())?.cmp_value(Amount::ZERO).is_gt()
    } else {
        sum.plus_exact(slack.negate())?.cmp_value(billed).is_gt() || this.plus_exact(slack)?.is_negative()
    };
    if beyond {
        let left = billed.plus_exact(credited.negate())?;
        let held_back = held_back.clone();
        return Err(NotCreditable::Exceeds { credited: sum, gross: billed, left, held_back });
    }
    Ok(())
}

/// Why money is not recorded as returned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRefundable {
    /// Before the day on which the document was issued.
    #[error(transparent)]
    BeforeIssue(#[from] BeforeIssue),
    /// Nothing, or less than nothing.
    #[error("the amount returned has to be above zero")]
    NotPositive,
    /// With more decimals than the currency has.
    #[error("the amount has more decimals than the currency")]
    TooFine,
    /// More than was to be paid.
    #[error("refunds would come to {refunded} of a document of {payable}: record at most {left}")]
    Exceeds {
        /// Before and with this one.
        refunded: Amount,
        /// What is to be paid of the document, in its currency.
        payable: Amount,
        /// Before this one.
        left: Amount,
    },
    /// Too many digits.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// The amount as it is recorded on `day`, if together with what was `refunded` before it stays within what was to be
/// paid.
pub fn refundable(
    document: &Invoice,
    refunded: Amount,
    amount: Amount,
    day: Date,
) -> Result<Amount, NotRefundable> {
    ensure_issued_by(document, day)?;
    let payable = document.totals.payable;
    if amount.is_zero() || amount.is_negative() {
        return Err(NotRefundable::NotPositive);
    }
    let recorded = amount.rescale(payable.scale())?;
    if !recorded.same_value(amount) {
        return Err(NotRefundable::TooFine);
    }
    let magnitude = if payable.is_negative() { payable.negate() } else { payable };
    let sum = refunded.plus_exact(recorded)?;
    if sum.cmp_value(magnitude).is_gt() {
        let left = magnitude.plus_exact(refunded.negate())?;
        return Err(NotRefundable::Exceeds { refunded: sum, payable: magnitude, left });
    }
    Ok(recorded)
}
