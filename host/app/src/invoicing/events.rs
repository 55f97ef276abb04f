//! What an event tells of a document: the document as it is after it, and what else happened.

use super::DocumentView;
use crate::Gateway;
use gateway_domain::access::Actor;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{DocumentEvent, Invoice};
use gateway_domain::money::Amount;
use gateway_events::{Happened, Source};
use gateway_storage::{StoreError, Tx};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

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

impl Gateway {
    /// Records what happened to a document in the invoice data service.
    pub(crate) async fn append(
        &self,
        tx: &mut Tx,
        event: DocumentEvent,
        invoice: &Invoice,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        self.append_event(tx, Source::Invoicing, event.as_str(), invoice, actor, Related::default()).await
    }

    /// Writes down what happened to a document, with the document as it is after it.
    pub(crate) async fn append_event(
        &self,
        tx: &mut Tx,
        source: Source,
        kind: &str,
        invoice: &Invoice,
        actor: &Actor,
        related: Related,
    ) -> Result<(), StoreError> {
        let mut data = StoreError::json_value(&DocumentView::from(invoice))?;
        if let Value::Object(members) = &mut data {
            members.extend(related.0);
        }
        let (workspace, document) = (invoice.workspace, invoice.id);
        self.events().append(tx, Happened { source, kind, workspace, document, actor, data: &data }).await
    }
}
