//! One document and the authority's own record of it, side by side.
//!
//! The list gives no verdict: nothing that it shows settles a document, and nothing that it misses takes an acceptance back.

use crate::comparison::Comparison;
use crate::divergence::Divergence;
use crate::listing::{ListedRecord, RecordState};
use crate::run::ReconciliationOutcome;
use gateway_domain::ids::{InvoiceId, ReconciliationId};
use gateway_domain::invoicing::{Invoice, InvoiceNumber, State, Status};
use jiff::Timestamp;
use jiff::civil::Date;
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// Compares a document that was filed under the number of a record with that record. `until` is when the run was asked for: what
/// waits since later is on its way.
pub fn compare_record(document: &Invoice, record: &ListedRecord, until: Timestamp) -> Comparison {
    let is_in_force = record.state != RecordState::Cancelled;
    let status = document.state.status();
    let differs = || Divergence::new("state", &status.as_str(), &record.state.as_str());
    let mut found = Vec::new();
    let number = document.state.number().map(|number| number.0.as_str());
    if number != Some(record.number.as_str()) {
        // It was filed again under another number, or became a draft.
        if is_in_force {
            found.push(Divergence::new("number", &number.unwrap_or_default(), &record.number));
        }
        return different(found);
    }
    match &document.state {
        State::Draft => {}
        State::Issuing { since, .. } if *since >= until => return Comparison::Matching,
        State::Issuing { .. } => {
            found.push(differs());
            found.extend(contents(document, record));
        }
        State::Issued { acceptance, imported, .. } => {
            let known_errors = acceptance.as_ref().is_none_or(|known| !known.warnings.is_empty());
            match record.state {
                RecordState::Accepted => {}
                // Nothing is known here of what the authority said to another system.
                RecordState::AcceptedWithErrors if known_errors || imported.is_some() => {}
                RecordState::AcceptedWithErrors | RecordState::Cancelled => found.push(differs()),
            }
            found.extend(contents(document, record));
            let ours = acceptance.as_ref().and_then(|known| known.tax_system_hash.as_ref());
            found.extend(ours.zip(record.fingerprint.as_ref()).and_then(|(ours, theirs)| {
                (ours != theirs).then(|| Divergence::new("fingerprint", ours, theirs))
            }));
        }
        State::Rejected { .. } if is_in_force => found.push(differs()),
        State::Rejected { .. } => {}
    }
    different(found)
}

/// Where day of issue or total are not the same.
fn contents(document: &Invoice, record: &ListedRecord) -> Vec<Divergence> {
    let ours = document.content.issue_date.filter(|ours| *ours != record.issue_date);
    let date = ours.map(|ours| Divergence::new("issue_date", &ours, &record.issue_date));
    let gross = document.totals.gross;
    let theirs = record.total.filter(|theirs| !gross.same_value(*theirs));
    let total = theirs.map(|theirs| Divergence::new("total", &gross, &theirs));
    date.into_iter().chain(total).collect()
}

fn different(found: Vec<Divergence>) -> Comparison {
    if found.is_empty() { Comparison::Matching } else { Comparison::Different(found) }
}

/// The days whose records are listed, and the run that asks.
#[derive(Debug, Clone, Copy)]
pub struct ListedDays {
    /// The first day of issue.
    pub from: Date,
    /// The last day of issue, included.
    pub until: Date,
    /// What was accepted from here on may not be listed yet.
    pub accepted_before: Timestamp,
    /// Whether the stand-in plays the authority.
    pub is_stand_in: bool,
}

impl ListedDays {
    /// Whether a day is among them.
    pub fn contain(&self, day: Date) -> bool {
        (self.from..=self.until).contains(&day)
    }

    /// Whether the list has to show a document: one that the same authority accepted before it was read, and whose days all lie
    /// within, whichever of them the authority goes by.
    pub fn have_to_show(&self, document: &Invoice) -> bool {
        let State::Issued { acceptance: Some(acceptance), imported: None, .. } = &document.state else {
            return false;
        };
        let issued = document.content.issue_date;
        let operation = document.content.operation_date;
        document.send_to_tax_authority
            && acceptance.accepted_at < self.accepted_before
            && acceptance.sandbox == self.is_stand_in
            && issued.is_some_and(|day| self.contain(day))
            && operation.is_none_or(|day| self.contain(day))
    }
}

/// What stands for the id of an entry in a row about a record, which has none: the same for the same record of the same run (RFC 9562,
/// version 8, of SHA-256).
pub fn record_key(run: ReconciliationId, number: &str, issue_date: Option<Date>) -> Uuid {
    let day = issue_date.map(|day| day.to_string()).unwrap_or_default();
    row_key(&format!("{run}/authority/{day}/{number}"))
}

/// The same in a row about something that is broken in what is kept here.
pub fn break_key(run: ReconciliationId, broken: &str) -> Uuid {
    row_key(&format!("{run}/chain/{broken}"))
}

fn row_key(text: &str) -> Uuid {
    let digest = Sha256::digest(text);
    let mut bytes = [0; 16];
    for (byte, digested) in bytes.iter_mut().zip(digest) {
        *byte = digested;
    }
    Builder::from_custom_bytes(bytes).into_uuid()
}

/// What to do about what the authority's list shows, one sentence; none where nothing is to be done.
pub(crate) fn next_step(
    outcome: ReconciliationOutcome,
    document: Option<(InvoiceId, Option<Status>)>,
    number: Option<&InvoiceNumber>,
) -> Option<String> {
    let number = number.map_or("", |number| number.0.as_str());
    match (outcome, document) {
        (ReconciliationOutcome::Matching | ReconciliationOutcome::Settling, _) => None,
        (ReconciliationOutcome::OnlyThere, _) | (_, None) => Some(
            "find out which system filed it: take it along with 'gateway import' (kind issued_document) if that was one before this \
             gateway; if it is a mistake, have it cancelled at the tax authority, and never file the sale again here"
                .to_owned(),
        ),
        (ReconciliationOutcome::OnlyHere, Some((document, _))) => Some(format!(
            "see 'gateway submission show {document}', and ask the provider for the authority's answer to {number}; where there is \
             none, have it filed there again, or correct the sale with POST /finance/rpc/documents/{document}/commands/credit and \
             issue it anew"
        )),
        (ReconciliationOutcome::Different, Some((document, Some(Status::Issued)))) => Some(format!(
            "look {number} up at the tax authority; where its record is not what was issued, correct it with POST \
             /finance/rpc/documents/{document}/commands/amend if only the record is wrong, and else with …/commands/credit"
        )),
        (ReconciliationOutcome::Different, Some((document, _))) => Some(format!(
            "look {number} up at the tax authority; where its record is of this sale, settle it with POST \
             /finance/rpc/documents/{document}/commands/mark_as_accepted_by_tax_authority and {{\"number\": \"{number}\"}}"
        )),
    }
}

#[cfg(test)]
mod tests;
