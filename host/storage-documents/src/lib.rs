//! What stands beside documents: their numbers in order, what they come to together, the files that another system made of those
//! which it issued, what people keep beside them, what the VAT register and the delivery network said of their
//! recipients, and the order in which new rows stand in lists.
//!
//! `gateway-storage` shows these aggregates beside its own, and everybody names them there; its catalogue prepares their
//! statements.
//!
//! Not here: documents and how they get their numbers (`gateway-storage`), how statements run (`gateway-database`).

pub mod annotations;
pub mod creation_clock;
pub mod imported_files;
pub mod number_chains;
pub mod participant_checks;
pub mod recipient_checks;
pub mod reports;
pub mod sums;
