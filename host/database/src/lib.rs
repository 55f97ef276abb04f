//! PostgreSQL and SQLite behind one type: how statements are written and run, whichever of them it is, and what happens at a
//! commit. Nothing here belongs to an aggregate: tables and their statements are in `gateway-storage`,
//! `gateway-storage-access` and `gateway-storage-platform`, which alone use this.
//!
//! | module | holds |
//! |---|---|
//! | [`db`], [`dispatch`] | the database, its transactions, and where a statement runs |
//! | [`sql`], [`stored`], [`select`] | statements: the named ones, those that store a row, and lists that are composed of what a request asks |
//! | [`lists`] | pages of rows |
//! | [`value`], [`error`] | columns that the engines keep differently, and what goes wrong |
//! | `transaction`, `deferred` | transactions, and their changes that nobody waits for |
//! | `open_database`, `pools`, `connections`, `postgres` | the connections that are open, and the transactions of PostgreSQL on them |
//! | `sqlite`, [`instance`] | the one writer of a SQLite file, and the one process that has it |
//! | [`Pending`] | what waits for the database |
//! | `metrics`, `connection_metrics` | how long statements take, and how many connections are in use |
//! | [`wakeups`], [`failpoint`] | what happens at a commit: whom it wakes, and where a test ends the process |
//! | [`write_behind()`] | what is counted in memory, and written down from time to time |
//!
//! Not here: tables (those three), rules (the domain crates).
//!
//! To add somebody who is woken at a commit: a word of [`wakeups::Topic`] and its `Notify` beside the others; the compiler then
//! points at every `match`, and whoever writes the row calls `Tx::wake_after_commit`. To add a kind of column that the
//! engines keep differently: a type in [`value`] with `Encode` and `Decode` for both; the catalogue of `gateway-storage` prepares
//! every statement that uses it on both.

mod connection_metrics;
mod connections;
pub mod db;
mod deferred;
pub mod dispatch;
pub mod error;
pub mod failpoint;
pub mod instance;
pub mod lists;
mod metrics;
mod no_connection;
mod open_database;
mod pending;
mod pools;
mod postgres;
mod runtime;
pub mod select;
pub mod sql;
mod sqlite;
pub mod stored;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod transaction;
pub mod value;
pub mod wakeups;
mod write_behind;

pub use db::{Db, Options};
pub use dispatch::{Executor, Record};
pub use error::{Corrupt, OpenError};
pub use instance::InstanceLock;
pub use pending::Pending;
pub use sql::{Engine, Param, Sql};
pub use transaction::Tx;
pub use value::{Day, Id, Ts};
pub use wakeups::Topic;
pub use write_behind::write_behind;
