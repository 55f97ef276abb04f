//! A workspace that has given no number yet does not begin at 1 again where its supplier filed invoices before.

use async_trait::async_trait;
use gateway_domain::invoicing::{DocumentKind, Invoice, SeriesKey};
use gateway_domain::workspace::Workspace;
use gateway_domain::{ErrorCode, FieldError, StoreError};
use gateway_domain_finance::last_filed;
use gateway_domain_finance::ports::{EarlierNumbers, EntryOrder, Provider};
use gateway_storage::{Db, numbers};
use gateway_workspaces::Workspaces;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the provider may take. The command waits for it, and goes on without.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Asks the provider for its newest entries before the first number of a workspace is given. A provider that does not answer objects to
/// nothing: the authority would, to a duplicate.
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

    /// Whether the series gave a number, or was told where to start, or the workspace ever gave one.
    async fn has_begun(&self, key: SeriesKey) -> Result<bool, StoreError> {
        if self.begun().contains(&key) {
            return Ok(true);
        }
        let has_begun =
            numbers::is_begun(&self.db, key).await? || numbers::any_of(&self.db, key.workspace).await?;
        if has_begun {
            self.begun().insert(key);
        }
        Ok(has_begun)
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
        if kind != DocumentKind::Invoice || self.has_begun(key).await? {
            return Ok(None);
        }
        let Some((_, access)) = self.workspaces.provider_access(workspace.id).await? else { return Ok(None) };
        let listed = self.provider.list_entries(&access, EntryOrder::NewestFirst, None);
        let Ok(Ok(page)) = tokio::time::timeout(TIMEOUT, listed).await else {
            tracing::warn!(
                "Nobody knows whether invoices of workspace {} were filed before its first number: the provider did not list them",
                workspace.id
            );
            return Ok(None);
        };
        let last = last_filed(&page.entries, &workspace.supplier.tax_id, workspace.pattern(kind), key.year);
        Ok(last.map(|(position, number)| {
            let message = format!(
                "the provider holds {number} of this supplier, and this gateway has given no number yet: if the series goes on, set \
                 'gateway workspace set --workspace {} --next-number {}'; if not, set another pattern",
                workspace.id,
                position.saturating_add(1)
            );
            FieldError::new("base", ErrorCode::InvoiceNumbersFiledBefore, message)
        }))
    }
}
