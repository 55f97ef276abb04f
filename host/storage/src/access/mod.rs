//! Who may call, what they did, and which of their requests were answered already.

pub mod audit;
pub mod client_uses;
pub mod clients;
pub mod idempotency;
pub mod keys;
pub mod legacy_uses;
pub mod sessions;
