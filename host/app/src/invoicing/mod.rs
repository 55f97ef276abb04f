//! The invoice data service: drafts, the three RPC calls, pages.
//!
//! Every change is one transaction: the document is locked, the domain decides, and the document, its event and
//! its number commit together or not at all.

mod corrective;
mod events;
mod export;
mod issue;
mod public;
mod save;
mod view;

pub use export::{EXPORT_PAGE, Export};
pub use gateway_storage::invoices::Filter as DocumentFilter;
pub use issue::{IssuingError, RejectError, StepError};
pub use public::Told;
pub(crate) use save::totals_mistake;
pub use save::{DeleteError, NO_VERSION, SaveError, Saved};
pub use view::DocumentView;

use crate::Gateway;
pub(crate) use events::Related;
use gateway_domain::access::Acting;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, IssueDay};
use gateway_domain::workspace::Workspace;
use gateway_storage::invoices::{self, Census, Filter, Place};
use gateway_storage::{StoreError, Tx};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Most documents of one page.
pub const PAGE_MAX: usize = 25;

/// Documents of a page, and whether there are more behind them.
#[derive(Debug, Clone)]
pub struct Page {
    /// The documents.
    pub nodes: Vec<Invoice>,
    /// Whether another page follows.
    pub has_next: bool,
}

impl Page {
    /// Where the next page starts.
    pub fn end(&self) -> Option<Place> {
        self.nodes.last().map(|last| (last.created_at, last.id))
    }
}

impl Gateway {
    /// A document, if the caller may see it.
    pub async fn document(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        invoices::find(self.db(), id, &acting.workspaces).await
    }

    /// A page of documents, oldest first; at most [`PAGE_MAX`].
    pub async fn documents(
        &self,
        acting: &Acting,
        filter: &Filter,
        after: Option<Place>,
        first: usize,
    ) -> Result<Page, StoreError> {
        let first = first.clamp(1, PAGE_MAX);
        let limit = i64::try_from(first).unwrap_or(i64::MAX).saturating_add(1);
        let mut nodes = invoices::page(self.db(), &acting.workspaces, filter, after, limit).await?;
        let has_next = nodes.len() > first;
        nodes.truncate(first);
        Ok(Page { nodes, has_next })
    }

    /// How many documents are in which state, for the metrics.
    pub async fn census(&self) -> Result<Vec<Census>, StoreError> {
        invoices::census(self.db()).await
    }

    /// The day of a command given at `at`, none for now, in the time zone of a workspace that was read already.
    pub(crate) fn issue_day(&self, at: Option<Timestamp>, workspace: Option<&Workspace>) -> IssueDay {
        let zone = workspace.map_or(TimeZone::UTC, |workspace| workspace.time_zone.clone());
        IssueDay::of(at, self.now(), &zone)
    }

    /// Today in the workspace's time zone.
    async fn today(&self, tx: &mut Tx, workspace: WorkspaceId) -> Result<Date, StoreError> {
        let found = gateway_storage::workspaces::find(tx, workspace).await?;
        Ok(self.issue_day(None, found.as_ref()).day())
    }
}
