//! Reconciliation: whether provider and tax authority hold what was filed from here, and nothing else.
//!
//! A run walks the entries of a workspace at the provider, then looks for what was filed from here and was not among them. Where a
//! plugin reads the authority's own list (release 1.9 of the contract) and an operator set where it is, the run does the same with
//! that. It never gives a verdict: where everything of a document that waits stands at the provider as it was sent, its submission is
//! made to look again, and reads the verdict as always; all else is somebody's to settle. The authority's list settles nothing at
//! all. No I/O, no async runtime, no clock, no floats.
//!
//! | module | what it holds |
//! |---|---|
//! | `run` | a run, how far it is, and what it found |
//! | `comparison` | a document and its entry at the provider, side by side |
//! | `listing` | the authority's list: what it is asked, what a plugin reads in it, and their bounds |
//! | `authority` | a document and the authority's record of it, side by side |
//! | `without_document` | what a run found that is about no document |
//! | `divergence`, `next_step` | where two sides differ, and what is to be done |
//! | [`ports`] | who reads lists (plugins), and who asks for them (HTTP) |
//!
//! Not here: who asks, and where runs are kept (`gateway-reconciliation`, `gateway-storage-provider`), and what any authority lists
//! (the plugins).

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

mod authority;
mod comparison;
mod divergence;
mod listing;
mod next_step;
pub mod ports;
mod run;
mod without_document;

pub use authority::{ListedDays, break_key, compare_record, record_key};
pub use comparison::{Comparison, EntryLabel, Filed, ListedAs, compare, compare_imported};
pub use divergence::Divergence;
pub use listing::{
    ANSWER_BYTES_MAX, EndlessListing, FiledRecord, InvalidRequest, ListedRecord, ListingAnswer,
    ListingMethod, ListingPage, ListingProblem, ListingQuery, ListingQuestion, ListingRequest, PAGES_MAX,
    QUESTION_BYTES_MAX, RECORDS_MAX, RecordState, next_cursor,
};
pub use next_step::next_step;
pub use run::{
    ReconciledEntry, Reconciliation, ReconciliationCounts, ReconciliationOutcome, ReconciliationProgress,
    ReconciliationSource,
};
pub use without_document::{Finding, WithoutDocument};
