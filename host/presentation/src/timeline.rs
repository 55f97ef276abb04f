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
const EVENTS: [(&str, &str, &str); 14] = [
    ("Issuing", "Sent to the tax authority", "DocumentIssuing"),
    ("Issued", "Issued", "DocumentIssued"),
    ("AcceptedByTaxAuthority", "Accepted by the tax authority", "DocumentIssued"),
    ("RejectedByTaxAuthority", "Rejected by the tax authority", "DocumentRejected"),
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
const DOCUMENT_EVENTS: [(&str, &str); 5] = [
    ("DocumentSaved", "Saved"),
    ("DocumentDeleted", "Deleted"),
    ("DocumentIssuing", "Waits for the tax authority"),
    ("DocumentIssued", "Issued"),
    ("DocumentRejected", "Rejected"),
];

/// An event of a later release has its type for words.
fn words(event: &str) -> &str {
    let finance = EVENTS.iter().map(|(code, words, _)| (code, words));
    let all = finance.chain(DOCUMENT_EVENTS.iter().map(|(code, words)| (code, words)));
    all.into_iter().find(|(code, _)| **code == event).map_or(event, |(_, words)| *words)
}

/// Whether finance's event is told of with this one of the document.
fn goes_with(finance: &str, document: &str) -> bool {
    EVENTS.iter().any(|(code, _, with)| *code == finance && *with == document)
}

/// Events in order, each with its type, when it happened and who did it; `clients` says how clients are called.
pub fn rows<'e>(
    events: impl IntoIterator<Item = (&'e str, Timestamp, &'e Actor)>,
    clients: &BTreeMap<ClientId, String>,
) -> Vec<TimelineRow> {
    let mut rows = Vec::new();
    let mut events = events.into_iter().peekable();
    while let Some((event, at, actor)) = events.next() {
        let pair = events.next_if(|(next, next_at, _)| {
            next_at.duration_since(at).abs() <= APART_MAX
                && (goes_with(next, event) || goes_with(event, next))
        });
        let (said, codes) = match pair {
            Some((next, _, _)) if goes_with(event, next) => (event, format!("{event}, {next}")),
            Some((next, _, _)) => (next, format!("{event}, {next}")),
            None => (event, event.to_owned()),
        };
        rows.push(TimelineRow {
            at: format::time(at),
            event: words(said).to_owned(),
            codes,
            actor: format::actor(actor, clients),
        });
    }
    rows
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
            ("Issued", 90),
            ("OfALaterRelease", 91),
        ];
        let rows = rows(events.map(|(event, second)| (event, at(second), &actor)), &BTreeMap::new());
        let shown_rows: Vec<_> = rows.iter().map(|row| (row.event.as_str(), row.codes.as_str())).collect();
        assert_eq!(
            shown_rows,
            [
                ("Saved", "DocumentSaved"),
                ("Sent to the tax authority", "DocumentIssuing, Issuing"),
                ("Accepted by the tax authority", "DocumentIssued, AcceptedByTaxAuthority"),
                ("Issued", "Issued"),
                ("OfALaterRelease", "OfALaterRelease"),
            ]
        );
    }
}
