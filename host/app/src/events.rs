//! The event log, which is also the outbox: an event commits with the change it tells of.

use crate::Gateway;
use crate::invoicing::DocumentView;
use gateway_domain::access::Actor;
use gateway_domain::ids::EventId;
use gateway_domain::invoicing::Invoice;
use gateway_storage::events::{self, NewEvent, StoredEvent};
use gateway_storage::{StoreError, Tx};
use serde_json::{Value, json};

/// Which service an event comes from: the CloudEvents source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The invoice data service.
    Invoicing,
    /// The finance service.
    Finance,
}

impl Source {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Invoicing => "/invoicing",
            Self::Finance => "/finance",
        }
    }
}

/// Writes down what happened to a document, with the document as it is after it.
pub(crate) async fn append(
    gateway: &Gateway,
    tx: &mut Tx,
    source: Source,
    kind: &str,
    invoice: &Invoice,
    actor: &Actor,
) -> Result<(), StoreError> {
    let event = NewEvent {
        id: EventId(gateway.ids().next()),
        source: source.as_str(),
        workspace: invoice.workspace,
        subject: invoice.id,
        kind,
        time: gateway.now(),
        actor,
        data: serde_json::to_string(&DocumentView::from(invoice)).unwrap_or_default(),
    };
    events::append(tx, event).await?;
    Ok(())
}

/// An event as CloudEvents 1.0 JSON.
pub fn cloud_event(event: &StoredEvent) -> Value {
    let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
    json!({
        "specversion": "1.0",
        "id": event.id,
        "source": event.source,
        "type": event.kind,
        "subject": event.subject,
        "time": event.time,
        "sequence": event.sequence,
        "workspaceid": event.workspace,
        "actor": event.actor,
        "datacontenttype": "application/json",
        "data": data,
    })
}
