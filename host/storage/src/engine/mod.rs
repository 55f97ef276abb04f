//! How statements are written and run, whichever engine the database has. Nothing here belongs to an aggregate.
//!
//! | module | holds |
//! |---|---|
//! | `db`, `dispatch` | the database, its transactions, and where a statement runs |
//! | `sql`, `select` | statements: the named ones, and lists that are composed of what a request asks |
//! | `lists`, [`creation_clock`] | pages of rows, and the order in which new rows stand in them |
//! | `value`, `error` | columns that the engines keep differently, and what goes wrong |
//! | `sqlite`, `instance` | the one writer of a SQLite file, and the one process that has it |
//! | `wakeups`, [`failpoint`] | what happens at a commit: whom it wakes, and where a test ends the process |

pub mod creation_clock;
pub(crate) mod db;
pub(crate) mod dispatch;
pub(crate) mod error;
pub mod failpoint;
pub(crate) mod instance;
pub(crate) mod lists;
pub(crate) mod select;
pub(crate) mod sql;
mod sqlite;
pub(crate) mod value;
pub(crate) mod wakeups;
