//! What is told to customers, and who wants to hear it.

use gateway_domain::access::{Caller, Permission};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_events::notices::NoticeKind;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use uuid::Uuid;

gateway_domain::words! {
    /// What customers are told.
    EventType {
        /// An invoice went to the tax authority.
        InvoiceIssuing = "invoice.issuing",
        /// An invoice is final.
        InvoiceIssued = "invoice.issued",
        /// The tax authority refused an invoice.
        InvoiceRejected = "invoice.rejected",
        /// The tax authority accepted an invoice.
        InvoiceAccepted = "invoice.accepted",
        /// A product group was made, edited, switched on or off.
        ProductGroupChanged = "product_group.changed",
        /// A booking was made or edited.
        BookingChanged = "booking.changed",
        /// A task was made or edited.
        TaskChanged = "task.changed",
        /// What is known about the guest of a booking changed.
        GuestVerificationChanged = "guest_verification.changed",
        /// A unit was made or edited, or something that it shows.
        UnitChanged = "unit.changed",
        /// A rate plan or its tariffs were made or edited.
        RatePlanChanged = "rate_plan.changed",
        /// Bookings took or gave back nights of a unit.
        AvailabilityChanged = "availability.changed",
        /// A user was made or edited, or one of their teams, or they lost their roles in the workspace.
        UserChanged = "user.changed",
        /// A message was written.
        MessageCreated = "message.created",
        /// A submission waits for somebody.
        SubmissionAlerted = "submission.alerted",
        /// A submission waits for nobody any more.
        SubmissionCleared = "submission.cleared",
        /// The time in which the law wants a document filed runs out.
        SubmissionDue = "submission.due",
        /// A document is issuing, and nobody submits it.
        IssuingOverdue = "issuing.overdue",
        /// Nothing more is sent to another webhook.
        WebhookDisabled = "webhook.disabled",
        /// A plugin misbehaved and serves nobody any more.
        PluginBlocked = "plugin.blocked",
        /// A version of a plugin was due to come in force, and did not.
        PluginNotActivated = "plugin.not_activated",
        /// A credential of the workspace ends soon.
        CredentialExpiring = "credential.expiring",
        /// The certificate of a listener ends soon, or has ended.
        CertificateExpiring = "certificate.expiring",
        /// The tax authority holds something else than the gateway.
        ReconciliationDifferent = "reconciliation.different",
        /// Nobody knows whether the tax authority holds the same: a reconciliation failed.
        ReconciliationFailed = "reconciliation.failed",
        /// The tax authority accepted a document and found errors in it.
        AcceptedWithErrors = "accepted_with_errors",
        /// Nothing happened; somebody tries a webhook. Sent whatever the filter says.
        Test = "webhook.test",
    }
}

/// A notice, as webhooks are told it.
impl From<NoticeKind> for EventType {
    fn from(kind: NoticeKind) -> Self {
        match kind {
            NoticeKind::SubmissionAlerted => Self::SubmissionAlerted,
            NoticeKind::SubmissionCleared => Self::SubmissionCleared,
            NoticeKind::SubmissionDue => Self::SubmissionDue,
            NoticeKind::IssuingOverdue => Self::IssuingOverdue,
            NoticeKind::WebhookDisabled => Self::WebhookDisabled,
            NoticeKind::PluginBlocked => Self::PluginBlocked,
            NoticeKind::PluginNotActivated => Self::PluginNotActivated,
            NoticeKind::CredentialExpiring => Self::CredentialExpiring,
            NoticeKind::CertificateExpiring => Self::CertificateExpiring,
            NoticeKind::ReconciliationDifferent => Self::ReconciliationDifferent,
            NoticeKind::ReconciliationFailed => Self::ReconciliationFailed,
            NoticeKind::AcceptedWithErrors => Self::AcceptedWithErrors,
        }
    }
}

impl EventType {
    /// Whether it is a notice, which a webhook is told only if it names it.
    pub fn is_notice(self) -> bool {
        NoticeKind::ALL.iter().any(|kind| Self::from(*kind) == self)
    }
}

/// Whether whoever asks for events may read notices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoticeAccess {
    /// They may.
    Granted,
    /// They may not.
    #[default]
    Denied,
}

