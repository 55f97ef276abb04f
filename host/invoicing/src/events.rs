//! What an event tells of a document: the document as it is after it, and what else happened.

use crate::{DocumentView, Documents};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{DocumentEvent, Invoice};
use gateway_domain::money::Amount;
use gateway_events::{Events, NewDocumentEvent, Source};
use gateway_storage::Tx;
use jiff::Timestamp;
use serde::Serialize;

/// What an event tells besides the document: members beside the document's own.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Related {
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_note_id: Option<InvoiceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrective_id: Option<InvoiceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund: Option<RefundData>,
}

/// Money that was returned.
#[derive(Debug, Clone, Serialize)]
struct RefundData {
    amount: Amount,
    reference: Option<String>,
    at: Timestamp,
}

/// What an event says, in full.
#[derive(Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    document: DocumentView<'a>,
    #[serde(flatten)]
    related: Related,
}

impl Related {
    /// A credit note was made.
    pub fn credit_note(id: InvoiceId) -> Self {
        Self { credit_note_id: Some(id), ..Self::default() }
    }

    /// A corrective was made.
    pub fn corrective(id: InvoiceId) -> Self {
        Self { corrective_id: Some(id), ..Self::default() }
    }

    /// Money was returned, at the caller's own time.
    pub fn refund(amount: Amount, reference: Option<String>, at: Timestamp) -> Self {
        Self { refund: Some(RefundData { amount, reference, at }), ..Self::default() }
    }

    /// Writes down what happened to a document, with the document as it is after it.
    pub async fn append(
        self,
        events: &Events,
        tx: &mut Tx,
        (source, kind): (Source, &str),
        invoice: &Invoice,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        let data = StoreError::json_value(&Data { document: DocumentView::from(invoice), related: self })?;
        let (workspace, document) = (invoice.workspace, invoice.id);
        events.append(tx, NewDocumentEvent { source, kind, workspace, document, actor, data: &data }).await
    }
}

impl Documents {
    /// Records what happened to a document in the invoice data service.
    pub(crate) async fn append(
        &self,
        tx: &mut Tx,
        event: DocumentEvent,
        invoice: &Invoice,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        let event_type = (Source::Invoicing, event.as_str());
        Related::default().append(self.events(), tx, event_type, invoice, actor).await
    }
}
