//! Whether the records of a tax system that chains them follow each other: each states its own hash and that of the record before it.

use crate::{EvidenceBreak, NumberedDocument};
use gateway_domain::ids::InvoiceId;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Most records that one message may have.
pub const LINKS_MAX: usize = 1000;
/// Longest number or hash of a record, characters.
pub const LINK_TEXT_MAX: usize = 255;

/// A record by what its successor says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predecessor {
    /// Its number, as it stands on the document.
    pub number: String,
    /// Its hash.
    pub hash: String,
}

/// What a record says of its place in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLink {
    /// The number of the document that it is about.
    pub number: String,
    /// The hash that it states of itself.
    pub stated: String,
    /// The hash that its content gives.
    pub computed: String,
    /// None of the first record of a chain.
    pub previous: Option<Predecessor>,
}

/// A record that went to the authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRecord {
    /// Whether the authority accepted it.
    pub is_accepted: bool,
    /// What it says.
    pub link: RecordLink,
}

/// The records of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRecords {
    /// Which document.
    pub document: NumberedDocument,
    /// Those whose message is kept, in the order in which they were sent.
    pub records: Vec<SentRecord>,
    /// Whether that is every one: of an attempt without a message nobody knows what it said.
    pub is_complete: bool,
    /// The hash that the document carries.
    pub accepted_hash: Option<String>,
}

/// How much of the chain was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Records that follow one that is kept here, or that begin a chain.
    pub following: u64,
    /// Records whose predecessor is not kept here: another system made it, or its message left the database.
    pub of_unknown: u64,
}

/// A record that follows one of a number of which every record is kept, and that is none of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the record of {document} follows one of {} with the hash {}, which was not sent from here: find out whether the provider made it, such as a cancellation from its console",
    previous.number, previous.hash
)]
pub struct UnknownPredecessor {
    /// Whose record.
    pub document: NumberedDocument,
    /// What it follows.
    pub previous: Predecessor,
}

/// A record by its number and its hash.
type RecordKey = [u8; 16];

/// A record whose predecessor was not met yet.
#[derive(Debug)]
struct Waiting {
    /// How many records were taken before.
    at: u64,
    document: NumberedDocument,
    previous: Predecessor,
}

/// Takes the records of a tax id document by document, in any order. What it remembers of one is a few dozen bytes.
#[derive(Debug, Default)]
pub struct LinkCheck {
    counts: LinkCounts,
    records: BTreeSet<RecordKey>,
    /// Numbers of which every record is kept.
    complete: BTreeSet<RecordKey>,
    /// Whose accepted record follows which, and what it is.
    successors: BTreeMap<RecordKey, (InvoiceId, RecordKey)>,
    /// By the predecessor that they wait for: usually the document before, so few wait at a time.
    waiting: BTreeMap<RecordKey, Vec<Waiting>>,
    taken: u64,
}

impl LinkCheck {
    /// Takes the records of one document, and says what is broken in themselves.
    pub fn take(&mut self, document: DocumentRecords) -> Vec<EvidenceBreak> {
        let DocumentRecords { document, records, is_complete, accepted_hash } = document;
        let mut broken = Vec::new();
        if is_complete {
            self.complete.insert(key(&document.number, ""));
        }
        if let Some(hash) = &accepted_hash {
            self.insert(key(&document.number, hash));
            if is_complete && !records.is_empty() && records.iter().all(|record| record.link.stated != *hash)
            {
                let (document, hash) = (document.clone(), hash.clone());
                broken.push(EvidenceBreak::HashNotSent { document, hash });
            }
        }
        for SentRecord { is_accepted, link } in records {
            let RecordLink { number, stated, computed, previous } = link;
            if stated != computed {
                let (document, stated) = (document.clone(), stated.clone());
                broken.push(EvidenceBreak::RecordChanged { document, stated, computed });
            }
            let own = key(&number, &stated);
            self.insert(own);
            let Some(previous) = previous else {
                self.counts.following += 1;
                continue;
            };
            let before = key(&previous.number, &previous.hash);
            if is_accepted {
                let (first, record) = *self.successors.entry(before).or_insert((document.id, own));
                // Two accepted records never follow the same one.
                if record != own {
                    let (second, previous) = (document.clone(), previous.number.clone());
                    broken.push(EvidenceBreak::Forked { first, second, previous });
                }
            }
            if self.records.contains(&before) {
                self.counts.following += 1;
            } else {
                let waiting = Waiting { at: self.taken, document: document.clone(), previous };
                self.waiting.entry(before).or_default().push(waiting);
            }
            self.taken += 1;
        }
        broken
    }

    /// A record was met, and whoever waited for it.
    fn insert(&mut self, record: RecordKey) {
        self.records.insert(record);
        let met = self.waiting.remove(&record).map_or(0, |waiting| waiting.len());
        self.counts.following += u64::try_from(met).unwrap_or_default();
    }

    /// How much follows what, and the first record that follows one of a document of which every record is kept, and that is none of
    /// them. The provider may have made it by itself: a cancellation from its own console.
    pub fn finish(self) -> (LinkCounts, Option<UnknownPredecessor>) {
        let Self { mut counts, complete, waiting, .. } = self;
        let (known, unknown): (Vec<_>, Vec<_>) = waiting
            .into_values()
            .flatten()
            .partition(|waiting| complete.contains(&key(&waiting.previous.number, "")));
        counts.of_unknown += u64::try_from(unknown.len().saturating_add(known.len())).unwrap_or_default();
        let first = known.into_iter().min_by_key(|waiting| waiting.at);
        let first = first.map(|Waiting { document, previous, .. }| UnknownPredecessor { document, previous });
        (counts, first)
    }
}

