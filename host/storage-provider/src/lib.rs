//! What stands beside the documents of the provider: what its stand-in keeps, what reconciliations with it
//! found, amendments on their way to it, what is kept of what was sent, and until when what goes to it has to be filed.
//!
//! `gateway-storage` shows these aggregates beside its own, and everybody names them there; its catalogue prepares their
//! statements.
//!
//! Not here: what the stand-in does (`gateway-sandbox`), what a reconciliation compares (`gateway-reconciliation`), how
//! statements run (`gateway-database`).

pub mod amendments;
pub mod evidence;
pub mod filing_deadlines;
pub mod outages;
pub mod reconciliations;
pub mod sandbox;
