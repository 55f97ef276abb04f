//! The export: issued documents, page by page, however many there are.

use crate::Documents;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::invoicing::IssuePeriod;
use gateway_storage::export::{self, ExportKey};
use gateway_storage::workspaces;
use std::collections::{BTreeSet, VecDeque};

/// Documents held in memory at once, at most.
pub const EXPORT_PAGE: usize = 100;
/// Workspaces looked up at once.
const WORKSPACES: i64 = 500;

/// An export under way. Issued documents are final, so each that was issued when the export began is given once,
/// whatever is issued meanwhile.
#[derive(Debug)]
pub struct Export {
    documents: Documents,
    period: IssuePeriod,
    /// Still to do; the first one is at work.
    workspaces: VecDeque<WorkspaceId>,
    after: Option<ExportKey>,
}

impl Documents {
    /// Starts an export of the issued documents of one workspace, or of all that the caller may see. A workspace
    /// that the caller may not see has no documents.
    pub async fn export(
        &self,
        acting: &Acting,
        workspace: Option<WorkspaceId>,
        period: IssuePeriod,
    ) -> Result<Export, StoreError> {
        let workspaces = match (workspace, &acting.workspaces) {
            (Some(workspace), visible) => {
                VecDeque::from_iter(Some(workspace).filter(|workspace| visible.contain(*workspace)))
            }
            (None, Workspaces::Only(list)) => {
                let once: BTreeSet<_> = list.iter().copied().collect();
                once.into_iter().collect()
            }
            (None, Workspaces::All) => self.all_workspaces().await?,
        };
        Ok(Export { documents: self.clone(), period, workspaces, after: None })
    }

    async fn all_workspaces(&self) -> Result<VecDeque<WorkspaceId>, StoreError> {
        let mut all = VecDeque::new();
        loop {
            let after = all.back().copied().unwrap_or(WorkspaceId(0));
            let page = workspaces::list(self.db(), after, WORKSPACES).await?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page.iter().map(|workspace| workspace.id));
        }
    }
}

impl Export {
    /// The next documents, in order of workspace, issue date and id; empty at the end.
    pub async fn next_page(&mut self) -> Result<Vec<Invoice>, StoreError> {
        let limit = i64::try_from(EXPORT_PAGE).unwrap_or(i64::MAX);
        while let Some(workspace) = self.workspaces.front().copied() {
            let page = export::page(self.documents.db(), workspace, self.period, self.after, limit).await?;
            let full = page.len() >= EXPORT_PAGE;
            let last = page.last().filter(|_| full);
            self.after = last.and_then(|last| Some((last.content.issue_date?, last.id)));
            if self.after.is_none() {
                self.workspaces.pop_front();
            }
            if !page.is_empty() {
                return Ok(page);
            }
        }
        Ok(Vec::new())
    }
}