impl From<&Caller> for NoticeAccess {
    fn from(caller: &Caller) -> Self {
        if caller.may(Permission::NoticesRead) { Self::Granted } else { Self::Denied }
    }
}

/// Which events a webhook is told; none named: all of them but notices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter(BTreeSet<EventType>);

impl EventFilter {
    /// Reads names; the fault names each that is none.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, Vec<FieldError>> {
        let mut events = BTreeSet::new();
        let mut faults = Vec::new();
        for (place, name) in names.into_iter().enumerate() {
            match EventType::ALL.iter().find(|known| known.as_str() == name && **known != EventType::Test) {
                Some(known) => drop(events.insert(*known)),
                None => faults.push(FieldError::new(
                    format!("events[{place}]"),
                    ErrorCode::NotOneOf,
                    Self::expected(),
                )),
            }
        }
        if faults.is_empty() { Ok(Self(events)) } else { Err(faults) }
    }

    /// Reads the names that somebody asks for; the fault names also each that they may not ask for.
    pub fn requested<'a>(
        names: impl IntoIterator<Item = &'a str>,
        access: NoticeAccess,
    ) -> Result<Self, Vec<FieldError>> {
        let names: Vec<_> = names.into_iter().collect();
        let filter = Self::parse(names.iter().copied())?;
        let is_refused = |name: &str| {
            access == NoticeAccess::Denied
                && filter.0.iter().any(|event| event.is_notice() && event.as_str() == name)
        };
        let refused = names.iter().enumerate().filter(|(_, name)| is_refused(name)).map(|(place, name)| {
            let message = format!("to be told {name} takes the permission {}", Permission::NoticesRead);
            FieldError::new(format!("events[{place}]"), ErrorCode::PermissionMissing, message)
        });
        let refused: Vec<_> = refused.collect();
        if refused.is_empty() { Ok(filter) } else { Err(refused) }
    }

    fn expected() -> String {
        let names = EventType::ALL.iter().filter(|known| **known != EventType::Test);
        let names: Vec<_> = names.map(|known| known.as_str()).collect();
        format!("use {}", names.join(", "))
    }

    /// Whether an event is wanted.
    pub fn wants(&self, event: EventType) -> bool {
        event == EventType::Test || self.0.contains(&event) || (self.0.is_empty() && !event.is_notice())
    }

    /// The names of everything that is wanted but the test.
    pub fn subscribed_names(&self) -> Vec<&'static str> {
        let events = EventType::ALL.iter().filter(|event| **event != EventType::Test && self.wants(**event));
        events.map(|event| event.as_str()).collect()
    }

    /// The names, in the order of the types.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|event| event.as_str()).collect()
    }
}

/// What a webhook is told about an event that happened to `id`, from what the log keeps of it: ids and states. `sequence` is the event's place
/// in the feed: of two events the one with the greater sequence happened later, and numbers are left out.
pub fn data(event: EventType, id: Uuid, workspace: WorkspaceId, sequence: i64, kept: &Value) -> Value {
    let mut data = Map::from_iter([("id".to_owned(), Value::from(id.to_string()))]);
    let mut take = |names: &[&str]| {
        for name in names {
            data.insert((*name).to_owned(), kept.get(*name).cloned().unwrap_or_default());
        }
    };
    match event {
        EventType::InvoiceIssuing
        | EventType::InvoiceIssued
        | EventType::InvoiceRejected
        | EventType::InvoiceAccepted => {
            take(&["document_type", "status", "display_document_number", "booking_id"]);
        }
        EventType::ProductGroupChanged
        | EventType::BookingChanged
        | EventType::TaskChanged
        | EventType::GuestVerificationChanged
        | EventType::UnitChanged
        | EventType::RatePlanChanged
        | EventType::AvailabilityChanged
        | EventType::UserChanged
        | EventType::MessageCreated
        | EventType::SubmissionAlerted
        | EventType::SubmissionCleared
        | EventType::SubmissionDue
        | EventType::IssuingOverdue
        | EventType::WebhookDisabled
        | EventType::PluginBlocked
        | EventType::PluginNotActivated
        | EventType::CredentialExpiring
        | EventType::CertificateExpiring
        | EventType::ReconciliationDifferent
        | EventType::ReconciliationFailed
        | EventType::AcceptedWithErrors
        | EventType::Test => {
            if let Value::Object(members) = kept {
                data.extend(members.clone());
            }
        }
    }
    data.insert("workspace_id".to_owned(), Value::from(workspace.0));
    data.insert("sequence".to_owned(), Value::from(sequence));
    Value::Object(data)
}

