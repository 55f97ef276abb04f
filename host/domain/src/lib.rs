//! The rules of the gateway, and nothing else: no I/O, no async runtime, no clock, no floats.
//!
//! Documents and their states, numbers, totals, tax regimes, who may do what. The rules of finance and those of the
//! platform's own areas are crates beside this one. Time and identifiers come in through [`ports::Clock`] and
//! [`ports::Ids`].
//!
//! Not here: what a country demands (its plugin), SQL, HTTP.
//!
//! # How to
//! - *refuse something new*: a code at the end of its group in [`ErrorCode`], with its meaning; a snapshot holds that none
//!   ever changes;
//! - *add a member to documents*: in `invoicing/document.rs`, with its check in `document/form.rs` of `gateway-domain-input`;
//!   then where it is shown, `view.rs` of `gateway-invoicing`, and in `regime.rs` when plugins read it;
//! - *add a permission*: a row of `permissions!` in [`access`], and its name in the operation that asks for it.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

#[macro_use]
mod codes;
#[macro_use]
mod words;

pub mod access;
pub mod calendar;
mod error_code;
pub mod fault;
mod field_error;
pub mod ids;
pub mod invoicing;
pub mod money;
pub mod ports;
mod printable;
pub mod regime;
mod stamp;
mod store_error;
pub mod tax_id;
pub mod workspace;

pub use error_code::ErrorCode;
pub use field_error::{FieldError, field_of};
pub use printable::printable;
pub use stamp::Stamp;
pub use store_error::{StoreCause, StoreCauseKind, StoreError};
pub use words::UnknownWord;
