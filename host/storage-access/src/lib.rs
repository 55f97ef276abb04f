//! Who may call, what they did, and which of their requests were answered already: clients and their secrets, the keys that sign
//! tokens, the audit trail, sessions of the console, answers by idempotency key, uses of the legacy API.
//!
//! `gateway-storage` shows these aggregates beside its own, and everybody names them there; its catalogue prepares their
//! statements.
//!
//! To add an aggregate: a migration of the same name in both folders, a module here with a `statements!` block, its name among the
//! re-exports of `gateway-storage`, one line in its `catalogue`.
//!
//! Not here: rules (`gateway-domain`), secrets in the clear (`gateway-access`), how statements run (`gateway-database`).

pub mod audit;
pub mod client_uses;
pub mod clients;
pub mod idempotency;
pub mod keys;
pub mod legacy_uses;
pub mod sessions;
