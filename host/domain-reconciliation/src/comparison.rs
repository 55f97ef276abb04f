//! One document and its entry at the provider, side by side.

use crate::divergence::Divergence;
use crate::run::ReconciliationOutcome;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, Invoice, InvoiceNumber, State, Status};
use gateway_domain::money::Amount;
use gateway_domain_finance::ports::Entry;
use gateway_domain_finance::{Attempt, AttemptOutcome, AuthorityRecord, entry_differs};
use serde_json::Value;
use uuid::Uuid;

/// What the label of an entry says. A step of the provider's workflow sets it, whatever the authority answered, so no verdict is
/// ever read from it: it tells where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryLabel {
    /// The workflow came to its end.
    Done,
    /// It failed, or the document was made void.
    Failed,
    /// It runs, or the label is unknown here.
    Open,
}

impl EntryLabel {
    /// Of the provider's word for it.
    pub fn of(word: &str) -> Self {
        match word {
            "completed" | "registered" | "sent" | "received" | "paid" => Self::Done,
            "invalid" | "error" | "rejected" | "void" => Self::Failed,
            _ => Self::Open,
        }
    }
}

/// What came of comparing a document with its entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// Both sides say the same, or both wait.
    Matching,
    /// The document waits, and everything of it stands at the provider as it was sent, done.
    Settling,
    /// They do not say the same. Never empty.
    Different(Vec<Divergence>),
}

/// A document as it was filed: its newest attempt under the entry, and what that sent, where it is at hand.
#[derive(Debug, Clone, Copy)]
pub struct Filed<'a> {
    /// The document as it stands here.
    pub document: &'a Invoice,
    /// The newest attempt under the entry.
    pub attempt: &'a Attempt,
    /// The structured document of that attempt; none when another attempt followed.
    pub sent: Option<&'a Value>,
}

/// An entry as the provider lists it.
#[derive(Debug, Clone, Copy)]
pub struct ListedAs<'a> {
    /// The provider's word for its state.
    pub state: &'a str,
    /// What it holds.
    pub entry: &'a Entry,
    /// SHA-256 of the canonical document that it holds, lower-case hex.
    pub digest: &'a str,
}

/// Compares a document with its entry.
pub fn compare(here: Filed<'_>, there: ListedAs<'_>) -> Comparison {
    let mut found = contents(here, there);
    let Filed { document, attempt, .. } = here;
    let label = EntryLabel::of(there.state);
    let status = document.state.status();
    if is_refused_amendment(document, attempt) {
        // The entry holds what was refused, and the record before is in force.
    } else if attempt.is_issued_as(document) {
        if label == EntryLabel::Failed {
            found.push(Divergence::new("state", &status.as_str(), &there.state));
        }
        found.extend(acceptance(document).and_then(|proof| stamps(proof, there.entry)));
    } else if is_waiting(document, attempt) {
        if label == EntryLabel::Done && found.is_empty() && is_as_sent(here, there) {
            return Comparison::Settling;
        }
    } else if label == EntryLabel::Done || attempt.authority_record == Some(AuthorityRecord::Accepted) {
        found.push(Divergence::new("state", &status.as_str(), &there.state));
    }
    if found.is_empty() { Comparison::Matching } else { Comparison::Different(found) }
}

/// Compares a document that another system issued and filed with an entry of its number and supplier. That system filed it, so no more
/// is known here than what is due.
pub fn compare_imported(document: &Invoice, entry: &Entry) -> Comparison {
    let theirs = entry.document.pointer("/totals/payable").and_then(Value::as_str);
    payable(document, theirs).map_or(Comparison::Matching, |found| Comparison::Different(vec![found]))
}

/// Where what is due is not the same.
fn payable(document: &Invoice, theirs: Option<&str>) -> Option<Divergence> {
    let ours = document.totals.payable;
    let same = |theirs: &str| theirs.parse::<Amount>().is_ok_and(|theirs| ours.same_value(theirs));
    let differs = !theirs.is_some_and(same);
    differs.then(|| Divergence::new("/totals/payable", &ours, &theirs.unwrap_or_default()))
}

/// Whether the attempt was to amend the document under its number, and was not accepted.
fn is_refused_amendment(document: &Invoice, attempt: &Attempt) -> bool {
    let is_refused = match attempt.outcome {
        Some(AttemptOutcome::Rejected | AttemptOutcome::Superseded) => true,
        Some(AttemptOutcome::Accepted | AttemptOutcome::Failed) | None => false,
    };
    is_refused
        && attempt.is_issued_as(document)
        && attempt.authority_record != Some(AuthorityRecord::Accepted)
}

/// Whether the document waits for the verdict of this attempt.
fn is_waiting(document: &Invoice, attempt: &Attempt) -> bool {
    matches!(&document.state, State::Issuing { number, .. } if Some(number) == attempt.number.as_ref())
}

