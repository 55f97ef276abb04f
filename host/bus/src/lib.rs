//! Where relayed events go: consumers of this process, or a message bus. Two implementations of one small port.
//!
//! [`Embedded`] keeps nothing: it wakes the consumers of its process. [`JetStream`] keeps the feed for whoever
//! subscribes to NATS, and wakes consumers wherever they run; it is compiled with the feature `nats`.
//!
//! Not here: the event log (`gateway-storage`), the relay (`gateway-events`).
//!
//! To add a bus: a type of its own file that implements [`gateway_domain::ports::EventSink`], chosen in `wiring.rs` of
//! `gateway`, whose address `config/check.rs` of `gateway-cli` holds to its form before anything starts.

mod embedded;
#[cfg(feature = "nats")]
mod jetstream;

pub use embedded::Embedded;
#[cfg(feature = "nats")]
pub use jetstream::{JetStream, NotABus};
