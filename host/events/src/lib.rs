//! Where relayed events go: consumers of this process, or a message bus. Two implementations of one small port.
//!
//! [`Embedded`] keeps nothing: it wakes the consumers of its process. Not here: the event log (`gateway-storage`), the
//! relay and the consumers (`gateway-app`).

mod embedded;

pub use embedded::Embedded;
