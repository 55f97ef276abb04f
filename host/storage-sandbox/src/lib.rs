//! What the stand-in for provider and tax authority keeps: entries, jobs, notifications, and the authority's memory.
//!
//! `gateway-storage` shows these aggregates beside its own, and everybody names them there; its catalogue prepares their
//! statements.
//!
//! Not here: what the stand-in does (`gateway-sandbox`), how statements run (`gateway-database`).

pub mod sandbox;
