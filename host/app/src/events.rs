//! The event log, which is also the outbox: an event commits with the change it tells of.

use crate::Gateway;
use crate::invoicing::DocumentView;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::{EventId, InvoiceId};
use gateway_domain::invoicing::Invoice;
use gateway_domain::money::Amount;
use gateway_domain::webhooks::Change;
use gateway_storage::events::{self, Fresh, NewEvent, StoredEvent, Told};
use gateway_storage::{StoreError, Tx};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Which service an event comes from: the CloudEvents source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The invoice data service.
    Invoicing,
    /// The finance service.
    Finance,
    /// The platform's own data.
    Platform,
}

impl Source {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Invoicing => "/invoicing",
            Self::Finance => "/finance",
            Self::Platform => "/platform",
        }
    }
}

/// What an event tells besides the document: members beside the document's own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Related(Map<String, Value>);

impl Related {
    /// Another document was made, known by `name`.
    pub(crate) fn document(name: &str, id: InvoiceId) -> Self {
        Self(Map::from_iter([(name.to_owned(), json!(id))]))
    }

    /// Money was returned, at the caller's own time.
    pub(crate) fn refund(amount: Amount, reference: Option<&str>, at: Timestamp) -> Self {
        let refund = json!({"amount": amount, "reference": reference, "at": at});
        Self(Map::from_iter([("refund".to_owned(), refund)]))
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
    related: Related,
) -> Result<(), StoreError> {
    let mut data = serde_json::to_value(DocumentView::from(invoice)).unwrap_or_default();
    if let Value::Object(members) = &mut data {
        members.extend(related.0);
    }
    let event = NewEvent {
        id: EventId(gateway.ids().next()),
        source: source.as_str(),
        workspace: invoice.workspace,
        subject: invoice.id,
        kind,
        time: gateway.now(),
        actor,
        data: data.to_string(),
    };
    events::append(tx, event).await?;
    Ok(())
}

/// An event as CloudEvents 1.0 JSON.
pub fn cloud_event(event: &StoredEvent) -> Value {
    let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
    let mut told = json!({
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
    });
    // An attribute of a CloudEvent is there or not; it is never null.
    if let (Some(client), Some(members)) = (event.actor.client(), told.as_object_mut()) {
        members.insert("client".to_owned(), client.to_string().into());
    }
    told
}

/// A part of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPage {
    /// The events that the reader may see, in order.
    pub events: Vec<StoredEvent>,
    /// Where the next part starts: behind everything that was looked at, seen or not.
    pub next: i64,
}

impl Gateway {
    /// Writes down what changed of the platform's own data, in the transaction of the change, in order. The caller
    /// holds the rows.
    pub(crate) async fn changed(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        changes: &[Change],
    ) -> Result<(), StoreError> {
        let fresh = |change: &Change| Fresh {
            id: self.ids().next(),
            workspace: change.workspace,
            subject: change.subject,
            kind: change.event.as_str(),
            data: change.data.to_string(),
        };
        let fresh: Vec<_> = changes.iter().map(fresh).collect();
        events::append_all(tx, Source::Platform.as_str(), self.now(), actor, &fresh).await
    }

    /// What happened to documents after a place in the feed, in order and without gaps; at most `limit` events.
    pub async fn feed(&self, acting: &Acting, after: i64, limit: i64) -> Result<FeedPage, StoreError> {
        // Read first: everything up to here is there for the second read, so a part that is not full reaches it.
        let head = events::head(self.db()).await?;
        let events = events::feed(self.db(), &acting.workspaces, Told::OfDocuments, after, limit).await?;
        let last = events.last().and_then(|event| event.position).unwrap_or(after);
        let full = i64::try_from(events.len()).is_ok_and(|count| count >= limit);
        Ok(FeedPage { events, next: if full { last } else { last.max(head) } })
    }
}
