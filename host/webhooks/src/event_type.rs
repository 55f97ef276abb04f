//! Which events of the log customers are told of.

use gateway_domain::invoicing::DocumentEvent;
use gateway_domain_events::notices::NoticeKind;
use gateway_domain_finance::FinanceEvent;
use gateway_domain_platform::webhooks::{EventType, PlatformEvent};
use gateway_events::Source;

/// What customers are told of an event of the log, which has a CloudEvents source and type; most say nothing to them.
pub(crate) fn event_type(source: &str, kind: &str) -> Option<EventType> {
    match Source::ALL.into_iter().find(|known| known.as_str() == source)? {
        Source::Invoicing => {
            let events = [
                (DocumentEvent::Issuing, EventType::InvoiceIssuing),
                (DocumentEvent::Issued, EventType::InvoiceIssued),
                (DocumentEvent::Rejected, EventType::InvoiceRejected),
            ];
            events.into_iter().find(|(event, _)| event.as_str() == kind).map(|(_, kind)| kind)
        }
        // The other events of finance say what the invoice data service said already.
        Source::Finance => {
            (kind == FinanceEvent::AcceptedByTaxAuthority.as_str()).then_some(EventType::InvoiceAccepted)
        }
        Source::Platform => {
            PlatformEvent::ALL.iter().copied().find(|event| event.as_str() == kind).map(of_platform)
        }
        Source::Notices => kind.parse::<NoticeKind>().ok().map(EventType::from),
    }
}

const fn of_platform(event: PlatformEvent) -> EventType {
    match event {
        PlatformEvent::ProductGroupChanged => EventType::ProductGroupChanged,
        PlatformEvent::BookingChanged => EventType::BookingChanged,
        PlatformEvent::TaskChanged => EventType::TaskChanged,
        PlatformEvent::GuestVerificationChanged => EventType::GuestVerificationChanged,
        PlatformEvent::UnitChanged => EventType::UnitChanged,
        PlatformEvent::RatePlanChanged => EventType::RatePlanChanged,
        PlatformEvent::AvailabilityChanged => EventType::AvailabilityChanged,
        PlatformEvent::UserChanged => EventType::UserChanged,
        PlatformEvent::MessageCreated => EventType::MessageCreated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_but_the_test_has_one_event_of_the_log() {
        let log = [
            ("/invoicing", "DocumentIssuing"),
            ("/invoicing", "DocumentIssued"),
            ("/invoicing", "DocumentRejected"),
            ("/finance", "AcceptedByTaxAuthority"),
            ("/platform", "ProductGroupChanged"),
            ("/platform", "BookingChanged"),
            ("/platform", "TaskChanged"),
            ("/platform", "GuestVerificationChanged"),
            ("/platform", "UnitChanged"),
            ("/platform", "RatePlanChanged"),
            ("/platform", "AvailabilityChanged"),
            ("/platform", "UserChanged"),
            ("/platform", "MessageCreated"),
            ("/notices", "submission.alerted"),
            ("/notices", "submission.cleared"),
            ("/notices", "submission.due"),
            ("/notices", "issuing.overdue"),
            ("/notices", "webhook.disabled"),
            ("/notices", "plugin.blocked"),
            ("/notices", "plugin.not_activated"),
            ("/notices", "credential.expiring"),
            ("/notices", "certificate.expiring"),
            ("/notices", "reconciliation.different"),
            ("/notices", "reconciliation.failed"),
            ("/notices", "accepted_with_errors"),
        ];
        let events: Vec<_> = log.iter().map(|(source, kind)| event_type(source, kind).unwrap()).collect();
        assert_eq!(events, EventType::ALL[..25]);
        for (source, kind) in [
            ("/invoicing", "DocumentSaved"),
            ("/finance", "Issued"),
            ("/platform", "DocumentIssued"),
            ("/x", "y"),
        ] {
            assert_eq!(event_type(source, kind), None);
        }
    }
}