/// Whether the entry holds exactly what was sent; not known of an attempt that was never shown.
fn is_as_sent(here: Filed<'_>, there: ListedAs<'_>) -> bool {
    here.attempt.entry_digest.as_deref() == Some(there.digest)
        || here.sent.is_some_and(|sent| entry_differs(sent, &there.entry.document).is_none())
}

fn acceptance(document: &Invoice) -> Option<&Acceptance> {
    match &document.state {
        State::Issued { acceptance, .. } => acceptance.as_ref(),
        State::Draft | State::Issuing { .. } | State::Rejected { .. } => None,
    }
}

/// What of the structured document is another one than was sent. What a document says now is compared only while the number of
/// the attempt is its own: one that was refused may have been edited since.
fn contents(here: Filed<'_>, there: ListedAs<'_>) -> Vec<Divergence> {
    let Filed { document, attempt, sent } = here;
    let stored = &there.entry.document;
    let text = |pointer: &str| stored.pointer(pointer).and_then(Value::as_str);
    let mut found = Vec::new();
    let id = text("/uuid").and_then(|id| id.parse::<Uuid>().ok());
    if id.is_some_and(|id| id != document.id.0) {
        found.push(Divergence::new("/uuid", &document.id, &text("/uuid").unwrap_or_default()));
    }
    let number = attempt.number.as_ref().map(|number| number.0.as_str());
    if text("/code") != number {
        found.push(Divergence::new("/code", &number.unwrap_or_default(), &text("/code").unwrap_or_default()));
    }
    if document.state.number() == attempt.number.as_ref() {
        found.extend(payable(document, text("/totals/payable")));
    }
    if found.is_empty() && attempt.entry_digest.as_deref().is_some_and(|ours| ours != there.digest) {
        found.extend(changed(sent, there));
    }
    found
}

/// What changed in an entry since it was stored. The provider adds members of its own: where what was sent is at hand, only that
/// counts.
fn changed(sent: Option<&Value>, there: ListedAs<'_>) -> Option<Divergence> {
    let stored = &there.entry.document;
    let Some(sent) = sent else {
        return Some(Divergence::new("", &"the document as it was stored", &"another document"));
    };
    let member = entry_differs(sent, stored)?;
    let text = |document: &Value| {
        document.pointer(&member).map_or_else(String::new, |value| match value {
            Value::String(text) => text.clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                value.to_string()
            }
        })
    };
    Some(Divergence::new(&member, &text(sent), &text(stored)))
}

/// Whether an entry carries stamps, and none of them is the proof that is known here.
fn stamps(proof: &Acceptance, entry: &Entry) -> Option<Divergence> {
    let known: Vec<_> = [&proof.qr_url, &proof.tax_system_hash].into_iter().flatten().collect();
    let is_there = |value: &&String| entry.stamps.iter().any(|stamp| stamp.value == **value);
    if known.is_empty() || entry.stamps.is_empty() || known.iter().any(is_there) {
        return None;
    }
    let listed = |values: Vec<&str>| values.join(" ");
    let there = entry.stamps.iter().map(|stamp| stamp.value.as_str()).collect();
    Some(Divergence::new("stamps", &listed(known.into_iter().map(String::as_str).collect()), &listed(there)))
}

/// What to do about what the provider shows, one sentence; none where nothing is to be done.
pub(crate) fn next_step_at_provider(
    outcome: ReconciliationOutcome,
    document: Option<(InvoiceId, Option<Status>)>,
    number: Option<&InvoiceNumber>,
) -> Option<String> {
    let number = number.map_or("", |number| number.0.as_str());
    let view = |document: InvoiceId| format!("see 'gateway submission show {document}'");
    match (outcome, document) {
        (ReconciliationOutcome::Matching | ReconciliationOutcome::Settling, _) => None,
        (ReconciliationOutcome::OnlyThere, _) | (_, None) => Some(
            "find out which system filed it: take it along with 'gateway import' (kind issued_document) if that was one before this \
             gateway; if it is a mistake, have it cancelled there, and never file the sale again here"
                .to_owned(),
        ),
        (ReconciliationOutcome::OnlyHere, Some((document, _))) => Some(format!(
            "{}, and ask provider and tax authority what they hold of {number} before anything is sent again",
            view(document)
        )),
        (ReconciliationOutcome::Different, Some((document, Some(Status::Issued)))) => Some(format!(
            "ask the tax authority what it holds of {number}; where that is not what was issued, correct the sale with \
             POST /finance/rpc/documents/{document}/commands/credit"
        )),
        (ReconciliationOutcome::Different, Some((document, _))) => Some(format!(
            "ask the tax authority what it holds of {number}, then settle it with POST \
             /finance/rpc/documents/{document}/commands/mark_as_accepted_by_tax_authority or \
             …/mark_as_rejected_by_tax_authority and {{\"number\": \"{number}\"}}"
        )),
    }
}

#[cfg(test)]
mod tests;
