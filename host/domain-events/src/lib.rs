//! What the logs hold, whoever writes and reads them: the event log, which services and customers follow; the notices in it,
//! which people hear of; the audit trail; and the uses of the legacy API.
//!
//! No I/O, no async runtime, no clock, no floats. Ids and who acts are those of [`gateway_domain`].
//!
//! Not here: which events there are and what they tell (the rules of each service: `gateway-domain-finance`,
//! `gateway-domain-platform`), how they are appended and followed (`gateway-events`), recording what clients and operators did
//! (`gateway-access`).
//!
//! To append events from another service: a name of its own among the `Source`s of `gateway-events`, and its CloudEvents
//! types in the crate of its rules; nothing changes here.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

mod audit;
mod legacy_use;
mod log;
pub mod notices;
mod retention;

pub use audit::{AuditEntry, AuditFilter};
pub use legacy_use::LegacyUse;
pub use log::{Change, DocumentRange, EventSelection, StoredEvent};
pub use retention::{RetainedKind, RetentionDays, RetentionPolicy};
