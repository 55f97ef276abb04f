//! The rules of the gateway, and nothing else: no I/O, no async runtime, no clock, no floats.
//!
//! Documents and their states, numbers, totals, tax regimes, who may do what. The rules of finance and those of the
//! platform's own areas are crates beside this one. Time and identifiers come in through [`ports::Clock`] and
//! [`ports::Ids`].

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

#[macro_use]
mod codes;
#[macro_use]
mod words;

pub mod access;
mod error_code;
pub mod fault;
mod field_error;
pub mod ids;
pub mod input;
pub mod invoicing;
pub mod money;
pub mod ports;
pub mod regime;
mod regime_description;
mod store_error;
pub mod tax_id;
pub mod workspace;

pub use error_code::ErrorCode;
pub use field_error::FieldError;
pub use store_error::{StoreCause, StoreCauseKind, StoreError};
pub use words::UnknownWord;
