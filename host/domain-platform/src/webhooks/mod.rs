//! What customers are told of changes: webhooks out, after the Standard Webhooks specification.
//!
//! In `change`: what happens to the platform's own data. In `event`: what is told and who wants to hear it. In `schedule`:
//! when a delivery is tried again. In `health`: when an endpoint is left alone. In `target`: where nothing is sent. In
//! `delivery`: endpoints, and what became of what they are told.

mod change;
mod delivery;
mod event;
mod health;
mod schedule;
mod target;

pub use change::{How, PlatformEvent};
pub use delivery::{Delivery, DeliveryAttempt, Endpoint, GivenUp};
pub use event::{EventFilter, EventType, NoticeAccess, body, data};
pub use health::{Disabled, Health};
pub use schedule::{ATTEMPTS_MAX, DUE_HORIZON, DeliveryState, RETRY_AFTER_MAX, Schedule};
pub use target::{NoTarget, Refused, Target, URL_CHARS_MAX, refused};

/// Most webhooks of one workspace.
pub const ENDPOINTS_MAX: i64 = 100;
/// How long the old secret still signs after another one was made, hours.
pub const OLD_SECRET_HOURS: i64 = 24;
