//! Whether what is kept of documents on their way to a tax authority is what was sent, and whether the authority's hashes
//! hold together.

mod links;
pub mod ports;

pub use links::{
    DocumentRecords, LINK_TEXT_MAX, LINKS_MAX, LinkCheck, LinkCounts, Predecessor, RecordLink, SentRecord,
    UnknownPredecessor,
};

use gateway_domain::ids::InvoiceId;
use gateway_domain_finance::{document_digest, entry_digest};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A document by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedDocument {
    /// Which one.
    pub id: InvoiceId,
    /// As it stands on it.
    pub number: String,
}

impl fmt::Display for NumberedDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (document {})", self.number, self.id)
    }
}

/// A structured document, and what was noted of it when it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuredEvidence {
    /// As it is stored.
    pub structured: String,
    /// [`document_digest`] of what was converted; none of an attempt from before it was noted.
    pub document_digest: Option<String>,
    /// [`entry_digest`] of what the provider showed after the upload; none before that.
    pub entry_digest: Option<String>,
}

/// That a tax system accepted a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedEvidence {
    /// The plugin that read the acceptance, with its version: what one of them reads, it reads of every document.
    pub system: String,
    /// The tax system's hash of the record.
    pub hash: Option<String>,
}

/// What is kept of a document that went to a tax authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Which document.
    pub document: NumberedDocument,
    /// What was sent of it last.
    pub structured: Option<StructuredEvidence>,
    /// Where the system itself accepted it: a verdict by hand may come without a hash.
    pub accepted: Option<AcceptedEvidence>,
}

/// A place among documents: when one was made, then its id. Neither changes.
pub type EvidenceKey = (Timestamp, InvoiceId);

/// A document, and what is kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvidence {
    /// Where it stands among the documents.
    pub key: EvidenceKey,
    /// What is kept of it.
    pub evidence: Evidence,
    /// Whom its number was given to; none where no series here gave it.
    pub given_to: Option<InvoiceId>,
}

/// Where the evidence of a workspace does not hold together, and what is to be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceBreak {
    /// What is stored is not what was sent.
    #[error(
        "the structured document of {document} has the SHA-256 {found}, and {expected} was sent: compare it with the provider's entry and with the last backup, and restore it from there"
    )]
    Changed {
        /// Which document.
        document: NumberedDocument,
        /// As it was sent.
        expected: String,
        /// As it is stored.
        found: String,
    },
    /// A file of a document that another system issued is not what was imported.
    #[error(
        "the {media_type} of {document}, which was imported, {}, and {expected} was imported: restore it from the last backup",
        found.as_ref().map_or_else(|| "is lost".to_owned(), |found| format!("has the SHA-256 {found}"))
    )]
    FileChanged {
        /// Which document.
        document: NumberedDocument,
        /// Which of its files.
        media_type: String,
        /// As it was imported.
        expected: String,
        /// As it is stored; none: it is not there.
        found: Option<String>,
    },
    /// There is no hash.
    #[error(
        "{document} was accepted without a hash, and {system} gives one: look up its record at the provider and the tax authority"
    )]
    HashMissing {
        /// Which document.
        document: NumberedDocument,
        /// The plugin that reads hashes.
        system: String,
    },
    /// Two records of a chain never have the same hash.
    #[error(
        "{first} and {second} carry the same hash {hash}: find out at the tax authority which of them it is of, and restore the other one from the last backup"
    )]
    HashRepeated {
        /// One of them.
        first: NumberedDocument,
        /// Another one.
        second: NumberedDocument,
        /// What both carry.
        hash: String,
    },
    /// A record states another hash than its content gives.
    #[error(
        "the record of {document} states the hash {stated}, and its content gives {computed}: restore its message from the last backup, or look the record up at the tax authority"
    )]
    RecordChanged {
        /// Whose record.
        document: NumberedDocument,
        /// As the record says.
        stated: String,
        /// As it is computed.
        computed: String,
    },
    /// The hash that a document carries is in none of its records.
    #[error(
        "{document} carries the hash {hash}, which none of its records states: look the record up at the provider and the tax authority"
    )]
    HashNotSent {
        /// Which document.
        document: NumberedDocument,
        /// What it carries.
        hash: String,
    },
    /// Two accepted records follow the same one.
    #[error(
        "the records of document {first} and of {second} both follow the same record of {previous}: look all three up at the tax authority, and tell the provider"
    )]
    Forked {
        /// One of the documents.
        first: InvoiceId,
        /// The other one.
        second: NumberedDocument,
        /// The number of the predecessor of both.
        previous: String,
    },
    /// A message is none of its tax system.
    #[error(
        "what was sent to the tax authority for {document} cannot be read: {reason}; restore it from the last backup, or try the newest version of its plugin"
    )]
    MessageUnreadable {
        /// Whose message.
        document: NumberedDocument,
        /// Why, as the plugin says.
        reason: String,
    },
}

impl EvidenceBreak {
    /// The document that it was found at.
    pub const fn document(&self) -> &NumberedDocument {
        match self {
            Self::Changed { document, .. }
            | Self::FileChanged { document, .. }
            | Self::HashMissing { document, .. }
            | Self::HashRepeated { second: document, .. }
            | Self::RecordChanged { document, .. }
            | Self::HashNotSent { document, .. }
            | Self::Forked { second: document, .. }
            | Self::MessageUnreadable { document, .. } => document,
        }
    }
}

/// How much was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EvidenceCounts {
    /// Structured documents that are what was sent.
    pub proven: u64,
    /// Structured documents of which no digest says what was sent.
    pub without_digest: u64,
    /// Documents that carry a hash of their tax system.
    pub hashes: u64,
}