fn key(number: &str, hash: &str) -> RecordKey {
    let mut digest = Sha256::new();
    digest.update(number);
    digest.update([0]);
    digest.update(hash);
    let digest: [u8; 32] = digest.finalize().into();
    let mut key = RecordKey::default();
    key.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn document(id: u128) -> NumberedDocument {
        NumberedDocument { id: InvoiceId(Uuid::from_u128(id)), number: format!("F-{id}") }
    }

    fn link(id: u128, hash: &str, previous: Option<(u128, &str)>) -> RecordLink {
        RecordLink {
            number: format!("F-{id}"),
            stated: hash.to_owned(),
            computed: hash.to_owned(),
            previous: previous
                .map(|(id, hash)| Predecessor { number: format!("F-{id}"), hash: hash.to_owned() }),
        }
    }

    fn accepted(id: u128, hash: &str, previous: Option<(u128, &str)>) -> DocumentRecords {
        DocumentRecords {
            document: document(id),
            records: vec![SentRecord { is_accepted: true, link: link(id, hash, previous) }],
            is_complete: true,
            accepted_hash: Some(hash.to_owned()),
        }
    }

    fn check(documents: impl IntoIterator<Item = DocumentRecords>) -> (LinkCounts, Vec<EvidenceBreak>) {
        let (counts, broken, _) = check_all(documents);
        (counts, broken)
    }

    fn check_all(
        documents: impl IntoIterator<Item = DocumentRecords>,
    ) -> (LinkCounts, Vec<EvidenceBreak>, Option<UnknownPredecessor>) {
        let mut check = LinkCheck::default();
        let broken = documents.into_iter().flat_map(|document| check.take(document)).collect();
        let (counts, unknown) = check.finish();
        (counts, broken, unknown)
    }

    #[test]
    fn a_refused_record_keeps_its_place_and_the_next_one_follows_it() {
        let mut second = accepted(2, "c", Some((2, "b")));
        second.records.insert(0, SentRecord { is_accepted: false, link: link(2, "b", Some((1, "a"))) });
        let (counts, broken) = check([accepted(1, "a", None), second, accepted(3, "d", Some((2, "c")))]);
        assert_eq!((counts.following, counts.of_unknown, broken), (4, 0, Vec::new()));
    }

    #[test]
    fn a_record_that_gives_another_hash_than_it_states_was_changed() {
        let mut changed = accepted(1, "a", None);
        changed.records[0].link.computed = "other".to_owned();
        let (_, broken) = check([changed]);
        let (stated, computed) = ("a".to_owned(), "other".to_owned());
        assert_eq!(broken, [EvidenceBreak::RecordChanged { document: document(1), stated, computed }]);
    }

    #[test]
    fn a_hash_that_no_record_of_its_document_states_was_not_sent() {
        let mut other = accepted(1, "a", None);
        other.accepted_hash = Some("b".to_owned());
        let broken = EvidenceBreak::HashNotSent { document: document(1), hash: "b".to_owned() };
        assert_eq!(check([other.clone()]).1, [broken]);
        assert_eq!(check([DocumentRecords { is_complete: false, ..other }]).1, []);
    }

    #[test]
    fn a_predecessor_that_was_not_sent_is_named_where_every_record_of_its_number_is_kept() {
        let documents = |is_complete| {
            [DocumentRecords { is_complete, ..accepted(1, "a", None) }, accepted(2, "b", Some((1, "x")))]
        };
        let previous = Predecessor { number: "F-1".to_owned(), hash: "x".to_owned() };
        let (counts, broken, unknown) = check_all(documents(true));
        assert_eq!((counts.of_unknown, broken), (1, Vec::new()), "the provider may have made it");
        assert_eq!(unknown, Some(UnknownPredecessor { document: document(2), previous }));
        let (counts, broken, unknown) = check_all(documents(false));
        assert_eq!((counts.of_unknown, broken, unknown), (1, Vec::new(), None));
        let elsewhere = [accepted(8, "b", Some((7, "elsewhere")))];
        let (counts, broken, unknown) = check_all(elsewhere);
        assert_eq!((counts.of_unknown, broken, unknown), (1, Vec::new(), None), "another system's");
    }

    #[test]
    fn two_accepted_records_never_follow_the_same_one() {
        let fork =
            [accepted(1, "a", None), accepted(2, "b", Some((1, "a"))), accepted(3, "c", Some((1, "a")))];
        let forked =
            EvidenceBreak::Forked { first: document(2).id, second: document(3), previous: "F-1".to_owned() };
        assert_eq!(check(fork.clone()).1, [forked]);
        let refused = fork.map(|mut document| {
            document.records[0].is_accepted = document.document.number == "F-1";
            document
        });
        assert_eq!(check(refused).1, []);
    }

    proptest! {
        #[test]
        fn a_whole_chain_is_whole_in_any_order_and_a_link_that_is_bent_is_found(
            order in Just((1..40_u128).collect::<Vec<_>>()).prop_shuffle(),
            bent in 2..40_u128,
        ) {
            let hash = |id: u128| format!("hash {id}");
            let record = |id: u128| {
                let before = hash(id - 1);
                accepted(id, &hash(id), (id > 1).then_some((id - 1, before.as_str())))
            };
            let (counts, broken) = check(order.iter().copied().map(record));
            prop_assert_eq!((counts.following, counts.of_unknown), (39, 0));
            prop_assert!(broken.is_empty());
            let (_, _, unknown) = check_all(order.iter().copied().map(|id| {
                let mut document = record(id);
                if id == bent && let Some(previous) = &mut document.records[0].link.previous {
                    previous.hash.push('x');
                }
                document
            }));
            prop_assert_eq!(unknown.map(|unknown| unknown.document), Some(document(bent)));
        }
    }
}
