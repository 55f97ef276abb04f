//! What stands beside the documents of the provider: what its stand-in keeps, what reconciliations with it
//! found, and amendments on their way to it.
//!
//! `gateway-storage` shows these aggregates beside its own, and everybody names them there; its catalogue prepares their
//! statements.
//!
//! Not here: what the stand-in does (`gateway-sandbox`), what a reconciliation compares (`gateway-reconciliation`), how
//! statements run (`gateway-database`).

pub mod amendments;
pub mod reconciliations;
pub mod sandbox;
