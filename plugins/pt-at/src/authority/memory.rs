//! What is remembered of a document, and of the series that it stands in.

use einvoice_eu::register::stamp;
use einvoice_plugin::Stamp;
use serde::{Deserialize, Serialize};

/// The last document that a series holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeriesEnd {
    /// Its number in the series.
    pub(super) position: u64,
    /// Its issue date.
    pub(super) date: String,
    /// The validation code of the series.
    pub(super) validation_code: String,
    /// Its signature, which the next one continues.
    pub(super) signature: String,
}

/// A document as the AT remembers it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredRecord {
    /// SHA-256 of the document, hexadecimal.
    pub(super) digest: String,
    pub(super) accepted: bool,
    /// When it was entered.
    pub(super) entered: String,
    /// Its signature.
    pub(super) signature: String,
    stamps: Vec<(String, String)>,
    /// How the series ended when this was written; none before its first document.
    pub(super) series_end: Option<SeriesEnd>,
}

impl StoredRecord {
    pub(super) fn new(
        digest: &str,
        entered: &str,
        signature: &str,
        stamps: &[Stamp],
        accepted: bool,
    ) -> Self {
        Self {
            digest: digest.to_owned(),
            accepted,
            entered: entered.to_owned(),
            signature: signature.to_owned(),
            stamps: stamps.iter().map(|stamp| (stamp.provider.clone(), stamp.value.clone())).collect(),
            series_end: None,
        }
    }

    /// The same record in a series that ends so.
    pub(super) fn ending(self, series_end: Option<SeriesEnd>) -> Self {
        Self { series_end, ..self }
    }

    pub(super) fn stamps(&self) -> Vec<Stamp> {
        self.stamps.iter().map(|(provider, value)| stamp(provider, value)).collect()
    }

    /// How a series ends, by the last record of its chain and by that under the number.
    pub(super) fn series_end(previous: Option<&Self>, registered: Option<&Self>) -> Option<SeriesEnd> {
        let ends =
            [previous, registered].into_iter().flatten().filter_map(|record| record.series_end.as_ref());
        ends.max_by_key(|end| end.position).cloned()
    }
}
