//! What happened to a document, in words: what two services record of one event is one line.

use crate::format::{self, ActorName};
use gateway_domain::access::Actor;
use gateway_domain::ids::ClientId;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// Two records of one event lie no further apart.
const APART_MAX: SignedDuration = SignedDuration::from_secs(2);

/// What happened, and who did it.
#[derive(Debug)]
pub struct TimelineRow {
    /// When.
    pub at: String,
    /// In words.
    pub event: String,
    /// The types of the events, as the feed has them.
    pub codes: String,
    /// Who.
    pub actor: ActorName,
}

/// What finance calls an event, and the one that the invoice data service records with it.
const EVENTS: [(&str, &str, &str); 18] = [
    ("Issuing", "Sent to the tax authority", "DocumentIssuing"),
    ("Issued", "Issued", "DocumentIssued"),
    ("AcceptedByTaxAuthority", "Accepted by the tax authority", "DocumentIssued"),
    ("RejectedByTaxAuthority", "Rejected by the tax authority", "DocumentRejected"),
    ("Amending", "An amendment was sent to the tax authority", ""),
    ("Amended", "Amended: the tax authority accepted", "DocumentAmended"),
    ("AmendmentRefused", "The amendment was refused, the record before is in force", ""),
    ("AmendmentWithdrawn", "The amendment was given up", ""),
    ("Credited", "A credit note was drafted", "DocumentSaved"),
    ("Reversed", "Reversed by a credit note", "DocumentSaved"),
    ("CorrectiveDrafted", "A corrective was drafted", "DocumentSaved"),
    ("CorrectiveReleased", "May be issued: what it corrects is credited", ""),
    ("Refunded", "A refund was recorded", ""),
    ("Deleted", "Deleted", "DocumentDeleted"),
    ("RecipientUpdated", "The recipient was changed", "DocumentSaved"),
    ("TransactionAdded", "A line was added", "DocumentSaved"),
    ("TransactionUpdated", "A line was changed", "DocumentSaved"),
    ("TransactionRemoved", "A line was removed", "DocumentSaved"),
];

/// What the invoice data service records alone.
const DOCUMENT_EVENTS: [(&str, &str); 7] = [
    ("DocumentSaved", "Saved"),
    ("DocumentDeleted", "Deleted"),
    ("DocumentIssuing", "Waits for the tax authority"),
    ("DocumentIssued", "Issued"),
    ("DocumentRejected", "Rejected"),
    ("DocumentImported", "Imported from another system"),
    ("DocumentAmended", "Amended"),
];

/// An event of a later release has its type for words.
fn words(event: &str) -> &str {
    let finance = EVENTS.iter().map(|(code, words, _)| (code, words));
    let all = finance.chain(DOCUMENT_EVENTS.iter().map(|(code, words)| (code, words)));
    all.into_iter().find(|(code, _)| **code == event).map_or(event, |(_, words)| *words)
}

/// The record of the invoice data service that an event belongs to: itself, or what finance's event is recorded with.
fn family(event: &str) -> Option<&str> {
    let finance = EVENTS.iter().find(|(code, ..)| *code == event).map(|(.., with)| *with);
    finance.or(Some(event)).filter(|family| !family.is_empty())
}

fn is_of_finance(event: &str) -> bool {
    EVENTS.iter().any(|(code, ..)| *code == event)
}

/// An event as it was recorded: its type, when it happened and who did it.
type Recorded<'e> = (&'e str, Timestamp, &'e Actor);

/// Whether a record is one more of the event that these are of.
fn is_of_the_same(records: &[Recorded<'_>], (event, at, _): &Recorded<'_>) -> bool {
    let Some((last, before, _)) = records.last() else { return false };
    let is_new = records.iter().all(|(known, ..)| known != event);
    let is_near = at.duration_since(*before).abs() <= APART_MAX;
    is_new && is_near && family(event).is_some() && family(event) == family(last)
}

/// Events in order; `clients` says how clients are called.
pub fn rows<'e>(
    events: impl IntoIterator<Item = Recorded<'e>>,
    clients: &BTreeMap<ClientId, String>,
) -> Vec<TimelineRow> {
    let mut groups: Vec<Vec<Recorded<'e>>> = Vec::new();
    for event in events {
        match groups.last_mut() {
            Some(records) if is_of_the_same(records, &event) => records.push(event),
            Some(_) | None => groups.push(vec![event]),
        }
    }
    groups.iter().filter_map(|records| row(records, clients)).collect()
}

fn row(records: &[Recorded<'_>], clients: &BTreeMap<ClientId, String>) -> Option<TimelineRow> {
    // That it was accepted says more than that it is issued, and what finance records more than what is stored.
    let of_finance = || records.iter().filter(|(event, ..)| is_of_finance(event));
    let main = of_finance().find(|(event, ..)| *event != "Issued").or_else(|| of_finance().next());
    let (event, at, actor) = main.or_else(|| records.first())?;
    let codes: Vec<_> = records.iter().map(|(event, ..)| *event).collect();
    Some(TimelineRow {
        at: format::time(*at),
        event: words(event).to_owned(),
        codes: codes.join(", "),
        actor: format::actor(actor, clients),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_services_record_of_one_event_is_one_line_in_words() {
        let actor = Actor::operator();
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        let events = [
            ("DocumentSaved", 0),
            ("DocumentIssuing", 10),
            ("Issuing", 10),
            ("DocumentIssued", 20),
            ("AcceptedByTaxAuthority", 21),
            ("Issued", 21),
            ("Issued", 90),
            ("DocumentSaved", 91),
            ("RecipientUpdated", 91),
            ("DocumentSaved", 91),
            ("Refunded", 91),
            ("CorrectiveReleased", 91),
            ("OfALaterRelease", 91),
        ];
        let rows = rows(events.map(|(event, second)| (event, at(second), &actor)), &BTreeMap::new());
        let shown_rows: Vec<_> = rows.iter().map(|row| (row.event.as_str(), row.codes.as_str())).collect();
        assert_eq!(
            shown_rows,
            [
                ("Saved", "DocumentSaved"),
                ("Sent to the tax authority", "DocumentIssuing, Issuing"),
                ("Accepted by the tax authority", "DocumentIssued, AcceptedByTaxAuthority, Issued"),
                ("Issued", "Issued"),
                ("The recipient was changed", "DocumentSaved, RecipientUpdated"),
                ("Saved", "DocumentSaved"),
                ("A refund was recorded", "Refunded"),
                ("May be issued: what it corrects is credited", "CorrectiveReleased"),
                ("OfALaterRelease", "OfALaterRelease"),
            ]
        );
    }
}
