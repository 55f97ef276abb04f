//! The rules of the legal clock: until when a document has to be filed, when somebody is told that the time runs out, and the
//! evidence of what stood in the way. No I/O, no clock, no country: limits and marks are the plugins'.
//!
//! Not here: what plugins say of a filing (`gateway_domain::regime`), who keeps it (`gateway-deadlines`).

mod filing;
mod outage;

pub use filing::{FilingDeadline, time_left};
pub use outage::{Declaration, KeptOutage, NotDeclared, Outage, OutageBody, OutageCall};
