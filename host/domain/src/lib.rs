//! The rules of the gateway, and nothing else: no I/O, no async runtime, no clock, no floats.
//!
//! One module per business area. Time and identifiers come in through [`ports::Clock`] and [`ports::Ids`].
//! To add a command: extend [`finance::Command`], answer every `match` the compiler then points at, and
//! add the row to the state × command snapshot.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

#[macro_use]
mod words;

pub mod access;
pub mod bookings;
pub mod catalog;
pub mod conversations;
pub mod fault;
pub mod finance;
pub mod identity;
pub mod ids;
pub mod input;
pub mod invoicing;
pub mod money;
pub mod ports;
pub mod pricing;
pub mod regime;
pub mod spaces;
pub mod tasks;
pub mod tax_id;
pub mod webhooks;
pub mod workspace;

mod stamped;

pub use stamped::{Keyed, Stamped};
pub use words::UnknownWord;
