//! Reconciliation: whether the provider holds what was filed from here, and nothing else.
//!
//! A run walks the entries of a workspace at the provider, then looks for what was filed from here and was not among them.
//! It never gives a verdict: where everything of a document that waits is as it was sent, its submission is made to look
//! again, and reads the verdict as always; all else is somebody's to settle. No I/O, no async runtime, no clock, no floats.
//!
//! | module | what it holds |
//! |---|---|
//! | `run` | a run, how far it is, and what it found |
//! | `comparison` | a document and its entry at the provider, side by side |
//! | `listing` | the authority's own list: what it is asked, what a plugin reads in it, and their bounds |
//! | [`ports`] | who reads such lists (plugins), and who asks for them (HTTP) |
//!
//! Not here: who asks the provider, and where runs are kept (`gateway-reconciliation`, `gateway-storage-provider`).

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

mod comparison;
mod listing;
pub mod ports;
mod run;

pub use comparison::{
    Comparison, Divergence, EntryLabel, Filed, ListedAs, compare, compare_imported, next_step,
};
pub use listing::{
    ANSWER_BYTES_MAX, EndlessListing, FiledRecord, InvalidRequest, ListedRecord, ListingAnswer,
    ListingMethod, ListingPage, ListingProblem, ListingQuery, ListingQuestion, ListingRequest, PAGES_MAX,
    QUESTION_BYTES_MAX, RECORDS_MAX, RecordState, next_cursor,
};
pub use run::{
    ReconciledEntry, Reconciliation, ReconciliationCounts, ReconciliationOutcome, ReconciliationProgress,
};
