//! Finance's own copy of a document: which state finance shows, and how the issue flow brings it up to date.

use crate::consumers::DocumentAge;
use crate::{Finance, ReadError};
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_events::Source;
use gateway_invoicing::DocumentView;
use gateway_storage::finance_documents::{self, Age, DocumentCopy};
use gateway_storage::{StoreError, events};

impl Finance {
    /// A document as finance knows it, JSON. The copy may lag behind the invoice data service, but never behind what
    /// finance itself has told of the document: then, and when there is none, the invoice data service is asked.
    pub async fn finance_document(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Option<String>, ReadError> {
        let copy = finance_documents::find(self.db(), id, &acting.workspaces).await?;
        let copied_age = self.copied_age(id).await?;
        let fresh =
            copy.filter(|copy| copied_age.is_none_or(|age| copy.age >= age)).and_then(|copy| copy.data);
        if let Some(fresh) = fresh {
            return Ok(Some(self.invoice_data().completed(fresh).await?));
        }
        let Some(document) = self.invoice(acting, id).await? else { return Ok(None) };
        self.sync_copy(&document).await;
        Ok(Some(StoreError::json(&DocumentView::from(&document))?))
    }

    /// The state of a document that finance last told of.
    async fn copied_age(&self, id: InvoiceId) -> Result<Option<Age>, StoreError> {
        let last = events::last_of_subject(self.db(), Source::Finance.as_str(), id).await?;
        Ok(last
            .and_then(|event| serde_json::from_str::<DocumentAge>(&event.data).ok())
            .map(|document| document.age()))
    }

    /// Brings finance's copy up to date with what was just read. Best effort: a failure is logged and counted, and
    /// the event feed makes up for it.
    pub(crate) async fn sync_copy(&self, document: &Invoice) {
        if let Err(error) = self.keep_copy(document).await {
            self.counters().sync_failed();
            tracing::warn!(
                error = &error as &dyn std::error::Error, document.id = %document.id,
                "Finance's copy of {} was not brought up to date, its events will do that: {error}", document.id
            );
        }
    }

    async fn keep_copy(&self, document: &Invoice) -> Result<(), StoreError> {
        let age = (document.created_at, document.version);
        let found = finance_documents::find(self.db(), document.id, &Acting::gateway().workspaces).await?;
        if found.is_some_and(|copy| copy.age >= age) {
            return Ok(());
        }
        let copy = DocumentCopy {
            document: document.id,
            workspace: document.workspace,
            age,
            data: Some(StoreError::json(&DocumentView::from(document))?),
            updated_at: document.updated_at,
        };
        let mut tx = self.db().begin().await?;
        finance_documents::keep(&mut tx, &copy).await?;
        tx.commit().await
    }
}
