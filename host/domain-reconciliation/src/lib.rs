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
//!
//! Not here: who asks the provider, and where runs are kept (`gateway-reconciliation`, `gateway-storage-provider`).

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

mod comparison;
mod run;

pub use comparison::{
    Comparison, Divergence, EntryLabel, Filed, ListedAs, compare, compare_imported, next_step,
};
pub use run::{
    ReconciledEntry, Reconciliation, ReconciliationCounts, ReconciliationOutcome, ReconciliationProgress,
};
