//! A run, how far it is, and what it found.

use crate::divergence::Divergence;
use gateway_domain::ids::{EntryId, InvoiceId, ReconciliationId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// One run: the entries of a workspace that the provider made within a time, and the records of these days at the authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconciliation {
    /// Which run.
    pub id: ReconciliationId,
    /// Whose documents.
    pub workspace: WorkspaceId,
    /// Who asked for it.
    pub requested_by: String,
    /// Entries that were made from this instant on.
    pub from: Timestamp,
    /// Entries that were made before this instant.
    pub to: Timestamp,
    /// How far it is.
    pub progress: ReconciliationProgress,
    /// Requests to provider and authority so far.
    pub requests: u64,
    /// Requests in a row that found nobody.
    pub failures: u32,
    /// Grows by one with every step.
    pub version: i64,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// When it last went on.
    pub updated_at: Timestamp,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReconciliationProgress {
    /// It walks the provider's entries: behind this place of the provider's, or from the first.
    Listing {
        /// What the provider gave with the last page.
        cursor: Option<String>,
    },
    /// It looks for what was filed from here and was not listed: behind this entry, or from the first.
    Missing {
        /// When the last entry was filed, and which it is.
        after: Option<(Timestamp, EntryId)>,
    },
    /// It walks the authority's own list: behind this place of the plugin's, or from the beginning.
    AuthorityListing {
        /// What the plugin made of the page before.
        cursor: Option<String>,
        /// Pages so far.
        pages: u32,
    },
    /// It looks for what the authority accepted and did not list: behind this entry, or from the first.
    AuthorityMissing {
        /// When the last entry was filed, and which it is.
        after: Option<(Timestamp, EntryId)>,
    },
    /// It came to its end.
    Ended {
        /// When.
        at: Timestamp,
        /// How many documents and entries came to each outcome.
        counts: ReconciliationCounts,
    },
    /// It cannot go on.
    Failed {
        /// When.
        at: Timestamp,
        /// Why, and what to do next; one sentence.
        reason: String,
        /// What it had found until then.
        counts: ReconciliationCounts,
    },
}

impl ReconciliationProgress {
    /// Whether nothing is left to do.
    pub const fn has_ended(&self) -> bool {
        match self {
            Self::Listing { .. }
            | Self::Missing { .. }
            | Self::AuthorityListing { .. }
            | Self::AuthorityMissing { .. } => false,
            Self::Ended { .. } | Self::Failed { .. } => true,
        }
    }

    /// Why it cannot go on, of a run that failed.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Failed { reason, .. } => Some(reason),
            Self::Listing { .. }
            | Self::Missing { .. }
            | Self::AuthorityListing { .. }
            | Self::AuthorityMissing { .. }
            | Self::Ended { .. } => None,
        }
    }

    /// The word for it, as it is written in JSON.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Listing { .. } => "listing",
            Self::Missing { .. } => "missing",
            Self::AuthorityListing { .. } => "authority_listing",
            Self::AuthorityMissing { .. } => "authority_missing",
            Self::Ended { .. } => "ended",
            Self::Failed { .. } => "failed",
        }
    }
}

/// Whose copy a document was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum ReconciliationSource {
    /// An entry of the provider.
    Provider,
    /// A record that the tax authority lists.
    Authority,
    /// What is kept here proves itself: numbers, documents, and the records behind each other.
    Chain,
}

impl ReconciliationSource {
    /// Every source.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in JSON and storage.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// What a run found of one entry or document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum ReconciliationOutcome {
    /// Both sides say the same.
    Matching,
    /// The document waits, and the provider shows exactly what was sent as done: its submission looks again.
    Settling,
    /// Both sides have it, and do not say the same; or what is kept here does not hold together.
    Different,
    /// It was filed from here, and the provider does not have it.
    OnlyHere,
    /// The provider has an invoice that was not filed from here.
    OnlyThere,
}

impl ReconciliationOutcome {
    /// Every outcome.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in JSON and storage.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    /// Whether somebody has to settle it.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Matching | Self::Settling => false,
            Self::Different | Self::OnlyHere | Self::OnlyThere => true,
        }
    }
}

/// How many entries and documents came to each outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReconciliationCounts {
    /// See [`ReconciliationOutcome::Matching`].
    pub matching: u64,
    /// See [`ReconciliationOutcome::Settling`].
    pub settling: u64,
    /// See [`ReconciliationOutcome::Different`].
    pub different: u64,
    /// See [`ReconciliationOutcome::OnlyHere`].
    pub only_here: u64,
    /// See [`ReconciliationOutcome::OnlyThere`].
    pub only_there: u64,
}

impl ReconciliationCounts {
    /// Adds to the count of an outcome.
    pub const fn add(&mut self, outcome: ReconciliationOutcome, count: u64) {
        let sum = match outcome {
            ReconciliationOutcome::Matching => &mut self.matching,
            ReconciliationOutcome::Settling => &mut self.settling,
            ReconciliationOutcome::Different => &mut self.different,
            ReconciliationOutcome::OnlyHere => &mut self.only_here,
            ReconciliationOutcome::OnlyThere => &mut self.only_there,
        };
        *sum = sum.saturating_add(count);
    }

    /// How many somebody has to settle.
    pub const fn open(&self) -> u64 {
        self.different.saturating_add(self.only_here).saturating_add(self.only_there)
    }
}

/// What a run found of one entry of the provider, or of one record of the authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReconciledEntry {
    /// Where it was found.
    pub source: ReconciliationSource,
    /// The provider's entry; see [`record_key`](crate::record_key) for a record.
    pub entry: Uuid,
    /// The document that was filed under it; none of an entry that was not filed from here.
    pub document: Option<InvoiceId>,
    /// Under which number it was filed, or which one the entry shows.
    pub number: Option<InvoiceNumber>,
    /// What was found.
    pub outcome: ReconciliationOutcome,
    /// Where the two sides differ; empty unless they do.
    pub divergences: Vec<Divergence>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_and_source_is_found_by_its_name() {
        for &source in ReconciliationSource::ALL {
            assert_eq!(ReconciliationSource::parse(source.as_str()), Some(source));
        }
        for &outcome in ReconciliationOutcome::ALL {
            assert_eq!(ReconciliationOutcome::parse(outcome.as_str()), Some(outcome));
        }
    }

    #[test]
    fn what_somebody_has_to_settle_is_what_the_two_sides_do_not_share() {
        let mut counts = ReconciliationCounts::default();
        for &outcome in ReconciliationOutcome::ALL {
            counts.add(outcome, 2);
        }
        let open = ReconciliationOutcome::ALL.iter().filter(|outcome| outcome.is_open()).count();
        assert_eq!(counts.open(), 2 * u64::try_from(open).unwrap());
    }
}
