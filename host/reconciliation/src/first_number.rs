//! A workspace that has given no invoice a number yet, or no credit note, does not begin at 1 again where its supplier filed such before.

use async_trait::async_trait;
use gateway_domain::invoicing::{DocumentKind, Invoice, InvoiceNumber, SeriesKey};
use gateway_domain::workspace::Workspace;
use gateway_domain::{ErrorCode, FieldError, StoreError};
use gateway_domain_finance::last_filed;
use gateway_domain_finance::ports::{EarlierNumbers, EntryOrder, Provider, ProviderAccess, ProviderError};
use gateway_storage::{Db, numbers};
use gateway_workspaces::Workspaces;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the provider may take. The command waits for it, and goes on without.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Pages of its entries that are looked at, the newest first: accounts may hold those of other suppliers too.
const PAGES_MAX: usize = 10;

/// Asks the provider for its newest entries before the first invoice of a workspace, and before its first credit note. A provider that does
/// not answer objects to nothing: the authority would, to a duplicate.
#[derive(Debug)]
pub struct FiledBefore {
    db: Db,
    workspaces: Workspaces,
    provider: Arc<dyn Provider>,
    /// Series that have given a number, or were told where to start: they never become fresh again.
    begun: Mutex<HashSet<SeriesKey>>,
}

impl FiledBefore {
    /// Asks this provider.
    pub fn new(db: Db, workspaces: Workspaces, provider: Arc<dyn Provider>) -> Self {
        Self { db, workspaces, provider, begun: Mutex::default() }
    }

    fn begun(&self) -> std::sync::MutexGuard<'_, HashSet<SeriesKey>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the series gave a number or was told where to start, or the workspace ever gave one to a document of the kind.
    async fn has_begun(&self, key: SeriesKey) -> Result<bool, StoreError> {
        if self.begun().contains(&key) {
            return Ok(true);
        }
        let has_begun = numbers::is_begun(&self.db, key).await?
            || numbers::any_of_kind(&self.db, key.workspace, key.kind).await?;
        if has_begun {
            self.begun().insert(key);
        }
        Ok(has_begun)
    }

    /// The newest number of the series that the provider shows, with its position.
    async fn last_at_provider(
        &self,
        access: &ProviderAccess,
        workspace: &Workspace,
        key: SeriesKey,
    ) -> Result<Option<(i64, InvoiceNumber)>, ProviderError> {
        let mut cursor = None;
        for _ in 0..PAGES_MAX {
            let page = self.provider.list_entries(access, EntryOrder::NewestFirst, cursor.as_deref()).await?;
            let pattern = workspace.pattern(key.kind);
            let last = last_filed(&page.entries, &workspace.supplier.tax_id, pattern, key.year);
            cursor = page.next;
            if last.is_some() || cursor.is_none() {
                return Ok(last);
            }
        }
        tracing::warn!(
            "The newest {PAGES_MAX} pages of the provider show no number of workspace {}: whether older ones do was not looked at",
            workspace.id
        );
        Ok(None)
    }
}

#[async_trait]
impl EarlierNumbers for FiledBefore {
    async fn objection(
        &self,
        document: &Invoice,
        workspace: &Workspace,
    ) -> Result<Option<FieldError>, StoreError> {
        let (kind, Some(date)) = (document.content.document_type, document.content.issue_date) else {
            return Ok(None);
        };
        let key = SeriesKey { workspace: workspace.id, kind, year: date.year() };
        // The option that says where the series starts; of what has no series, none.
        let option = match kind {
            DocumentKind::Invoice => "--next-number",
            DocumentKind::CreditNote => "--next-credit-number",
            DocumentKind::Proforma | DocumentKind::Receipt => return Ok(None),
        };
        if self.has_begun(key).await? {
            return Ok(None);
        }
        let Some((_, access)) = self.workspaces.provider_access(workspace.id).await? else { return Ok(None) };
        let listed = self.last_at_provider(&access, workspace, key);
        let Ok(Ok(last)) = tokio::time::timeout(TIMEOUT, listed).await else {
            tracing::warn!(
                "Nobody knows whether documents of workspace {} were filed before its first number: the provider did not list them in time",
                workspace.id
            );
            return Ok(None);
        };
        Ok(last.map(|(position, number)| {
            let message = format!(
                "the provider holds {number} of this supplier, and this gateway has given no number of that series yet: if it goes on, \
                 set 'gateway workspace set --workspace {} {option} {}'; if not, set another pattern",
                workspace.id,
                position.saturating_add(1)
            );
            FieldError::new("base", ErrorCode::InvoiceNumbersFiledBefore, message)
        }))
    }
}