/// What is signed and sent: a JSON object of `type`, `timestamp` (RFC 3339) and `data`, as Standard Webhooks has it.
pub fn body(event: EventType, at: Timestamp, data: &Value) -> String {
    let members = [
        ("type".to_owned(), Value::from(event.as_str())),
        ("timestamp".to_owned(), Value::from(at.to_string())),
        ("data".to_owned(), data.clone()),
    ];
    Value::Object(Map::from_iter(members)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_filter_without_names_wants_all_but_notices_and_a_test_always_comes() {
        let all = EventFilter::parse([]).unwrap();
        assert!(EventType::ALL.iter().all(|event| all.wants(*event) != event.is_notice()));
        assert!(
            all.subscribed_names().contains(&"task.changed")
                && !all.subscribed_names().contains(&"webhook.test")
        );
        assert_eq!(EventType::ALL.iter().filter(|event| event.is_notice()).count(), NoticeKind::ALL.len());
        for kind in NoticeKind::ALL {
            assert_eq!(EventType::from(*kind).as_str(), kind.as_str());
        }
        let one = EventFilter::parse(["task.changed", "task.changed"]).unwrap();
        assert_eq!(one.names(), ["task.changed"]);
        let subscribed: Vec<_> = EventType::ALL.iter().filter(|event| one.wants(**event)).collect();
        assert_eq!(subscribed, [&EventType::TaskChanged, &EventType::Test]);
        let faults =
            EventFilter::parse(["task.changed", "nonsense", "webhook.test", "TASK.CHANGED"]).unwrap_err();
        let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["events[1]", "events[2]", "events[3]"]);
        assert!(faults[0].message.contains("invoice.issuing, "), "{}", faults[0].message);
    }

    #[test]
    fn only_who_may_read_notices_has_them_told() {
        let names = ["task.changed", "submission.alerted"];
        let filter = EventFilter::requested(names, NoticeAccess::Granted).unwrap();
        assert!(filter.wants(EventType::SubmissionAlerted) && !filter.wants(EventType::WebhookDisabled));
        let faults = EventFilter::requested(names, NoticeAccess::Denied).unwrap_err();
        let [fault] = faults.as_slice() else { panic!("{faults:?}") };
        assert_eq!((fault.field.as_str(), fault.code), ("events[1]", ErrorCode::PermissionMissing));
        assert!(fault.message.contains("notices.read"), "{}", fault.message);
        assert!(EventFilter::requested(["task.changed"], NoticeAccess::Denied).is_ok());
    }

    #[test]
    fn an_invoice_is_told_by_its_ids_and_state_only() {
        let kept = json!({"uuid": "i", "document_type": "invoice", "status": "issued", "display_document_number": "F-1",
            "booking_id": null, "recipient": {"name": "Ana"}, "lines": []});
        let delivered = data(EventType::InvoiceIssued, Uuid::nil(), WorkspaceId(7), 12, &kept);
        assert_eq!(
            delivered,
            json!({"id": Uuid::nil(), "document_type": "invoice", "status": "issued", "display_document_number": "F-1",
                "booking_id": null, "workspace_id": 7, "sequence": 12})
        );
        let at: Timestamp = "2026-11-20T09:00:00Z".parse().unwrap();
        assert_eq!(
            body(
                EventType::Test,
                at,
                &data(EventType::Test, Uuid::nil(), WorkspaceId(7), 1, &json!({"x": 1}))
            ),
            r#"{"type":"webhook.test","timestamp":"2026-11-20T09:00:00Z","data":{"id":"00000000-0000-0000-0000-000000000000","x":1,"workspace_id":7,"sequence":1}}"#
        );
    }
}
