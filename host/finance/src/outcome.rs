//! What a command did, or would do: the document, and what finance recorded of it.

use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::regime::IdentityMapping;
use gateway_domain_events::StoredEvent;
use gateway_domain_finance::Route;
use gateway_events::Source;
use gateway_storage::{Executor, events};

/// Whether a command is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// Everything it does is kept.
    Commit,
    /// Everything it does is taken back: what would happen.
    DryRun,
}

/// What a command did, or would do.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The document as it is now.
    pub document: Invoice,
    /// The finance events of the command, in order.
    pub events: Vec<StoredEvent>,
    /// What the pre-flight check warns of, and did not stop the command.
    pub warnings: Vec<Fault>,
    /// What an issue would do; none for what was done, and for every other command.
    pub dry_run: Option<DryRun>,
}

/// What an issue would do.
#[derive(Debug, Clone)]
pub struct DryRun {
    /// Unchanged: it has got no number.
    pub document: Invoice,
    /// Which way it would go.
    pub route: Route,
    /// What the pre-flight check says; warnings included.
    pub faults: Vec<Fault>,
    /// How the tax authority would know the recipient; none for a document that it does not hear of.
    pub identity: Option<IdentityMapping>,
}

/// How many events finance has recorded of a document: those behind them are the command's own.
pub(crate) async fn events_so_far(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<usize, StoreError> {
    let events = events::count_of_subject(on, Source::Finance.as_str(), document).await?;
    Ok(usize::try_from(events).unwrap_or_default())
}

impl Outcome {
    /// A document, and what happened to the `subject` of the command since `before`; within the command's transaction, or
    /// after it.
    pub(crate) async fn read(
        on: impl Into<Executor<'_>>,
        acting: &Acting,
        document: Invoice,
        subject: InvoiceId,
        before: usize,
    ) -> Result<Self, StoreError> {
        let mut on = on.into();
        let (source, visible) = (Source::Finance.as_str(), &acting.workspaces);
        let recorded = events::of_subject(on.reborrow(), visible, source, subject).await?;
        let mut events: Vec<_> = recorded.into_iter().skip(before).collect();
        if subject != document.id {
            events.extend(events::of_subject(on, visible, source, document.id).await?);
        }
        Ok(Self { document, events, warnings: Vec::new(), dry_run: None })
    }
}
