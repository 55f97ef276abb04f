//! What a run found that is about no document: nobody hears of it by a document, so the run says it.

use crate::run::{ReconciliationOutcome, ReconciliationSource};
use std::collections::BTreeMap;

/// What a run found that is about no document of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WithoutDocument {
    /// How many invoices and records others hold and nobody filed from here, by where they were found.
    pub unknown: BTreeMap<ReconciliationSource, u64>,
    /// What is broken in the chain, or why it could not be looked at as a whole; a sentence each.
    pub broken: Vec<String>,
}

/// One thing that somebody should hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What tells it from what another run of the same workspace found.
    pub key: String,
    /// How rows about it are called.
    pub outcome: ReconciliationOutcome,
    /// What was found.
    pub sentence: String,
}

impl WithoutDocument {
    /// What was found, source by source. How many invoices others filed is no part of the key: where they file every day, that is no
    /// news. How much is broken is one, and how it is said is none, because some of it tells the newest number.
    pub fn findings(&self) -> Vec<Finding> {
        let unknown = self.unknown.iter().filter(|(_, count)| **count > 0).filter_map(|(source, count)| {
            let plural = if *count == 1 { "" } else { "s" };
            let sentence = match source {
                ReconciliationSource::Provider => {
                    format!("the provider has {count} invoice{plural} that nobody filed from here")
                }
                ReconciliationSource::Authority => {
                    format!("the tax authority lists {count} record{plural} that nobody filed from here")
                }
                // What the chain says of no document is said in full below.
                ReconciliationSource::Chain => return None,
            };
            let outcome = ReconciliationOutcome::OnlyThere;
            Some(Finding { key: source.as_str().to_owned(), outcome, sentence })
        });
        let broken = (!self.broken.is_empty()).then(|| Finding {
            key: format!("{} {}", ReconciliationSource::Chain.as_str(), self.broken.len()),
            outcome: ReconciliationOutcome::Different,
            sentence: self.broken.join("; "),
        });
        unknown.chain(broken).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(unknown: &[(ReconciliationSource, u64)], broken: &[&str]) -> Vec<Finding> {
        let broken = broken.iter().map(|sentence| (*sentence).to_owned()).collect();
        WithoutDocument { unknown: unknown.iter().copied().collect(), broken }.findings()
    }

    #[test]
    fn what_is_about_no_document_is_a_sentence_for_each_source_and_nothing_is_none() {
        use ReconciliationSource::{Authority, Chain, Provider};
        assert_eq!(found(&[], &[]), []);
        assert_eq!(found(&[(Provider, 0), (Chain, 1)], &[]), []);
        let all = found(&[(Authority, 1), (Provider, 2), (Chain, 1)], &["position 2 is missing after F-1"]);
        let sentences: Vec<_> = all.iter().map(|finding| finding.sentence.as_str()).collect();
        assert_eq!(
            sentences,
            [
                "the provider has 2 invoices that nobody filed from here",
                "the tax authority lists 1 record that nobody filed from here",
                "position 2 is missing after F-1"
            ]
        );
    }

    #[test]
    fn more_of_what_others_file_is_no_news_and_another_break_is() {
        let keys = |count, broken: &[&str]| -> Vec<String> {
            let all = found(&[(ReconciliationSource::Provider, count)], broken);
            all.into_iter().map(|finding| finding.key).collect()
        };
        assert_eq!(keys(1, &["after F-1"]), keys(2, &["after F-2"]));
        assert_ne!(keys(1, &["after F-1"]), keys(1, &["after F-1", "after F-3"]));
        assert_eq!(keys(0, &["after F-1"]).len(), 1);
    }
}
