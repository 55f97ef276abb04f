//! What every outbound HTTP client of the gateway shares: how calls are measured and traced, how names become addresses, why a
//! call got no answer, when to ask again, and whether the clocks agree.
//!
//! [`NoAnswer`] tells apart what somebody can do something about: a name that nobody knows, a port where nobody listens, a
//! certificate that has expired. Its sentences go to customers and operators; the causes as the libraries tell them go to
//! the log, once.
//!
//! Not here: who is called and with what (`gateway-provider`, `gateway-participant-lookup`, `gateway-webhooks`), which addresses are refused
//! (`gateway-domain-platform`), and what an answer means.
//!
//! To tell another failure apart: a variant of [`NoAnswer`] with its sentence, found in `of_cause`, and a test in
//! `tests.rs` whose peer provokes it.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm)]

mod address;
mod calls;
mod clock_difference;
mod lookup;
mod no_answer;
mod retry_after;
#[cfg(test)]
mod tests;

pub use address::is_plain;
pub use calls::{CallMetrics, Calls, Peer};
pub use clock_difference::{answered_at, clock_difference_s};
pub use lookup::{Lookup, Names, SystemLookup, UnknownName, socket_addresses};
pub use no_answer::{NoAnswer, find_cause, log_causes};
pub use retry_after::retry_after_s;
