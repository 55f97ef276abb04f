//! The terminal of whoever types a command: what a command prints, laid out for people or as JSON, and how it ends.
//!
//! | module | what it holds |
//! |---|---|
//! | `out` | data on standard output, notes on standard error, tables that fit the screen |
//! | `failure` | one sentence and an exit code for whatever went wrong |
//!
//! Not here: what can be typed and what it does (`gateway-cli`, `gateway-plugin-author`).

mod failure;
mod out;

pub use failure::Failure;
pub use out::{Column, Out, Text, is_output_lost, line, listing, note, table};
