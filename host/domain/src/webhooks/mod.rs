//! What customers are told of changes: webhooks out.

mod change;

pub use change::{Change, How, PlatformEvent};