/// Takes the evidence of a workspace document by document. What it remembers grows with the versions of plugins only.
#[derive(Debug, Default)]
pub struct EvidenceCheck {
    counts: EvidenceCounts,
    gives_hashes: BTreeSet<String>,
    without_hash: BTreeMap<String, NumberedDocument>,
}

impl EvidenceCheck {
    /// Takes one document, and says whether its structured document is another one than was sent.
    pub fn take(&mut self, evidence: Evidence) -> Option<EvidenceBreak> {
        let Evidence { document, structured, accepted } = evidence;
        let broken = structured.and_then(|structured| self.compare(&document, &structured));
        if let Some(AcceptedEvidence { system, hash }) = accepted {
            if hash.is_some() {
                self.counts.hashes += 1;
                self.gives_hashes.insert(system);
            } else {
                self.without_hash.entry(system).or_insert(document);
            }
        }
        broken
    }

    fn compare(&mut self, document: &NumberedDocument, stored: &StructuredEvidence) -> Option<EvidenceBreak> {
        let StructuredEvidence { structured, document_digest: sent, entry_digest: uploaded } = stored;
        if let Some(sent) = sent {
            let found = document_digest(structured);
            if found == *sent {
                self.counts.proven += 1;
                return None;
            }
            let (document, expected) = (document.clone(), sent.clone());
            return Some(EvidenceBreak::Changed { document, expected, found });
        }
        // A provider adds members of its own: only the same digest proves something.
        let found = serde_json::from_str::<Value>(structured).map(|document| entry_digest(&document));
        if found.is_ok_and(|found| uploaded.as_ref() == Some(&found)) {
            self.counts.proven += 1;
        } else {
            self.counts.without_digest += 1;
        }
        None
    }

    /// The first document without a hash of a system that gives one, and how much was looked at.
    pub fn finish(self) -> (EvidenceCounts, Option<EvidenceBreak>) {
        let Self { counts, gives_hashes, without_hash } = self;
        let missing = without_hash.into_iter().find(|(system, _)| gives_hashes.contains(system));
        let missing = missing.map(|(system, document)| EvidenceBreak::HashMissing { document, system });
        (counts, missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    const SENT: &str = r#"{"code":"F-1","uuid":"1","series":null}"#;

    fn document(id: u128) -> NumberedDocument {
        NumberedDocument { id: InvoiceId(Uuid::from_u128(id)), number: format!("F-{id}") }
    }

    fn sent(structured: &str, sent: Option<&str>, uploaded: Option<&str>) -> Evidence {
        let structured = StructuredEvidence {
            structured: structured.to_owned(),
            document_digest: sent.map(document_digest),
            entry_digest: uploaded.map(|text| entry_digest(&serde_json::from_str(text).unwrap())),
        };
        Evidence { document: document(1), structured: Some(structured), accepted: None }
    }

    fn accepted(id: u128, system: &str, hash: Option<&str>) -> Evidence {
        let accepted = AcceptedEvidence { system: system.to_owned(), hash: hash.map(str::to_owned) };
        Evidence { document: document(id), structured: None, accepted: Some(accepted) }
    }

    #[test]
    fn a_structured_document_is_proven_by_the_digest_of_what_was_sent_or_of_what_was_shown() {
        let mut check = EvidenceCheck::default();
        let same_members = r#"{"uuid": "1", "code": "F-1"}"#;
        for evidence in [sent(SENT, Some(SENT), None), sent(SENT, None, Some(same_members))] {
            assert_eq!(check.take(evidence), None);
        }
        for evidence in [
            sent(SENT, None, None),
            sent(SENT, None, Some(r#"{"uuid":"1","code":"F-1","added":true}"#)),
            sent("cut off", None, None),
        ] {
            assert_eq!(check.take(evidence), None);
        }
        let counts = EvidenceCounts { proven: 2, without_digest: 3, hashes: 0 };
        assert_eq!(check.finish(), (counts, None));
    }

    #[test]
    fn a_changed_document_is_named_with_both_digests() {
        let found = EvidenceCheck::default().take(sent(SENT, Some("{}"), Some(SENT))).unwrap();
        let expected = EvidenceBreak::Changed {
            document: document(1),
            expected: document_digest("{}"),
            found: document_digest(SENT),
        };
        assert_eq!(found, expected);
        assert!(found.to_string().starts_with("the structured document of F-1 (document "), "{found}");
    }

    #[test]
    fn a_hash_is_missing_only_where_the_same_version_of_a_plugin_gives_one() {
        let mut check = EvidenceCheck::default();
        for evidence in [
            accepted(1, "a@1", None),
            accepted(2, "b@1", None),
            accepted(3, "b@1", None),
            accepted(4, "b@1", Some("H4")),
            accepted(5, "a@2", Some("H5")),
        ] {
            assert_eq!(check.take(evidence), None);
        }
        let (counts, missing) = check.finish();
        assert_eq!(counts.hashes, 2);
        let system = "b@1".to_owned();
        assert_eq!(missing, Some(EvidenceBreak::HashMissing { document: document(2), system }));
    }

    proptest! {
        #[test]
        fn whatever_is_changed_of_a_text_is_found(text in ".{1,40}", at: prop::sample::Index) {
            let mut characters: Vec<char> = text.chars().collect();
            let at = at.index(characters.len());
            characters[at] = if characters[at] == 'x' { 'y' } else { 'x' };
            let changed: String = characters.into_iter().collect();
            let mut check = EvidenceCheck::default();
            prop_assert_eq!(check.take(sent(&text, Some(&text), None)), None);
            prop_assert!(check.take(sent(&changed, Some(&text), None)).is_some());
        }
    }
}
