//! The rules of the platform's own data: catalog, spaces, prices, bookings, conversations, people and tasks, and of what
//! customers are told of it.
//!
//! No I/O, no async runtime, no clock, no floats. Ids, money and the faults of a form are those of [`gateway_domain`].

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

pub mod audit;
pub mod bookings;
pub mod catalog;
pub mod changes;
pub mod conversations;
pub mod events;
pub mod identity;
pub mod legacy_uses;
pub mod lists;
pub mod pricing;
pub mod spaces;
pub mod tasks;
pub mod webhooks;
pub mod workspaces;

mod stamped;

pub use lists::NumberedPage;
pub use stamped::{Keyed, PageKey, Stamped};
