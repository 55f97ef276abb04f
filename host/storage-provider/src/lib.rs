//! What stands beside the documents of the provider: what its stand-in keeps, and what reconciliations with it found.
//!
//! `gateway-storage` shows these aggregates beside its own, and everybody names them there; its catalogue prepares their
//! statements.
//!
//! Not here: what the stand-in does (`gateway-sandbox`), what a reconciliation compares (`gateway-reconciliation`), how
//! statements run (`gateway-database`).

pub mod reconciliations;
pub mod sandbox;
