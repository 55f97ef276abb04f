//! The only SQL: one struct over the two native drivers, one file per aggregate, every statement known by name.
//!
//! [`Db`] is PostgreSQL or SQLite; nobody above this crate asks which. Reads go through [`Db`] or a [`Tx`]; what
//! changes something takes a [`Tx`], so that state, events and jobs commit together. Tenancy is in the signatures:
//! no document is looked up without the workspaces the caller may see.
//!
//! Not here: rules (the domain crates), secrets in the clear (sealed bytes come in and go out), time and identifiers
//! (arguments).
//!
//! To add an aggregate: a migration of the same name in both folders, a module with a `statements!` block, one line
//! in `catalogue.rs`. The tests then prepare its statements on both engines and compare the two schemas.
//!
//! While replicas are replaced, the previous release works with the newest schema: a migration adds, and what no statement
//! names any more is taken away a release later. A test prepares the statements of the previous release, kept in
//! `tests/previous`, with the newest schema. Once a release is out, keep its statements for the next one:
//! `GATEWAY_KEEP_STATEMENTS=1 cargo nextest run -p gateway-storage previous`, and commit the two files.

#[cfg(any(test, feature = "testing"))]
mod catalogue;
mod db;
mod dispatch;
mod error;
pub mod failpoint;
mod instance;
mod lists;
mod select;
mod sql;
mod sqlite;
mod value;
mod wakeups;

#[cfg(test)]
mod tests;

pub mod accounts;
pub mod attempts;
pub mod audit;
pub mod booking_documents;
pub mod bookings;
pub mod clients;
pub mod conversations;
pub mod correctives;
pub mod creation_clock;
pub mod credits;
pub mod deliveries;
pub mod destination;
pub mod events;
pub mod export;
pub mod finance_documents;
pub mod guest_verifications;
pub mod idempotency;
pub mod intents;
pub mod invoices;
pub mod issue_times;
pub mod jobs;
pub mod keys;
pub mod leases;
pub mod legacy_uses;
pub mod messages;
pub mod numbers;
pub mod plugins;
pub mod product_groups;
pub mod products;
pub mod profiles;
pub mod rate_writes;
pub mod rates;
pub mod references;
pub mod sandbox;
pub mod series;
pub mod spaces;
pub mod submissions;
pub mod tasks;
pub mod units;
pub mod watchdog;
pub mod webhooks;
pub mod workspaces;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use db::{Db, Options, Tx};
pub use dispatch::{Executor, Record};
pub use error::{Corrupt, OpenError};
pub use instance::InstanceLock;
pub use sql::{Engine, Param, Sql};
pub use value::{Day, Id, Ts};
pub use wakeups::Topic;
