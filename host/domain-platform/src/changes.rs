//! What the event log keeps of changes of the platform's own data: ids and states.

use crate::bookings::{Booking, NightRange, UnitNights, VettingStatus};
use crate::catalog::ProductGroup;
use crate::conversations::{Conversation, Message};
use crate::identity::{RoleBinding, User};
use crate::pricing::RatePlan;
use crate::spaces::Unit;
use crate::tasks::Task;
use crate::webhooks::{How, PlatformEvent};
use gateway_domain::ids::{BookingId, WorkspaceId};
use gateway_domain_events::Change;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
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

/// A unit as it is now.
pub fn unit(unit: &Unit, how: How) -> Change {
    change(
        PlatformEvent::UnitChanged,
        unit.workspace,
        unit.id.0,
        how,
        [("code", text(&unit.code)), ("status", text(unit.status)), ("unit_type_id", text(unit.unit_type))],
    )
}

/// A rate plan as it is now, or its tariffs.
pub fn rate_plan(plan: &RatePlan, how: How) -> Change {
    let members = [("unit_id", text(plan.unit))];
    change(PlatformEvent::RatePlanChanged, plan.workspace, plan.id.0, how, members)
}

/// Nights of a unit that one command made free or took.
pub fn availability(nights: &UnitNights) -> Change {
    let range = |NightRange { start_date, end_date }: &NightRange| {
        let days = [("start_date", text(start_date)), ("end_date", text(end_date))];
        Value::Object(days.map(|(name, day)| (name.to_owned(), day)).into_iter().collect())
    };
    let ranges = Value::Array(nights.ranges.iter().map(range).collect());
    change(
        PlatformEvent::AvailabilityChanged,
        nights.workspace,
        nights.unit.0,
        How::Updated,
        [("unit_id", text(nights.unit)), ("date_ranges", ranges)],
    )
}

/// A message; nothing of its text is told.
pub fn message(message: &Message, conversation: &Conversation) -> Change {
    change(
        PlatformEvent::MessageCreated,
        conversation.workspace,
        message.id.0,
        How::Created,
        [("conversation_id", text(conversation.id)), ("booking_id", text(conversation.booking))],
    )
}

/// A user as each workspace sees them, where it sees anything of them change: what they are elsewhere is none of its
/// business, and whoever lost their roles in it is gone from there.
pub fn user(now: &User, before: Option<&User>) -> Vec<Change> {
    let edited = before.is_none_or(|before| !same_person(before, now));
    in_their_workspaces(now, before, edited)
}

/// A user one of whose teams is shown otherwise now: every workspace that sees the user sees their teams.
pub fn team_member(now: &User, before: &User) -> Vec<Change> {
    in_their_workspaces(now, Some(before), true)
}

fn in_their_workspaces(now: &User, before: Option<&User>, edited: bool) -> Vec<Change> {
    let all = before.into_iter().chain([now]).flat_map(|user| &user.role_bindings);
    let workspaces: BTreeSet<WorkspaceId> = all.map(|binding| binding.workspace).collect();
    let in_workspace = |workspace| {
        let (was, is) = (before.and_then(|before| binding(before, workspace)), binding(now, workspace));
        let how = match (was, is) {
            (None, None) => return None,
            (Some(was), Some(is)) if was == is && !edited => return None,
            (None, Some(_)) => How::Created,
            (Some(_), Some(_)) => How::Updated,
            (Some(_), None) => How::Removed,
        };
        let status = is.map_or(Value::Null, |_| text(now.status));
        Some(change(PlatformEvent::UserChanged, workspace, now.id.0, how, [("status", status)]))
    };
    workspaces.into_iter().filter_map(in_workspace).collect()
}

fn binding(user: &User, workspace: WorkspaceId) -> Option<&RoleBinding> {
    user.role_bindings.iter().find(|binding| binding.workspace == workspace)
}

/// Whether all but their roles is the same.
fn same_person(one: &User, other: &User) -> bool {
    let person = |user: &User| User { role_bindings: Vec::new(), ..user.clone() };
    person(one) == person(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::UserStatus;
    use gateway_domain::ids::UserId;

    fn somebody(roles: &[(i64, &str)]) -> User {
        let binding = |(workspace, role): &(i64, &str)| RoleBinding {
            workspace: WorkspaceId(*workspace),
            roles: vec![(*role).to_owned()],
        };
        User {
            id: UserId(Uuid::nil()),
            email: "ana@example.com".to_owned(),
            name: None,
            nickname: None,
            status: UserStatus::Active,
            joined_at: None,
            role_bindings: roles.iter().map(binding).collect(),
            teams: Vec::new(),
        }
    }

    fn notified(now: &User, before: Option<&User>) -> Vec<(i64, String)> {
        let changes = user(now, before).into_iter();
        let summary = |change: Change| format!("{} {}", change.data["change"], change.data["status"]);
        changes.map(|change| (change.workspace.0, summary(change))).collect()
    }

    #[test]
    fn a_user_is_told_to_the_workspaces_that_see_a_difference() {
        let before = somebody(&[(1, "admin"), (2, "cleaner"), (3, "cleaner")]);
        let created = |workspace| (workspace, r#""created" "ACTIVE""#.to_owned());
        assert_eq!(notified(&before, None), [created(1), created(2), created(3)]);
        assert_eq!(notified(&before, Some(&before)), []);
        let moved = somebody(&[(1, "guest"), (2, "cleaner"), (4, "cleaner")]);
        assert_eq!(
            notified(&moved, Some(&before)),
            [(1, r#""updated" "ACTIVE""#.to_owned()), (3, r#""removed" null"#.to_owned()), created(4)],
            "nothing is told to workspace 2, which sees none of it"
        );
        let away = User { status: UserStatus::Suspended, ..before.clone() };
        let suspended = |workspace| (workspace, r#""updated" "SUSPENDED""#.to_owned());
        assert_eq!(notified(&away, Some(&before)), [suspended(1), suspended(2), suspended(3)]);
        assert_eq!(notified(&somebody(&[]), None), [], "nobody sees them");
    }

    #[test]
    fn a_user_whose_team_changed_is_told_to_every_workspace_that_sees_them() {
        let before = somebody(&[(1, "admin"), (2, "cleaner")]);
        let workspaces = |now: &User| -> Vec<_> {
            team_member(now, &before)
                .iter()
                .map(|change| (change.workspace.0, change.data["change"].clone()))
                .collect()
        };
        assert_eq!(workspaces(&before), [(1, "updated".into()), (2, "updated".into())]);
        let moved = somebody(&[(2, "cleaner"), (3, "cleaner")]);
        assert_eq!(workspaces(&moved), [(1, "removed".into()), (2, "updated".into()), (3, "created".into())]);
    }
}
