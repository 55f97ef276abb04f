//! Whole tables, whatever they hold: which there are, what stands in them, and their rows on the way into another database.
//! The catalogue of the database says all of it, so that a table that a migration adds is never forgotten.
//!
//! | module | holds |
//! |---|---|
//! | [`schema`] | tables, columns, keys, and which table refers to which |
//! | [`cells`] | values as they are the same on both engines |
//! | [`pages`] | rows in the order of their key, read and stored |
//! | [`digest`] | what a table holds, as one SHA-256 |
//! | [`journal`] | how far a move between two databases has come, kept in the one that is filled |

pub mod cells;
pub mod digest;
pub mod journal;
pub mod pages;
pub mod schema;

pub use cells::{Cell, Cells};
pub use digest::TableDigest;
pub use schema::{Column, ColumnKind, Schema, Table};
