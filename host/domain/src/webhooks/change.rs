//! Changes of the platform's own data, as the event log keeps them.

use crate::bookings::{Booking, VettingStatus};
use crate::catalog::ProductGroup;
use crate::ids::{BookingId, WorkspaceId};
use crate::tasks::Task;
use serde_json::{Map, Value, json};
use uuid::Uuid;

words! {
    /// What happened to the platform's own data: the CloudEvents types of the source `/platform`.
    PlatformEvent {
        /// A product group was made, edited, switched on or off.
        ProductGroupChanged = "ProductGroupChanged",
        /// A booking was made or edited.
        BookingChanged = "BookingChanged",
        /// A task was made or edited.
        TaskChanged = "TaskChanged",
        /// What is known about the guest of a booking was made or edited.
        GuestVerificationChanged = "GuestVerificationChanged",
    }
}

words! {
    /// How something changed.
    How {
        /// It was not there before.
        Created = "created",
        /// It was there with another content.
        Updated = "updated",
    }
}

impl How {
    /// By what was there before.
    pub const fn after<T>(before: Option<&T>) -> Self {
        match before {
            None => Self::Created,
            Some(_) => Self::Updated,
        }
    }
}

/// A change of something, to be told: ids and states, no more. Whoever wants to know the rest asks for it, and is then
/// told what they may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What happened.
    pub event: PlatformEvent,
    /// Whose.
    pub workspace: WorkspaceId,
    /// What it happened to: its id.
    pub subject: Uuid,
    /// Ids and states.
    pub data: Value,
}

impl Change {
    fn of(
        event: PlatformEvent,
        workspace: WorkspaceId,
        id: Uuid,
        how: How,
        members: Map<String, Value>,
    ) -> Self {
        let mut data =
            Map::from_iter([("id".to_owned(), json!(id)), ("change".to_owned(), json!(how.as_str()))]);
        data.extend(members);
        Self { event, workspace, subject: id, data: Value::Object(data) }
    }

    /// A product group as it is now.
    pub fn product_group(group: &ProductGroup, how: How) -> Self {
        let members = [
            ("internal_reference".to_owned(), json!(group.internal_reference)),
            ("state".to_owned(), json!(group.state)),
        ];
        let members = Map::from_iter(members);
        Self::of(PlatformEvent::ProductGroupChanged, group.workspace, group.id.0, how, members)
    }

    /// A booking as it is now.
    pub fn booking(booking: &Booking, how: How) -> Self {
        let members = [
            ("status".to_owned(), json!(booking.status)),
            ("confirmation_code".to_owned(), json!(booking.confirmation_code)),
            ("unit_id".to_owned(), json!(booking.unit)),
        ];
        let members = Map::from_iter(members);
        Self::of(PlatformEvent::BookingChanged, booking.workspace, booking.id.0, how, members)
    }

    /// A task as it is now.
    pub fn task(task: &Task, how: How) -> Self {
        let members =
            [("unit_id".to_owned(), json!(task.unit)), ("booking_id".to_owned(), json!(task.booking))];
        Self::of(PlatformEvent::TaskChanged, task.workspace, task.id.0, how, Map::from_iter(members))
    }

    /// What is known now about the guest of a booking; nothing about the guest is told but the status.
    pub fn guest_verification(workspace: WorkspaceId, booking: BookingId, status: VettingStatus) -> Self {
        let members = [
            ("booking_id".to_owned(), json!(booking)),
            ("guest_verification".to_owned(), json!({ "status": status })),
        ];
        let (event, members) = (PlatformEvent::GuestVerificationChanged, Map::from_iter(members));
        Self::of(event, workspace, booking.0, How::Updated, members)
    }

    /// What an import of a booking has to tell.
    pub fn imported_booking(booking: &Booking, before: Option<&Booking>) -> Vec<Self> {
        let mut changes = vec![Self::booking(booking, How::after(before))];
        if before.map_or(VettingStatus::unvetted(), |before| before.vetting) != booking.vetting {
            changes.push(Self::guest_verification(booking.workspace, booking.id, booking.vetting));
        }
        changes
    }
}
