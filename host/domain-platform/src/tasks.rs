//! What is to be done about units and bookings.

use gateway_domain::ErrorCode;
use gateway_domain::ids::{BookingId, TaskId, UnitId, WorkspaceId};
use gateway_domain::money::Amount;
use gateway_domain_input::Faults;
use gateway_domain_lists::Keyed;
use jiff::civil::{Date, Time};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Given by the import.
    pub id: TaskId,
    /// Whose.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// What, in few words.
    pub title: String,
    /// What kind, in the words of the workspace.
    #[serde(rename = "type", default)]
    pub kind: Option<String>,
    /// By when.
    #[serde(default)]
    pub due_date: Option<Date>,
    /// At what time of that day.
    #[serde(default)]
    pub start_time: Option<Time>,
    /// How long it will take, hours; read from a number or a decimal string.
    #[serde(default, deserialize_with = "gateway_domain_input::decimal")]
    pub estimated_duration_hours: Option<Amount>,
    /// What else is to be known.
    #[serde(default)]
    pub notes: Option<String>,
    /// Where.
    #[serde(rename = "unit_id", default)]
    pub unit: Option<UnitId>,
    /// About which booking.
    #[serde(rename = "booking_id", default)]
    pub booking: Option<BookingId>,
}

impl Keyed for Task {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Task {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("title", &self.title);
        faults.optional_text("type", self.kind.as_deref());
        if let Some(date) = self.due_date {
            faults.date("due_date", date);
        }
        if self.estimated_duration_hours.is_some_and(Amount::is_negative) {
            faults.refuse("estimated_duration_hours", ErrorCode::OutOfRange, "must be 0 or more");
        }
        if let Some(notes) = &self.notes {
            faults.notes("notes", notes);
        }
    }
}

/// Which tasks a page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Only of this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only these.
    pub ids: Option<Vec<TaskId>>,
    /// Only about this unit.
    pub unit: Option<UnitId>,
    /// Only due on this day or later.
    pub from: Option<Date>,
    /// Only due on this day or earlier.
    pub to: Option<Date>,
}
