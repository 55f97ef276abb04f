//! The event log, which is also the outbox: an event commits with the change it tells of.

use crate::Gateway;
use crate::invoicing::DocumentView;
use gateway_domain::access::Actor;
use gateway_domain::ids::{EventId, InvoiceId};
use gateway_domain::invoicing::Invoice;
use gateway_domain::money::Amount;
use gateway_storage::events::{self, NewEvent};
use gateway_storage::{StoreError, Tx};
use serde_json::{Map, Value, json};

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

/// What an event tells besides the document: members beside the document's own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Related(Map<String, Value>);

impl Related {
    /// Another document was made, known by `name`.
    pub(crate) fn document(name: &str, id: InvoiceId) -> Self {
        Self(Map::from_iter([(name.to_owned(), json!(id))]))
    }

    /// Money was returned.
    pub(crate) fn refund(amount: Amount, reference: Option<&str>) -> Self {
        Self(Map::from_iter([("refund".to_owned(), json!({"amount": amount, "reference": reference}))]))
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
