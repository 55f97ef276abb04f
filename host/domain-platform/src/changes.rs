//! What the event log keeps of changes of the platform's own data: ids and states.

use crate::bookings::{Booking, VettingStatus};
use crate::catalog::ProductGroup;
use crate::tasks::Task;
use crate::webhooks::{How, PlatformEvent};
use gateway_domain::ids::{BookingId, WorkspaceId};
use gateway_domain_events::Change;
use serde_json::{Map, Value};
use std::fmt::Display;
use uuid::Uuid;

fn change<const N: usize>(
    event: PlatformEvent,
    workspace: WorkspaceId,
    subject: Uuid,
    how: How,
    members: [(&str, Value); N],
) -> Change {
    let beside = members.map(|(name, value)| (name.to_owned(), value));
    let mut data = Map::from_iter([("id".to_owned(), text(subject)), ("change".to_owned(), text(how))]);
    data.extend(beside);
    Change { kind: event.as_str(), workspace, subject, data: Value::Object(data) }
}

/// An id or a word.
fn text(value: impl Display) -> Value {
    Value::String(value.to_string())
}

/// A product group as it is now.
pub fn product_group(group: &ProductGroup, how: How) -> Change {
    change(
        PlatformEvent::ProductGroupChanged,
        group.workspace,
        group.id.0,
        how,
        [("internal_reference", text(&group.internal_reference)), ("state", text(group.state))],
    )
}

/// A booking as it is now.
pub fn booking(booking: &Booking, how: How) -> Change {
    change(
        PlatformEvent::BookingChanged,
        booking.workspace,
        booking.id.0,
        how,
        [
            ("status", text(booking.status)),
            ("confirmation_code", text(&booking.confirmation_code)),
            ("unit_id", text(booking.unit)),
        ],
    )
}

/// A task as it is now.
pub fn task(task: &Task, how: How) -> Change {
    change(
        PlatformEvent::TaskChanged,
        task.workspace,
        task.id.0,
        how,
        [
            ("unit_id", task.unit.map_or(Value::Null, text)),
            ("booking_id", task.booking.map_or(Value::Null, text)),
        ],
    )
}

/// What is known now about the guest of a booking; nothing about the guest is told but the status.
pub fn guest_verification(workspace: WorkspaceId, booking: BookingId, status: VettingStatus) -> Change {
    let verification = Map::from_iter([("status".to_owned(), text(status))]);
    change(
        PlatformEvent::GuestVerificationChanged,
        workspace,
        booking.0,
        How::Updated,
        [("booking_id", text(booking)), ("guest_verification", Value::Object(verification))],
    )
}

/// What an import of a booking has to tell.
pub fn imported_booking(now: &Booking, before: Option<&Booking>) -> Vec<Change> {
    let mut changes = vec![booking(now, How::after(before))];
    if before.map_or(VettingStatus::unvetted(), |before| before.vetting) != now.vetting {
        changes.push(guest_verification(now.workspace, now.id, now.vetting));
    }
    changes
}
