//! What the event log keeps of changes of the platform's own data: ids and states.

use crate::bookings::{Booking, VettingStatus};
use crate::catalog::ProductGroup;
use crate::tasks::Task;
use gateway_domain::ids::{BookingId, WorkspaceId};
use gateway_domain::webhooks::{Change, How, PlatformEvent};
use serde_json::{Map, Value, json};
use uuid::Uuid;

fn change<const N: usize>(
    event: PlatformEvent,
    workspace: WorkspaceId,
    subject: Uuid,
    how: How,
    members: [(&str, Value); N],
) -> Change {
    let beside = members.map(|(name, value)| (name.to_owned(), value));
    let mut data = Map::from_iter([("id".to_owned(), json!(subject)), ("change".to_owned(), json!(how))]);
    data.extend(beside);
    Change { event, workspace, subject, data: Value::Object(data) }
}

/// A product group as it is now.
pub fn product_group(group: &ProductGroup, how: How) -> Change {
    change(
        PlatformEvent::ProductGroupChanged,
        group.workspace,
        group.id.0,
        how,
        [("internal_reference", json!(group.internal_reference)), ("state", json!(group.state))],
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
            ("status", json!(booking.status)),
            ("confirmation_code", json!(booking.confirmation_code)),
            ("unit_id", json!(booking.unit)),
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
        [("unit_id", json!(task.unit)), ("booking_id", json!(task.booking))],
    )
}

/// What is known now about the guest of a booking; nothing about the guest is told but the status.
pub fn guest_verification(workspace: WorkspaceId, booking: BookingId, status: VettingStatus) -> Change {
    change(
        PlatformEvent::GuestVerificationChanged,
        workspace,
        booking.0,
        How::Updated,
        [("booking_id", json!(booking)), ("guest_verification", json!({ "status": status }))],
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
