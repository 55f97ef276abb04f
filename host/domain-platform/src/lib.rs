//! The rules of the platform's own data: catalog, spaces, prices, bookings, conversations, people and tasks, and of what
//! customers are told of it.
//!
//! No I/O, no async runtime, no clock, no floats. Ids, money and the faults of a form are those of [`gateway_domain`].
//!
//! Not here: transactions and permissions (`gateway-platform`), delivery of what is told (`gateway-webhooks`).
//!
//! To tell customers of something new: a word of [`webhooks::PlatformEvent`] and of [`webhooks::EventType`], their pair in
//! `event_type` of `gateway-webhooks`, a function in [`changes`] that says ids and states, and its call in the transaction of
//! the change; the `notifications` of `gateway-api-public` describe it.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

pub mod bookings;
pub mod catalog;
pub mod changes;
pub mod conversations;
pub mod erasure;
pub mod identity;
pub mod pricing;
pub mod spaces;
pub mod tasks;
pub mod webhooks;
pub mod workspaces;
