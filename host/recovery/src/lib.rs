//! Backup and disaster: one file that holds everything, its way back, the way into another database, and the proof that nothing
//! that was issued is missing.
//!
//! | module | holds |
//! |---|---|
//! | [`manifest`] | what a backup says of itself |
//! | `archive` | the file: written in one step, checked to the last byte |
//! | `content` | what a database holds: rows, digests, and the chain of numbers of each series |
//! | [`backup`] | a database into a file, while gateways serve it |
//! | [`restore`] | a file into an empty database |
//! | [`transfer`] | a database into one of the other engine |
//! | `postgres` | the programs of PostgreSQL |
//!
//! Not here: SQL (`gateway-storage`), how keys are wrapped (`gateway-access`), what people are told (`gateway`).

mod archive;
pub mod backup;
mod content;
mod error;
pub mod manifest;
mod postgres;
pub mod restore;
pub mod transfer;

pub use archive::ArchiveError;
pub use error::RecoveryError;
pub use postgres::ProgramError;

#[cfg(test)]
mod tests;
