//! What a command did: the document, and what finance recorded of it.

use crate::Finance;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain_platform::events::StoredEvent;
use gateway_events::Source;
use gateway_storage::{Executor, Tx, events};

/// What a command did.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The document as it is now.
    pub document: Invoice,
    /// The finance events of the command, in order.
    pub events: Vec<StoredEvent>,
    /// What the pre-flight check warns of, and did not stop the command.
    pub warnings: Vec<Fault>,
}

impl Finance {
    /// How many events finance has recorded of a document that the transaction holds: those behind them are the command's own.
    pub(crate) async fn events_so_far(&self, tx: &mut Tx, document: InvoiceId) -> Result<usize, StoreError> {
        let source = Source::Finance.as_str();
        Ok(events::of_subject(tx, &Workspaces::All, source, document).await?.len())
    }

    /// A document, and what happened to the `subject` of the command since `before`; within the command's transaction, or
    /// after it.
    pub(crate) async fn outcome(
        &self,
        on: impl Into<Executor<'_>>,
        acting: &Acting,
        document: Invoice,
        subject: InvoiceId,
        before: usize,
    ) -> Result<Outcome, StoreError> {
        let mut on = on.into();
        let (source, visible) = (Source::Finance.as_str(), &acting.workspaces);
        let recorded = events::of_subject(on.reborrow(), visible, source, subject).await?;
        let mut events: Vec<_> = recorded.into_iter().skip(before).collect();
        if subject != document.id {
            events.extend(events::of_subject(on, visible, source, document.id).await?);
        }
        Ok(Outcome { document, events, warnings: Vec::new() })
    }
}
